#!/usr/bin/env python3
"""To which level a corpus is raised: L0, the LLVM dialect as Clang or another
compiler gave it; L1, structured control flow on memrefs; L2, linalg on tensors.
A level counts only if the raised form was verified against the file's own. Prints
a line a file, with the reason where a level is not reached, and the shares.

usage: levels.py [--evo-opt PATH] [--summary] [--jobs N] [--highest LEVEL] [-I DIR]...
                 [--min LEVEL=PERCENT]... [FOLDER | FILE]...
With no folder: examples/cuda. Files without an `evo.kernel` line are lifted, and
counted at L0: without a contract nothing above can be judged. Above the highest level
nothing is tried. Headers are looked for in the folders given with -I, as by evo-opt.
Exits with 1 if less than a minimum share reaches its level.
"""
import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys

KINDS = {".cu", ".ll", ".mlir"}


def run(*command, text=None):
    try:
        return subprocess.run(command, input=text, capture_output=True, text=True, check=False,
                              timeout=300)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, "", "error: took more than 300 s")


def reason(text):
    """What a diagnostic says, without its place: the first error, since others follow from
    it, or else the last remark."""
    said = re.findall(r"error: (.*)", text)[:1] or re.findall(r"remark: (.*)", text)
    return said[-1] if said else (text.strip().splitlines() or ["no reason was given"])[-1]


def level(tool, path, highest, folders=()):
    """The highest level, 0 to 2 (-1: not lifted), and why not each above."""
    includes = [f"-I{folder}" for folder in folders]
    structured = run(tool, "lift", "--level=l1", *includes, str(path))
    if highest == 1 and not structured.returncode and "evidence" in structured.stdout:
        return 1, {}
    lifted = run(tool, "lift", *includes, str(path))
    if lifted.returncode:
        return -1, {0: reason(lifted.stderr)}
    if "evo.reference" in lifted.stdout and "func.func" in lifted.stdout:
        return 2, {}
    if not re.search(r"^evo\.kernel @\S+ args|^ *evo\.kernel @\S+ args", lifted.stdout, re.M):
        return 0, {1: "no contract", 2: "no contract"}
    why = {}
    if structured.returncode:
        why[1] = reason(structured.stderr)
    if highest < 2:
        return (1 if 1 not in why else 0), why
    raised = run(tool, "-", "--pass-pipeline=builtin.module(evo.kernel(evo-raise{seed=1}))",
                 text=lifted.stdout)
    if raised.returncode:
        why[2] = reason(raised.stderr)
    elif "evo.raised" not in raised.stdout:
        why[2] = "no guess of evo-raise was accepted"
    return (2 if 2 not in why else 1 if 1 not in why else 0), why


def share(text):
    """L1=60 as (1, 60.0)."""
    found = re.fullmatch(r"L([012])=(\d+(?:\.\d+)?)", text)
    if not found:
        raise argparse.ArgumentTypeError(f"expected LEVEL=PERCENT such as L1=60, found '{text}'")
    return int(found[1]), float(found[2])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    root = pathlib.Path(__file__).resolve().parent.parent
    parser.add_argument("--evo-opt", default="evo-opt")
    parser.add_argument("--summary", action="store_true", help="print the shares alone")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--highest", type=int, choices=[1, 2], default=2)
    parser.add_argument("-I", dest="includes", metavar="DIR", action="append", default=[])
    parser.add_argument("--min", type=share, action="append", default=[])
    parser.add_argument("inputs", nargs="*", type=pathlib.Path, default=[root / "examples" / "cuda"])
    options = parser.parse_args()
    files = []
    for given in options.inputs:
        files += sorted(f for f in given.rglob("*") if f.suffix in KINDS) if given.is_dir() else [given]
    if not files:
        parser.error("no .cu, .ll or .mlir files there")
    if any(at > options.highest for at, _ in options.min):
        parser.error("a level above the highest has no share")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda file: level(options.evo_opt, file, options.highest, options.includes), files))
    if not options.summary:
        for file, (reached, why) in zip(files, results):
            name = file.name if len(files) == 1 else "/".join(file.parts[-2:])
            print(f"{name}: {f'L{reached}' if reached >= 0 else 'not lifted'}")
            # A file at L2 may well stay out of L1: the two are ways of their own.
            for missing, text in sorted(why.items()):
                print(f"  not L{missing}: {text}")
    total = len(files)
    counts = [sum(reached >= 0 for reached, _ in results),
              sum(reached >= 0 and 1 not in why for reached, why in results),
              sum(reached == 2 for reached, _ in results)][:options.highest + 1]
    shares = [100 * count / total for count in counts]
    missing = total - counts[0]
    print(f"not lifted: {missing} of {total} ({100 * missing / total:.0f} %)")
    for at, (count, percent) in enumerate(zip(counts, shares)):
        print(f"L{at}: {count} of {total} ({percent:.0f} %)")
    below = [(at, smallest) for at, smallest in options.min if shares[at] < smallest]
    for at, smallest in below:
        print(f"L{at}: expected at least {smallest:g} %")
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main())
