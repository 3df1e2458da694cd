"""Rules of what orders threads, and of launches: barriers, fences, atomics, shuffles,
grids, requirements."""
import re

from rules_control import replace, rule


# Order.


def calls(text, pattern):
    for i in range(len(text)):
        if text.tokens[i].kind == "name" and text[i + 1] == "(" and re.fullmatch(pattern, text[i]):
            yield i, text.partner[i + 1]


@rule
def skip_barrier(text):
    for i, close in calls(text, "__syncthreads"):
        yield i, [replace(text, i, close, "")]


@rule
def barrier_in_branch(text):
    for i, close in calls(text, "__syncthreads"):
        yield i, [replace(text, i, close, "if (threadIdx.x < 5) __syncthreads()")]


@rule
def drop_syncwarp(text):
    for i, close in calls(text, "__syncwarp"):
        yield i, [replace(text, i, close, "")]


@rule
def syncwarp_to_shuffle(text):
    for i, close in calls(text, "__syncwarp"):
        yield i, [replace(text, i, close, "__shfl_sync(~0u, 0, 0)")]


@rule
def barrier_to_syncwarp(text):
    for i, close in calls(text, "__syncthreads"):
        yield i, [replace(text, i, close, "__syncwarp()")]


@rule
def drop_fence(text):
    for i, close in calls(text, "__threadfence"):
        yield i, [replace(text, i, close, "")]


@rule
def narrow_fence(text):
    for i, close in calls(text, "__threadfence"):
        yield i, [replace(text, i, close, "__threadfence_block()")]


def words_of_order(text, changes):
    """Changes words of order or scope in inline PTX: the first that stands there."""
    for i in range(len(text)):
        if text.tokens[i].kind != "string" or not re.match(r'"(ld|st|atom|red|fence)\.', text[i]):
            continue
        for old, new in changes.items():
            if f".{old}." in text[i]:
                yield i, [replace(text, i, i, text[i].replace(f".{old}.", f".{new}.", 1))]
                break


@rule
def drop_acquire(text):
    yield from words_of_order(text, {"acquire": "relaxed", "acq_rel": "release"})


@rule
def drop_release(text):
    yield from words_of_order(text, {"release": "relaxed", "acq_rel": "acquire"})


@rule
def narrow_scope(text):
    yield from words_of_order(text, {"gpu": "cta", "sys": "cta"})


@rule
def drop_wait(text):
    """A loop that does nothing but ask."""
    for i in range(len(text)):
        if text[i] != "while":
            continue
        close = text.partner[i + 1]
        if text[close + 1] == ";" and text[i - 1] != "}":
            yield i, [replace(text, i, close, "")]


@rule
def early_ticket(text):
    """Takes the ticket, or raises the flag, before the stores that it tells of."""
    for i, close in calls(text, "__threadfence"):
        if text[close + 1] != ";":
            continue
        last = i - 1  # the statement before the fence ends here
        first = last
        while first > 0 and text[first - 1] not in (";", "{", "}", ")"):
            first -= 1
        end = close + 2
        while end < len(text) and text[end] not in (";", "{"):
            end += 1
        if text[last] != ";" or first == last or text[end] != ";" or "=" not in text.source(first, last):
            continue
        store, after = text.source(first, last), text.source(close + 2, end)
        if not re.match(r"\w+\[\w+(\.\w)?\] =", after):
            continue
        yield i, [replace(text, first, end, f"{after} {text.source(i, close + 1)} {store}")]


@rule
def missing_wait(text):
    for i, close in calls(text, r"__pipeline_wait_prior|cp_async_wait\w*|wait|mbarrier_wait\w*"):
        yield i, [replace(text, i, close, "")]


@rule
def early_wait(text):
    """Waits for one group of copies fewer."""
    for i, close in calls(text, r"__pipeline_wait_prior|cp_async_wait_group"):
        inside = text.source(i + 2, close - 1)
        yield i, [replace(text, i + 2, close - 1, f"({inside}) + 1")]


@rule
def plain_atomic(text):
    for i, close in calls(text, r"atomicAdd(_block)?"):
        comma = i + 2
        while text[comma] != ",":
            comma = text.partner[comma] + 1 if text[comma] in "([{" else comma + 1
        place, value = text.source(i + 2, comma - 1), text.source(comma + 1, close - 1)
        yield i, [replace(text, i, close, f"(*({place}) += {value})")]


@rule
def narrow_atomic(text):
    for i, _ in calls(text, r"atomic(Add|Inc|Exch)"):
        yield i, [replace(text, i, i, text[i] + "_block")]


@rule
def narrow_mask(text):
    for i, _ in calls(text, r"__shfl_\w*sync"):
        last = i + 2
        while text[last + 1] != ",":
            last += 1
        yield i, [replace(text, i + 2, last, "0xffffu")]


@rule
def wrong_shuffle(text):
    other = {"xor": "up", "down": "up", "up": "down"}
    for i, _ in calls(text, r"__shfl_(xor|up|down)_sync"):
        kind = text[i].split("_")[3]
        yield i, [replace(text, i, i, text[i].replace(kind, other[kind]))]


@rule
def divergent_shuffle(text):
    """The lanes without work leave before the warp meets."""
    for loop, first, second, close in text.loops():
        start = [k for k in range(loop, first) if text[k] in ("lane", "threadIdx")]
        bound = [k for k in range(first, second) if text[k] == "<"]
        behind = text.text[text.tokens[close].end :].split("__global__")[0]
        if start and bound and "__shfl" in behind:
            begin = text.source(start[0], first - 1)
            limit = text.source(bound[0] + 1, second - 1)
            at = text.tokens[loop].start
            yield loop, [(at, at, f"if ({begin} >= {limit}) return;\n  ")]


# Launches.


def launch_lines(text):
    return [(k, line) for k, line in enumerate(text.header) if line.text.startswith("// evo.launch")]


@rule
def launch_floor(text):
    """A grid that leaves out the last, partly filled block."""
    for _, line in launch_lines(text):
        for match in re.finditer(r"ceildiv\((\w+(?: [-+*] \w+)*), (\d+)\)", line.text):
            at = line.start + match.start()
            yield line, [(at, line.start + match.end(), f"(({match.group(1)}) / {match.group(2)})")]


@rule
def launch_block(text):
    """Half of the threads in a block."""
    for _, line in launch_lines(text):
        match = re.search(r"<<<(?:.*), (\(?)(\d+)", line.text)
        if match and int(match.group(2)) > 1:
            yield line, [(line.start + match.start(2), line.start + match.end(2), str(int(match.group(2)) // 2))]


@rule
def drop_launch(text):
    lines = launch_lines(text)
    if len(lines) > 1:
        for _, line in lines:
            yield line, [(line.start, line.end, "//")]


@rule
def swap_launches(text):
    lines = launch_lines(text)
    for (_, a), (_, b) in zip(lines, lines[1:]):
        yield b, [(a.start, a.end, b.text), (b.start, b.end, a.text)]


@rule
def short_scratch(text):
    for line in text.header:
        match = re.match(r"// evo.scratch \w+: \w+\[(.*)\]", line.text)
        if match and match.group(1) != "1":
            yield line, [(line.start + match.start(1), line.start + match.end(1), f"max(1, ({match.group(1).split(', ')[-1]}) - 1)")]


@rule
def drop_require(text):
    """One condition that the candidate declares; the caller leaves out those that
    the reference's contract has too."""
    for line in text.header:
        if not line.text.startswith("// evo.require"):
            continue
        parts = line.text[len("// evo.require ") :].split(", ")
        for k, part in enumerate(parts):
            rest = parts[:k] + parts[k + 1 :]
            yield line, [(line.start, line.end, "// evo.require " + ", ".join(rest) if rest else "//")]
