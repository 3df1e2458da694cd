"""Readers of what comes from outside, on inputs that libFuzzer makes.

The inputs begin with what the tree has of each kind. Those that reach something new are kept
in a folder of the user's (--corpora), if one is named. What a reader died of is given to
evo-opt itself, which has to answer with an exit code and a reason; what it dies of, too, or
calls a defect, is a failure.
"""
import concurrent.futures
import contextlib
import glob
import json
import os
import re
import shutil
import sqlite3
import subprocess
import threading
import time

from .runs import Workplace
from .server import ModelServer, completion

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
# By reader: its share of the inputs, the longest, and the seconds that one may take. Clang
# reads some tens a second, the others thousands: of a .cu file, most inputs go to what reads
# it without Clang (its header lines, its includes).
READERS = {"header": (0.17, 4096, 5), "includes": (0.10, 4096, 5), "answer": (0.14, 16384, 5),
           "reply": (0.09, 16384, 5), "launch": (0.15, 8192, 5), "mlir": (0.14, 8192, 20),
           "ll": (0.13, 8192, 20), "report": (0.03, 16384, 10), "journal": (0.02, 131072, 10),
           "cu": (0.03, 4096, 60)}
SMALL = 16 << 10  # bytes of a seed


def seeds(tool, folder, reader):
    """Texts of the kind that `reader` takes."""
    def found(*patterns, largest=SMALL):
        for pattern in patterns:
            for path in sorted(glob.glob(os.path.join(SOURCE, pattern), recursive=True)):
                if os.path.isfile(path) and os.path.getsize(path) <= largest:
                    with open(path, "rb") as file:
                        yield file.read()

    def parts(kind):
        """Files that tests are split into."""
        for text in found("test/**/*.test", largest=16 * SMALL):
            yield from re.findall(rb"^(?://|#)--- \S+\." + kind + rb"\n(.*?)(?=^(?://|#)---|\Z)",
                                  text, re.S | re.M)
    # Not what was found before (unittests/Fuzz/Inputs): a reader dies of it at once.
    if reader in ("header", "includes", "cu"):
        yield from found("examples/cuda/**/*.cu", "test/Frontend/*.cu")
        if reader != "cu":  # which takes its time with each of them
            yield from parts(b"cu")
    elif reader == "mlir":
        yield from found("examples/linalg/*.mlir", "test/Conversion/*.mlir")
        for text in found("test/Dialect/**/*.mlir", "test/Transforms/**/*.mlir",
                          largest=16 * SMALL):
            yield from text.split(b"// -----")
        yield from parts(b"mlir")
    elif reader == "ll":
        yield from found("examples/**/*.ll", "test/**/*.ll")
        yield from parts(b"ll")
    elif reader == "answer":
        yield from found("test/Proposers/Inputs/*.md", "examples/recorded/**/*.json")
    elif reader == "reply":
        text = "```cuda\nint x;\n```"
        for value in (completion(text),
                      {"content": [{"type": "text", "text": text}], "stop_reason": "end_turn",
                       "usage": {"input_tokens": 1, "output_tokens": 2}},
                      {"error": {"message": "overloaded", "type": "overloaded_error"}}):
            yield json.dumps(value).encode()
    else:
        place = Workplace(tool, os.path.join(folder, "seeds"))
        for out, ask in (("out", lambda url: ()), ("asked", place.model)):
            if not os.path.exists(place.path(out)):
                lead(place, place.path(out), ask)
            name = {"launch": f"{out}/launch.json", "report": f"{out}/report.json",
                    "journal": f"{out}.packed"}[reader]
            with open(place.path(name), "rb") as file:
                yield file.read()


def lead(place, out, ask):
    """A search that leaves one seed of each kind; a model is asked by what `ask` says."""
    server = ModelServer()
    try:
        code, text = place.run(place.search("scale.cu", out, 1, 3, *ask(server.url)))
    finally:
        server.close()
    if code:
        raise AssertionError(text)
    # The journal in small pages: cut off at the longest input it would be none.
    with contextlib.closing(sqlite3.connect(out + ".journal")) as journal:
        for statement in ("journal_mode = delete", "page_size = 512"):
            journal.execute("PRAGMA " + statement)
        journal.execute("VACUUM INTO ?", (out + ".packed",))
    assert os.path.getsize(out + ".packed") <= READERS["journal"][1], "no journal is that short"


TEXTS = ("header", "includes", "cu", "mlir", "ll")


def as_text(data):
    """As the readers of texts take it, for evo-opt refuses what is none: with blanks in place
    of control characters."""
    return bytes(32 if (c < 0x20 and c not in b"\t\n\v\f\r") or c == 0x7f else c for c in data)


def ask_driver(place, reader, path):
    """What evo-opt does with an input that a reader died of: nothing where it answers."""
    def named(name):
        with open(path, "rb") as file:
            data = file.read()
        with open(place.path(name), "wb") as file:
            file.write(as_text(data) if reader in TEXTS else data)
        return place.path(name)
    if reader in ("header", "cu"):
        command = ["lift", named("found.cu")]
    elif reader in ("mlir", "ll"):
        command = ["lift", named("found." + reader)]
    elif reader == "journal":
        command = ["journal", named("found.journal")]
    elif reader == "report":
        os.makedirs(place.path("found"), exist_ok=True)
        named("found/report.json")
        command = ["report", place.path("found"), "-o", place.path("page.html")]
    else:
        return f"the reader '{reader}' died"
    try:
        code, text = place.run([place.tool, *command], timeout=120)
    except subprocess.TimeoutExpired:
        return "evo-opt does not end"
    if code not in (0, 1, 2, 3, 4) or (code and "error:" not in text) or "is a defect" in text:
        return f"exit code {code}: {text[-300:]}"
    return ""


class Reader:
    """A reader with its inputs, which several fuzzers may make at the same time: they share the
    corpus, where each finds what another has put there."""

    def __init__(self, fuzzer, tool, folder, corpora, cuda, name):
        self.fuzzer, self.tool, self.folder = fuzzer, tool, folder
        self.corpora, self.cuda, self.name = corpora, cuda, name
        self.corpus = os.path.join(corpora or folder, name)
        self.first = os.path.join(folder, name + "-seeds")
        self.lock, self.crashes, self.failures = threading.Lock(), {}, []
        self.done = 0
        _, self.longest, self.patience = READERS[name]
        for path in (self.corpus, self.first):
            os.makedirs(path, exist_ok=True)
        for number, text in enumerate(seeds(tool, folder, name)):
            with open(os.path.join(self.first, str(number)), "wb") as file:
                file.write(text[:self.longest])

    def fuzz(self, number, wanted, deadline, seed):
        """Makes as many inputs as are wanted, with another fuzzer after each that died."""
        place = Workplace(self.tool, os.path.join(self.folder, f"{self.name}-{number}"))
        artifacts = place.path("found")
        os.makedirs(artifacts, exist_ok=True)
        environment = {"EVO_CACHE_DIR": os.path.join(self.folder, "cache"), **os.environ,
                       "EVO_CUDA_PATH": self.cuda, "TMPDIR": place.folder}
        done = 0
        while done < wanted and time.monotonic() < deadline:
            seed += 1
            left = max(1, int(deadline - time.monotonic()))
            ended = subprocess.run(
                [self.fuzzer, f"--reader={self.name}", f"-runs={wanted - done}",
                 f"-max_total_time={left}", f"-max_len={self.longest}",
                 f"-timeout={self.patience}", f"-seed={seed}", "-rss_limit_mb=4096",
                 "-print_final_stats=1", f"-artifact_prefix={artifacts}/", self.corpus,
                 self.first],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, env=environment)
            text = ended.stdout.decode(errors="replace")
            executed = re.findall(r"stat::number_of_executed_units:\s*(\d+)", text)
            # One that died has said how far it was.
            runs = executed or re.findall(r"^#(\d+)", text, re.M)
            if not runs and ended.returncode:
                with self.lock:
                    self.failures.append(f"{self.name}: {text[-500:]}")
                return
            done += int(runs[-1]) if runs else 0
            with self.lock:
                self.done += int(runs[-1]) if runs else 0
            for path in glob.glob(os.path.join(artifacts, "*")):
                self.look_at(place, path)
                os.remove(path)

    def look_at(self, place, path):
        """An input that the reader died of."""
        name = os.path.basename(path)
        kind = name.split("-")[0]
        # What is slow under a fuzzer is no crash.
        why = "" if kind == "slow" else ask_driver(place, self.name, path)
        if self.corpora:
            os.makedirs(os.path.join(self.corpora, "found"), exist_ok=True)
            shutil.copy(path, os.path.join(self.corpora, "found", f"{self.name}-{name}"))
        with self.lock:
            self.crashes[kind] = self.crashes.get(kind, 0) + 1
            if why:
                self.failures.append(f"{self.name}: {name}: {why}")


def run(fuzzer, tool, folder, corpora, cuda, wanted, deadline, seed, counts, failures, at_a_time):
    counts.setdefault("inputs", 0)
    if not fuzzer or not os.path.exists(fuzzer):
        counts["could not be run"] = "no evo-fuzz (cmake -DEVO_FUZZ=ON, target evo-fuzz)"
        return
    counts.pop("could not be run", None)
    seed += int(time.monotonic())
    for number, name in enumerate(READERS):
        # The time that is left, by the readers that are.
        share = (deadline - time.monotonic()) / (len(READERS) - number)
        end = min(deadline, time.monotonic() + share)
        left = round(wanted * READERS[name][0]) - counts.setdefault(name, 0)
        if left <= 0:
            continue
        reader = Reader(fuzzer, tool, folder, corpora, cuda, name)
        with concurrent.futures.ThreadPoolExecutor(at_a_time) as pool:
            list(pool.map(lambda job: reader.fuzz(job, -(-left // at_a_time), end,
                                                  seed + 100000 * job), range(at_a_time)))
        counts[name] += reader.done
        for kind, count in reader.crashes.items():
            counts[f"{kind} of a reader"] = counts.get(f"{kind} of a reader", 0) + count
        failures += reader.failures
    counts["inputs"] = sum(counts.get(name, 0) for name in READERS)
