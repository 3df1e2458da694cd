"""Other orders of summation, and other forms of expressions."""
from rules_control import replace
from rules_values import accumulators
from variant_rules import changed, variant


# Sums.


def sums(text):
    """Statements `NAME += e;` on accumulators, with the declarations' ends."""
    declared = {text[i]: (i, last) for i, last in accumulators(text) if text.source(i + 2, last) == "0.0f"}
    for first, op, end in text.assignments():
        if text[op] == "+=" and text[first] in declared and op == first + 1:
            yield first, end, text.source(op + 1, end - 1), declared[text[first]]


def resummed(text, statement, declaration, finish):
    """Each sum by `statement`, with more declared, and finished behind its loop."""
    edits, seen = [], set()
    loops = list(text.loops())
    for first, end, value, (_, declared_end) in sums(text):
        name = text[first]
        # The outermost loop that begins behind the declaration.
        around = [loop for loop, _, _, close in loops
                  if declared_end < loop < first <= text.statement_end(close + 1)]
        if not around or name in seen:
            return None
        seen.add(name)
        finish_at = text.tokens[text.statement_end(around[0])].end
        declare_at = text.tokens[around[0]].start
        edits.append((declare_at, declare_at, declaration.format(s=name)))
        edits.append(replace(text, first, end, statement.format(s=name, e=value)))
        if finish:
            edits.append((finish_at, finish_at, finish.format(s=name)))
    # Two sums in one loop are finished at one place: keep their order apart.
    merged = {}
    for start, end, new in edits:
        if start == end:
            merged[start] = merged.get(start, "") + new
    kept = [item for item in edits if item[0] != item[1]] + [(at, at, new) for at, new in merged.items()]
    return changed(text, kept)


@variant(unordered=True)
def kahan(text):
    return resummed(
        text,
        "{{ float y_ = ({e}) - {s}_low, t_ = {s} + y_; {s}_low = (t_ - {s}) - y_; {s} = t_; }}",
        "float {s}_low = 0.0f;\n  ",
        "",
    )


@variant(unordered=True)
def neumaier(text):
    """The correction is added at the end; a branch on data chooses it."""
    return resummed(
        text,
        "{{ float e_ = {e}, t_ = {s} + e_;\n"
        "{s}_low += fabsf({s}) >= fabsf(e_) ? ({s} - t_) + e_ : (e_ - t_) + {s}; {s} = t_; }}",
        "float {s}_low = 0.0f;\n  ",
        "\n  {s} += {s}_low;",
    )


@variant(unordered=True)
def eight_sums(text):
    return resummed(
        text,
        "{{ {s}_part[{s}_next] += {e}; {s}_next = ({s}_next + 1) % 8; }}",
        "float {s}_part[8] = {{}}; int {s}_next = 0;\n  ",
        "\n  for (int p_ = 0; p_ < 4; ++p_) {s} += {s}_part[p_] + {s}_part[p_ + 4];",
    )


@variant(unordered=True)
def pairwise(text):
    """Partial sums of blocks of 16 terms."""
    return resummed(
        text,
        "{{ {s}_part += {e}; if (++{s}_terms == 16) {{ {s} += {s}_part; {s}_part = 0.0f; {s}_terms = 0; }} }}",
        "float {s}_part = 0.0f; int {s}_terms = 0;\n  ",
        "\n  {s} += {s}_part;",
    )


@variant(unordered=True)
def sums_in_double(text):
    return resummed(text, "{s}_wide += (double)({e});", "double {s}_wide = 0.0;\n  ",
                    "\n  {s} = (float){s}_wide;")


@variant(unordered=True)
def sums_of_negatives(text):
    return resummed(text, "{s}_less -= {e};", "float {s}_less = 0.0f;\n  ", "\n  {s} = -{s}_less;")


@variant(unordered=True)
def sums_in_shared_memory(text):
    return resummed(
        text, "{s}_own[threadIdx.y * blockDim.x + threadIdx.x] += {e};",
        "__shared__ float {s}_own[1024]; {s}_own[threadIdx.y * blockDim.x + threadIdx.x] = 0.0f;\n  ",
        "\n  {s} = {s}_own[threadIdx.y * blockDim.x + threadIdx.x];")


def products(text):
    """`NAME += a * b;` of floats, the product at the top of its right-hand side."""
    for first, op, end in text.assignments():
        if text[op] != "+=" or text[first] not in text.floats:
            continue
        stars, k = [], op + 1
        while k < end:
            if text[k] in ("*", "+", "-", "?", "/", "=") and text.is_binary(k):
                stars.append(k)
            k = text.partner[k] + 1 if text[k] in "([" else k + 1
        if len(stars) == 1 and text[stars[0]] == "*":
            yield (text.source(first, op - 1), text.source(op + 1, stars[0] - 1),
                   text.source(stars[0] + 1, end - 1), first, end)


@variant(naive_only=False)
def fused(text):
    return changed(text, [replace(text, f, e, f"{s} = fmaf({a}, {b}, {s});") for s, a, b, f, e in products(text)])


@variant(naive_only=False)
def separately_rounded(text):
    return changed(text, [
        replace(text, f, e, f"{s} = __fadd_rn({s}, __fmul_rn({a}, {b}));") for s, a, b, f, e in products(text)])


@variant(naive_only=False)
def products_in_double(text):
    return changed(text, [
        replace(text, f, e, f"{s} = (float)((double){s} + (double)({a}) * (double)({b}));")
        for s, a, b, f, e in products(text)])


# Expressions.


def call_edits(text, name, make):
    edits = []
    for i in range(len(text)):
        if text[i] == name and text[i + 1] == "(" and text[i - 1] not in ("float", "."):
            inside = text.source(i + 2, text.partner[i + 1] - 1)
            if name not in inside:
                edits.append(replace(text, i, text.partner[i + 1], make(inside)))
    return edits


@variant(naive_only=False)
def exp_as_exp2(text):
    return changed(text, call_edits(text, "expf", lambda e: f"exp2f(({e}) * 1.4426950408889634f)"))


@variant(naive_only=False)
def exp_of_half_squared(text):
    return changed(text, call_edits(text, "expf", lambda e: f"(expf(0.5f * ({e})) * expf(0.5f * ({e})))"))


@variant(naive_only=False)
def exp_as_quotient(text):
    return changed(text, call_edits(text, "expf", lambda e: f"(1.0f / expf(-({e})))"))


@variant(naive_only=False)
def rsqrt_as_quotient(text):
    return changed(text, call_edits(text, "rsqrtf", lambda e: f"(1.0f / sqrtf({e}))"))


@variant(naive_only=False)
def sqrt_as_rsqrt(text):
    return changed(text, call_edits(text, "sqrtf", lambda e: f"(({e}) * rsqrtf(fmaxf({e}, 1e-37f)))"))


@variant(naive_only=False)
def maximum_by_comparison(text):
    edits = []
    for i in range(len(text)):
        if text[i] == "fmaxf" and text[i + 1] == "(":
            comma = i + 2
            while text[comma] != ",":
                comma = text.partner[comma] + 1 if text[comma] in "([{" else comma + 1
            a, b = text.source(i + 2, comma - 1), text.source(comma + 1, text.partner[i + 1] - 1)
            if "fmaxf" in a + b or "shfl" in a + b:
                return None
            edits.append(replace(text, i, text.partner[i + 1], f"(({a}) < ({b}) ? ({b}) : ({a}))"))
    return changed(text, edits)


@variant(naive_only=False)
def maximum_by_minimum(text):
    edits = []
    for i in range(len(text)):
        if text[i] == "fmaxf" and text[i + 1] == "(":
            comma = i + 2
            while text[comma] != ",":
                comma = text.partner[comma] + 1 if text[comma] in "([{" else comma + 1
            a, b = text.source(i + 2, comma - 1), text.source(comma + 1, text.partner[i + 1] - 1)
            if "fmaxf" in a + b:
                return None
            edits.append(replace(text, i, text.partner[i + 1], f"(-fminf(-({a}), -({b})))"))
    return changed(text, edits)


@variant(naive_only=False)
def by_reciprocal(text):
    """a / b of floats as a (1 / b)."""
    edits, covered = [], -1
    for i in range(len(text)):
        if text[i] == "/" and text.is_binary(i) and not text.in_subscript(i) and i > covered:
            last = text.right_operand(i)
            if text.is_float(text.left_operand(i), i - 1) and i - 1 > covered:
                divisor = text.source(i + 1, last)
                edits.append(replace(text, i, last, f"* (1.0f / ({divisor}))"))
                covered = last
    return changed(text, edits)


@variant(naive_only=False)
def distributed_difference(text):
    """exp(a - b) as exp of two halves' difference: no change of the function."""
    edits = []
    for i in range(len(text)):
        if text[i] == "expf":
            close = text.partner[i + 1]
            minus = [k for k in range(i + 2, close) if text[k] == "-" and text.is_binary(k)]
            if len(minus) == 1:
                a, b = text.source(i + 2, minus[0] - 1), text.source(minus[0] + 1, close - 1)
                edits.append(replace(text, i + 2, close - 1, f"2.0f * (0.5f * ({a}) - 0.5f * ({b}))"))
    return changed(text, edits)
