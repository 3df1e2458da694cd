#!/usr/bin/env python3
"""The table of results: what each kernel of the corpus takes as it is (by nvcc -O3 and as this
tool lowers it), as `evo-opt optimize` makes it without a model, from recorded answers of a
model, and in PyTorch, eager and compiled. All sides of a row are timed in turn in one process,
on the same buffers, cold L2; products and convolutions of f32 are computed in f32.

  results.py measure --into PART.json --commit HASH EVO_OPT [KERNEL...]
      Measures kernels that no part has, until the time is over; a later part goes on.
  results.py lowering --into PART.json --commit HASH EVO_OPT [KERNEL...]
      Every .cu file of the corpus, unchanged: our lowering and NVRTC's against nvcc -O3.
  results.py shapes --seed S --into PART.json --commit HASH EVO_OPT [KERNEL...]
      As measure, at shapes drawn from the seed: the search, eager and compiled alone.
  results.py render [--check]
      Writes docs/Results.md, its picture, and the README's rows out of benchmarks/results/.

Parts belong into benchmarks/results/. What they hold of a commit other than the given one is
measured anew.
"""
import argparse
import sys

from table import measure_shapes, render, run


def measuring_options(parser):
    parser.add_argument("--into", required=True, metavar="PART.json")
    parser.add_argument("--commit", required=True, help="of which the tool was built")
    parser.add_argument("--parts", default=render.PARTS, help="folder of the parts that there are")
    parser.add_argument("--seconds", type=float, default=520, help="for this part (520)")
    parser.add_argument("--look", type=float, default=3, help="seconds to time one row (3)")
    parser.add_argument("--worker", nargs="+", default=run.WORKER, help=argparse.SUPPRESS)
    parser.add_argument("tool")
    parser.add_argument("kernels", nargs="*")


def naive_options(parser):
    parser.add_argument("--nvcc", default="nvcc")


def searching_options(parser):
    parser.add_argument("--budget", type=int, default=40, help="candidates of a search (40)")
    parser.add_argument("--max-seconds", type=int, default=60, help="of a search (60)")
    parser.add_argument("--keep", metavar="DIR", help="keep what was searched for, and time what "
                        "is there already without another search")


def drawing_options(parser):
    parser.add_argument("--seed", type=int, required=True, help="that shapes are drawn from")
    parser.add_argument("--count", type=int, default=5, help="shapes of a kernel, of five kinds (5)")
    compiled = parser.add_mutually_exclusive_group()
    compiled.add_argument("--compile-mode", metavar="MODE", help="of torch.compile; by default "
                          "max-autotune for products and convolutions, as in measure")
    compiled.add_argument("--skip-compiled", action="store_true", help="time eager alone")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    measure = verbs.add_parser("measure")
    lowering = verbs.add_parser("lowering")
    shapes = verbs.add_parser("shapes")
    for verb, groups in ((measure, (measuring_options, naive_options, searching_options)),
                         (lowering, (measuring_options, naive_options)),
                         (shapes, (measuring_options, searching_options, drawing_options))):
        for add_options in groups:
            add_options(verb)
    render.add_options(verbs.add_parser("render"))
    options = parser.parse_args()
    run_verb = {"measure": run.measure, "lowering": run.lowering,
                "shapes": measure_shapes.measure, "render": render.main}
    return run_verb[options.verb](options)


if __name__ == "__main__":
    sys.exit(main())
