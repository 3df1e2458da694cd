"""Parts: files of rows, one for each run of the measuring command. A table is made of as
many parts as it takes; of a kernel that is in several, the newest row counts."""
import glob
import json
import os

FORMAT = 1


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
    return part


def save(path, part):
    """Writes a part whole or not at all, one row a line."""
    def lines(rows):
        return ",\n".join(json.dumps(row) for row in rows)
    text = (f'{{"format": {FORMAT},\n"machine": {json.dumps(part["machine"])},\n'
            f'"rows": [\n{lines(part["rows"])}\n],\n"lowering": [\n{lines(part["lowering"])}\n]}}\n')
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".new", path)


def find(folder):
    return sorted(glob.glob(os.path.join(folder, "*.json")))


def merge(paths):
    """All rows and all lines of the lowering by their names, each with its machine."""
    rows, lowering = {}, {}
    for part in sorted(map(load, paths), key=lambda part: part["machine"]["date"]):
        for row in part["rows"]:
            rows[row["kernel"]] = {**row, "machine": part["machine"]}
        for line in part["lowering"]:
            lowering[line["file"]] = {**line, "machine": part["machine"]}
    return rows, lowering
