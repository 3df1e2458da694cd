"""The section on shapes that were drawn, for each seed that parts have some of. What failed is
told in place of its ratio; where that is the search's fault, it counts as a ratio of 0."""
from statistics import median

from .contract import spelled
from .corpus import KERNELS
from .row import Row, letter, name_machines
from .shapes import KINDS

LEVEL, WORST = 1.0, 0.8  # what a family's median and its worst shape should reach


class Outcome:
    """What came of a shape: `score` is None where nothing can be compared."""

    def __init__(self, row):
        self.row, problems, times = row, row["problems"], Row(row)
        self.where = f"{row['kind']}, {spelled(row['sizes'])}" if row["sizes"] else row["kind"]
        self.is_against_one = False
        if "search" in times.against:
            self.score = times.against["search"][0]
            self.is_against_one = not {"eager", "compiled"} <= set(times.times)
            self.text = f"{self.score:.2f}" + ("*" if self.is_against_one else "")
        elif "shape" in problems or "eager" in problems:
            self.score = None
            self.text = "no shape" if "shape" in problems else "PyTorch fails"
        else:
            self.score = 0.0
            found = "variant" in row["said"].get("search", {})
            self.text = ("no winner" if not found else
                         "search fails" if "search" in problems else "timing fails")


class Family:
    """The shapes of a kernel, of which some have a score."""

    def __init__(self, outcomes):
        self.outcomes = outcomes
        self.judged = [outcome for outcome in outcomes if outcome.score is not None]
        self.worst = min(self.judged, key=lambda outcome: outcome.score, default=None)
        self.median = median(outcome.score for outcome in self.judged) if self.judged else None
        self.has_all = {outcome.row["kind"] for outcome in outcomes} == set(KINDS)

    def cells(self):
        for kind in KINDS:
            yield ", ".join(outcome.text for outcome in self.outcomes
                            if outcome.row["kind"] == kind) or "not measured"
        yield "" if self.median is None else f"{self.median:.2f}"
        yield self.worst.text if self.worst else ""
        yield self.worst.where if self.worst else ""

    def reaches(self):
        return (self.has_all and self.worst is not None
                and self.median >= LEVEL and self.worst.score >= WORST)


def summary(families):
    """Two lines: all shapes together, and families that are level throughout."""
    outcomes = [outcome for family in families.values() for outcome in family.outcomes]
    judged = [outcome for outcome in outcomes if outcome.score is not None]
    if not judged:
        return ["No shape could be compared."]
    worst = min(judged, key=lambda outcome: outcome.score)
    count = sum(family.reaches() for family in families.values())
    return [f"Over {len(judged)} shapes of {len(families)} kernels: median "
            f"{median(outcome.score for outcome in judged):.2f}, worst {worst.text} "
            f"({worst.row['kernel']}, {worst.where}). Without anything to compare: "
            f"{len(outcomes) - len(judged)}.", "",
            f"Kernels with a median of {LEVEL} or more and no shape below {WORST}: {count} of "
            f"{len(families)}."]


def searches(rows):
    """What was asked for: caps of searches, and modes of torch.compile where they were named."""
    caps = {(row["asked"]["budget"], row["asked"]["max_seconds"]) for row in rows}
    modes = {row["asked"]["mode"] for row in rows} - {None}
    return (" or ".join(f"{budget} candidates and {seconds} s" for budget, seconds in sorted(caps))
            + (f"; compiled by mode {' or '.join(sorted(modes))}" if modes else ""))


def section(seed, rows):
    letters, machines = name_machines(rows)
    families = {}
    for kernel in KERNELS:
        found = [row for row in rows if row["kernel"] == kernel.name]
        if found:
            families[kernel.name] = Family([Outcome(row) for row in found])
    lines = ["", f"### Shapes drawn from seed {seed}", "", *summary(families), "",
             f"| kernel | {' | '.join(KINDS)} | median | worst | worst at | at |",
             "|" + "---|" * (5 + len(KINDS))]
    for name, family in families.items():
        places = sorted({letter(letters, outcome.row) for outcome in family.outcomes})
        lines.append(f"| {name} | {' | '.join(family.cells())} | {', '.join(places)} |")
    lines += ["", "Ratios are of the better of eager and compiled to the search, of up to "
              f"{searches(rows)}."]
    outcomes = [outcome for family in families.values() for outcome in family.outcomes]
    if any(outcome.is_against_one for outcome in outcomes):
        lines.append("*: against eager alone, since compiled failed or was left out.")
    problems = [f"- {outcome.row['kernel']}, {outcome.where}, {side}: {' '.join(why.split())}"
                for outcome in outcomes for side, why in outcome.row["problems"].items()]
    if problems:
        lines += ["", "What failed:", "", *problems]
    missing = [kernel.name for kernel in KERNELS if kernel.name not in families]
    if missing:
        lines += ["", f"Not measured: {', '.join(missing)}."]
    return [*lines, "", "Where and of what:", "", *machines]


def sections(shapes):
    """The lines for all seeds; none where there are no shapes."""
    lines = []
    for seed in sorted({name[0] for name in shapes}):
        rows = [row for name, row in sorted(shapes.items(), key=lambda each: each[0][3])
                if name[0] == seed]
        lines += section(seed, rows)
    return lines
