#!/usr/bin/env python3
"""Compiles kernels.py to NVPTX LLVM IR for evo-opt; needs no GPU.

usage: generate.py [FOLDER]       (pip install triton; 3.9.0 made the committed files)

Each file is what Triton hands to LLVM's NVPTX back end, under header lines
 that state the contract and the launch. Triton appends two pointers to its
kernels (scratch it may ask for, unused here): the launch passes 0, the null
pointer, for each.
"""
import os
import re
import sys

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

import kernels

# Kernel, compute capability, types of its arguments, constants, stages of loops,
# what all arguments but constants are multiples of, header.
KERNELS = [
    (kernels.add, 90, "*fp32 *fp32 *fp32 i32", {"BLOCK": 1024}, 1, 1,
     """; evo.kernel add(x: in f32[N], y: in f32[N], out: out f32[N])
; evo.launch add<<<ceildiv(N, 1024), 128>>>(x, y, out, N, 0, 0)
; evo.workload N = 16777216
"""),
    (kernels.softmax, 90, "*fp32 *fp32 i32", {"BLOCK": 1024}, 1, 1,
     """; evo.kernel softmax(x: in f32[M, N], y: out f32[M, N])
; evo.launch softmax<<<M, 128, {shared}>>>(x, y, N, 0, 0)
; evo.workload M = 4096, N = 4096
"""),
    (kernels.layernorm, 90, "*fp32 *fp32 *fp32 *fp32 i32 fp32", {"BLOCK": 1024}, 1, 1,
     """; evo.kernel layernorm(x: in f32[M, N], w: in f32[N], b: in f32[N], y: out f32[M, N], eps: f32 range(1e-6, 1e-3) = 1e-5)
; evo.launch layernorm<<<M, 128, {shared}>>>(x, w, b, y, N, eps, 0, 0)
; evo.workload M = 4096, N = 4096
"""),
    (kernels.matmul, 80, "*fp32 *fp32 *fp32 i32 i32 i32", {"BM": 32, "BN": 32, "BK": 16}, 1, 1,
     """; evo.kernel matmul(a: in f32[M, K], b: in f32[K, N], c: out f32[M, N])
; evo.launch matmul<<<(ceildiv(M, 32), ceildiv(N, 32)), 128, {shared}>>>(a, b, c, M, N, K, 0, 0)
; evo.workload M = 1024, N = 1024, K = 1024
"""),
    (kernels.dot, 80, "*fp16 *fp16 *fp32 i32 i32 i32", {"BM": 32, "BN": 32, "BK": 32}, 3, 16,
     """; evo.kernel dot(a: in f16[M, K], b: in f16[K, N], c: out f32[M, N])
; evo.launch dot<<<(ceildiv(M, 32), ceildiv(N, 32)), 128, {shared}>>>(a, b, c, M, N, K, 0, 0)
; evo.workload M = 1024, N = 1024, K = 1024
; evo.require M % 16 == 0, N % 16 == 0, K % 16 == 0
"""),
]


def compile_kernel(function, capability, types, constants, stages, multiple):
    """In one stage no load is pipelined through asynchronous copies."""
    names = function.arg_names
    signature = dict(zip(names, types.split() + ["constexpr"] * len(constants)))
    attributes = {} if multiple == 1 else {
        (i,): [["tt.divisibility", multiple]] for i in range(len(types.split()))
    }
    source = ASTSource(fn=function, signature=signature, constexprs=constants, attrs=attributes)
    return triton.compile(source, target=GPUTarget("cuda", capability, 32),
                          options={"num_warps": 4, "num_stages": stages})


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    folder = sys.argv[1] if len(sys.argv) > 1 else here
    for function, capability, types, constants, stages, multiple, header in KERNELS:
        compiled = compile_kernel(function, capability, types, constants, stages, multiple)
        # Debug information names folders of the machine it was made on.
        text = re.sub(r'directory: ".*?(triton/language)?"', r'directory: "./\1"', compiled.asm["llir"])
        note = f"; {function.fn.__name__} of kernels.py, by generate.py with Triton {triton.__version__}.\n"
        path = os.path.join(folder, function.fn.__name__ + ".ll")
        with open(path, "w", encoding="utf-8") as file:
            file.write(note + header.format(shared=compiled.metadata.shared) + text)


if __name__ == "__main__":
    main()
