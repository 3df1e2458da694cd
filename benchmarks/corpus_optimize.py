#!/usr/bin/env python3
"""What `evo-opt optimize` makes of the naive kernels of the corpus, by its own
estimate: a row for each examples/cuda/*/naive.cu with the estimated time of the
kernel as it is and of the best that was found, their ratio, the grade of the best,
and how it was made. At the end the count of those that got faster by at least
MARGIN; exits with 1 if these are fewer than --min.

usage: corpus_optimize.py [--min COUNT] [--jobs N] EVO_OPT [BUDGET] [KERNEL[=BUDGET]...]
"""
import argparse
import os
import sys
from concurrent.futures import ThreadPoolExecutor

from searches import EXAMPLES, micros, search

MARGIN = 1.05
SECONDS = 600  # for one kernel


def row_of(tool, kernel, budget):
    """The row of one kernel; what it lacks is None."""
    row = {"naive": None, "best": None, "grade": "", "how": ""}
    found = search(tool, kernel, ["--no-gpu", "--seed=1", "--confirm=none", f"--budget={budget}"],
                   SECONDS)
    if found.complaint:
        row["how"] = found.complaint
        return row
    accepted = []
    for variant in found.report["variants"]:
        time = micros(variant, "estimate")
        if time is None:
            continue
        accepted.append((time, variant))
        if variant.get("proposal") == "baseline":
            row["naive"] = time
    if accepted:
        row["best"], best = min(accepted, key=lambda pair: pair[0])
        row["grade"] = best.get("evidence", {}).get("grade", "")
        row["how"] = best["origin"]
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--min", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("tool")
    parser.add_argument("budget", type=int, nargs="?", default=12)
    parser.add_argument("kernels", nargs="*")
    options = parser.parse_args()
    corpus = os.path.join(EXAMPLES, "cuda")
    kernels = options.kernels or sorted(
        name for name in os.listdir(corpus)
        if os.path.exists(os.path.join(corpus, name, "naive.cu")))
    for name in ("softmax", "sgemm"):  # these two lie beside the folders
        if not options.kernels and name not in kernels:
            kernels.append(name)
    budgets = {name: int(budget or options.budget)
               for name, _, budget in (kernel.partition("=") for kernel in kernels)}

    print(f"{'kernel':22} {'naive us':>10} {'best us':>10} {'ratio':>7}  grade      made by")
    improved = 0
    with ThreadPoolExecutor(options.jobs) as pool:
        rows = pool.map(lambda name: row_of(options.tool, name, budgets[name]), budgets)
        for name, row in zip(budgets, rows):
            if row["naive"] and row["best"]:
                ratio = row["naive"] / row["best"]
                improved += ratio >= MARGIN
                print(f"{name:22} {row['naive']:10.1f} {row['best']:10.1f} {ratio:7.2f}  "
                      f"{row['grade']:10} {row['how']}", flush=True)
            else:
                print(f"{name:22} {'-':>10} {'-':>10} {'-':>7}  {row['grade']:10} {row['how']}",
                      flush=True)
    print(f"{improved} of {len(budgets)} got faster by at least {MARGIN}")
    if improved < options.min:
        print(f"expected at least {options.min}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
