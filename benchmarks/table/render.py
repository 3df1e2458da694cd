"""The pages out of the parts: tables in docs/Results.md and the README between marks, and the
pictures of both. What is written follows from the parts alone."""
import math
import os

from . import parts, picture, render_shapes
from .corpus import BY_NAME, GROUPS, KERNELS, README
from .row import Row, letter, name_machines, number
from .statistics import interval, ratio

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
PARTS = os.path.join(ROOT, "benchmarks", "results")
BEGIN, END = "<!-- {}: written by benchmarks/results.py render -->", "<!-- end of {} -->"
OVER = 1.05  # a lowering that is so much slower than nvcc's is listed


def add_options(parser):
    parser.add_argument("--parts", default=PARTS)
    parser.add_argument("--root", default=ROOT, help="of the tree whose pages are written")
    parser.add_argument("--check", action="store_true",
                        help="write nothing, and fail where a page is out of step")


def geometric_mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def render_rows(rows):
    if not rows:
        return "Nothing was measured yet."
    letters, lines = name_machines(row.row for row in rows.values())
    judged = [row for row in rows.values() if row.against.get("search")]
    ahead = sum(row.is_ahead for row in judged)
    text = [f"Of {len(judged)} kernels the search is ahead of the better of eager and compiled, or "
            f"level with it, in {ahead}; geometric mean of the ratios "
            f"{geometric_mean(row.against['search'][0] for row in judged):.2f}.", ""]
    for group, heading in GROUPS.items():
        members = [rows[kernel.name] for kernel in KERNELS
                   if kernel.group == group and kernel.name in rows]
        if not members:
            continue
        ratios = [row.against["search"][0] for row in members if row.against.get("search")]
        text += [f"### {heading}", "",
                 "| kernel | naive, nvcc | naive, ours | search | grade | recorded | eager "
                 "| compiled | roofline | search against the better | PTX | at |",
                 "|" + "---|" * 12]
        for row in members:
            roofline = number(row.roofline) if row.roofline else ""
            text.append(
                f"| {row.kernel.title} | {row.cell('nvcc')} | {row.cell('ours')} "
                f"| {row.cell('search')} | {row.said('search', 'grade')} | {row.cell('recorded')} "
                f"| {row.cell('eager')} | {row.cell('compiled')} | {roofline} "
                f"| {row.verdict()} | {row.said('search', 'ptx')[:8]} "
                f"| {letter(letters, row.row)} |")
        if ratios:
            text += ["", f"Geometric mean: {geometric_mean(ratios):.2f}."]
        text.append("")
    problems = [f"- {row.kernel.name}, {side}: {why}" for row in rows.values()
                for side, why in row.row["problems"].items()]
    missing = [kernel.name for kernel in KERNELS if kernel.name not in rows]
    remarked = {}
    for row in rows.values():
        if "remark" in row.row:
            remarked.setdefault(row.row["remark"], []).append(row.kernel.name)
    remarks = [f"- {', '.join(names)}: {remark}." for remark, names in remarked.items()]
    if remarks:
        text += ["Remarks:", "", *remarks, ""]
    if problems:
        text += ["What could not be timed:", "", *problems, ""]
    if missing:
        text += [f"Not measured: {', '.join(missing)}.", ""]
    return "\n".join([*text, "Where and of what:", "", *lines])


def render_lowering(lowering):
    pairs = {}
    for file, line in lowering.items():
        sides = {name: side["samples"] for name, side in line["sides"].items()}
        if "nvcc" in sides:
            pairs[file] = {name: ratio(sides[name], sides["nvcc"]) + (interval(sides["nvcc"])[0],)
                           for name in ("llvm", "nvrtc") if name in sides}
    if not pairs:
        return "Nothing was measured yet."
    text = []
    for name, title in (("llvm", "This tool's own lowering"), ("nvrtc", "By NVRTC in this tool")):
        ratios = {file: sides[name][0] for file, sides in pairs.items() if name in sides}
        if not ratios:
            continue
        worst, best = max(ratios, key=ratios.get), min(ratios, key=ratios.get)
        text.append(f"- {title}: geometric mean {geometric_mean(ratios.values()):.3f} over "
                    f"{len(ratios)} files, worst {ratios[worst]:.3f} ({worst}), best "
                    f"{ratios[best]:.3f} ({best}), over {OVER}: "
                    f"{sum(value > OVER for value in ratios.values())}.")
    either = [min(side[0] for side in sides.values()) for sides in pairs.values() if sides]
    text.append(f"- The faster of both: geometric mean {geometric_mean(either):.3f}, worst "
                f"{max(either):.3f}.")
    far = sorted((file for file, sides in pairs.items()
                  if "llvm" in sides and abs(math.log(sides["llvm"][0])) > math.log(1.02)),
                 key=lambda file: -pairs[file]["llvm"][0])
    if far:
        text += ["", "Those that are more than 2 % away:", "",
                 "| file | nvcc, us | own over nvcc | NVRTC over nvcc |", "|---|---|---|---|"]
        for file in far:
            middle, low, high, micros = pairs[file]["llvm"]
            other = pairs[file].get("nvrtc")
            text.append(f"| {file} | {number(micros)} | {middle:.3f} ({low:.3f} to {high:.3f}) "
                        f"| {f'{other[0]:.3f}' if other else ''} |")
    problems = [f"- {file}, {side}: {why}" for file, line in lowering.items()
                for side, why in line["problems"].items()]
    if problems:
        text += ["", "What could not be compared:", "", *problems]
    letters, lines = name_machines(lowering.values())
    return "\n".join([*text, "", "Where and of what:", "",
                      *(line.split(";")[0] + "." for line in lines)])


def render_readme(rows):
    chosen = [rows[name] for name in README if name in rows and rows[name].roofline]
    if not chosen:
        return "Nothing was measured yet."
    cards = sorted({row.machine["card"] for row in chosen})
    days = sorted({row.machine["date"][:10] for row in chosen})
    judged = [row for row in rows.values() if row.against.get("search")]
    text = [f"Microseconds on one {' and one '.join(cards)}, {' to '.join(days)}: the search alone, "
            "without a model,", "and PyTorch on the same buffers, in turn.", "",
            "| kernel | evo-opt | PyTorch eager | PyTorch compiled | roofline | against the better |",
            "|---|---|---|---|---|---|"]
    for row in chosen:
        text.append(f"| {row.kernel.title} | {row.cell('search')} | {row.cell('eager')} "
                    f"| {row.cell('compiled')} | {number(row.roofline)} "
                    f"| {against_in_words(row)} |")
    ahead = sum(row.is_ahead for row in judged)
    return "\n".join([*text, "", f"Of {len(judged)} kernels of the corpus it is ahead of the better "
                      f"of both, or level, in {ahead};", "geometric mean of the ratios "
                      f"{geometric_mean(row.against['search'][0] for row in judged):.2f}."])


def against_in_words(row):
    if "search" not in row.against:
        return ""
    middle, low, high = row.against["search"]
    if low <= 1 <= high:
        return "level"
    if middle > 1:
        return f"**{middle:.1f}x faster**" if middle >= 1.1 else f"{100 * middle - 100:.0f} % faster"
    return f"{1 / middle:.1f}x slower" if middle < 0.5 else f"{100 / middle - 100:.0f} % slower"


def render_picture(rows, names, headings):
    sides = ("search", "eager", "compiled")
    groups = []
    for group, heading in GROUPS.items():
        members = [rows[kernel.name] for kernel in KERNELS if kernel.group == group
                   and kernel.name in names and kernel.name in rows
                   and rows[kernel.name].roofline]
        if members:
            groups.append((heading if headings else "", [
                (row.kernel.title, {side: row.share(side) for side in sides if side in row.times})
                for row in members]))
    return picture.draw("Share of the roofline that each kernel reaches", groups, sides)


def replace_block(text, name, content):
    """The text with what stands between a block's marks replaced."""
    begin, end = BEGIN.format(name), END.format(name)
    before, found, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise SystemExit(f"results.py: the page has no block '{name}'")
    return f"{before}{begin}\n{content}\n{end}{after}"


def main(options):
    rows, lowering, shapes = parts.merge(parts.find(options.parts))
    rows = {name: Row(row) for name, row in rows.items()}
    results = "\n".join([render_rows(rows), *render_shapes.sections(shapes)])
    pages = {}
    for page, blocks in (("docs/Results.md", {"results": results,
                                              "lowering": render_lowering(lowering)}),
                         ("README.md", {"results": render_readme(rows)})):
        with open(os.path.join(options.root, page), encoding="utf-8") as file:
            pages[page] = file.read()
        for name, content in blocks.items():
            pages[page] = replace_block(pages[page], name, content)
    pages["docs/results.svg"] = render_picture(rows, set(BY_NAME), True)
    pages["docs/results-short.svg"] = render_picture(rows, set(README), False)
    status = 0
    for page, text in pages.items():
        path = os.path.join(options.root, page)
        before = None
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                before = file.read()
        if before == text:
            continue
        if options.check:
            print(f"{page} is out of step: run benchmarks/results.py render")
            status = 1
            continue
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        print(f"wrote {page}")
    return status
