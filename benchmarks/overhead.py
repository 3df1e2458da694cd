#!/usr/bin/env python3
"""What share of a search is neither a model's time nor an evaluation's: prompts,
reading of answers, population, and, if asked for, a journal. Runs searches without a
model (recorded answers, and the search that needs none) and prints a line for each;
fails where a share is not below the limit. On a busy machine shares are larger than on
a quiet one.

usage: overhead.py EVO_OPT [--journal] [--limit PERCENT] [SEARCH...]
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

from searches import path_of, replay_options


def recorded(kernel, strategy):
    return [path_of(kernel), *replay_options(kernel, strategy), "--budget=9"]


RUNS = {
    "search, softmax": [path_of("softmax"), "--budget=24"],
    # One candidate per request: nothing is done beside an evaluation.
    "evoengineer-full, gelu": recorded("gelu", "evoengineer-full"),
    "evoengineer-full, rmsnorm": recorded("rmsnorm", "evoengineer-full"),
    "evoengineer-full, attention": recorded("attention", "evoengineer-full"),
    "fsr, cumsum": recorded("cumsum", "fsr"),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--journal", action="store_true", help="keep one")
    parser.add_argument("--limit", type=float, default=2.0, help="in percent, default 2")
    parser.add_argument("tool")
    parser.add_argument("searches", nargs="*", metavar="SEARCH", help="; ".join(RUNS))
    options = parser.parse_intermixed_args()
    worst = 0
    print(f"{'search':30} {'candidates':>10} {'seconds':>8} {'a minute':>9} {'itself':>7}")
    for name in options.searches or RUNS:
        words = RUNS[name]
        with tempfile.TemporaryDirectory() as out:
            if options.journal:
                words = [*words, "--journal", os.path.join(out, "journal")]
            subprocess.run([options.tool, "optimize", *words, "--seed=7", "--no-gpu", "--confirm=none", "-o",
                            os.path.join(out, "x")], check=True, capture_output=True)
            with open(os.path.join(out, "x", "timings.json")) as file:
                times = json.load(file)
        share = 100 * times["overhead"] / times["seconds"]
        worst = max(worst, share)
        print(f"{name:30} {times['candidates']:10} {times['seconds']:8.1f} "
              f"{60 * times['candidates'] / times['seconds']:9.1f} {share:5.1f} %")
    if worst >= options.limit:
        sys.exit(f"{worst:.1f} % is not below {options.limit:g} %")


main()
