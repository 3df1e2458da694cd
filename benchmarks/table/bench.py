"""One kernel on the device: every side of its row, made ready, held against PyTorch's result,
and timed in turn on the same buffers."""
import random
import time

import torch

from . import baselines
from .corpus import evaluate, moved_bytes
from .device import DeviceFault, Driver, Kernel, Monitor, choose_variant
from .timing import interleave

FLUSH_BYTES = 256 << 20
GRAPH_MICROS = 20  # shorter calls are timed as graphs of many
POISON_SHARE = 0.1
MAX_SETS = 16
AHEAD_CYCLES = 2_000_000  # about a millisecond


def configure():
    """Products and convolutions of f32 are computed in f32; cuDNN may try its algorithms."""
    torch.set_float32_matmul_precision("highest")
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.benchmark = True


def outputs_of(result):
    return list(result) if isinstance(result, (tuple, list)) else [result]


class Side:
    """One side: what is called for each set of buffers, where its outputs then are."""

    def __init__(self, name, calls, is_ours):
        self.name, self.calls, self.is_ours = name, calls, is_ours
        self.graph, self.problem, self.checked = None, None, 0
        self.host_seconds = 0  # to enqueue one call


class Bench:
    def __init__(self):
        configure()
        self.flush = torch.empty(FLUSH_BYTES, device="cuda", dtype=torch.uint8)
        self.driver = Driver()
        self.monitor = Monitor(self.driver)
        self.random = random.Random(1)
        self.ahead = AHEAD_CYCLES
        self.stage = "timing"  # or the side that is made, for whoever asks what failed
        properties = torch.cuda.get_device_properties(0)
        self.l2 = properties.L2_cache_size

    # What the device can do, for the roofline.

    def ceilings(self):
        """Bytes a second of a large copy, and operations a second of large products."""
        source, target = (torch.empty(1 << 28, device="cuda") for _ in range(2))
        source.normal_()
        found = {"copy": 8 * (1 << 28) / self._quick(lambda: target.copy_(source))}
        del source, target
        for unit, dtype in (("f32", torch.float32), ("f16", torch.float16)):
            a, b = (torch.randn(8192, 8192, device="cuda").to(dtype) for _ in range(2))
            found[unit] = 2 * 8192**3 / self._quick(lambda a=a, b=b: torch.mm(a, b))
        torch.cuda.empty_cache()
        return found

    def _quick(self, call):
        call()
        return min(self._events(call) for _ in range(7)) / 1e6

    def _events(self, call):
        # The device is busy until all of the call is enqueued, or gaps of the host's making
        # would be timed: a compiled function takes it longer than L2 takes to be overwritten.
        torch.cuda._sleep(self.ahead)
        self.flush.zero_()
        begin, end = torch.cuda.Event(True), torch.cuda.Event(True)
        begin.record()
        call()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) * 1e3

    # One kernel.

    def set_up(self, kernel, description, sizes, scalars):
        """Buffers: sets of them, which together exceed L2 twice and differ in their values."""
        torch.manual_seed(1)
        self.stage = "timing"
        self.kernel, self.description = kernel, description
        self.sizes, self.scalars = sizes, scalars
        self.baseline = baselines.BASELINES[kernel.name]
        size = moved_bytes(kernel, description, sizes)
        count = max(2, min(MAX_SETS, 2 * self.l2 // size + 1))
        self.sets = [self._make_set() for _ in range(count)]
        self.outputs = [argument["name"] for argument in description["arguments"]
                        if argument["role"] in ("out", "inout")]
        self.changed = [argument["name"] for argument in description["arguments"]
                        if argument["role"] == "inout"]
        self.kept = [{name: buffers[name].clone() for name in self.changed}
                     for buffers in self.sets]
        self.expected = None
        self.sides = []
        return size

    def _make_set(self):
        buffers = {}
        for argument in self.description["arguments"]:
            if argument["role"] == "scalar":
                continue
            shape = [evaluate(dim, self.sizes) for dim in argument["dims"]]
            buffers[argument["name"]] = baselines.make_buffer(
                self.kernel.name, argument, shape, self.sizes)
        return buffers

    def _restore(self, index):
        for name, kept in self.kept[index].items():
            self.sets[index][name].copy_(kept)

    def _poison(self, index):
        for argument in self.description["arguments"]:
            if argument["role"] == "out":
                self.sets[index][argument["name"]].view(torch.uint8).fill_(0xff)

    def add_torch(self, mode=None, compiles=True):
        """PyTorch's two sides; eager first, whose results the others are held to. Where no mode
        is named, products and convolutions are compiled by the one that tunes them."""
        self.stage = "eager"
        prepared = [self.baseline.prepare(buffers, self.scalars) for buffers in self.sets]
        self._add_eager(prepared)
        self.stage = "timing"
        if compiles:
            tuned = "max-autotune-no-cudagraphs" if self.kernel.operations != "0" else None
            self._add_compiled(prepared, mode or tuned)

    def _add_eager(self, prepared):
        eager = self.baseline.eager
        self.expected = []
        for index, arguments in enumerate(prepared):
            self._restore(index)
            result = [out.clone() for out in outputs_of(eager(**arguments))]
            self.expected.append(result if index < 2 else None)
        for index in range(len(self.sets)):
            self._restore(index)
        self.sides.append(Side("eager", [lambda a=a: eager(**a) for a in prepared], False))

    def _add_compiled(self, prepared, mode):
        torch._dynamo.reset()
        compiled = torch.compile(self.baseline.plain, mode=mode, dynamic=False)
        side = Side("compiled", [lambda a=a: compiled(**a) for a in prepared], False)
        try:
            result = [out.clone() for out in outputs_of(side.calls[0]())]
            side.problem = self._compare(result, self.expected[0])
        except Exception as error:  # whatever a compiler dies of, the row goes on
            side.problem = f"{type(error).__name__}: {error}"[:300]
        self._restore(0)
        self.sides.append(side)

    def add_code(self, name, variant, image):
        """A side of compiled code; what keeps it from being timed is noted."""
        side = Side(name, [], True)
        self.sides.append(side)
        try:
            kernel = Kernel(self.driver, torch, variant, image, self.sizes, self.scalars)
            side.calls = [kernel.bind(buffers) for buffers in self.sets]
            if self.expected is None:
                self._expect(side)
            side.problem = self._check(side, 0)
        except DeviceFault as error:
            side.problem = str(error)

    def _expect(self, side):
        """Where PyTorch is not asked, the first side's results are what others are held to."""
        self.expected = [None] * len(self.sets)
        for index in range(2):
            self._restore(index)
            side.calls[index]()
            self.expected[index] = [self.sets[index][name].clone() for name in self.outputs]
            self._restore(index)

    def add_folder(self, name, description, folder):
        """A side out of what `optimize` left in a folder; answers its variant's PTX file."""
        variant = choose_variant(description, self.sizes)
        with open(f"{folder}/{variant['cubin']}", "rb") as file:
            self.add_code(name, variant, file.read())
        return f"{folder}/{variant['ptx']}"

    def _check(self, side, index):
        """Runs a side on poisoned outputs and holds these to PyTorch's; what differs."""
        self._restore(index)
        self._poison(index)
        side.calls[index]()
        torch.cuda.synchronize()
        found = [self.sets[index][name] for name in self.outputs]
        problem = self._compare(found, self.expected[index])
        self._restore(index)
        side.checked += 1
        return problem

    def _compare(self, found, expected):
        """The verifier has judged the code; this finds a wrong launch, or a sum that goes
        wrong at this size: distances are held to the root of the mean square."""
        if expected is None:
            return None
        for number, (one, other) in enumerate(zip(found, expected)):
            one, other = one.reshape(-1), other.reshape(-1)
            if one.numel() != other.numel():
                return f"output {number} has {one.numel()} elements, PyTorch's {other.numel()}"
            if not one.is_floating_point():
                wrong = int((one.long() != other.long()).sum())
                if wrong:
                    return f"output {number} differs from PyTorch's in {wrong} elements"
                continue
            a, b = one.float(), other.float()
            scale = b.square().mean().sqrt()
            if b.numel() == 1:  # one sum: as large as its summands could make it
                scale = scale + self.sets[0]["x"].norm()
            worst = float(((a - b).abs() - self.baseline.tolerance * b.abs()).max() / scale)
            if not worst <= self.baseline.tolerance:
                return f"output {number} is {worst:.3g} of its scale away from PyTorch's"
        return None

    def time(self, seconds):
        """Samples by side, how they were taken (`host`: microseconds to enqueue a call), and the
        device's state around them."""
        sides = {side.name: side for side in self.sides if not side.problem}
        looks = [self._look(side) for side in sides.values()]
        longest = max((side.host_seconds for side in sides.values()), default=0)
        self.ahead = max(AHEAD_CYCLES, int(3 * longest * 2e9))
        if looks and min(looks) < GRAPH_MICROS:
            for side in sides.values():
                self._capture(side)
        states = [self.monitor.read()]
        series = interleave(list(sides), lambda name, number: self._sample(sides[name], number),
                            time.monotonic, seconds)
        states.append(self.monitor.read())
        return {name: {"samples": [round(value, 3) for value in values],
                       "method": "graph" if sides[name].graph else "events",
                       "checked": sides[name].checked,
                       "host": round(1e6 * sides[name].host_seconds, 1)}
                for name, values in series.items()}, states

    def _look(self, side):
        for call in side.calls[:3]:
            call()
        torch.cuda.synchronize()
        begin = time.monotonic()
        side.calls[0]()
        side.host_seconds = min(time.monotonic() - begin, 0.005)
        return min(self._events(side.calls[0]) for _ in range(3))

    def _capture(self, side):
        """A graph of one call on each set. A call that cannot be captured is timed alone."""
        try:
            torch.cuda.synchronize()
            warm = torch.cuda.Stream()
            with torch.cuda.stream(warm):
                side.calls[0]()
            torch.cuda.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                for call in side.calls:
                    call()
            graph.replay()
            torch.cuda.synchronize()
            side.graph = graph
        except (RuntimeError, DeviceFault):
            side.graph = None

    def _sample(self, side, number):
        index = number % len(self.sets)
        is_checked = side.is_ours and index < 2 and self.random.random() < POISON_SHARE
        if is_checked:
            self._restore(index)
            self._poison(index)
        if side.graph:
            micros = self._events(side.graph.replay) / len(side.calls)
        else:
            micros = self._events(side.calls[index])
        # A graph has changed what goes in and out more than once.
        if is_checked and not (side.graph and self.changed):
            side.checked += 1
            found = [self.sets[index][name] for name in self.outputs]
            problem = self._compare(found, self.expected[index])
            if problem:
                raise DeviceFault(f"{side.name}: a timed call's {problem}")
        return micros

    def problems(self):
        return {side.name: side.problem for side in self.sides if side.problem}

    def tear_down(self):
        self.sets = self.kept = self.expected = None
        self.sides = []
        torch.cuda.empty_cache()


def machine():
    return {"card": torch.cuda.get_device_name(), "torch": torch.__version__,
            "cuda": torch.version.cuda}
