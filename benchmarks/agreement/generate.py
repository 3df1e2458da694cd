#!/usr/bin/env python3
"""Writes what both sides of the comparison run.

usage: generate.py FOLDER

FOLDER/operations.cu has a kernel for each operation of operations.py, FOLDER/inputs.bin
the three tables of 64-bit words that they read, and FOLDER/operations.json what each
kernel computes.
"""
import json
import os
import random
import struct
import sys

from operations import KNOWN, OPERATIONS

COUNT = 4096  # words of a table; a multiple of the block, 128

HEAD = """#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>
typedef unsigned long long Word;
__device__ inline Word bits(float r) { return __float_as_uint(r); }
__device__ inline Word bits(double r) { return __double_as_longlong(r); }
__device__ inline Word bits(int r) { return (unsigned)r; }
__device__ inline Word bits(unsigned r) { return r; }
__device__ inline Word bits(unsigned short r) { return r; }
__device__ inline Word bits(long long r) { return r; }
__device__ inline Word bits(Word r) { return r; }
__device__ inline Word bits(__half r) { return __half_as_ushort(r); }
__device__ inline Word bits(__nv_bfloat16 r) { return __bfloat16_as_ushort(r); }
__device__ inline Word bits(__half2 r) { return *(unsigned *)&r; }
__device__ inline Word bits(__nv_bfloat162 r) { return *(unsigned *)&r; }
#define KERNEL(NAME, ...) \\
  extern "C" __global__ void NAME(const Word *A, const Word *B, const Word *C, Word *Y) { \\
    const int at = blockIdx.x * 128 + threadIdx.x; \\
    const Word U = A[at], V = B[at], W = C[at]; \\
    const long long I = U, J = V, L = W; \\
    const unsigned u = (unsigned)U, v = (unsigned)V, w = (unsigned)W; \\
    const int i = (int)u, j = (int)v, l = (int)w; \\
    const unsigned short a16 = (unsigned short)u, b16 = (unsigned short)v; \\
    const float f = __uint_as_float(u), g = __uint_as_float(v), h = __uint_as_float(w); \\
    const double d = __longlong_as_double(I), e = __longlong_as_double(J), \\
                 k = __longlong_as_double(L); \\
    const __half p = __ushort_as_half(a16), q = __ushort_as_half(b16), \\
                 s = __ushort_as_half((unsigned short)w); \\
    const __nv_bfloat16 P = __ushort_as_bfloat16(a16), Q = __ushort_as_bfloat16(b16), \\
                        S = __ushort_as_bfloat16((unsigned short)w); \\
    const __half2 pp = *(const __half2 *)&u, qq = *(const __half2 *)&v, ss = *(const __half2 *)&w; \\
    const __nv_bfloat162 PP = *(const __nv_bfloat162 *)&u, QQ = *(const __nv_bfloat162 *)&v, \\
                         SS = *(const __nv_bfloat162 *)&w; \\
    __VA_ARGS__ \\
    Y[at] = bits(r); \\
  }
"""


def f32(value):
    try:
        return struct.unpack("<I", struct.pack("<f", value))[0]
    except OverflowError:
        return 0x7f800000


def f64(value):
    return struct.unpack("<Q", struct.pack("<d", value))[0]


REALS = [0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 7.5, 10.0, 100.0, 127.5, 128.0,
         255.5, 256.0, 300.0, 448.0, 464.0, 480.0, 32767.5, 32768.0, 57344.0, 61440.0, 65504.0,
         65520.0, 65535.5, 65536.0, 1e5, 2.0**23, 2.0**24, 2.0**31, 2.0**32, 2.0**52, 2.0**63,
         2.0**64, 1e20, 3.4e38, 1e300, 1e-3, 1e-5, 2.0**-14, 2.0**-24, 2.0**-25, 1e-38, 1.2e-38,
         1e-40, 1e-45, 1e-300, 5e-324, 0.1, 1 / 3, 2.718281828, 3.141592653589793,
         float("inf"), float("nan")]


def words():
    """Special values first, in all forms; then random ones of each kind."""
    draw = random.Random(7)
    special = []
    for real in REALS:
        for sign in (1.0, -1.0):
            special += [f32(sign * real), f64(sign * real)]
    special += [f32(1.0) + 1, f32(1.0) - 1, f64(1.0) + 1, 0x7f800001, 0xffc12345, 0x7fffffff]
    special += list(range(0, 66)) + [(1 << 64) - n for n in range(1, 10)]
    special += [1 << n for n in range(64)] + [(1 << n) - 1 for n in range(1, 64)]
    special += list(range(0x7bf0, 0x7c08)) + list(range(0x7f70, 0x7f88)) + [0x8000, 0xfbff, 0xfe01]
    kinds = [
        lambda: draw.choice(special),
        lambda: draw.getrandbits(64),
        lambda: draw.getrandbits(32),
        lambda: draw.getrandbits(draw.randrange(1, 64)),
        lambda: f32(draw.uniform(-4, 4)),
        lambda: f64(draw.uniform(-4, 4)),
        lambda: f32(draw.choice((-1, 1)) * 2.0 ** draw.uniform(-30, 40)),
        lambda: f64(draw.choice((-1, 1)) * 2.0 ** draw.uniform(-80, 80)),
        lambda: f32(draw.randrange(-600, 600) / 2),
        lambda: f64(draw.randrange(-140000, 140000) / 2),
    ]
    return special, kinds, draw


def tables():
    special, kinds, draw = words()
    result = [list(special), [], []]
    for table in result:
        while len(table) < COUNT:
            # Words of one row are mostly of one kind.
            table.append(kinds[len(table) % len(kinds)]())
    # Each operand comes near the one before it now and then.
    for n in range(0, COUNT, 13):
        result[1][n] = result[0][n] ^ draw.choice((0, 1, 1 << 31, 1 << 63))
    return result


def main(folder):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "inputs.bin"), "wb") as file:
        for table in tables():
            file.write(struct.pack(f"<{COUNT}Q", *table))
    described = {}
    with open(os.path.join(folder, "operations.cu"), "w") as file:
        file.write(HEAD)
        for number, (name, code, kind, ulps, absolute) in enumerate(OPERATIONS):
            file.write(f"KERNEL(k{number}, {code})\n")
            described[f"k{number}"] = {"operation": name, "type": kind, "ulps": ulps,
                                        "absolute": absolute,
                                        "known": KNOWN.get(name)}
    with open(os.path.join(folder, "operations.json"), "w") as file:
        json.dump(described, file, indent=1)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
