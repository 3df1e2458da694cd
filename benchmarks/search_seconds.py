#!/usr/bin/env python3
"""How long `evo-opt optimize` takes for the kernels of the corpus where a GPU measures each
accepted variant: wall time from the start of the process to its end, candidates and
measurements, seconds of the CPU's and the GPU's stages, and the best time, of a variant that
may ask something of sizes. Kernels run one after another; with --seconds the rest is left for
a later call.

usage: search_seconds.py [--budget N] [--seconds T] [--bar T] EVO_OPT [KERNEL...] [-- OPTION...]
"""
import argparse
import sys
import time

from searches import micros, search
from table.corpus import KERNELS

LIMIT = 120  # seconds for one search


def times_of(report):
    """Microseconds of the kernel as it is and of the fastest variant, and how that was made;
    None where nothing was measured."""
    timed = [variant for variant in report["variants"] if micros(variant, "measured")]
    naive = [variant for variant in timed if variant.get("proposal") == "baseline"]
    best = min(timed, key=lambda variant: micros(variant, "measured"), default={})
    return (micros(naive[0], "measured") if naive else None, micros(best, "measured"),
            best.get("origin", ""))


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
        found = search(options.tool, kernel,
                       ["--seed=1", f"--budget={options.budget}", *options.options], LIMIT)
        if found.complaint:
            over.append(kernel)
            print(f"{kernel:22} {found.complaint}", flush=True)
            continue
        naive, best, how = times_of(found.report)
        if options.bar and found.seconds > options.bar and (naive is None or naive < 50e3):
            over.append(kernel)
        spent = found.timings
        print(f"{kernel:22} {found.seconds:7.1f} {spent['candidates']:5} "
              f"{spent['measurements']:5} {spent['evaluating']:7.1f} {spent['measuring']:6.1f} "
              f"{naive or 0:9.1f} {best or 0:9.1f}  {how}", flush=True)
    if over:
        print("over the bar or without an end: " + ", ".join(over))
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
