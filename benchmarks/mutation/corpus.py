"""The mutants of a tree of kernels: found by rule, named, and no more of a rule and
file than asked for."""
import difflib
import hashlib
import os
import re

import rules_order  # noqa: F401  these register their rules
import rules_sizes  # noqa: F401
import rules_values  # noqa: F401
from cudatext import Text, edit
from rules_control import RULES

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))
EXAMPLES = os.path.join(ROOT, "examples", "cuda")
VARIANTS = os.path.join(HERE, "variants")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def references():
    """The naive kernel's path by the name of its folder."""
    found = {}
    for name in sorted(os.listdir(EXAMPLES)):
        if os.path.isdir(os.path.join(EXAMPLES, name)):
            inside = os.path.join(EXAMPLES, name, "naive.cu")
            found[name] = inside if os.path.exists(inside) else os.path.join(EXAMPLES, name + ".cu")
    return found


def kernel_files():
    """(kernel, name, path) of each correct file, naive ones first."""
    for kernel, reference in references().items():
        yield kernel, f"{kernel}/naive.cu", reference
        for folder, prefix in ((EXAMPLES, ""), (VARIANTS, "variants/")):
            inside = os.path.join(folder, kernel)
            for file in sorted(os.listdir(inside)) if os.path.isdir(inside) else []:
                if file.endswith(".cu") and file != "naive.cu":
                    yield kernel, f"{prefix}{kernel}/{file}", os.path.join(inside, file)


class Original:
    """The file that a mutant was made of."""

    def __init__(self, mutant):
        self.kernel, self.reference, self.path = mutant.kernel, mutant.reference, mutant.path
        self.name, self.text = mutant.name.split("@")[1].split(":")[0], read(mutant.path)


class Candidate:
    def __init__(self, kernel, reference, path, name, rule, text, original):
        self.kernel, self.reference, self.path = kernel, reference, path
        self.name, self.rule = name, rule
        self.text = text
        lines = difflib.unified_diff(original.splitlines(), text.splitlines(), lineterm="", n=0)
        self.diff = "\n".join(line for line in lines if not re.match(r"---|\+\+\+|@@", line))
        self.hash = hashlib.sha256(self.diff.encode()).hexdigest()[:12]


def spread(sites, count):
    """`count` of the sites, the first, the last and evenly between."""
    if len(sites) <= count:
        return sites
    if count == 1:
        return [sites[len(sites) // 2]]
    return [sites[k * (len(sites) - 1) // (count - 1)] for k in range(count)]


# Kernels of benchmarks/mutation/variants are there for these, which the examples
# hold too little of.
RARE = {"drop-syncwarp", "syncwarp-to-shuffle", "missing-wait", "early-wait", "drop-fence",
        "narrow-fence", "plain-atomic", "narrow-atomic", "stale-accumulator", "skip-barrier",
        "swap-launches", "drop-reset", "drop-acquire", "drop-release", "narrow-scope", "drop-wait",
        "early-ticket"}


def mutants(per_file=1, only=None, kernels=None):
    for kernel, name, path in kernel_files():
        if kernels and kernel not in kernels:
            continue
        reference = references()[kernel]
        contract = read(reference)
        original = read(path)
        text = Text(original)
        for rule, find in RULES.items():
            if only and rule not in only or name.startswith("variants/") and rule not in RARE:
                continue
            sites, seen = [], set()
            for place, edits in find(text):
                mutated = edit(original, edits)
                line = place.line if hasattr(place, "line") else text.tokens[place].line
                if mutated == original or mutated in seen or rule == "drop-require" and not narrows(
                    original, mutated, contract
                ):
                    continue
                seen.add(mutated)
                sites.append((line, mutated))
            names = {}
            for line, mutated in sites:
                names.setdefault(line, []).append(mutated)
            for line, mutated in spread(sites, per_file):
                number = names[line].index(mutated)
                suffix = f"#{number + 1}" if number else ""
                yield Candidate(kernel, reference, path, f"{rule}@{name}:{line}{suffix}", rule, mutated, original)


def conditions(text):
    lines = re.findall(r"^// evo\.require (.*)$", text, re.MULTILINE)
    return {part.strip() for line in lines for part in line.split(",")}


def narrows(original, mutated, contract):
    """Whether what was dropped is a condition of the candidate's own."""
    return bool(conditions(original) - conditions(mutated) - conditions(contract))
