"""Rules whose mutants are wrong at sizes that no dictionary of literals holds: loops
and masks that are capped, tails that are starved, conditions on bits of a size,
numbers of blocks that are narrowed. A rule is as in rules_control."""
from rules_control import dimensions, replace, rule


def sizes_at(text, place, lists):
    """Integer parameters of the kernel that a place is in."""
    return next((names for start, _, names in reversed(lists) if start < place), [])


def bounds(text):
    """Names of sizes that masks compare with, as `if (... < N ...)`: the name's
    place, the mask's first and last token."""
    lists = dimensions(text)
    for i in range(len(text)):
        if text[i] != "if":
            continue
        close = text.partner[i + 1]
        for k in range(i + 2, close):
            if (
                text[k] == "<"
                and k not in text.angles
                and text[k + 1] in sizes_at(text, i, lists)
                and text[k + 2] in (")", "&&")
            ):
                yield k + 1, i + 1, close
                break


def strengthen(text, name, opens, close, more):
    condition = text.source(opens + 1, close - 1)
    return [replace(text, opens + 1, close - 1, f"({condition}) && ({more})")]


@rule
def cap_loop(text):
    """A loop to min(N, 5000)."""
    lists = dimensions(text)
    for loop, first, second, close in text.loops():
        for k in range(first + 1, second - 1):
            name = text[k + 1]
            if (
                text[k] == "<"
                and k not in text.angles
                and name in sizes_at(text, loop, lists)
                and k + 2 == second
            ):
                yield loop, [replace(text, k + 1, k + 1, f"({name} < 5000 ? {name} : 5000)")]


@rule
def cap_mask(text):
    for name, opens, close in bounds(text):
        if text[close + 1] != "return":
            yield name, [replace(text, name, name, f"({text[name]} < 9000 ? {text[name]} : 9000)")]


@rule
def starve_tail(text):
    """The last element is left out where little is missing to a multiple of 1024."""
    for name, opens, close in bounds(text):
        if text[close + 1] == "return":
            continue
        size, index = text[name], text[name - 2]
        if text[name - 3] in ("(", "&&"):
            yield name, strengthen(
                text, name, opens, close, f"{size} % 1024 < 1022 || {index} < {size} - 1"
            )


@rule
def bits_of_size(text):
    for name, opens, close in bounds(text):
        if text[close + 1] != "return":
            size = text[name]
            yield name, strengthen(
                text, name, opens, close, f"__popc((int){size}) != 9 || {size} % 2 != 0"
            )


@rule
def narrow_block(text):
    for i in range(len(text) - 2):
        if text[i] == "blockIdx" and text[i + 2] == "x":
            yield i, [replace(text, i, i + 2, "(unsigned short)blockIdx.x")]
