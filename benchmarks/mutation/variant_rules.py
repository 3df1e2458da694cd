"""Rules that leave a kernel right and make it another program: what optimisers and
people do to kernels. Each takes a Text and gives the new text, or None where it
has nothing to change."""
import re

from cudatext import edit
from rules_control import replace, step_of

VARIANT_RULES = {}
# Where the order of a loop's iterations decides the result.
ORDERED = {"cumsum", "scan", "topk", "argmax"}


def variant(naive_only=True, unordered=False):
    def register(function):
        VARIANT_RULES[function.__name__.replace("_", "-")] = (function, naive_only, unordered)
        return function

    return register


def changed(text, edits):
    return edit(text.text, edits) if edits else None


# Loops.


def counting_loops(text, innermost=True):
    """Loops `for (int k = A; k < B; ++k)` as (index, name, A, B, body's first and last)."""
    loops = list(text.loops())
    for loop, first, second, close in loops:
        step = step_of(text, second, close)
        body, end = close + 1, text.statement_end(close + 1)
        plain = text[loop + 2] == "int" and text[loop + 4] == "=" and "," not in [
            text[k] for k in range(loop, first)
        ]
        if not plain or step != ("+", "1") or text[first + 2] not in ("<", "<="):
            continue
        if innermost and any(loop < other[0] <= end for other in loops):
            continue
        limit = text.source(first + 3, second - 1)
        if text[first + 2] == "<=":
            limit += " + 1"
        yield loop, text[loop + 3], text.source(loop + 5, first - 1), limit, body, end


def rewritten_loops(text, make, innermost=True):
    edits = []
    for loop, name, start, limit, body, end in counting_loops(text, innermost):
        new = make(name, start, limit, text.source(body, end))
        edits.append(replace(text, loop, end, new))
    return changed(text, edits)


@variant(unordered=True)
def reverse_loop(text):
    return rewritten_loops(
        text, lambda k, a, b, body: f"for (int {k} = ({b}) - 1; {k} >= {a}; --{k})\n{body}")


@variant(unordered=True)
def reverse_outer_loops(text):
    edits = []
    inner = {item[0] for item in counting_loops(text)}
    for loop, name, start, limit, body, _ in counting_loops(text, innermost=False):
        if loop not in inner:
            edits.append(replace(text, loop, body - 1, f"for (int {name} = ({limit}) - 1; {name} >= {start}; --{name})"))
    return changed(text, edits)


@variant()
def strip_mined(text):
    return rewritten_loops(
        text,
        lambda k, a, b, body: f"for (int {k}0 = {a}; {k}0 < {b}; {k}0 += 4)\n"
        f"for (int {k} = {k}0; {k} < {k}0 + 4 && {k} < {b}; ++{k})\n{body}",
    )


@variant()
def unrolled_by_hand(text):
    def make(k, a, b, body):
        def copy(n):
            return "{ " + re.sub(rf"\b{k}\b", f"({k} + {n})", body) + " }"

        return (f"{{ int {k} = {a};\nfor (; {k} + 2 < {b}; {k} += 3) {{ {copy(0)}\n{copy(1)}\n{copy(2)} }}\n"
                f"for (; {k} < {b}; ++{k}) {{ {body} }} }}")

    return rewritten_loops(text, make)


@variant()
def while_loop(text):
    return rewritten_loops(
        text, lambda k, a, b, body: f"{{ long long {k} = {a};\nwhile ({k} < {b}) {{ {body} ++{k}; }} }}")


@variant()
def do_while(text):
    return rewritten_loops(
        text,
        lambda k, a, b, body: f"{{ int {k} = {a};\nif ({k} < {b}) do {{ {body} }} while (++{k} < {b}); }}")


@variant(unordered=True)
def even_then_odd(text):
    return rewritten_loops(
        text,
        lambda k, a, b, body: f"for (int {k}0 = 0; {k}0 < 2; ++{k}0)\n"
        f"for (int {k} = ({a}) + {k}0; {k} < {b}; {k} += 2)\n{body}",
    )
