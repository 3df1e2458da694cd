"""Kills a search that was given no seed, and has the same command go on with it.

usage: resume.py KILLS OUT JOURNAL COMMAND...

Starts COMMAND --json --journal JOURNAL -o OUT, kills it (SIGKILL, its children with it)
after one more candidate than the last time, KILLS times; then once more, as people do,
without --json. Each time it must say how far the run had got. Then the same search is
run unbroken, by the seed that was drawn: both journals must hold the same candidates with
the same outcomes, the same answers of models, each once, and both folders the same winner.
"""
import json
import os
import re
import signal
import subprocess
import sys

kills, out, journal = int(sys.argv[1]), sys.argv[2], sys.argv[3]
command = sys.argv[4:]


def start(suffix, *more):
    return subprocess.Popen([*command, *more, "--journal", journal + suffix, "-o", out + suffix],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            start_new_session=True)


def lines(suffix):
    text = subprocess.run([command[0], "journal", journal + suffix], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    return [json.loads(line) for line in text.splitlines()]


def steps(suffix):
    """What was tried and asked, without the hours and what it took."""
    kept = []
    for line in lines(suffix):
        if line["event"] in ("asked", "evaluated"):
            kept.append({key: value for key, value in line.items()
                         if key not in ("seconds", "made")})
    return kept


def evaluated(suffix):
    return [line["candidate"] for line in lines(suffix) if line["event"] == "evaluated"]


before = 0
for number in range(kills):
    process = start("", "--json")
    seen = 0
    for line in process.stdout:
        event = json.loads(line)
        if event["event"] == "run":
            assert number > 0 and event["resumed"] and event["run"] == 1, event
            assert event["candidates"] == before, (event, before)
        seen += event["event"] == "candidate"
        if seen > number:
            break
    else:
        sys.exit("it ended by itself: " + process.stderr.read())
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    before = len(evaluated(""))
    # What was said to be done is on record.
    assert before > number, before
    print("killed after", before, "candidates")

process = start("")
_, errors = process.communicate()
assert process.returncode == 0, errors
said = re.search(r"^resuming run 1: (\d+) of \d+ candidates(, [0-9.]+ spent)? \(seed (\d+)\)$",
                 errors, re.M)
assert said and int(said[1]) == before, errors
charges = [line for line in lines("") if line["event"] == "request"]
money = sum(line["money"] for line in charges)
assert bool(said[2]) == (money > 0), (said[0], charges)
names = evaluated("")
assert len(set(names)) == len(names), names
whole = start(".whole", "--seed", said[3])
_, errors = whole.communicate()
assert whole.returncode == 0 and "resuming" not in errors, errors
assert steps("") == steps(".whole"), (steps(""), steps(".whole"))
paid = [[(line["request"], line["hash"]) for line in lines(suffix)
         if line["event"] == "request" and line["state"] == "settled"]
        for suffix in ("", ".whole")]
assert paid[0] == paid[1] and len(set(paid[0])) == len(paid[0]), paid
paths = [os.path.join(folder, "best.ptx") for folder in (out, out + ".whole")]
assert open(paths[0]).read() == open(paths[1]).read()
runs = [line for line in lines("") if line["event"] == "run"]
assert len(runs) == 1 and runs[0]["seed"] == int(said[3]), runs
assert runs[0]["ended"] == "the budget was used", runs
print("%d candidates, the same winner, nothing judged or asked twice, %s"
      % (len(names), "paid" if money else "nobody paid"))
