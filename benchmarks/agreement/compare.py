#!/usr/bin/env python3
"""Runs the operations on a device and compares with what the interpreter found.

usage: compare.py FOLDER

FOLDER holds what generate.py wrote, operations.cubin, and interpreted.txt, the output of
interpret-operations. Needs nothing but a driver. Prints a line for each operation whose results
lie further apart than it allows, with the first few of them, and counts at the end;
exits with 1 if there is any.
"""
import ctypes
import json
import os
import struct
import sys

BLOCK = 128
WIDTHS = {"float": (32, 23), "double": (64, 52), "__half": (16, 10), "__nv_bfloat16": (16, 7)}
PACKED = {"halves": "__half", "bfloats": "__nv_bfloat16", "__half2": "__half",
          "__nv_bfloat162": "__nv_bfloat16"}


class Device:
    def __init__(self, image):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        self.module = ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(self.module), image)

    def call(self, name, *arguments):
        code = getattr(self.cuda, name)(*arguments)
        if code:
            raise OSError(f"{name} answers {code}")

    def buffer(self, size, data=None):
        pointer = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(size))
        if data:
            self.call("cuMemcpyHtoD_v2", pointer, data, ctypes.c_size_t(size))
        return pointer

    def run(self, name, buffers, count):
        kernel = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(kernel), self.module, name.encode())
        pointers = (ctypes.c_void_p * len(buffers))(
            *[ctypes.cast(ctypes.byref(buffer), ctypes.c_void_p) for buffer in buffers])
        self.call("cuLaunchKernel", kernel, count // BLOCK, 1, 1, BLOCK, 1, 1, 0, None, pointers,
                  None)
        self.call("cuCtxSynchronize")
        words = (ctypes.c_uint64 * count)()
        self.call("cuMemcpyDtoH_v2", words, buffers[-1], ctypes.c_size_t(8 * count))
        return list(words)


def distance(one, other, kind):
    """In units in the last place; None where the two are of different kinds."""
    if one == other:
        return 0
    if kind in PACKED:
        parts = [distance(one >> shift & 0xffff, other >> shift & 0xffff, PACKED[kind])
                 for shift in (0, 16)]
        return None if None in parts else max(parts)
    if kind not in WIDTHS:
        return None
    width, fraction = WIDTHS[kind]
    top = 1 << (width - 1)
    infinity = (top - 1) >> fraction << fraction
    magnitudes = [word & (top - 1) for word in (one, other)]
    nan = [magnitude > infinity for magnitude in magnitudes]
    if any(nan) or infinity in magnitudes:
        return 0 if all(nan) else None
    signed = [-m if word & top else m for m, word in zip(magnitudes, (one, other))]
    return abs(signed[0] - signed[1]) or (0.5 if one != other else 0)


def number(word, kind):
    if kind == "float":
        return struct.unpack("<f", struct.pack("<I", word & 0xffffffff))[0]
    return struct.unpack("<d", struct.pack("<Q", word))[0]


def show(word, kind):
    return "%g" % number(word, kind) if kind in ("float", "double") else "%#x" % word


def main(folder):
    with open(os.path.join(folder, "operations.json")) as file:
        operations = json.load(file)
    with open(os.path.join(folder, "inputs.bin"), "rb") as file:
        data = file.read()
    with open(os.path.join(folder, "operations.cubin"), "rb") as file:
        device = Device(file.read())
    size = len(data) // 3
    count = size // 8
    tables = [struct.unpack(f"<{count}Q", data[n * size:(n + 1) * size]) for n in range(3)]
    buffers = [device.buffer(size, data[n * size:(n + 1) * size]) for n in range(3)]
    buffers.append(device.buffer(size))
    compared = unsupported = differing = known = 0
    with open(os.path.join(folder, "interpreted.txt")) as file:
        for line in file:
            name, *words = line.split()
            if words[0] == "error":
                unsupported += 1
                continue
            told = operations[name]
            mine = [int(word, 16) for word in words]
            theirs = device.run(name, buffers, count)
            worst, wrong = 0, []
            for at in range(count):
                apart = distance(mine[at], theirs[at], told["type"])
                if apart is None or apart > told["ulps"]:
                    if not (told["absolute"] and abs(number(mine[at], told["type"]) - number(
                            theirs[at], told["type"])) <= told["absolute"]):
                        wrong.append(at)
                else:
                    worst = max(worst, apart)
            compared += 1
            if not wrong:
                if told["ulps"]:
                    print(f"fine {told['operation']}: at most {worst:g} apart")
                continue
            if told["known"]:
                known += 1
                print(f"known {told['operation']}: {len(wrong)} of {count}: {told['known']}")
                continue
            differing += 1
            print(f"DIFFERENT {told['operation']}: {len(wrong)} of {count}; the others at most "
                  f"{worst:g} apart")
            for at in wrong[:6]:
                print("    inputs", " ".join("%#x" % table[at] for table in tables),
                      "interpreter", show(mine[at], told["type"]), "device",
                      show(theirs[at], told["type"]))
    print(f"{compared} operations compared, {differing} differ and {known} more by what is "
          f"known, {unsupported} not interpreted")
    return 1 if differing else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
