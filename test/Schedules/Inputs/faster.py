#!/usr/bin/env python3
"""Whether one point of the schedule `general` is estimated to take at most 1 / RATIO of the
time of another, both accepted. usage: faster.py FILE RATIO POINT SLOWER_POINT"""
import pathlib
import re
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "Frontend" / "Inputs"))
from points import propose, run

ratio = float(sys.argv[2])
points = sys.argv[3:5]
judged = run("evo-opt", "-", "--pass-pipeline=builtin.module(evo.kernel(evo-materialize,"
             "evo-verify{effort=quick seed=1 seconds=0},evo-lower,evo-estimate))",
             text=propose(sys.argv[1], points))
found = re.findall(r"evo\.variant @p\d\.v .*? evidence <(\w+) .*? estimate <estimated us = \[([^\]]+)\]",
                   judged)
if len(found) != 2:
    sys.exit(f"expected two variants with estimates, found {found}")
(grade, fast), (_, slow) = found
print(f"{points[0]}: {grade}, {'faster' if ratio * float(fast) <= float(slow) else 'not faster'}")
