#!/usr/bin/env python3
"""The README's tables of times on a GPU: naive kernels of the corpus against what
`evo-opt optimize` finds, by its own search and from the recorded answers of a language
model. A row says the time of the naive kernel, of the candidate with the best estimate,
and of the fastest measured one, each measured in the same run, interleaved with the
naive one, and the ratio of both to the naive one's time there. Only the candidates with
the best estimates are measured, three to twelve of a search and four of a model; where
they are eight or more, the rank correlation (Spearman) of estimates and times is printed
below: among the best alone, so no figure of how well the model tells good from bad.

usage: gpu_table.py [--tables searched,recorded] [--reports DIR] EVO_OPT [KERNEL...]
"""
import argparse
import os
import sys

from searches import micros, optimize, replay_options

# Kernel, budget, how many are measured.
SEARCHED = [("softmax", 40, 12), ("sgemm", 40, 12), ("hgemm", 24, 3), ("conv2d", 24, 3),
            ("transpose", 24, 3), ("batched_gemm", 24, 3), ("bias_relu", 12, 3),
            ("rmsnorm", 12, 3), ("layernorm", 12, 3), ("batchnorm", 12, 3),
            ("cross_entropy", 12, 3), ("sum", 12, 3), ("argmax", 12, 3), ("scan", 12, 3),
            ("cumsum", 12, 3), ("average_pool", 12, 3), ("depthwise_conv", 24, 12),
            ("spmv", 12, 3), ("topk", 12, 3), ("max_pool", 12, 3), ("histogram", 12, 3),
            ("stencil3d", 12, 6)]
# Kernel, strategy of the recording ("" for the one that is the default).
RECORDED = [("softmax", ""), ("sgemm", "")] + [
    (name, "evoengineer-full")
    for name in ("conv2d", "layernorm", "attention", "transpose", "cross_entropy",
                 "batched_gemm", "cumsum", "log_softmax", "rmsnorm", "argmax",
                 "stencil3d", "gelu")]
SECONDS = 200  # for one kernel


def ranks(values):
    """Ranks from 0, equal values share the mean of theirs."""
    ordered = sorted(values)
    return [ordered.index(value) + (ordered.count(value) - 1) / 2 for value in values]


def correlation(pairs):
    """Spearman's: Pearson's of the ranks; None where one side does not vary."""
    left, right = (ranks(side) for side in zip(*pairs))
    mean = (len(pairs) - 1) / 2
    product = sum((a - mean) * (b - mean) for a, b in zip(left, right))
    scale = (sum((a - mean) ** 2 for a in left) * sum((b - mean) ** 2 for b in right)) ** 0.5
    return product / scale if scale else None


def number(value):
    return f"{value:.0f}" if value >= 1000 else f"{value:.1f}"


def row(kernel, candidates, variants):
    """A line of the table, and a remark on the correlation or None."""
    measured = [variant for variant in variants if micros(variant, "measured")]
    naive = next((v for v in measured if v["name"] == "baseline.v"), None)
    others = [v for v in measured if v is not naive and micros(v, "estimate")]
    if not naive or not others:
        return f"| {kernel} | {candidates} | nothing measured | | | |", None
    base = micros(naive, "measured")
    chosen = min(others, key=lambda v: micros(v, "estimate"))
    best = min(others, key=lambda v: micros(v, "measured"))
    cells = [f"{number(micros(v, 'measured'))} us ({base / micros(v, 'measured'):.1f}x)"
             for v in (chosen, best)]
    remark = None
    pairs = [(micros(v, "estimate"), micros(v, "measured")) for v in others]
    found = correlation(pairs) if len(pairs) >= 8 else None
    if found is not None:
        remark = f"{kernel}: rank correlation {found:.2f} over {len(pairs)} candidates"
    return (f"| {kernel} | {candidates} | {number(base)} us | {cells[0]} | {cells[1]} "
            f"| {best.get('evidence', {}).get('grade', '')} |"), remark


def table(tool, title, rows, reports):
    print(f"{title}\n\n| kernel | candidates | naive | best by the estimate | best measured | grade |")
    print("|---|---|---|---|---|---|")
    remarks = []
    for kernel, candidates, label, options in rows:
        variants = optimize(tool, kernel, options, SECONDS,
                            reports and os.path.join(reports, f"{label}.json"))
        if isinstance(variants, str):
            line, remark = f"| {kernel} | {candidates} | {variants} | | | |", None
        else:
            line, remark = row(kernel, candidates, variants)
        print(line, flush=True)
        remarks += [remark] if remark else []
    print("", *remarks, sep="\n", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--tables", default="searched,recorded")
    parser.add_argument("--reports", help="a folder that gets each search's report.json")
    parser.add_argument("tool")
    parser.add_argument("kernels", nargs="*")
    options = parser.parse_args()
    if options.reports:
        os.makedirs(options.reports, exist_ok=True)
    chosen = options.tables.split(",")
    if "searched" in chosen:
        rows = [(kernel, budget, f"{kernel}-searched",
                 [f"--budget={budget}", "--seed=1", f"--measure-top={top}"])
                for kernel, budget, top in SEARCHED
                if not options.kernels or kernel in options.kernels]
        table(options.tool, "Search without a model", rows, options.reports)
    if "recorded" in chosen:
        rows = [(kernel, 8, f"{kernel}-recorded",
                 ["--budget=9", "--measure-top=4", "--seed=7", *replay_options(kernel, strategy)])
                for kernel, strategy in RECORDED
                if not options.kernels or kernel in options.kernels]
        table(options.tool, "Recorded answers of a model", rows, options.reports)


if __name__ == "__main__":
    sys.exit(main())
