#!/usr/bin/env python3
"""Checks the pages for readers: README.md, docs/*.md and the READMEs below other folders.

usage: check-docs.py ROOT

Their words are the standard ones of the field (REPLACED says what for what), they are no
longer than LINES says, and the sentences of the pages in SENTENCES have no more words on
average than stands there. Each link to a file of the tree, each link to a heading of
a page and each path of the tree between backticks leads somewhere; NEW are files that a
page tells its reader to add.

A sentence ends with a full stop, a question mark or an exclamation mark before white
space, and with its paragraph, list item or cell. Code, formulas (what is indented by
four or more columns after a blank line), headings and tables hold none. A piece of code
within a sentence is one word.

Prints each violation as FILE:LINE: TEXT and exits with 1 if there is one.
"""
import pathlib
import re
import sys

FOLDERS = ("benchmarks", "examples", "prices", "prompts", "strategies")
LINES = {"README.md": 150, "docs/Guarantee.md": 70}
SENTENCES = {"docs/Guarantee.md": 18, "docs/VerificationDesign.md": 18}
# A pattern of whole words, and what to write in its place.
REPLACED = {
    r"ghosts?": "shadow value",
    r"teams?": "cooperative loop distribution, threads of a warp or block",
    r"in turns": "distributed over, one after another",
    r"planes?": "2-D launch remapping",
    r"dear": "over budget",
    r"as written": "pre-optimisation",
    r"as shipped": "post-optimisation",
    r"most": "max, or 'up to N'",
    r"least": "min, or 'N or more'",
    r"a row": "per row",
}
WORD = re.compile(r"\b(?:(%s))\b" % ")|(".join(
    word.replace(" ", r"\s+") for word in REPLACED), re.I)
NEW = {"lib/Verification/Checks/ManyLaunches.cpp", "test/Verify/Checks/many-launches.test"}
PATH = re.compile(r"`((?:benchmarks|cmake|docs|examples|include|lib|prompts|strategies|test|"
                  r"tools|unittests|utils)/[\w./-]+)`")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
END = re.compile(r"[.!?][)\"'*_]*(?=\s|$)")


def pages(root):
    """Paths of all pages, relative to the root."""
    found = {root / "README.md", *(root / "docs").glob("*.md")}
    for folder in FOLDERS:
        found |= set((root / folder).rglob("README.md"))
    return sorted(path.relative_to(root) for path in found if path.is_file())


def line_at(text, position):
    return text.count("\n", 0, position) + 1


def replaced_words(text):
    """Line and complaint for each word that has a better one."""
    for found in WORD.finditer(text):
        better = list(REPLACED.values())[found.lastindex - 1]
        said = " ".join(found.group().split())
        yield line_at(text, found.start()), f"'{said}': write {better}"


def without_code(text):
    """The text with blocks of code emptied, line by line."""
    fenced, lines = False, []
    for line in text.splitlines():
        if line.lstrip().startswith("```"):
            fenced = not fenced
            line = ""
        lines.append("" if fenced else line)
    return lines


def sentences(text):
    """The sentences of the prose, each as its number of words."""
    blocks, gap = [[]], True
    for line in without_code(text):
        bare = line.strip()
        is_formula = line.startswith("    ") and gap
        if not bare or bare.startswith(("#", "|", "<")) or is_formula:
            blocks.append([])
        elif re.match(r"([-*]|\d+\.) ", bare):
            blocks.append([bare.split(" ", 1)[1]])
        else:
            blocks[-1].append(bare)
        gap = not bare or is_formula
    for block in blocks:
        prose = re.sub(r"`[^`]*`", "code", " ".join(block))
        for part in END.split(LINK.sub(lambda link: link[0].split("](")[0], prose)):
            if words := [word for word in part.split() if re.search(r"\w", word)]:
                yield len(words)


def anchors(text):
    """The names by which the headings of a page are linked to."""
    for line in without_code(text):
        if found := re.match(r"#+ +(.*)", line):
            name = re.sub(r"[^\w\- ]", "", found[1].strip().lower())
            yield name.replace(" ", "-")


def broken_links(root, page, text):
    """Line and complaint for each link that leads nowhere."""
    for found in LINK.finditer("\n".join(without_code(text))):
        place, _, anchor = found[1].partition("#")
        if ":" in place:
            continue
        line = line_at("\n".join(without_code(text)), found.start())
        target = (root / page).parent / place if place else root / page
        if not target.exists():
            yield line, f"there is no '{place}'"
        elif anchor and anchor not in anchors(target.read_text(encoding="utf-8")):
            yield line, f"'{place or page}' has no heading '#{anchor}'"


def missing_files(root, text):
    """Line and complaint for each path between backticks that is none."""
    for found in PATH.finditer(text):
        is_pattern = re.search(r"\b[A-Z]{2,}\b", found[1])  # as in judge-NAME.mustache
        if found[1] not in NEW and not is_pattern and not (root / found[1]).exists():
            yield line_at(text, found.start()), f"there is no '{found[1]}'"


def violations(root, page):
    text = (root / page).read_text(encoding="utf-8")
    name = page.as_posix()
    count = len(text.splitlines())
    if count > LINES.get(name, count):
        yield LINES[name] + 1, f"{count} lines, and {LINES[name]} are allowed"
    yield from replaced_words(text)
    lengths = list(sentences(text)) if name in SENTENCES else []
    if lengths and sum(lengths) > SENTENCES[name] * len(lengths):
        average = sum(lengths) / len(lengths)
        yield 1, f"{average:.1f} words per sentence, and {SENTENCES[name]} are allowed"
    yield from broken_links(root, page, text)
    yield from missing_files(root, text)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    root = pathlib.Path(sys.argv[1])
    found = 0
    read = pages(root)
    for page in read:
        for line, said in sorted(violations(root, page)):
            print(f"{page}:{line}: {said}")
            found += 1
    for name in sorted(set(LINES) | set(SENTENCES)):
        if not (root / name).is_file():
            print(f"{name}:1: there is no such page")
            found += 1
    print(f"docs: {len(read)} pages, {found} violations")
    sys.exit(found > 0)


if __name__ == "__main__":
    main()
