#!/usr/bin/env python3
"""How long `evo-opt optimize` takes for the kernels of the corpus where a GPU measures each
accepted variant: wall time from the start of the process to its end, candidates and
measurements, seconds of the CPU's and the GPU's stages, and the best time, of a variant that
may ask something of sizes. Kernels run one after another; with --seconds the rest is left for
a later call.

usage: search_seconds.py [--budget N] [--seconds T] [--bar T] EVO_OPT [KERNEL...] [-- OPTION...]
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

from searches import path_of
from table.corpus import KERNELS

LIMIT = 120  # seconds for one search


def read(folder, name):
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def search(options, kernel):
    """Wall seconds of one search, its timings and its best measured time; or a complaint."""
    with tempfile.TemporaryDirectory() as out:
        command = [options.tool, "optimize", path_of(kernel), "-o", out, "--seed=1",
                   f"--budget={options.budget}", *options.options]
        start = time.monotonic()
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False,
                                  timeout=LIMIT)
        except subprocess.TimeoutExpired:
            return f"no end within {LIMIT} s"
        wall = time.monotonic() - start
        timings, report = read(out, "timings.json"), read(out, "report.json")
        if done.returncode or not timings:
            return " ".join((done.stdout + done.stderr).split())[-200:]
        times = [(v["measured"]["micros"][0], v["origin"]) for v in report["variants"]
                 if (v.get("measured") or {}).get("micros")]
        micros, origin = min(times, default=(None, ""))
        naive = next((v for v in report["variants"] if v.get("proposal") == "baseline"), {})
        was = (naive.get("measured") or {}).get("micros") or [None]
        return wall, timings, was[0], micros, origin


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--budget", type=int, default=32, help="candidates of a search (32)")
    parser.add_argument("--seconds", type=float, default=0, help="start no search after these")
    parser.add_argument("--bar", type=float, default=0, help="exit with 1 where a search whose "
                        "naive version takes under 50 ms takes longer than these seconds")
    parser.add_argument("tool")
    parser.add_argument("kernels", nargs="*")
    arguments = sys.argv[1:]
    rest = arguments.index("--") if "--" in arguments else len(arguments)
    options = parser.parse_args(arguments[:rest])
    options.options = arguments[rest + 1:]

    print(f"{'kernel':22} {'wall s':>7} {'tried':>5} {'timed':>5} {'CPU s':>7} {'GPU s':>6} "
          f"{'naive us':>9} {'best us':>9}  made by")
    over, start = [], time.monotonic()
    for kernel in options.kernels or [kernel.name for kernel in KERNELS]:
        if options.seconds and time.monotonic() - start > options.seconds:
            print(f"{kernel:22} not run: {options.seconds:g} s are over")
            continue
        row = search(options, kernel)
        if isinstance(row, str):
            over.append(kernel)
            print(f"{kernel:22} {row}", flush=True)
            continue
        wall, spent, was, best, how = row
        if options.bar and wall > options.bar and (was is None or was < 50e3):
            over.append(kernel)
        print(f"{kernel:22} {wall:7.1f} {spent['candidates']:5} {spent['measurements']:5} "
              f"{spent['evaluating']:7.1f} {spent['measuring']:6.1f} {was or 0:9.1f} "
              f"{best or 0:9.1f}  {how}", flush=True)
    if over:
        print("over the bar or without an end: " + ", ".join(over))
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
