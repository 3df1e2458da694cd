"""What the header of a kernel's file says of sizes: its buffers, what it requires, how it is
launched. Whoever thinks of sizes asks here whether the kernel is for them."""
import re
from dataclasses import dataclass

from .corpus import ELEMENT_BYTES, evaluate, workload

GRID_LIMITS = ((1 << 31) - 1, 65535, 65535)
WORKLOAD = re.compile(r"^// evo\.workload .*\n", re.M)
BUFFER = re.compile(
    r"(\w+): (?:(in|out|inout) )?(\w+)\[([^\]]*)\](?: (?:range|monotone)\(([^()]*)\))?")


def together(formulas, sizes):
    """The values of formulas that stand with commas between them."""
    return evaluate(f"({formulas},)", sizes)


def names_in(formula):
    return set(re.findall(r"[A-Za-z_]\w*", formula))


@dataclass(frozen=True)
class Buffer:
    name: str
    role: str  # "" of scratch
    type: str
    dims: str
    ends: str  # of the values; "" where the contract says none

    @property
    def row(self):
        """The formula of the innermost extent."""
        return self.dims.split(",")[-1]

    def extents(self, sizes):
        return together(self.dims, sizes)

    def elements(self, sizes):
        count = 1
        for extent in self.extents(sizes):
            count *= max(extent, 0)
        return count

    def bytes(self, sizes):
        return self.elements(sizes) * ELEMENT_BYTES[self.type]

    def has_values(self, sizes):
        """Whether the domain of integers has one, and all are of the type."""
        if not self.ends or self.type[0] not in "iu":
            return True
        low, high = together(self.ends, sizes)
        bits = 8 * ELEMENT_BYTES[self.type] - (self.type[0] == "i")
        return low < high <= 1 << bits


class Contract:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            lines = re.findall(r"^// evo\.(\w+) (.*)$", file.read(), re.M)
        self.published = workload(path)
        self.buffers = [Buffer(*found) for kind, line in lines if kind in ("kernel", "scratch")
                        for found in BUFFER.findall(line)]
        self.arguments = [buffer for buffer in self.buffers if buffer.role]
        self.requirements = [line for kind, line in lines if kind == "require"]
        self.launches = [line.partition("<<<")[2].partition(">>>")[0]
                         for kind, line in lines if kind == "launch" and "<<<" in line]

    def required(self):
        """The names in requirements."""
        return names_in(" ".join(self.requirements))

    def elements(self, sizes):
        """Of all arguments together."""
        return sum(buffer.elements(sizes) for buffer in self.arguments)

    def bytes(self, sizes):
        """Of all buffers together, scratch included."""
        return sum(buffer.bytes(sizes) for buffer in self.buffers)

    def refusal(self, sizes):
        """Why the kernel is not for these sizes; None where it is."""
        for buffer in self.buffers:
            if min(buffer.extents(sizes)) < 1:
                return f"'{buffer.name}' has no elements"
            if not buffer.has_values(sizes):
                return f"there are no values for '{buffer.name}'"
        for line in self.requirements:
            if not all(together(line, sizes)):
                return f"it requires {line}"
        for launch in self.launches:
            grid = together(launch, sizes)[0]
            grid = grid if isinstance(grid, tuple) else (grid,)
            if not all(1 <= extent <= limit for extent, limit in zip(grid, GRID_LIMITS)):
                return f"there is no grid <<<{launch}>>>"
        return None


def spelled(sizes):
    """M = 8192, N = 4096, say."""
    return ", ".join(f"{name} = {size}" for name, size in sizes.items())


def with_workload(path, sizes):
    """The text of a kernel's file, measured at these sizes and no others."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    first = WORKLOAD.search(text).start()
    return f"{text[:first]}// evo.workload {spelled(sizes)}\n" + WORKLOAD.sub("", text[first:])
