#!/usr/bin/env python3
"""What became of the recorded answers of a language model. Replays each folder
examples/recorded/STRATEGY/KERNEL, without a model or a GPU, and prints a table: how
many candidates the answers held, how many of them were code that compiles, how many
were accepted and with which grade, the best against the naive kernel by the static
estimate; then why each of the others failed.

usage: recorded_report.py EVO_OPT [STRATEGY[/KERNEL]...]
"""
import collections
import glob
import json
import os
import subprocess
import sys
import tempfile

from searches import EXAMPLES, path_of, replay_options

ACCEPTED = ("exact", "algebraic", "numeric")
# Stages before there is code to judge.
UNBUILT = ("answer", "materialize", "evo-materialize", "duplicate")


def replay(tool, strategy, kernel):
    """The events of one replayed search, or its complaint."""
    with tempfile.TemporaryDirectory() as out:
        done = subprocess.run(
            [tool, "optimize", path_of(kernel), "-o", out, *replay_options(kernel, strategy),
             "--budget=9", "--seed=7", "--no-gpu", "--json"],
            capture_output=True, text=True, check=False)
    events = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    candidates = [event for event in events if event["event"] == "candidate"]
    if done.returncode != 0:
        print(f"{strategy}/{kernel}: evo-opt ended with {done.returncode}\n{done.stderr}",
              file=sys.stderr)
    if not candidates:
        sys.exit(f"{strategy}/{kernel}: evo-opt ended with {done.returncode}\n"
                 f"{done.stderr}{done.stdout}")
    return candidates


def summarise(candidates):
    baseline, *rest = candidates
    verdicts = [event["result"].split(":")[0] for event in rest]
    grades = collections.Counter(v for v in verdicts if v in ACCEPTED)
    return {
        "candidates": len(rest),
        "built": sum(v not in UNBUILT for v in verdicts),
        "accepted": sum(grades.values()),
        "grades": ", ".join(f"{grades[g]} {g}" for g in ACCEPTED if grades[g]),
        "gain": baseline["best_micros"] / rest[-1]["best_micros"] if rest else 1.0,
        "failures": [(event["name"], " ".join(event["result"].split())[:160])
                     for event, v in zip(rest, verdicts) if v not in ACCEPTED],
    }


def main():
    tool, *names = sys.argv[1:] or sys.exit(__doc__)
    folders = sorted(glob.glob(os.path.join(EXAMPLES, "recorded", "*", "*", "")))
    rows = []
    for folder in folders:
        strategy, kernel = folder.rstrip(os.sep).split(os.sep)[-2:]
        name = f"{strategy}/{kernel}"
        if names and name not in names and strategy not in names:
            continue
        rows.append((name, summarise(replay(tool, strategy, kernel))))
    if not rows:
        sys.exit("no recording of that name")
    print("| recording | candidates | compile | accepted | grades | best against naive, estimated |")
    print("|---|---|---|---|---|---|")
    for name, row in rows:
        print(f"| {name} | {row['candidates']} | {row['built']} | {row['accepted']} "
              f"| {row['grades']} | {row['gain']:.2f}x |")
    total = {key: sum(row[key] for _, row in rows) for key in ("candidates", "built", "accepted")}
    print(f"| all {len(rows)} | {total['candidates']} | {total['built']} | {total['accepted']} | | |")
    for name, row in rows:
        for candidate, why in row["failures"]:
            print(f"- {name} {candidate}: {why}")


if __name__ == "__main__":
    main()
