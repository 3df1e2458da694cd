"""Parts: files of rows, one for each run of the measuring command. A table is made of as
many parts as it takes; of a kernel that is in several, the newest row counts."""
import glob
import json
import os

FORMAT = 1
KINDS = "rows", "lowering", "shapes"


class BadPart(Exception):
    """A file that is no part."""


def load(path):
    """The part in a file. Raises BadPart where it is none, or of another format."""
    try:
        with open(path, encoding="utf-8") as file:
            part = json.load(file)
    except ValueError as error:
        raise BadPart(f"{path}: no JSON: {error}") from error
    if not isinstance(part, dict) or part.get("format") != FORMAT:
        raise BadPart(f"{path}: not a part of format {FORMAT}")
    part.setdefault("shapes", [])  # older parts know of none
    return part


def save(path, part):
    """Writes a part whole or not at all, one row per line."""
    def lines(kind):
        return f'"{kind}": [\n' + ",\n".join(map(json.dumps, part[kind])) + "\n]"
    text = (f'{{"format": {FORMAT},\n"machine": {json.dumps(part["machine"])},\n'
            + ",\n".join(map(lines, KINDS)) + "}\n")
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".new", path)


def find(folder):
    return sorted(glob.glob(os.path.join(folder, "*.json")))


def merge(paths):
    """All rows, lines of the lowering and rows of drawn shapes, each with its machine, by names."""
    rows, lowering, shapes = {}, {}, {}
    for part in sorted(map(load, paths), key=lambda part: part["machine"]["date"]):
        for row in part["rows"]:
            rows[row["kernel"]] = {**row, "machine": part["machine"]}
        for line in part["lowering"]:
            lowering[line["file"]] = {**line, "machine": part["machine"]}
        for row in part["shapes"]:
            shapes[shape_name(row)] = {**row, "machine": part["machine"]}
    return rows, lowering, shapes


def shape_name(row):
    """Of a drawn shape: the seed, the kernel, the kind, and how many of it there were before."""
    return row["seed"], row["kernel"], row["kind"], row["turn"]
