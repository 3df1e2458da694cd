"""Searches that a model server fails in the middle of, each by another fault.

usage: faults.py SERVE PEM KERNEL ANSWER FOLDER

The first answer is good, then the fault comes. One that concerns one answer is data
of the search, and one that passes is not seen: both end well. The others are errors
of the run: what was found stays, the journal knows of it, and the same search goes
on where it was once the server is well. Prints a line for each fault.
"""
import json
import os
import subprocess
import sys

serve, pem, kernel, good, folder = sys.argv[1:]
later = os.path.join(os.path.dirname(good), "next.md")
KEY = "sk-of-the-test-0123456789"


def run(name, replies, more=(), url="@URL@"):
    """The exit code, what was printed, and the requests that were received."""
    out, log = os.path.join(folder, name), os.path.join(folder, name + ".log")
    if os.path.exists(log):
        os.remove(log)
    environment = dict(os.environ, EVO_API_KEY=KEY, no_proxy="127.0.0.1,192.0.2.1",
                       EVO_SERVE_PEM=pem)
    command = ["evo-opt", "optimize", kernel, "--effort=quick", "--confirm=none",
               "--proposer", "llm", "--base-url", url,
               "--model", "m", "--seed", "3", "--no-gpu", "--jobs", "1", "--attempts",
               "2", "--answer-seconds", "5", "--strategy", "evoengineer-free",
               "--budget", "3", "--journal", out + ".journal", "-o", out, *more]
    result = subprocess.run([sys.executable, serve, log, *replies, "--", *command],
                            env=environment, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, timeout=300)
    assert result.returncode == 0, result.stdout  # of the server's own
    count = len(open(log).readlines()) if os.path.exists(log) else 0
    code = int(result.stdout.rsplit("exit code ", 1)[1])
    for path, _, names in os.walk(out):
        for file in names:
            text = open(os.path.join(path, file), "rb").read()
            assert KEY.encode() not in text, file
    assert KEY not in result.stdout
    return code, result.stdout, count


def journal(name):
    text = subprocess.run(["evo-opt", "journal", os.path.join(folder, name + ".journal")],
                          stdout=subprocess.PIPE, text=True, check=True).stdout
    events = [json.loads(line) for line in text.splitlines()]
    return ([e["candidate"] for e in events if e["event"] == "evaluated"],
            [e for e in events if e["event"] == "request"])


def check(name, replies, said, code, requests, url="@URL@", billed=True, again=False):
    got, text, count = run(name, replies, url=url)
    assert got == code, (name, got, text)
    assert count == requests, (name, count, text)
    assert said in text, (name, text)
    # What was found before the fault stays.
    best = open(os.path.join(folder, name, "best.mlir")).read()
    report = json.load(open(os.path.join(folder, name, "report.json")))
    tried, charges = journal(name)
    assert tried[0] == "baseline" and "@baseline.v" in best, (name, tried)
    # Every request was entered: at its bound where no answer came, for it may have
    # been billed; at nothing where the server refused it.
    assert charges and report["spending"], (name, charges)
    assert (charges[-1]["input_tokens"] > 0) == billed, (name, charges)
    if code == 0:
        assert "m0" in tried and "@m0.v" in best, (name, tried)
    print("%s: exit code %d, %d requests, tried %s, %d entries"
          % (name, got, count, " ".join(tried), len(charges)))
    if not again:
        return
    # Well again: the search goes on, and nothing is tried or asked twice.
    got, text, count = run(name, [later] if "m0" in tried else [good, later])
    after, more = journal(name)
    assert got == 0, (name, got, text)
    assert after[:len(tried)] == tried and len(after) == 3, (name, after)
    assert len(set(after)) == 3 and len(more) > len(charges), (name, after)
    print("%s: well again, tried %s" % (name, " ".join(after)))


# Faults that pass.
check("busy", [good, "429+1", later], "", 0, 3)
check("error", [good, "500", later], "", 0, 3)
check("lost", [good, "reset", later], "", 0, 3)
# Faults of one answer.
for fault in ("not-json", "html", "huge"):
    name = {"not-json": "malformed", "html": "untyped"}.get(fault, fault)
    check(name, [good, fault, later],
          "warning: proposer 'llm': no answer can be read from the server: ", 0, 3)
# Faults of the means.
check("down", [good, "500", "500"], "gave up after 2 attempts", 4, 3, billed=False,
      again=True)
check("gone", [good, "reset", "reset"], "gave up after 2 attempts", 4, 3)
check("truncated", [good, "truncated", "truncated"], "the connection was lost", 4, 3)
check("trickle", [good, "trickle", "trickle"], "the answer stalled", 4, 3, again=True)
check("late", [good, "429+86400"], "longer than allowed", 4, 2, billed=False)
check("untrusted", [], "certificate", 4, 0, url="@TLS@", billed=False, again=True)
check("nowhere", [], "could not connect", 4, 0, url="https://192.0.2.1/v1", billed=False)
check("refused", [], "could not connect", 4, 0, url="http://127.0.0.1:9/v1", billed=False)
