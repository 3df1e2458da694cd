#!/usr/bin/env python3
"""The table of results: what each kernel of the corpus takes as it is (by nvcc -O3 and as this
tool lowers it), as `evo-opt optimize` makes it without a model, from recorded answers of a
model, and in PyTorch, eager and compiled. All sides of a row are timed in turn in one process,
on the same buffers, cold L2; products and convolutions of f32 are computed in f32.

  results.py measure --into PART.json --commit HASH EVO_OPT [KERNEL...]
      Measures kernels that no part has, until the time is over; a later part goes on.
  results.py lowering --into PART.json --commit HASH EVO_OPT [KERNEL...]
      Every .cu file of the corpus, unchanged: our lowering and NVRTC's against nvcc -O3.
  results.py render [--check]
      Writes docs/Results.md, its picture, and the README's rows out of benchmarks/results/.

Parts belong into benchmarks/results/. What they hold of a commit other than the given one is
measured anew.
"""
import argparse
import sys

from table import render, run


def measuring_options(parser):
    parser.add_argument("--into", required=True, metavar="PART.json")
    parser.add_argument("--commit", required=True, help="of which the tool was built")
    parser.add_argument("--parts", default=render.PARTS, help="folder of the parts that there are")
    parser.add_argument("--seconds", type=float, default=520, help="for this part (520)")
    parser.add_argument("--look", type=float, default=3, help="seconds to time one row (3)")
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--worker", nargs="+", default=run.WORKER, help=argparse.SUPPRESS)
    parser.add_argument("tool")
    parser.add_argument("kernels", nargs="*")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    measure = verbs.add_parser("measure")
    measuring_options(measure)
    measure.add_argument("--budget", type=int, default=40, help="candidates of a search (40)")
    measure.add_argument("--max-seconds", type=int, default=60, help="of a search (60)")
    measure.add_argument("--keep", metavar="DIR", help="keep what was searched for, and time what "
                         "is there already without another search")
    measuring_options(verbs.add_parser("lowering"))
    render.add_options(verbs.add_parser("render"))
    options = parser.parse_args()
    if options.verb == "render":
        return render.main(options)
    return run.measure(options) if options.verb == "measure" else run.lowering(options)


if __name__ == "__main__":
    sys.exit(main())
