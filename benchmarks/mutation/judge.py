"""Verdicts of evo-opt on many candidates, through evo-worker: the process that
judges the candidates of a search, one fork for each, with headers already read.
`evo-opt verify` gives the same verdicts (--by-command asks it), but reads CUDA's
headers anew each time."""
import json
import os
import re
import subprocess
import threading
import time

LIMITS = {"seconds": 120.0, "memory": 6 << 30, "file": 64 << 20}
DETAIL = re.compile(r'(\w+) = (?:"((?:[^"\\]|\\.)*)"|([-+.\w]+))')


class Verdict:
    def __init__(self, outcome, grade="", details=None, seconds=0.0):
        # refuted, accepted, undecided, stillborn (does not build) or fault
        self.outcome, self.grade, self.seconds = outcome, grade, seconds
        self.details = details or {}

    @property
    def reason(self):
        return self.details.get("reason", "")

    def summary(self):
        words = [self.grade or self.outcome, self.reason, self.details.get("message", "")]
        return ": ".join(word for word in words if word)


def quoted(text):
    return '"' + text.replace("\\", "\\5C").replace('"', "\\22").replace("\n", "\\0A") + '"'


def unquoted(text):
    return re.sub(r"\\([0-9A-F]{2})", lambda m: chr(int(m.group(1), 16)), text)


class Judge:
    """One worker and the lifted references it has been asked about."""

    modules, lock = {}, threading.Lock()

    def __init__(self, tool, seed, effort):
        self.tool, self.seed, self.effort, self.worker = tool, seed, effort, None

    def module_of(self, reference):
        with Judge.lock:
            if reference not in Judge.modules:
                lifted = subprocess.run(
                    [self.tool, "lift", reference], capture_output=True, text=True, check=False
                )
                if lifted.returncode:
                    raise SystemExit(f"{reference}: {lifted.stderr}")
                Judge.modules[reference] = lifted.stdout
            return Judge.modules[reference]

    def ask(self, reference, text):
        module = self.module_of(reference)
        at = module.rindex("\n", 0, module.index("evo.reference")) + 1
        proposal = f'  evo.proposal @candidate "cuda" {quoted(text)} by "user"\n'
        request = {
            "module": module[:at] + proposal + module[at:],
            "pipeline": "builtin.module(evo.kernel(evo-materialize,"
            f"evo-verify{{seed={self.seed} effort={self.effort}}}))",
            "genomes": ["cuda"],
            **LIMITS,
        }
        if not self.worker:
            path = os.path.join(os.path.dirname(self.tool), "evo-worker")
            self.worker = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        message = json.dumps(request).encode()
        self.worker.stdin.write(b"%016x\n" % len(message) + message)
        self.worker.stdin.flush()
        header = self.worker.stdout.read(17)
        if len(header) < 17:
            self.worker = None
            return Verdict("fault", details={"reason": "the worker died"})
        return self.read(json.loads(self.worker.stdout.read(int(header, 16))))

    @staticmethod
    def read(answer):
        seconds = {entry["stage"]: entry["seconds"] for entry in answer["timings"]}.get("process", 0.0)
        module = answer["module"]
        if not module:  # the candidate took its process with it
            return Verdict("refuted", "refuted", {"reason": "died", "message": answer["failure"]}, seconds)
        if answer["failure"]:
            return Verdict("fault", details={"reason": answer["failure"]}, seconds=seconds)
        failed = re.search(r'evo\.proposal @candidate .* failed at "[^"]*" with "((?:[^"\\]|\\.)*)"', module)
        if failed:
            details = {"reason": "does-not-build", "message": unquoted(failed.group(1))}
            return Verdict("stillborn", "refuted", details, seconds)
        found = re.search(r'evidence <(\w+) hash = "[^"]*" details = \{((?:"(?:[^"\\]|\\.)*"|[^"}])*)\}', module)
        if not found:
            return Verdict("fault", details={"reason": "no verdict"}, seconds=seconds)
        details = {key: unquoted(text) or word for key, text, word in DETAIL.findall(found.group(2))}
        return Verdict(outcome(found.group(1), details), found.group(1), details, seconds)

    def command(self, reference, path):
        """The verdict of a process of its own; its seconds are all it used."""
        before = time.monotonic()
        run = subprocess.Popen(
            [self.tool, "verify", reference, path, "--json", f"--seed={self.seed}", f"--effort={self.effort}"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )
        output = run.stdout.read()
        _, status, usage = os.wait4(run.pid, 0)
        run.returncode = os.waitstatus_to_exitcode(status)
        seconds = usage.ru_utime + usage.ru_stime or time.monotonic() - before
        lines = [json.loads(line) for line in output.splitlines()]
        details = next((line for line in lines if line["event"] == "verdict"), {})
        kind = {0: "accepted", 1: "refuted", 2: "undecided"}.get(run.returncode, "fault")
        if details.get("reason") == "does-not-build":
            kind = "stillborn"
        return Verdict(kind, details.get("grade", ""), details, seconds)

    def close(self):
        if self.worker:
            self.worker.stdin.close()
            self.worker.wait()
            self.worker.stdout.close()


def outcome(grade, details):
    if details.get("reason") == "does-not-build":
        return "stillborn"
    if grade == "refuted":
        return "refuted"
    return "undecided" if grade == "unsupported" else "accepted"


def judge_all(candidates, tool, seed=1, effort="default", jobs=2, progress=None, by_command=None):
    """Verdicts in the order of the candidates. `by_command` is a folder to write
    each candidate to for a process of its own."""
    candidates = list(candidates)
    verdicts = [None] * len(candidates)
    places = iter(range(len(candidates)))
    lock = threading.Lock()

    def serve(number):
        judge = Judge(tool, seed, effort)
        while True:
            with lock:
                k = next(places, None)
            if k is None:
                break
            candidate = candidates[k]
            if by_command:
                path = os.path.join(by_command, f"candidate{number}.cu")
                with open(path, "w", encoding="utf-8") as file:
                    file.write(candidate.text)
                verdicts[k] = judge.command(candidate.reference, path)
            else:
                verdicts[k] = judge.ask(candidate.reference, candidate.text)
            if progress:
                progress(candidate, verdicts[k])
        judge.close()

    threads = [threading.Thread(target=serve, args=(n,)) for n in range(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return verdicts
