#!/usr/bin/env python3
"""Runs `evo-opt optimize` with a small budget on kernel files and prints a line a file: the
grade of the best variant, how many variants were accepted, how many were found faster than
the file's own. A variant that was refuted is named.

usage: optimised.py FOLDER FILE...
"""
import json
import pathlib
import subprocess
import sys
import tempfile

ACCEPTED = ("exact", "algebraic", "numeric")

for name in sys.argv[2:]:
    with tempfile.TemporaryDirectory() as out:
        done = subprocess.run(
            ["evo-opt", "optimize", str(pathlib.Path(sys.argv[1], name)), "-o", out, "--budget=8",
             "--effort=quick", "--confirm=none", "--seed=1", "--no-gpu"],
            capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"{name}: {done.returncode}: {done.stderr.strip()}")
            continue
        with open(pathlib.Path(out, "report.json"), encoding="utf-8") as file:
            report = json.load(file)
    variants = {variant["name"]: variant for variant in report["variants"]}
    accepted = {key: variant for key, variant in variants.items()
                if variant.get("evidence", {}).get("grade") in ACCEPTED}
    refuted = [key for key, variant in variants.items()
               if variant.get("evidence", {}).get("grade") == "refuted"]
    best = accepted[report["best"]]
    own = accepted["baseline.v"]["estimate"]["micros"]
    faster = sum(variant["estimate"]["micros"] < own for variant in accepted.values()
                 if "estimate" in variant)  # not of one that is not lowered
    print(f"{name}: best {best['evidence']['grade']}, {len(accepted)} accepted, {faster} faster"
          + "".join(f", {key} refuted" for key in refuted))
