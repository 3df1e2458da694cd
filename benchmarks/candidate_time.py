#!/usr/bin/env python3
"""Time of one candidate, stage by stage: from its text to verified, assembled and
estimated. Runs whole searches with `evo-opt optimize --json` and prints medians by
the language of the candidate: seconds of one processor, of the process that handles
the candidate and of the assembler that it calls. That whole holds the fork and the
reading and printing of the IR besides the stages; "to assembled" is the whole without the
estimate. Wall seconds, beside it, hold the transport too, and what else the machine does.
All runs on one processor, one candidate after another.

usage: candidate_time.py EVO_OPT [BUDGET] [REPLAY_DIR_SOFTMAX REPLAY_DIR_SGEMM]
With folders of recorded answers, CUDA text as a model wrote it is timed too.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile

ESTIMATE = "evo-estimate"  # the stage after the assembler


def run(tool, kernel, budget, replay):
    """Events of one search; `replay` names a folder or is None."""
    command = [tool, "optimize", kernel, "--json", "--no-gpu", "--seed=7", "--jobs=1",
               f"--budget={budget}"]
    if replay:
        command += ["--proposer=replay", f"--replay-dir={replay}",
                    # Prompts have changed since the answers were recorded.
                    "--replay-match=task"]
    with tempfile.TemporaryDirectory() as out:
        output = subprocess.run(command + ["-o", out], capture_output=True, text=True, check=False)
        events = [json.loads(line) for line in output.stdout.splitlines()]
        with open(os.path.join(out, "report.json"), encoding="utf-8") as file:
            accepted = {variant.get("proposal") for variant in json.load(file)["variants"]
                        if variant.get("evidence", {}).get("grade") in ("exact", "algebraic", "numeric")}
    return [event for event in events
            if event["event"] == "candidate" and event["name"] in accepted]


def report(title, events):
    if not events:
        print(f"{title}: no accepted candidate")
        return
    whole = [event["stages"]["process"] for event in events]
    wall = [event["seconds"] for event in events]
    assembled = [event["stages"]["process"] - event["stages"].get(ESTIMATE, 0.0)
                 for event in events]
    print(f"{title}: {len(events)} accepted candidates, "
          f"median {statistics.median(whole):.2f} s, slowest {max(whole):.2f} s "
          f"(wall: median {statistics.median(wall):.2f} s); "
          f"to assembled: median {statistics.median(assembled):.2f} s")
    stages = sorted({stage for event in events for stage in event["stages"]} - {"process"})
    for stage in stages:
        times = [event["stages"].get(stage, 0.0) for event in events]
        print(f"  {stage:24} {statistics.median(times):.3f} s")


def main():
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    tool = sys.argv[1]
    budget = sys.argv[2] if len(sys.argv) > 2 else "12"
    examples = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "examples", "cuda")
    replays = sys.argv[3:5] if len(sys.argv) > 4 else [None, None]
    for kernel, replay in zip(("softmax", "sgemm"), replays):
        path = os.path.join(examples, kernel + ".cu")
        events = run(tool, path, budget, None)
        report(f"{kernel}, schedules and rewrites", events)
        if replay:
            report(f"{kernel}, CUDA text", run(tool, path, "9", replay)[1:])


if __name__ == "__main__":
    main()
