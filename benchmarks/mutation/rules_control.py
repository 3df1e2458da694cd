"""Rules that change what runs: loops, masks, indices.

A rule is a generator over a Text of (place, edits): the token or header line that
the mutant is named by, and (start, end, replacement) on the file."""
import re

RULES = {}


def rule(function):
    RULES[function.__name__.replace("_", "-")] = function
    return function


def replace(text, first, last, new):
    return (text.tokens[first].start, text.tokens[last].end, new)


def step_of(text, second, close):
    """What a loop's counter grows by: ("+", "1"), ("/", "2"), ...; or None."""
    step = [text[k] for k in range(second + 1, close)]
    comma = step.index(",") if "," in step else len(step)
    words = step[:comma]
    if "++" in words:
        return "+", "1"
    if "--" in words:
        return "-", "1"
    if len(words) >= 3 and words[1] in ("+=", "-=", "*=", "/="):
        return words[1][0], text.source(second + 3, second + len(words))
    return None


# Loops.


@rule
def drop_first_step(text):
    for loop, first, second, close in text.loops():
        step = step_of(text, second, close)
        starts = [k for k in range(loop + 2, first) if text[k] == "="]
        if not step or not starts:
            continue
        end = starts[0] + 1
        while text[end] not in (",", ";"):
            end = text.partner[end] + 1 if text[end] in "([{" else end + 1
        start = text.source(starts[0] + 1, end - 1)
        yield loop, [replace(text, starts[0] + 1, end - 1, f"({start}) {step[0]} {step[1]}")]


@rule
def drop_last_step(text):
    for loop, first, second, close in text.loops():
        step = step_of(text, second, close)
        for k in range(first + 1, second):
            if text[k] in ("<", "<=", ">", ">=") and k not in text.angles and step:
                bound = text.source(k + 1, second - 1)
                if step[0] in "+*":
                    new = f"({bound}) {'-' if step[0] == '+' else '/'} {step[1]}"
                else:
                    new = f"({bound}) + 1"
                if step[0] == "+" and step[1] != "1":
                    new = f"(int)({bound}) - (int)({step[1]})"
                yield loop, [replace(text, k + 1, second - 1, new)]
                break


@rule
def double_step(text):
    for loop, _, second, close in text.loops():
        step = step_of(text, second, close)
        if not step:
            continue
        if step[1] == "1":
            name = next(text[k] for k in range(second + 1, close) if text.tokens[k].kind == "name")
            sign = "+=" if step[0] == "+" else "-="
            last = second + 2
            yield loop, [replace(text, second + 1, last, f"{name} {sign} 2")]
        else:
            size = len([1 for k in range(second + 1, close)])
            if "," not in [text[k] for k in range(second + 1, close)]:
                yield loop, [replace(text, second + 3, second + size, f"2 * ({step[1]})")]


@rule
def off_by_one_bound(text):
    other = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
    for i in range(len(text)):
        if text[i] in other and i not in text.angles:
            yield i, [replace(text, i, i, other[text[i]])]


# Masks.


@rule
def drop_guard(text):
    for i in range(len(text)):
        if text[i] == "if" and text[text.partner[i + 1] + 1] == "return":
            yield i, [replace(text, i, text.statement_end(i), "")]


@rule
def drop_mask(text):
    for i in range(len(text)):
        if text[i] == "if":
            condition = [text[k] for k in range(i + 1, text.partner[i + 1])]
            after = text.partner[i + 1] + 1
            if text[after] != "return" and text[text.statement_end(after) + 1] != "else" and any(
                sign in condition for sign in ("<", "<=", ">", ">=", "==", "&&")
            ):
                yield i, [replace(text, i, text.partner[i + 1], "")]


@rule
def drop_select(text):
    """a ? b : c becomes b."""
    for i in range(len(text)):
        if text[i] != "?":
            continue
        colon, depth = i + 1, 0
        while text[colon] != ":" or depth:
            depth += {"?": 1, ":": -1}.get(text[colon], 0)
            colon = text.partner[colon] + 1 if text[colon] in "([{" else colon + 1
        last = colon + 1
        while text[last] not in (";", ",", ")", "]", "}", ":"):
            last = text.partner[last] + 1 if text[last] in "([{" else last + 1
        yield i, [replace(text, colon, last - 1, ""), replace(text, condition_start(text, i), i, "")]


def condition_start(text, end, stops=("(", "=", "?", ":", ",", "return", "[", "{", ";", "+=", "&&", "||")):
    """The first token of the condition that ends before `end`."""
    i = end - 1
    while text[i] not in stops:
        i = (text.partner[i] if text[i] in ")]}" else i) - 1
        if text[i] in ("&&", "||") and text[end] == "?":
            i -= 1
    return i + 1


@rule
def drop_conjunct(text):
    for i in range(len(text)):
        if text[i] != "&&":
            continue
        yield i, [replace(text, condition_start(text, i), i, "")]
        last = i + 1
        while text[last] not in (")", "?", ";", "&&", "||", ",", "}"):
            last = text.partner[last] + 1 if text[last] in "([{" else last + 1
        yield i, [replace(text, i, last - 1, "")]


@rule
def wrong_lane(text):
    for i in range(len(text)):
        if text[i] == "==" and text[i + 1] == "0" and text[i - 1] in ("x", "y", "lane", "32", ")"):
            yield i, [replace(text, i + 1, i + 1, "1")]


# Indices.


@rule
def swap_index(text):
    for i in range(len(text)):
        if text[i] == "[" and text[text.partner[i] + 1] == "[" and text[i - 1] in text.floats | text.ints:
            if text[i - 2] in (",", "*") or text[i - 2] in ("float", "int", "__half", "__half2"):
                continue  # a declaration
            left, right = i, text.partner[i] + 1
            a = text.source(left + 1, text.partner[left] - 1)
            b = text.source(right + 1, text.partner[right] - 1)
            if a != b:
                yield i, [
                    replace(text, left + 1, text.partner[left] - 1, b),
                    replace(text, right + 1, text.partner[right] - 1, a),
                ]


@rule
def swap_axis(text):
    for i in range(len(text)):
        if text[i] in ("threadIdx", "blockIdx") and text[i + 2] in ("x", "y"):
            other = "y" if text[i + 2] == "x" else "x"
            if re.search(rf"{text[i]}\s*\.\s*{other}\b", text.text):
                yield i, [replace(text, i + 2, i + 2, other)]


def dimensions(text):
    """Integer parameters of kernels, by the lists of parameters they stand in."""
    lists = []
    for i in range(len(text)):
        if text[i] == "__global__":
            opens = i
            while text[opens] != "(" or text[opens - 1] == "__launch_bounds__":
                opens = text.partner[opens] + 1 if text[opens] == "(" else opens + 1
            close = text.partner[opens]
            names = [
                text[k]
                for k in range(opens + 1, close)
                if text[k + 1] in (",", ")") and text[k - 1] in ("int", "long")
            ]
            lists.append((i, close, names))
    return lists


@rule
def wrong_stride(text):
    lists = dimensions(text)
    for i in range(len(text)):
        if text[i] != "*" or not text.is_binary(i):
            continue
        names = next((names for start, _, names in reversed(lists) if start < i), [])
        if text[i + 1] in names and len(names) > 1:
            other = names[(names.index(text[i + 1]) + 1) % len(names)]
            yield i, [replace(text, i + 1, i + 1, other)]


@rule
def wrong_integer(text):
    """A literal of index arithmetic, one larger."""
    for i in range(len(text)):
        if text[i] in ("*", "/", "%", "+", "-") and re.fullmatch(r"\d+", text[i + 1]):
            if text.is_binary(i) and text[i + 2] != "]" or text.in_subscript(i):
                yield i, [replace(text, i + 1, i + 1, str(int(text[i + 1]) + 1))]


@rule
def narrow_index(text):
    """64-bit index arithmetic in 32 bits."""
    for i in range(len(text)):
        if text[i] == "size_t":
            yield i, [replace(text, i, i, "int")]
        elif text[i] == "long" and text[i + 1] == "long" and text[i - 1] in ("(", "{", ";"):
            yield i, [replace(text, i, i + 1, "int")]


@rule
def short_array(text):
    for i in range(len(text)):
        if text[i] == "__shared__":
            j = i
            while text[j] != ";":
                if text[j] == "[" and text[j + 1] != "]":
                    size = text.source(j + 1, text.partner[j] - 1)
                    yield i, [replace(text, j + 1, text.partner[j] - 1, f"({size}) - 1")]
                j += 1
