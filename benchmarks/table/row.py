"""What a row says out of its raw samples, and the machine that it is from."""
from .corpus import BY_NAME, evaluate, naive_file, workload
from .statistics import interval, ratio


def number(micros):
    return f"{micros:.0f}" if micros >= 1000 else f"{micros:.1f}"


class Row:
    """What a row of the table says, out of its raw samples."""

    def __init__(self, row):
        self.row, self.kernel, self.machine = row, BY_NAME[row["kernel"]], row["machine"]
        self.samples = {name: side["samples"] for name, side in row.get("sides", {}).items()}
        self.times = {name: interval(samples) for name, samples in self.samples.items()}
        rivals = [name for name in ("eager", "compiled") if name in self.times]
        self.better = min(rivals, key=lambda name: self.times[name][0]) if rivals else None
        self.against = {name: ratio(self.samples[self.better], self.samples[name])
                        for name in ("search", "recorded")
                        if self.better and name in self.samples}
        ceilings = self.machine.get("ceilings", {})
        self.roofline = None
        if "moved" in row and ceilings:
            sizes = row.get("sizes") or workload(naive_file(self.kernel.name))
            operations = evaluate(self.kernel.operations, sizes)
            self.roofline = 1e6 * max(row["moved"] / ceilings["copy"],
                                      operations / ceilings[self.kernel.unit])

    def share(self, side):
        return self.roofline / self.times[side][0]

    def cell(self, side):
        if side in self.times:
            return number(self.times[side][0])
        return "fails" if side in self.row["problems"] else ""

    def verdict(self, side="search"):
        """The better of PyTorch's times over ours, with its interval."""
        if side not in self.against:
            return ""
        middle, low, high = self.against[side]
        return f"{middle:.2f} ({low:.2f} to {high:.2f})"

    @property
    def is_ahead(self):
        """1.0 or more, or an interval that reaches it."""
        return "search" in self.against and self.against["search"][2] >= 1

    def said(self, side, key):
        return self.row["said"].get(side, {}).get(key, "")


def name_machines(entries):
    """Letters for card, commit and day, and the lines that say what each is."""
    letters, lines = {}, []
    for entry in sorted(entries, key=lambda entry: entry["machine"]["date"]):
        machine = entry["machine"]
        key = (machine["card"], machine["commit"], machine["date"][:10])
        if key in letters:
            continue
        letters[key] = chr(ord("A") + len(letters))
        rates = machine["ceilings"]
        lines.append(f"- {letters[key]}: {machine['card']}, {machine['date'][:10]}, commit "
                     f"{machine['commit'][:9]}, PyTorch {machine['torch']}; copy "
                     f"{rates['copy'] / 1e12:.2f} TB/s, products {rates['f32'] / 1e12:.1f} (f32) "
                     f"and {rates['f16'] / 1e12:.0f} (f16) TFLOP/s.")
    return letters, lines


def letter(letters, entry):
    machine = entry["machine"]
    return letters[machine["card"], machine["commit"], machine["date"][:10]]
