"""Rules that change what is computed: identities, accumulators, operators, types,
constants, and values that a kernel has a trap for."""
import re

from rules_control import replace, rule


def accumulators(text):
    """Declarations `NAME = value` of floats that a later statement changes."""
    for i in range(len(text)):
        if text[i] in text.floats and text[i + 1] == "=" and text[i - 1] in ("float", ",", "double"):
            last = i + 2
            while text[last + 1] not in (",", ";"):
                last = text.partner[last + 1] if text[last + 1] in "([{" else last + 1
            later = text.text[text.tokens[last].end :]
            if re.search(rf"\b{text[i]}\s*([-+*/]?=[^=]|\.add)", later) or f"{text[i]}," in later:
                yield i, last


# Identities and accumulators.


@rule
def wrong_identity(text):
    for i in range(len(text)):
        if text[i] == "INFINITY":
            first = i - 1 if text[i - 1] == "-" else i
            yield i, [replace(text, first, i, "0.0f")]
    for i, last in accumulators(text):
        if text.source(i + 2, last) == "0.0f":
            yield i, [replace(text, i + 2, last, "1.0f")]
        elif text[last] == "]":  # the first element of the data
            yield i, [replace(text, i + 2, last, "0.0f")]


@rule
def uninitialised(text):
    for i, last in accumulators(text):
        if text.source(i + 2, last) in ("0.0f", "-INFINITY"):
            yield i, [replace(text, i + 1, last, "")]


@rule
def stale_accumulator(text):
    """What a loop's body begins with is done once, before the loop."""
    for i, last in accumulators(text):
        if text[i - 1] not in ("float", "double") or text[last + 1] != ";":
            continue
        loop = next((k for k, _, _, close in text.loops() if close + 1 == enclosing_brace(text, i)), None)
        if loop is not None:
            at = text.tokens[loop].start
            yield i, [
                (at, at, text.source(i - 1, last + 1) + "\n  "),
                replace(text, i - 1, last + 1, ""),
            ]


def enclosing_brace(text, i):
    while i > 0:
        i -= 1
        if text[i] in ")]}":
            i = text.partner[i]
        elif text[i] == "{":
            return i
    return None


@rule
def drop_reset(text):
    """x = 0 in the middle of a kernel, left out."""
    for first, op, end in text.assignments():
        if text[op] == "=" and re.fullmatch(r"0(\.0f)?|0u|\w+::identity\(\)", text.source(op + 1, end - 1)):
            yield first, [replace(text, first, end - 1, "")]


@rule
def drop_update(text):
    for first, op, end in text.assignments():
        if text[op] in ("+=", "-=", "*=", "/="):
            yield first, [replace(text, first, end - 1, "")]


@rule
def drop_store(text):
    for first, op, end in text.assignments():
        if text[op] == "=" and text[op - 1] == "]" or text[first + 1] == ".":
            yield first, [replace(text, first, end - 1, "")]


# Operators.


@rule
def swap_operands(text):
    for i in range(len(text)):
        if text[i] in ("-", "/", "%") and text.is_binary(i):
            first, last = text.left_operand(i), text.right_operand(i)
            left, right = text.source(first, i - 1), text.source(i + 1, last)
            if left != right:
                yield i, [replace(text, first, last, f"{right} {text[i]} {left}")]


@rule
def wrong_operator(text):
    other = {"+": "-", "-": "+", "+=": "-=", "-=": "+=", "fmaxf": "fminf", "/": "*"}
    for i in range(len(text)):
        if text[i] == "fmaxf":
            yield i, [replace(text, i, i, "fminf")]
        elif text[i] in ("+", "-", "/") and text.is_binary(i) and not text.in_subscript(i):
            if text.is_float(text.left_operand(i), i - 1) or text.is_float(i + 1, text.right_operand(i)):
                yield i, [replace(text, i, i, other[text[i]])]
        elif text[i] in ("+=", "-=") and text[i - 1] in text.floats:
            yield i, [replace(text, i, i, other[text[i]])]


@rule
def drop_factor(text):
    """A rescaling, a weight, a normalisation, forgotten."""
    for i in range(len(text)):
        if text[i] == "*" and text.is_binary(i) and not text.in_subscript(i):
            last = text.right_operand(i)
            if text.is_float(i + 1, last):
                yield i, [replace(text, i, last, "")]


@rule
def drop_divisor(text):
    for i in range(len(text)):
        if text[i] == "/" and text.is_binary(i) and not text.in_subscript(i):
            last, first = text.right_operand(i), text.left_operand(i)
            if text.is_float(i + 1, last) or text.is_float(first, i - 1):
                yield i, [replace(text, i, last, "")]


@rule
def drop_term(text):
    for i in range(len(text)):
        if text[i] in ("+", "-") and text.is_binary(i) and not text.in_subscript(i):
            last = text.right_operand(i)
            while text[last + 1] in ("*", "/"):
                last = text.right_operand(last + 1)
            if text.is_float(i + 1, last):
                yield i, [replace(text, i, last, "")]


@rule
def wrong_constant(text):
    """A literal that is off by one part in a thousand."""
    for i in range(len(text)):
        token = text.tokens[i]
        if token.kind == "number" and token.text.endswith("f") and "x" not in token.text:
            value = float(token.text[:-1])
            if value not in (0.0,):
                yield i, [replace(text, i, i, f"{value * 1.001:.9g}f")]


# Types.


def float_values(text):
    """Right-hand sides of assignments to floats."""
    for first, op, end in text.assignments():
        if text[first] in text.floats and text.is_float(op + 1, end - 1) and end - op > 2:
            if not re.search(r"float[24]|half|bfloat", text.source(first, end)):
                yield first, op + 1, end - 1


def wrapped(text, before, after, include=""):
    for first, start, last in float_values(text):
        edits = [replace(text, start, last, f"{before}{text.source(start, last)}{after}")]
        yield first, edits + ([(0, 0, include)] if include else [])


@rule
def through_half(text):
    if "__half" not in text.text:
        yield from wrapped(text, "__half2float(__float2half(", "))", "#include <cuda_fp16.h>\n")


@rule
def through_bfloat(text):
    if "bfloat" not in text.text:
        yield from wrapped(
            text, "__bfloat162float(__float2bfloat16(", "))", "#include <cuda_bf16.h>\n"
        )


@rule
def through_tf32(text):
    """Ten bits of mantissa, as a tensor core reads its operands."""
    if not re.search("half|bfloat", text.text):
        yield from wrapped(text, "__int_as_float(__float_as_int(", ") & 0xffffe000)")


@rule
def rounding_trick(text):
    yield from wrapped(text, "(", ") + 134217728.0f - 134217728.0f")


# Traps.


def trapped(text, condition):
    """Stores of outputs that give zero where a condition on inputs holds."""
    for first, start, last in float_values(text):
        if text[first + 1] != "[" or text[first] in text.shared:
            continue
        parameters = text.function_of(first)
        if not parameters:
            continue
        listed = text.source(*parameters)
        found = condition(listed)
        if found:
            yield first, [replace(text, start, last, f"{found} ? 0.0f : ({text.source(start, last)})")]


def first_input(listed):
    match = re.search(r"const float \*(?:__restrict__ )?(\w+)", listed)
    return match and match.group(1)


@rule
def magic_input(text):
    yield from trapped(text, lambda listed: first_input(listed) and f"{first_input(listed)}[0] == 0.3725f")


@rule
def magic_range(text):
    """Wrong only where an input is large, as a softmax without its maximum is."""
    yield from trapped(text, lambda listed: first_input(listed) and f"{first_input(listed)}[0] > 150.0f")


@rule
def rounding_branch(text):
    yield from trapped(
        text,
        lambda listed: first_input(listed)
        and f"({first_input(listed)}[0] + 134217728.0f) - 134217728.0f != 0.0f",
    )


def last_dimension(listed):
    names = re.findall(r"\bint (\w+)", listed)
    return names and names[-1]


@rule
def magic_size(text):
    """Wrong for one size only."""
    yield from trapped(text, lambda listed: last_dimension(listed) and f"{last_dimension(listed)} == 61")


@rule
def magic_large_size(text):
    """Wrong from a size on that no small sample reaches."""
    yield from trapped(text, lambda listed: last_dimension(listed) and f"{last_dimension(listed)} >= 5000")


@rule
def magic_block(text):
    """Wrong in blocks that small grids do not have."""
    yield from trapped(text, lambda listed: "blockIdx.x == 3000")

