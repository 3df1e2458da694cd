"""Shapes drawn for each kernel of the corpus, so that a search is judged where nobody tuned it.
A shape follows from the seed, the kernel and the kind alone: all is arithmetic on integers, fed
by SHA-256 and not by a generator that another Python may change."""
import hashlib
from math import isqrt

from .contract import names_in
from .corpus import ELEMENT_BYTES, evaluate

MAX_BYTES = 2 << 30  # of all buffers
MAX_MULTIPLY_ADDS = 1 << 36
MAX_STEPS = 1 << 19  # of a thread of the naive kernel; each takes up to 200 ns

SMALL = 1 << 14, 1 << 18  # elements of all arguments
STRETCHED = 1 << 20, 1 << 26
SHORT, TIMES_LONGER = (3, 64), 16
WINDOW, WINDOWS = 8, (1, 2, 3, 5, 7)  # what is published as shorter than that is a window
ROW_BYTES, MAX_AWAY = 16, 7
GRAINS = 1, 4, 16, 64
TRIES = 400

# Elements that a thread of the naive kernel goes through, one after another.
STEPS = {
    "softmax": "3 * N", "log_softmax": "3 * N", "layernorm": "3 * N", "rmsnorm": "2 * N",
    "batchnorm": "3 * B * P", "sum": "N", "average_pool": "S", "argmax": "N", "topk": "N",
    "cumsum": "N", "scan": "N", "conv2d": "C * R * S", "sgemm": "K", "attention": "3 * T",
    "batched_gemm": "K", "cross_entropy": "2 * N", "hgemm": "K", "spmv": "min(E, 4 * E / M)",
    "cross_entropy_backward": "3 * N", "layernorm_backward": "max(2 * N, M)",
    "embedding_backward": "T",
}

# What is long and what is tall, where that is not the innermost and the outermost extent of the
# first buffer: keys and queries, tokens, and rows of a sparse matrix with few entries each.
LONG_AND_TALL = {"attention": (["T"], ["S"]), "embedding": (["D"], ["T"]),
                 "spmv": (["N", "E"], ["M", "E"])}


class NoShape(Exception):
    """None of a kind was found that the kernel is for."""


class Source:
    """Numbers that follow from a text."""

    def __init__(self, text):
        self.text, self.taken = text, 0

    def between(self, low, high):
        """From low to high, both included."""
        self.taken += 1
        digest = hashlib.sha256(f"{self.text}/{self.taken}".encode()).digest()
        return low + int.from_bytes(digest, "big") % (high - low + 1)

    def pick(self, values):
        return values[self.between(0, len(values) - 1)]

    def scaled(self, low, high):
        """From low to high, one octave about as likely as another."""
        while high > 2 * low:
            middle = isqrt(low * high)
            low, high = self.pick(((low, middle), (middle, high)))
        return self.between(low, high)

    def coarse(self, sizes):
        """Multiples of a number drawn, often not 1: what is odd or unaligned is a kind by itself."""
        grain = self.pick(GRAINS)
        return {name: size - size % grain if size > grain else size
                for name, size in sizes.items()}


def odd_prime(number):
    """The largest that is not above the number, which is 3 or more."""
    number -= number % 2 == 0
    while not all(number % factor for factor in range(3, isqrt(number) + 1, 2)):
        number -= 2
    return number


class Family:
    """A kernel of the table, and what its shapes may be."""

    def __init__(self, kernel, contract):
        self.name, self.contract, self.published = kernel.name, contract, contract.published
        self.operations, self.steps = kernel.operations, STEPS.get(kernel.name, "1")
        self.max_steps = max(MAX_STEPS, evaluate(self.steps, self.published))
        self.windows = [name for name, size in self.published.items() if size < WINDOW]
        self.extents = [name for name in self.published if name not in self.windows]

    def refusal(self, sizes):
        """Why a shape is not measured: it is none of the contract's, or takes too much."""
        if why := self.contract.refusal(sizes):
            return why
        for amount, limit, unit in (
                (self.contract.bytes(sizes), MAX_BYTES, "bytes"),
                (evaluate(self.operations, sizes) // 2, MAX_MULTIPLY_ADDS, "multiply-adds"),
                (evaluate(self.steps, sizes), self.max_steps, "steps of a thread")):
            if amount > limit:
                return f"{amount} {unit}, and {limit} are allowed"
        return None

    def long_and_tall(self):
        """The extents that are stretched for either kind."""
        if self.name in LONG_AND_TALL:
            return LONG_AND_TALL[self.name]
        dims = self.contract.arguments[0].dims.split(",")
        return [[name for name in self.extents if name in names_in(dim)]
                for dim in (dims[-1], dims[0])]

    def is_unaligned(self, sizes):
        """Whether no row whose length is a matter of sizes is a multiple of 16 bytes."""
        return all(evaluate(buffer.row, sizes) * ELEMENT_BYTES[buffer.type] % ROW_BYTES
                   for buffer in self.contract.arguments if names_in(buffer.row))


def draw_odd(family, source, is_late):
    """Primes, down to a quarter of what is published. Where the contract holds for none, what it
    has requirements for is any number."""
    free = family.contract.required() if is_late else ()
    sizes = {}
    for name, published in family.published.items():
        if name in family.windows:
            sizes[name] = source.pick([size for size in WINDOWS if size > 2 or name in free])
        else:
            size = source.scaled(max(3, published // 4), published)
            sizes[name] = size if name in free else odd_prime(size)
    return sizes


def draw_windows(family, source):
    return {name: source.pick(WINDOWS) for name in family.windows}


def draw_small(family, source, _):
    """What is published, shrunk: each extent to the same power, and then a bit off that."""
    sizes, target = draw_windows(family, source), source.scaled(*SMALL)
    low, high = {name: 1 for name in family.extents}, family.published
    for _ in range(12):
        middle = {name: isqrt(low[name] * high[name]) for name in family.extents}
        is_below = family.contract.elements(sizes | middle) <= target
        low, high = (middle, high) if is_below else (low, middle)
    sizes |= source.coarse({name: source.scaled(max(1, size * 2 // 3), size * 3 // 2 + 1)
                            for name, size in low.items()})
    return sizes if SMALL[0] <= family.contract.elements(sizes) <= SMALL[1] else None


def draw_stretched(family, source, names, if_alone=STRETCHED):
    """The extents of these names long and equal, the others short; of a kernel without others
    as many elements as are said to be for that."""
    sizes = draw_windows(family, source)
    short = {name: source.scaled(*SHORT) for name in family.extents if name not in names}
    sizes |= source.coarse(short)
    low, high = 1, source.scaled(*(STRETCHED if short else if_alone))
    target = high
    while low < high:
        middle = (low + high + 1) // 2
        is_below = family.contract.elements(sizes | dict.fromkeys(names, middle)) <= target
        low, high = (middle, high) if is_below else (low, middle - 1)
    sizes |= source.coarse(dict.fromkeys(names, low))
    return sizes if low >= TIMES_LONGER * max(short.values(), default=1) else None


def draw_long(family, source, _):
    return draw_stretched(family, source, family.long_and_tall()[0])


def draw_tall(family, source, _):
    """The other way round. A single extent has none: it is between small and long."""
    return draw_stretched(family, source, family.long_and_tall()[1], (SMALL[1], STRETCHED[0]))


def draw_unaligned(family, source, _):
    """Near what is published, and no row of 16-byte pieces."""
    sizes = draw_windows(family, source)
    for name in family.extents:
        away = source.between(1, MAX_AWAY)
        sizes[name] = family.published[name] + source.pick((away, -away))
    return sizes if family.is_unaligned(sizes) else None


DRAW = {"odd": draw_odd, "small": draw_small, "long": draw_long, "tall": draw_tall,
        "unaligned": draw_unaligned}
KINDS = tuple(DRAW)


def draw(seed, kernel, contract, kind, turn=0):
    """The sizes of a kernel's shape, in the order of its workload; there is one of each kind for
    each turn. Raises NoShape."""
    family = Family(kernel, contract)
    source = Source(f"{seed}/{kernel.name}/{kind}/{turn}")
    why = "none of them is of the kind"
    for attempt in range(TRIES):
        sizes = DRAW[kind](family, source, attempt >= TRIES // 2)
        if sizes is None:
            continue
        sizes = {name: sizes[name] for name in family.published}
        why = family.refusal(sizes)
        if not why:
            return sizes
    raise NoShape(f"{TRIES} were drawn: {why}")
