"""Other blocks, grids and threads for the same work."""
import re

from cudatext import edit
from rules_control import replace
from rules_order import launch_lines
from variant_rules import changed, variant


# Threads and launches.


def guard(text):
    """`int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= N) return;` of a file
    with one kernel: (declaration, guard, name, bound), or None."""
    if text.text.count("__global__") != 1:
        return None
    match = re.search(
        r"(int|size_t) (\w+) = (?:\(size_t\))?blockIdx\.x \* blockDim\.x \+ threadIdx\.x;\s*"
        r"if \(\2 >= ([^;]*)\)\s*return;", text.text)
    return match


def one_dimensional(text):
    lines = launch_lines(text)
    if len(lines) != 1:
        return None
    match = re.search(r"<<<ceildiv\((.*), (\d+)\), (\d+)>>>", lines[0][1].text)
    return match and (lines[0][1], match)


def relaunch(text, found, kernel_edits, launch):
    line, match = found
    at = line.start + match.start()
    return edit(text.text, kernel_edits + [(at, line.start + match.end(), launch)])


def body_end(text):
    return text.text.rindex("}")


@variant()
def grid_stride(text):
    match, found = guard(text), one_dimensional(text)
    if not match or not found or re.search(r"\breturn\b", text.text[match.end() :]):
        return None
    kind, name, bound = match.groups()
    start = "(size_t)blockIdx.x * blockDim.x + threadIdx.x"
    loop = (f"for (size_t {name}_ = {start}; {name}_ < {bound};\n"
            f"       {name}_ += (size_t)gridDim.x * blockDim.x) {{\n  {kind} {name} = {name}_;")
    edits = [(match.start(), match.end(), loop), (body_end(text), body_end(text), "}\n")]
    return relaunch(text, found, edits, f"<<<min(ceildiv({found[1].group(1)}, 64), 3), 64>>>")


@variant()
def two_elements_a_thread(text):
    match, found = guard(text), one_dimensional(text)
    if not match or not found or re.search(r"\breturn\b", text.text[match.end() :]):
        return None
    kind, name, bound = match.groups()
    loop = (f"for (int each_ = 0; each_ < 2; ++each_) {{\n"
            f"  {kind} {name} = ((size_t)blockIdx.x * 2 + each_) * blockDim.x + threadIdx.x;\n"
            f"  if ({name} >= {bound})\n    continue;")
    edits = [(match.start(), match.end(), loop), (body_end(text), body_end(text), "}\n")]
    return relaunch(text, found, edits, f"<<<ceildiv({found[1].group(1)}, 256), 128>>>")


@variant()
def neighbours_a_thread(text):
    match, found = guard(text), one_dimensional(text)
    if not match or not found or re.search(r"\breturn\b", text.text[match.end() :]):
        return None
    kind, name, bound = match.groups()
    loop = (f"size_t first_ = 3 * ((size_t)blockIdx.x * blockDim.x + threadIdx.x);\n"
            f"  for (size_t {name}_ = first_; {name}_ < first_ + 3 && {name}_ < {bound}; ++{name}_) {{\n"
            f"  {kind} {name} = {name}_;")
    edits = [(match.start(), match.end(), loop), (body_end(text), body_end(text), "}\n")]
    return relaunch(text, found, edits, f"<<<ceildiv({found[1].group(1)}, 192), 64>>>")


@variant()
def branch_instead_of_return(text):
    match = guard(text)
    if not match:
        return None
    head = text.text[match.start() : match.end()]
    head = re.sub(r"if \((\w+) >= ([^;]*)\)\s*return;", r"if (\1 < \2) {", head)
    return edit(text.text, [(match.start(), match.end(), head), (body_end(text), body_end(text), "}\n")])


@variant()
def idle_threads_repeat_the_last(text):
    """Threads beyond the end do the last one's work and store the same bytes."""
    match = guard(text)
    if not match or "inout" in text.text:
        return None
    name, bound = match.group(2), match.group(3)
    head = re.sub(r"return;", f"{name} = {bound} - 1;", text.text[match.start() : match.end()])
    return edit(text.text, [(match.start(), match.end(), head)])


@variant()
def two_launches(text):
    """Even blocks, then odd ones."""
    match, found = guard(text), one_dimensional(text)
    if not match or not found:
        return None
    line, launch = found
    size, block = launch.group(1), launch.group(2)
    opens = text.text.index("(", text.text.index("__global__"))
    close = text.tokens[next(text.partner[k] for k in range(len(text)) if text.tokens[k].start == opens)].start
    head = match.group(0).replace("blockIdx.x", "(2 * blockIdx.x + part_)")
    new = line.text.replace(launch.group(0), f"<<<ceildiv(ceildiv({size}, {block}), 2), {block}>>>")
    lines = "\n".join(new.rstrip()[:-1] + f", {part})" for part in (0, 1))
    return edit(text.text, [
        (match.start(), match.end(), head), (close, close, ", int part_"), (line.start, line.end, lines)])


@variant()
def blocks_from_the_end(text):
    if "blockIdx.x" not in text.text:
        return None
    return re.sub(r"\bblockIdx\.x\b", "(gridDim.x - 1 - blockIdx.x)", text.text)


@variant()
def threads_from_the_end(text):
    if "threadIdx.x" not in text.text:
        return None
    return re.sub(r"\bthreadIdx\.x\b", "(blockDim.x - 1 - threadIdx.x)", text.text)


def block_of(text, flat, square):
    new = text.text
    for _, line in launch_lines(text):
        changed_line = re.sub(r"ceildiv\((.*), (\d+)\), \2>>>", lambda m: f"ceildiv({m.group(1)}, {flat}), {flat}>>>",
                              line.text)
        pattern = r"\(ceildiv\((.*?), (\d+)\), ceildiv\((.*?), (\d+)\)(.*)\), \(\2, \4\)>>>"
        rows = re.search(pattern, changed_line)
        changed_line = re.sub(
            pattern,
            lambda m: f"(ceildiv({m.group(1)}, {square[0]}), ceildiv({m.group(3)}, {square[1]}){m.group(5)}),"
            f" ({square[0]}, {square[1]})>>>", changed_line)
        if rows:  # a grid has no more rows than that
            changed_line += f"\n// evo.require {rows.group(3)} <= {65535 * square[1]}"
        new = new.replace(line.text, changed_line)
    return new if new != text.text and "blockDim" in text.text else None


@variant()
def blocks_of_one_warp(text):
    return block_of(text, 32, (32, 1))


@variant()
def blocks_of_odd_size(text):
    return block_of(text, 71, (7, 5))


@variant()
def blocks_of_the_largest_size(text):
    return block_of(text, 1024, (64, 16))


@variant()
def read_only_loads(text):
    edits = []
    inputs = set(re.findall(r"const float \*(?:__restrict__ )?(\w+)", text.text))
    inputs -= set(re.findall(r"(?<!const )float \*(?:__restrict__ )?(\w+)", text.text))
    for i in range(len(text)):
        if text[i] in inputs and text[i + 1] == "[" and text[i - 1] != "*":
            edits.append((text.tokens[i].start, text.tokens[i].start, "__ldg(&"))
            close = text.partner[i + 1]
            edits.append((text.tokens[close].end, text.tokens[close].end, ")"))
    return changed(text, edits)


@variant()
def inputs_bounced_off_memory(text):
    """Each product's or sum's value goes through a volatile local variable."""
    edits = []
    for first, op, end in text.assignments():
        if text[first] in text.floats and text[op] == "+=" and "half" not in text.text:
            value = text.source(op + 1, end - 1)
            edits.append(replace(text, first, end, f"{{ volatile float kept_ = {value}; {text.source(first, op)} kept_; }}"))
    return changed(text, edits)
