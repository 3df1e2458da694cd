#!/usr/bin/env python3
"""Mutation score and acceptance of the verifier.

  mutation.py mutants  [options]    how many wrong kernels are refuted, by rule
  mutation.py variants [options]    how many right kernels are accepted, by grade
  mutation.py check --names FILE    both, of the names in a file: a test
  mutation.py show NAME             the diff of one mutant, or the text of a variant
  mutation.py list                  names, without judging

Exit status 1: a mutant survived that neither equivalent.txt nor open.txt names, an
entry of these is stale or contradicted, or a variant was refused."""
import argparse
import json
import os
import re
import statistics
import sys
import tempfile

import corpus
from excuses import Excuses
from judge import judge_all


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["mutants", "variants", "check", "show", "list"])
    parser.add_argument("name", nargs="?", help="with show")
    parser.add_argument("--tool", default=os.path.join(corpus.ROOT, "build", "release", "bin", "evo-opt"))
    parser.add_argument("--per-file", type=int, default=1, help="mutants of a rule and file (default 1)")
    parser.add_argument("--rule", action="append", help="only this rule")
    parser.add_argument("--kernel", action="append", help="only this folder of the corpus")
    parser.add_argument("--names", help="only the names in this file, a line each")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--effort", default="default")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--by-command", action="store_true", help="a process of evo-opt verify for each")
    parser.add_argument("--json", help="write all verdicts to this file")
    parser.add_argument("--verbose", action="store_true", help="a line for each verdict as it comes")
    return parser.parse_args()


def chosen(args, variants):
    if variants:
        from variants import all_variants

        found = all_variants(args.kernel)
    else:
        found = corpus.mutants(args.per_file, args.rule, args.kernel)
    if args.names:
        names = set(corpus.read(args.names).split("\n"))
        found = (candidate for candidate in found if candidate.name in names)
    if variants and args.rule:
        found = (candidate for candidate in found if candidate.rule in args.rule)
    return list(found)


def judged(args, candidates):
    def progress(candidate, verdict):
        if args.verbose:
            print(f"{verdict.seconds:6.2f} {candidate.name}: {verdict.summary()}"[:200], flush=True)

    with tempfile.TemporaryDirectory() as folder:
        return judge_all(
            candidates, args.tool, args.seed, args.effort, args.jobs, progress,
            folder if args.by_command else None,
        )


def of_accepted_files(args, candidates):
    """The mutants of files that are themselves accepted; names the others."""
    files = {candidate.path: candidate for candidate in candidates}
    originals = [corpus.Original(candidate) for candidate in files.values()]
    verdicts = judged(args, originals)
    refused = set()
    for original, verdict in zip(originals, verdicts):
        if verdict.outcome != "accepted":
            print(f"left out: {original.name} is itself not accepted: {verdict.summary()}"[:160])
            refused.add(original.path)
    return [candidate for candidate in candidates if candidate.path not in refused]


def times(verdicts):
    seconds = sorted(verdict.seconds for verdict in verdicts)
    if not seconds:
        return "no candidates"
    at95 = seconds[min(len(seconds) - 1, int(0.95 * len(seconds)))]
    return (f"processor seconds of a candidate: median {statistics.median(seconds):.2f}, "
            f"95th percentile {at95:.2f}, max {seconds[-1]:.2f}; of all: {sum(seconds):.0f}")


def write_json(path, candidates, verdicts):
    rows = [
        {"name": c.name, "kernel": c.kernel, "rule": c.rule, "diff_hash": c.hash,
         "outcome": v.outcome, "grade": v.grade, "seconds": round(v.seconds, 3), "details": v.details}
        for c, v in zip(candidates, verdicts)
    ]
    with open(path, "w", encoding="utf-8") as file:
        json.dump(rows, file, indent=1)
        file.write("\n")


def report_mutants(args, candidates, verdicts):
    excuses = Excuses(corpus.HERE)
    rows, survivors, undecided, faults = {}, [], [], []
    for candidate, verdict in zip(candidates, verdicts):
        row = rows.setdefault(candidate.rule, dict.fromkeys(
            ("refuted", "survived", "open", "equivalent", "undecided", "stillborn", "fault"), 0))
        kind = verdict.outcome
        if kind == "accepted":
            kind = excuses.find(candidate) or "survived"
            if kind == "survived":
                survivors.append((candidate, verdict))
        elif kind == "refuted":
            excuses.contradict(candidate)
        elif kind == "undecided":
            undecided.append((candidate, verdict))
        elif kind == "fault":
            faults.append((candidate, verdict))
        row[kind] += 1
    columns = ("refuted", "survived", "open", "equivalent", "undecided", "stillborn")
    print(f"{'rule':22}" + "".join(f"{column:>11}" for column in columns) + "   killed")
    total = dict.fromkeys(columns, 0)
    for rule in sorted(rows):
        for column in columns:
            total[column] += rows[rule][column]
        print(line_of(rule, rows[rule], columns))
    print(line_of("all", total, columns))
    print(times(verdicts))
    for title, found in (("survived", survivors), ("undecided", undecided), ("fault", faults)):
        for candidate, verdict in found:
            print(f"\n{title}: {candidate.name} {candidate.hash}: {verdict.summary()}\n{candidate.diff}")
    problems = excuses.problems(candidates, complete=not (args.rule or args.kernel or args.names))
    for problem in problems:
        print(problem)
    return bool(survivors or faults or problems)


def line_of(name, row, columns):
    judged_wrong = row["refuted"] + row["survived"] + row["open"] + row["undecided"]
    share = f"{100 * row['refuted'] / judged_wrong:8.1f}%" if judged_wrong else "        -"
    return f"{name:22}" + "".join(f"{row[column]:11}" for column in columns) + share


def report_variants(candidates, verdicts):
    groups = {}
    for candidate, verdict in zip(candidates, verdicts):
        groups.setdefault(candidate.precision, []).append(verdict)
    for name, group in sorted(groups.items()):
        counts = {}
        for verdict in group:
            counts[verdict.grade] = counts.get(verdict.grade, 0) + 1
        shares = ", ".join(f"{grade} {n} ({100 * n / len(group):.0f} %)" for grade, n in sorted(counts.items()))
        print(f"{name}: {len(group)} variants: {shares}")
    print(times(verdicts))
    causes = {}
    for candidate, verdict in zip(candidates, verdicts):
        if verdict.grade == "numeric":
            cause = verdict.details.get("not_algebraic", "")
            causes.setdefault(cause_of(cause), []).append(candidate.name)
    for cause, names in sorted(causes.items(), key=lambda item: -len(item[1])):
        print(f"numeric, {len(names)}: {cause}: {', '.join(names[:6])}{', ...' if len(names) > 6 else ''}")
    refused = [(c, v) for c, v in zip(candidates, verdicts) if v.outcome != "accepted"]
    for candidate, verdict in refused:
        print(f"\nnot accepted: {candidate.name}: {verdict.summary()} {verdict.details.get('at', '')}")
    return bool(refused)


def check(args):
    names = [line for line in corpus.read(args.names).split("\n") if line and not line.startswith("#")]
    kernels = {name.split("@")[1].removeprefix("variants/").split("/")[0] for name in names}
    args.kernel, args.per_file = kernels, 1000
    wrong, right = chosen(args, False), chosen(args, True)
    problems = sorted(set(names) - {candidate.name for candidate in wrong + right})
    problems = [f"there is no mutant and no variant {name}" for name in problems]
    verdicts = judged(args, wrong + right)
    for candidate, verdict in zip(wrong + right, verdicts):
        wanted = "refuted" if candidate in wrong else "accepted"
        if verdict.outcome != wanted:
            problems.append(f"{candidate.name}: wanted {wanted}, found {verdict.summary()}")
    print(f"{len(wrong)} mutants and {len(right)} variants, {len(problems)} problems")
    print(times(verdicts))
    print("\n".join(problems))
    return bool(problems)


def cause_of(text):
    """The words of a cause without its place."""
    text = re.sub(r"candidate\.cu:\d+(:\d+)?|\S+\.cu:\d+(:\d+)?", "(place)", text)
    text = re.sub(r"\w+\[\d+\] at .*", "an output", text)
    return text.split(" at ")[0]


def main():
    args = options()
    if args.what == "show":
        for candidate in [*corpus.mutants(1000), *chosen(args, True)]:
            if candidate.name == args.name:
                print(getattr(candidate, "diff", None) or candidate.text)
                return 0
        sys.exit(f"no candidate is named {args.name}")
    if args.what == "list":
        for candidate in chosen(args, False) + chosen(args, True):
            print(candidate.name)
        return 0
    if args.what == "check":
        return check(args)
    candidates = chosen(args, args.what == "variants")
    if args.what == "mutants":
        candidates = of_accepted_files(args, candidates)
    verdicts = judged(args, candidates)
    if args.json:
        write_json(args.json, candidates, verdicts)
    if args.what == "mutants":
        return report_mutants(args, candidates, verdicts)
    return report_variants(candidates, verdicts)


if __name__ == "__main__":
    sys.exit(main())
