#!/usr/bin/env python3
"""Prints the variant that a point of the schedule `general` makes. usage: variant.py FILE POINT"""
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "Frontend" / "Inputs"))
from points import propose, run

made = run("evo-opt", "-", "--pass-pipeline=builtin.module(evo.kernel(evo-materialize))",
           text=propose(sys.argv[1], ["access=16," + sys.argv[2]]))
print(made[made.index("evo.variant"):])
