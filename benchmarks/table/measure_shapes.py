"""Searches for, and times, kernels of the corpus at shapes that are drawn, as they are searched
for and timed at the sizes of their files."""
import os

from . import run
from .contract import Contract, with_workload
from .corpus import BY_NAME, naive_file
from .parts import shape_name
from .shapes import KINDS, NoShape, draw

MAX_TRIES = 2  # what failed twice is a result


def drawn(options):
    """A row without times for each shape of the kernels that are asked for."""
    asked = {"budget": options.budget, "max_seconds": options.max_seconds,
             "mode": options.compile_mode, "compiles": not options.skip_compiled}
    for name in run.choose(options, lambda _: False):
        contract = Contract(naive_file(name))
        for number in range(options.count):
            turn, kind = number // len(KINDS), KINDS[number % len(KINDS)]
            row = {"seed": options.seed, "kernel": name, "kind": kind, "turn": turn, "sizes": {},
                   "asked": asked, "tries": 0, "said": {}, "problems": {}}
            try:
                row["sizes"] = draw(options.seed, BY_NAME[name], contract, kind, turn)
            except NoShape as error:
                row["problems"]["shape"] = str(error)
            yield row


def tries(part, row):
    """How often a row was tried that was asked for alike; MAX_TRIES where it needs no more."""
    known = part.entry(part.shapes, shape_name(row))
    if not known or any(known[key] != row[key] for key in ("sizes", "asked")):
        return 0
    return known["tries"] if known["problems"] else MAX_TRIES


def choose(options, part):
    """Rows that no part has, and behind them those that failed, which could keep all the time."""
    rows = [{**row, "tries": tries(part, row) + 1} for row in drawn(options)]
    return sorted((row for row in rows if row["tries"] <= MAX_TRIES), key=lambda row: row["tries"])


def label(row):
    """softmax/odd, and a number from the second of a kind on."""
    return f"{row['kernel']}/{row['kind']}" + (f"/{row['turn'] + 1}" if row["turn"] else "")


def measure_row(options, worker, folder, row):
    """The row with what a search finds at its sizes, and PyTorch beside that."""
    if row["problems"]:
        return row
    name, asked = row["kernel"], row["asked"]
    folder = f"{folder}/{name}-{row['kind']}-{'x'.join(map(str, row['sizes'].values()))}"
    source = f"{folder}/{name}.cu"
    os.makedirs(folder, exist_ok=True)
    with open(source, "w", encoding="utf-8") as file:
        file.write(with_workload(naive_file(name), row["sizes"]))
    sides = run.searched(options, source, folder, {"search": run.without_model(options)}, row)
    if not sides:
        return row
    return run.timed(worker, row, {
        "source": source, "baseline": sides[0]["folder"], "sides": sides, "seconds": options.look,
        "mode": asked["mode"], "compiles": asked["compiles"]})


def measure(options):
    """Rows of shapes, until none is left or the time is over."""
    return run.fill(options, "shapes", lambda part: choose(options, part), label,
                    lambda worker, folder, rows: measure_row(options, worker, folder, rows[0]))
