#!/usr/bin/env python3
"""Judges points of a schedule (`general`) on one kernel file: lifts it, adds a
proposal for each point, makes variants of them and verifies those. Prints a line
a point: "KNOBS: GRADE, N launches, M scratch", or why there is no variant.

usage: points.py [--seed=N] [--schedule=NAME] [--raise] FILE [KNOB=VALUE,...]...
       --raise: the file is CUDA, and the schedule is of what is raised from it
       what is not named is as in the plain mapping, in other schedules as usual
"""
import re
import subprocess
import sys


def run(*command, text=None):
    result = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if result.returncode:
        sys.exit(f"{' '.join(command)}: {result.returncode}\n{result.stderr}")
    return result.stdout


PLAIN = {"fuse": "0", "chain": "0", "group": "0", "split": "0", "rows": "1", "columns": "1", "threads": "256",
         "hold": "0", "access": "0", "stream": "0"}


def knobs(schedule, point):
    given = dict(pair.split("=") for pair in point.split(",") if pair)
    all_knobs = {**(PLAIN if schedule == "general" else {}), **given}
    return "{knobs = {" + ", ".join(f"{name} = {value}" for name, value in all_knobs.items()) + "}}"


def propose(file, points, schedule="general", raised=False):
    """The kernel of `file` with a proposal @p0, @p1, ... for each point."""
    lifted = run("evo-opt", "lift", file).rstrip()
    if raised:
        lifted = run("evo-opt", "-", "--pass-pipeline=builtin.module(evo.kernel(evo-raise{seed=1}))",
                     text=lifted).rstrip()
    proposals = "".join(
        f'  evo.proposal @p{i} "schedule" "{schedule}" by "test" options {knobs(schedule, point)}\n'
        for i, point in enumerate(points))
    kernel_end = lifted.rindex("}", 0, lifted.rindex("}")) if re.search(r"^module", lifted, re.M) else lifted.rindex("}")
    return lifted[:kernel_end] + proposals + lifted[kernel_end:]


def main():
    args = sys.argv[1:]
    seed = args.pop(0).split("=")[1] if args[0].startswith("--seed=") else "1"
    schedule = args.pop(0).split("=")[1] if args[0].startswith("--schedule=") else "general"
    raised = args[0] == "--raise"
    if raised:
        args.pop(0)
    points = args[1:] or [""]
    text = propose(args[0], points, schedule, raised)
    judged = run("evo-opt", "-", "--pass-pipeline=builtin.module(evo.kernel("
                 f"evo-materialize,evo-verify{{effort=quick seed={seed} seconds=0}}))", text=text)
    for i, point in enumerate(points):
        name = point or "plain"
        failure = re.search(rf'evo\.proposal @p{i} .* with "(.*?)"', judged)
        variant = re.search(rf"evo\.variant @p{i}\.v(.*?)(?=evo\.variant|evo\.proposal|\Z)", judged, re.S)
        if not variant:
            print(f"{name}: {failure.group(1) if failure else 'no variant'}")
            continue
        body = variant.group(1)
        grade = re.search(r"evidence <(\w+)", body)
        reason = re.search(r'message = "([^"]*)"', body)
        print(f"{name}: {grade.group(1) if grade else 'not judged'}, {body.count('evo.launch @')} launches, "
              f"{len(re.findall(r'evo.scratch ', body))} scratch" + (f" ({reason.group(1)})" if reason else ""))


if __name__ == "__main__":
    main()
