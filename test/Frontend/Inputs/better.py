#!/usr/bin/env python3
"""Whether a search found an accepted variant that is faster than its baseline, by the
estimates in report.json. usage: better.py REPORT"""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    report = json.load(file)


def micros(variant):
    """The estimated time over all workloads, where the variant was accepted."""
    if variant.get("evidence", {}).get("grade") not in ("exact", "algebraic", "numeric"):
        return None
    return variant["estimate"]["micros"]


times = {variant["name"]: micros(variant) for variant in report["variants"]}
baseline = times.pop("baseline.v")
best = min(time for time in times.values() if time is not None)
if baseline is None or not best < baseline:
    sys.exit(f"baseline {baseline}, best of the others {best}")
