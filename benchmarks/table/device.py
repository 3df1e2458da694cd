"""Compiled kernels on the device that PyTorch uses: the driver through ctypes, in PyTorch's
own context and stream, so that all sides of a comparison are timed by the same events."""
import ctypes
import json
import os

from .corpus import ELEMENT_BYTES, evaluate

MAX_DYNAMIC_SHARED = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
INTEGERS = {"i8": ctypes.c_int8, "u8": ctypes.c_uint8, "i16": ctypes.c_int16,
            "u16": ctypes.c_uint16, "i32": ctypes.c_int32, "u32": ctypes.c_uint32,
            "i64": ctypes.c_int64, "u64": ctypes.c_uint64}


class DeviceFault(Exception):
    """A call of the driver that failed, or code that does not fit its description."""


class Driver:
    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")

    def call(self, name, *arguments):
        status = getattr(self.library, name)(*arguments)
        if status:
            text = ctypes.c_char_p()
            self.library.cuGetErrorName(status, ctypes.byref(text))
            raise DeviceFault(f"{name}: {(text.value or b'?').decode()}")

    def load(self, image):
        module = ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), image)
        return module

    def functions(self, module):
        """The kernels of a module by their symbols."""
        count = ctypes.c_uint()
        self.call("cuModuleGetFunctionCount", ctypes.byref(count), module)
        handles = (ctypes.c_void_p * count.value)()
        self.call("cuModuleEnumerateFunctions", handles, count, module)
        named = {}
        for handle in handles:
            text = ctypes.c_char_p()
            self.call("cuFuncGetName", ctypes.byref(text), ctypes.c_void_p(handle))
            named[text.value.decode()] = ctypes.c_void_p(handle)
        return named


def plain_name(symbol):
    """The name of a function whose symbol C++ may have mangled."""
    if not symbol.startswith("_Z") or not symbol[2:3].isdigit():
        return symbol
    digits = len(symbol[2:]) - len(symbol[2:].lstrip("0123456789"))
    start = 2 + digits
    return symbol[start:start + int(symbol[2:start])]


def find_function(functions, symbol):
    """By its symbol, or by its name where compilers spell that differently."""
    if symbol in functions:
        return functions[symbol]
    same = [name for name in functions if plain_name(name) == plain_name(symbol)]
    if len(same) != 1:
        raise DeviceFault(f"no kernel '{symbol}' among {sorted(functions)}")
    return functions[same[0]]


def choose_variant(description, sizes):
    """The variant that a launcher would take at these sizes."""
    for variant in description["variants"]:
        if all(evaluate(condition, sizes) for condition in variant["requirements"]):
            return variant
    raise DeviceFault("no variant is for these sizes")


def load_folder(folder):
    """launch.json of what `optimize` left in a folder."""
    with open(os.path.join(folder, "launch.json"), encoding="utf-8") as file:
        return json.load(file)


class Kernel:
    """A variant with its code, ready to be launched on several sets of buffers."""

    def __init__(self, driver, torch, variant, image, sizes, scalars):
        self.driver, self.torch = driver, torch
        self.variant, self.sizes, self.scalars = variant, sizes, scalars
        self.functions = driver.functions(driver.load(image))
        self.scratch = {}
        for buffer in variant["scratch"]:
            size = ELEMENT_BYTES[buffer["type"]]
            for dim in buffer["dims"]:
                size *= evaluate(dim, sizes)
            self.scratch[buffer["name"]] = torch.empty(max(size, 1), dtype=torch.uint8,
                                                       device="cuda")

    def bind(self, buffers):
        """The launches on one set of buffers (tensors by name); a call enqueues them on
        PyTorch's current stream."""
        launches = [self._bind(launch, buffers) for launch in self.variant["launches"]]
        call, torch = self.driver.call, self.torch

        def run():
            stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
            for function, geometry, shared, parameters, _ in launches:
                call("cuLaunchKernel", function, *geometry, shared, stream, parameters, None)
        return run

    def _bind(self, launch, buffers):
        def extents(formulas):
            values = [evaluate(formula, self.sizes) for formula in formulas]
            return (values + [1, 1, 1])[:3]
        function = find_function(self.functions, launch["kernel"])
        shared = evaluate(launch["shared_bytes"], self.sizes)
        if shared > 48 << 10:
            self.driver.call("cuFuncSetAttribute", function, MAX_DYNAMIC_SHARED, shared)
        values = [self._value(operand, buffers) for operand in launch["operands"]]
        parameters = (ctypes.c_void_p * len(values))(
            *(ctypes.cast(ctypes.pointer(value), ctypes.c_void_p) for value in values))
        return function, extents(launch["grid"]) + extents(launch["block"]), shared, parameters, values

    def _value(self, operand, buffers):
        if "formula" in operand:
            return INTEGERS[operand["type"]](evaluate(operand["formula"], self.sizes))
        if "scratch" in operand:
            return ctypes.c_uint64(self.scratch[operand["scratch"]].data_ptr())
        name = operand["argument"]
        if name in buffers:
            return ctypes.c_uint64(buffers[name].data_ptr())
        return ctypes.c_float(self.scalars[name])


class Monitor:
    """Clocks, temperature and what holds the device back, through NVML; nothing where it
    cannot be read. Changes nothing."""

    # Power cap, hardware, thermal (software, hardware), power brake.
    THROTTLE = 0x4 | 0x8 | 0x20 | 0x40 | 0x80

    def __init__(self, driver):
        self.handle = None
        bus = ctypes.create_string_buffer(32)
        driver.call("cuDeviceGetPCIBusId", bus, len(bus), 0)
        try:
            self.library = ctypes.CDLL("libnvidia-ml.so.1")
        except OSError:
            return
        handle = ctypes.c_void_p()
        if not self.library.nvmlInit_v2() and \
                not self.library.nvmlDeviceGetHandleByPciBusId_v2(bus, ctypes.byref(handle)):
            self.handle = handle

    def read(self):
        if not self.handle:
            return None
        clock, heat, power = ctypes.c_uint(), ctypes.c_uint(), ctypes.c_uint()
        reasons = ctypes.c_ulonglong()
        library, handle = self.library, self.handle
        if library.nvmlDeviceGetClockInfo(handle, 1, ctypes.byref(clock)) or \
                library.nvmlDeviceGetTemperature(handle, 0, ctypes.byref(heat)) or \
                library.nvmlDeviceGetPowerUsage(handle, ctypes.byref(power)) or \
                library.nvmlDeviceGetCurrentClocksThrottleReasons(handle, ctypes.byref(reasons)):
            return None
        return {"sm_mhz": clock.value, "celsius": heat.value, "watts": power.value / 1000,
                "throttled": bool(reasons.value & self.THROTTLE)}
