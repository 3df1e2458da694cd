#!/usr/bin/env python3
"""Writes the .mlir files beside it: functions of JAX, lowered to StableHLO by JAX
and from there to linalg on tensors by IREE's input pipeline. Nothing in them is
edited but that the contract is put above, and modules and notes of the front ends
(which evo-opt drops as well) are left as they come.

usage: generate.py [NAME...]      needs `jax` and `iree-base-compiler` from PyPI
"""
import pathlib
import subprocess
import sys
import sysconfig

import jax
import jax.numpy as jnp
from jax import export, lax

F = jnp.float32


def softmax(x):
    return jax.nn.softmax(x, axis=-1)


def layernorm(x, gamma, beta):
    mean = jnp.mean(x, axis=-1, keepdims=True)
    variance = jnp.mean((x - mean) ** 2, axis=-1, keepdims=True)
    return (x - mean) * lax.rsqrt(variance + 1e-5) * gamma + beta


def mlp(x, w, bias):
    return jax.nn.gelu(x @ w + bias)


def attention(q, k, v):
    scores = jnp.einsum("hqd,hkd->hqk", q, k) / jnp.sqrt(F(q.shape[-1]))
    return jnp.einsum("hqk,hkd->hqd", jax.nn.softmax(scores, axis=-1), v)


def conv(x, w):
    return jax.nn.relu(lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")))


def max_pool(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def moments(x):
    return jnp.mean(x, axis=-1), jnp.max(x, axis=-1), x - jnp.mean(x, axis=-1, keepdims=True)


def cross_entropy(logits, labels):
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=-1)[:, 0]


def swiglu(x, w, v):
    return jax.nn.silu(x @ w) * (x @ v)


def rows(x, y):
    """Of any size: JAX's symbolic shapes."""
    return jnp.sum(jnp.tanh(x) * y, axis=-1)


def shape(*extents, dtype=F):
    return jax.ShapeDtypeStruct(extents, dtype)


def symbolic(text, dtype=F):
    return jax.ShapeDtypeStruct(export.symbolic_shape(text, scope=SCOPE), dtype)


SCOPE = export.SymbolicScope()
# Sizes are small, so that a test can judge each of them in a moment.
# Function, shapes, and the header lines that no type tells (the others follow).
CASES = {
    "softmax": (softmax, [shape(64, 96)], []),
    "layernorm": (layernorm, [shape(32, 64), shape(64), shape(64)], []),
    "mlp": (mlp, [shape(24, 32), shape(32, 40), shape(40)], []),
    "attention": (attention, [shape(2, 24, 16)] * 3, []),
    "conv": (conv, [shape(1, 8, 8, 4), shape(3, 3, 4, 8)], []),
    "max_pool": (max_pool, [shape(1, 8, 8, 8)], []),
    "moments": (moments, [shape(24, 40)], []),
    "cross_entropy": (cross_entropy, [shape(24, 50), shape(24, dtype=jnp.int32)],
                      ["// evo.kernel cross_entropy(logits: in f32[24, 50], "
                       "labels: in i32[24] range(0, 50), loss: out f32[24])"]),
    "swiglu": (swiglu, [shape(16, 32), shape(32, 48), shape(32, 48)], []),
    "rows": (rows, [symbolic("m, n"), symbolic("m, n")],
             ["// evo.kernel rows(x: in f32[M, N], y: in f32[M, N], sum: out f32[M])",
              "// evo.require M > 0, N > 0",
              "// evo.workload M = 4096, N = 1024"]),
}


def lower(function, shapes):
    """StableHLO of `function` as text, from JAX itself."""
    return export.export(jax.jit(function))(*shapes).mlir_module()


def main():
    here = pathlib.Path(__file__).parent
    iree_opt = pathlib.Path(sysconfig.get_path("scripts")) / "iree-opt"
    for name in sys.argv[1:] or CASES:
        function, shapes, header = CASES[name]
        linalg = subprocess.run(
            [iree_opt, "--iree-stablehlo-input-transformation-pipeline", "--canonicalize", "--cse", "-"],
            input=lower(function, shapes), capture_output=True, text=True, check=False)
        if linalg.returncode:
            sys.exit(f"{name}: {linalg.stderr}")
        lines = [f"// jax.jit({name}), as JAX and IREE lower it (generate.py)."] + header
        (here / f"{name}.mlir").write_text("\n".join(lines) + "\n" + linalg.stdout.strip() + "\n")
        print(name)


if __name__ == "__main__":
    main()
