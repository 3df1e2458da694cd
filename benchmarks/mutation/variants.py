"""The right kernels: what the rules make of the examples, and those written by hand
in variants/KERNEL."""
import re

import corpus
import variant_sums  # noqa: F401  these register their rules
import variant_threads  # noqa: F401
from cudatext import Text
from variant_rules import ORDERED, VARIANT_RULES


class Variant:
    def __init__(self, kernel, reference, name, rule, text):
        self.kernel, self.reference, self.name, self.rule, self.text = kernel, reference, name, rule, text
        self.hash = ""
        self.precision = precision_of(corpus.read(reference))


def precision_of(contract):
    """Which arithmetic the outputs are made of."""
    line = re.search(r"// evo\.kernel (.*)", contract).group(1)
    if re.search(r": (in|out|inout) (f16|bf16)", line):
        return "half precision"
    outputs = re.findall(r": (?:out|inout) (\w+)\[", line)
    return "fp32" if all(kind == "f32" for kind in outputs) else "integer outputs"


def all_variants(kernels=None):
    for kernel, name, path in corpus.kernel_files():
        if kernels and kernel not in kernels:
            continue
        reference = corpus.references()[kernel]
        original = corpus.read(path)
        naive = path == reference
        if name.startswith("variants/"):
            yield Variant(kernel, reference, "by-hand@" + name[len("variants/") :], "by-hand", original)
            continue
        text = Text(original)
        if not naive:
            yield Variant(kernel, reference, "example@" + name, "example", original)
        for rule, (make, naive_only, unordered) in VARIANT_RULES.items():
            if naive_only and not naive or unordered and kernel in ORDERED:
                continue
            new = make(text)
            if new and new != original:
                yield Variant(kernel, reference, f"{rule}@{name}", rule, new)
