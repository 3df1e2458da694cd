#!/usr/bin/env python3
"""Candidates that are right at every small size and wrong at the workload's own: of a
kernel's baseline, as `optimize` leaves it, each argument of a launch that is a size is
capped just below its value at the workload (a row capped at 2048 columns, a sum that
stops at 2048), and so is each extent of a grid. Prints a line a mutant with the verdict
on it. The unchanged baseline has to be accepted, or the file's mutants say nothing.

usage: real_sizes.py [--evo-opt PATH] [--count N] [--seed S] [--jobs J] [-v] FILE | FOLDER...

Of each file at most three mutants are taken; with --count that many in all, of files in
an order that --seed draws, until there are as many. An argument that its kernel does not
use is not capped, nor is a size of which the workload has 64 or less. Where a mutant is
accepted, and the kernel is accepted as well without that launch, or with another number in
the argument's place at every size (how far the rows of a single row are apart), the change
does nothing, as small sizes tell, which are run as a whole: such a mutant is right, is printed
as "idle" and does not count. Exits with 1 unless every other mutant is refuted.
"""
import argparse
import concurrent.futures
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

KINDS = {".cu", ".ll", ".mlir"}
SMALL = 64
OF_ONE_FILE = 3
VERDICTS = {0: "accepted", 1: "refuted", 2: "undecided"}
LAUNCH = re.compile(r"evo\.launch @(\w+)::@(\w+) grid (\[[^\]]*\]).*? args (\[[^\]]*\])")


def ceildiv(a, b):
    return -(-a // b)


def value(expression, sizes):
    """Of an integer expression of a contract, whose / rounds down; None: of other names."""
    try:
        return eval(expression.replace("/", "//"),  # pylint: disable=eval-used
                    {"__builtins__": {}, "ceildiv": ceildiv, "min": min, "max": max}, dict(sizes))
    except (NameError, SyntaxError, ZeroDivisionError):
        return None


def workload(text):
    found = re.search(r"#evo\.workload<\{([^}]*)\}", text)
    return {name: int(size) for name, size in
            re.findall(r"(\w+) = (-?\d+)", found[1])} if found else {}


def parameters_used(text, kernel):
    """Of an llvm.func, the numbers of the parameters that decide anything in its body: what is
    multiplied by 0, as the stride of an axis of one element, does not."""
    found = re.search(r"llvm\.func [^\n]*@" + re.escape(kernel) + r"\(([^\n]*)\n(.*?)\n +\}\n", text, re.S)
    if not found:
        return set()
    names = re.findall(r"(%\w+):", found[1])
    zeros = "|".join(map(re.escape, re.findall(r"(%\w+) = llvm\.mlir\.constant\(0 :", found[2])))
    body = re.sub(rf"llvm\.mul (%\w+, ({zeros})|({zeros}), %\w+)(?=\s)", "", found[2]) if zeros else found[2]
    return {i for i, name in enumerate(names) if re.search(re.escape(name) + r"\b", body)}


def cap_below(size):
    """The largest power of two below a size."""
    return 1 << ((size - 1).bit_length() - 1)


class Mutant:
    def __init__(self, path, name, text, idle):
        self.path, self.name, self.text = path, name, text
        # Wrong wherever the change matters: without the launch, with another number.
        self.idle = idle
        self.verdict, self.said = "", ""


def mutants_of(path, text):
    """Of the text of an evo.kernel with one variant."""
    sizes = workload(text)
    start = text.find("evo.variant @")
    found = []
    for launch in LAUNCH.finditer(text, start):
        used = parameters_used(text[launch.end():], launch[2])
        line = text.rfind("\n", 0, launch.start()), text.find("\n", launch.end())
        without = text[:line[0]] + text[line[1]:]
        for group, kind in ((3, "grid"), (4, "argument")):
            entries = json.loads(launch[group])
            for i, entry in enumerate(entries):
                at = value(entry, sizes)
                if at is None or at <= SMALL or re.fullmatch(r"\d+", entry):
                    continue
                if kind == "argument" and i not in used:
                    continue
                cap = cap_below(at)
                changed = list(entries)
                changed[i] = f"min({entry}, {cap})"
                other = [*entries[:i], f"{entry} + 7", *entries[i + 1:]]
                idle = [without]
                if kind == "argument":
                    idle.append(text[:launch.start(group)] + json.dumps(other)
                                + text[launch.end(group):])
                found.append(Mutant(
                    path, f"{launch[2]}: {kind} {i}, {changed[i]} of {at}",
                    text[:launch.start(group)] + json.dumps(changed) + text[launch.end(group):],
                    idle))
    return found


def run(tool, *arguments):
    return subprocess.run([tool, *map(str, arguments)], capture_output=True, text=True, check=False)


def strip_evidence(text):
    """Without what was found of the variant that is about to be changed."""
    return re.sub(r" evidence <.*?\}>(?= )", "", text)


def prepare(tool, path, seed):
    """The mutants of a file, or why there are none."""
    with tempfile.TemporaryDirectory() as folder:
        made = run(tool, "optimize", path, "-o", folder, "--budget=1", "--no-gpu", f"--seed={seed}",
                   "--jobs=1")
        best = pathlib.Path(folder, "best.mlir")
        if made.returncode or not best.exists():
            said = (made.stderr.strip() or made.stdout.strip()).splitlines() or [""]
            return [], f"no baseline ({made.returncode}): {said[-1]}"
        text = strip_evidence(best.read_text(encoding="utf-8"))
        unchanged = pathlib.Path(folder, "unchanged.mlir")
        unchanged.write_text(text, encoding="utf-8")
        same = run(tool, "verify", path, unchanged, f"--seed={seed}")
        if same.returncode:
            said = (same.stdout.strip() or same.stderr.strip()).splitlines() or [""]
            return [], f"its own baseline: {VERDICTS.get(same.returncode, same.returncode)}: {said[0]}"
    return mutants_of(path, text), ""


def judge(tool, mutant, seed):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "mutant.mlir")
        file.write_text(mutant.text, encoding="utf-8")
        done = run(tool, "verify", mutant.path, file, f"--seed={seed}")
        mutant.verdict = VERDICTS.get(done.returncode, f"exit {done.returncode}")
        for text in mutant.idle if done.returncode == 0 else []:
            file.write_text(text, encoding="utf-8")
            if run(tool, "verify", mutant.path, file, f"--seed={seed}").returncode == 0:
                mutant.verdict = "idle"
    mutant.said = "\n".join((done.stdout + done.stderr).strip().splitlines()[:12])
    return mutant


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--evo-opt", default="evo-opt")
    parser.add_argument("--count", type=int, help="mutants in all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("-v", action="store_true", dest="verbose", help="what was said of each")
    parser.add_argument("paths", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    files = []
    for path in options.paths:
        files += sorted(p for p in path.rglob("*") if p.suffix in KINDS) if path.is_dir() else [path]
    draw = random.Random(options.seed)
    if options.count is not None:
        draw.shuffle(files)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        chosen = []
        # A few ahead of what is needed: files without mutants are found out late.
        for first in range(0, len(files), options.jobs):
            if options.count is not None and len(chosen) >= options.count:
                break
            some = files[first:first + options.jobs]
            made = pool.map(lambda path: prepare(options.evo_opt, path, options.seed), some)
            for path, (mutants, why) in zip(some, made):
                if why:
                    print(f"{path.name}: {why}", flush=True)
                chosen += draw.sample(mutants, min(len(mutants), OF_ONE_FILE))
        chosen = chosen[:options.count]
        counts = {}
        for mutant in pool.map(lambda m: judge(options.evo_opt, m, options.seed), chosen):
            print(f"{mutant.path.name}: {mutant.name}: {mutant.verdict}", flush=True)
            if options.verbose:
                print("  " + mutant.said.replace("\n", "\n  "))
            counts[mutant.verdict] = counts.get(mutant.verdict, 0) + 1
    print(f"{len(chosen)} mutants: " + (", ".join(
        f"{count} {verdict}" for verdict, count in sorted(counts.items())) or "none"))
    return 0 if chosen and set(counts) <= {"refuted", "idle"} and "refuted" in counts else 1


if __name__ == "__main__":
    sys.exit(main())
