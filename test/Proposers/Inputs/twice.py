"""Runs the same replay twice, with one evaluation at a time and with two, and compares
all that it leaves, timings aside: the folder, the journal as lines, the trajectories.

usage: twice.py EXAMPLES FOLDER KERNEL RECORDING STRATEGY BUDGET
"""
import json
import os
import subprocess
import sys

examples, folder, kernel, recording, strategy, budget = sys.argv[1:]
TIMES = ("seconds", "started", "made")


def run(number):
    out = os.path.join(folder, str(number))
    subprocess.run(["evo-opt", "optimize", os.path.join(examples, "cuda", kernel),
                    "--proposer", "replay", "--replay-match", "task", "--replay-dir",
                    os.path.join(examples, "recorded", recording), "--strategy", strategy,
                    "--budget", budget, "--seed", "7", "--no-gpu", "--jobs", str(number),
                    "--effort=quick", "--confirm=none",
                    "--journal", out + ".journal", "-o", out],
                   check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    files = {name: open(os.path.join(out, name), "rb").read()
             for name in os.listdir(out) if name not in ("timings.json", "run.json")}
    for option in ([], ["--trajectories"]):
        text = subprocess.run(["evo-opt", "journal", out + ".journal", *option],
                              check=True, stdout=subprocess.PIPE, text=True).stdout
        lines = [json.loads(line) for line in text.splitlines()]
        assert lines, option
        files[" ".join(["journal"] + option)] = [
            {key: value for key, value in line.items() if key not in TIMES}
            for line in lines]
    return files


one, two = run(1), run(2)
assert one.keys() == two.keys(), (one.keys(), two.keys())
for name in one:
    assert one[name] == two[name], name
print("%s: %d files and two exports the same" % (recording, len(one) - 2))
