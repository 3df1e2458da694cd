"""Kills a search at random moments until it is done, then compares it.

usage: kill.py KILLS SEED OUT JOURNAL COMMAND...

Runs COMMAND --journal JOURNAL.whole -o OUT.whole unbroken, then the same with
JOURNAL and OUT, killed (SIGKILL, its children with it) after a random part of the
time that the whole run took, KILLS times or until it ends by itself; then once
more to the end. Both journals and reports must hold the same candidates with the
same outcomes. Prints how many candidates each of the killed runs had evaluated.
"""
import json
import os
import random
import signal
import subprocess
import sys
import time

kills, seed, out, journal = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
command = sys.argv[5:]


def start(suffix):
    return subprocess.Popen(command + ["--journal", journal + suffix, "-o", out + suffix],
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                            start_new_session=True)


def finish(process):
    _, errors = process.communicate()
    if process.returncode != 0:
        sys.exit(f"exit {process.returncode}: {errors.decode()[-2000:]}")


def steps(suffix):
    text = subprocess.run([command[0], "journal", journal + suffix], check=True,
                          capture_output=True, text=True).stdout
    lines = [json.loads(line) for line in text.splitlines()]
    for line in lines:
        for key in ("seconds", "started", "made"):
            line.pop(key, None)
    return lines


def evaluated(suffix):
    if not os.path.exists(journal + suffix):
        return 0
    return sum(line["event"] == "evaluated" for line in steps(suffix))


begin = time.monotonic()
finish(start(".whole"))
whole = time.monotonic() - begin
draw = random.Random(seed)
done = 0
for _ in range(kills):
    process = start("")
    try:
        process.wait(draw.uniform(0, whole))
        break  # it was quicker
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        done += 1
        print("killed after", evaluated(""), "candidates")
finish(start(""))
if steps("") != steps(".whole"):
    sys.exit("the killed search went another way:\n"
             + "\n".join(map(str, steps(""))) + "\nunbroken:\n"
             + "\n".join(map(str, steps(".whole"))))


def report(suffix):
    with open(os.path.join(out + suffix, "best.ptx")) as file:
        return file.read()


if report("") != report(".whole"):
    sys.exit("the killed search has another winner")
names = [line["candidate"] for line in steps("") if line["event"] == "evaluated"]
if len(set(names)) != len(names):
    sys.exit("a candidate was counted twice")
print(done, "kills,", len(names), "candidates, nothing lost or counted twice")
