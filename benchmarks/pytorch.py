#!/usr/bin/env python3
"""What PyTorch takes for kernels of the corpus, eager and compiled, on the GPU of this
machine: the columns beside ours in the README's table.

usage: pytorch.py [--json FILE] [KERNEL...]

Each kernel has the sizes and types of its `evo.workload` line. A call is timed by two
events with 256 MiB written before it, so that L2 is cold; the median of the calls counts.
Products in fp32 are computed in fp32 (no TF32). Compiled functions of products are tuned
(max-autotune). Results of both forms are compared with each other before they are timed.
The floor is the time to move each buffer once at the copy rate that this run measures, or
that of the arithmetic at the rate given in RATES where that is longer.
"""
import argparse
import json
import statistics
import sys

import torch
import torch.nn.functional as F

# Largest rates seen on one H200, operations per second (shared by no vendor's sheet).
RATES = {"f32": 50.9e12, "f16": 795e12}


def rand(*shape, dtype=torch.float32):
    return torch.randn(*shape, device="cuda", dtype=dtype)


def histogram_counts(x):
    return torch.bincount(x, minlength=256)


def stencil(x):
    """The interior's seven-point sum; the border is copied."""
    y = x.clone()
    y[1:-1, 1:-1, 1:-1] = (-6 * x[1:-1, 1:-1, 1:-1] + x[:-2, 1:-1, 1:-1] + x[2:, 1:-1, 1:-1]
                           + x[1:-1, :-2, 1:-1] + x[1:-1, 2:, 1:-1]
                           + x[1:-1, 1:-1, :-2] + x[1:-1, 1:-1, 2:])
    return y


# Name: function, its arguments, bytes moved once, operations and their type.
def cases():
    yield ("softmax", lambda x: torch.softmax(x, -1), lambda: (rand(8192, 8192),),
           2 * 4 * 8192**2, 0, "f32")
    yield ("layernorm", lambda x, g, b: F.layer_norm(x, (4096,), g, b),
           lambda: (rand(8192, 4096), rand(4096), rand(4096)), 2 * 4 * 8192 * 4096, 0, "f32")
    yield ("cross_entropy", lambda x, t: F.cross_entropy(x, t, reduction="none"),
           lambda: (rand(8192, 32000), torch.randint(0, 32000, (8192,), device="cuda")),
           4 * 8192 * 32000, 0, "f32")
    yield ("log_softmax", lambda x: torch.log_softmax(x, -1), lambda: (rand(8192, 8192),),
           2 * 4 * 8192**2, 0, "f32")
    yield ("rmsnorm", lambda x, g: F.rms_norm(x, (4096,), g, 1e-5),
           lambda: (rand(8192, 4096, dtype=torch.bfloat16), rand(4096, dtype=torch.bfloat16)),
           2 * 2 * 8192 * 4096, 0, "f16")
    yield ("gelu", lambda x: F.gelu(x, approximate="tanh"), lambda: (rand(1 << 26),),
           2 * 4 * (1 << 26), 0, "f32")
    yield ("bias_relu", lambda x, b: torch.relu(x + b),
           lambda: (rand(8192, 4096, dtype=torch.float16), rand(4096, dtype=torch.float16)),
           2 * 2 * 8192 * 4096, 0, "f16")
    yield ("saxpy", lambda a, x, y: a * x + y,
           lambda: (2.0, rand(1 << 26), rand(1 << 26)), 3 * 4 * (1 << 26), 0, "f32")
    yield ("average_pool", lambda x: x.mean(-1), lambda: (rand(16384, 3136),),
           4 * 16384 * 3136, 0, "f32")
    yield ("attention",
           lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=False),
           lambda: tuple(rand(1, 128, 1024, 64) for _ in range(3)),
           4 * 4 * 128 * 1024 * 64, 4 * 128 * 1024**2 * 64, "f32")
    yield ("argmax", lambda x: torch.argmax(x, -1), lambda: (rand(8192, 32000),),
           4 * 8192 * 32000, 0, "f32")
    yield ("histogram", histogram_counts,
           lambda: (torch.randint(0, 256, (1 << 26,), device="cuda", dtype=torch.uint8),),
           1 << 26, 0, "f32")
    yield ("topk", lambda x: torch.topk(x, 4, -1), lambda: (rand(8192, 4096),),
           4 * 8192 * 4096, 0, "f32")
    yield ("sum", lambda x: x.sum(), lambda: (rand(1 << 22),), 4 * (1 << 22), 0, "f32")
    yield ("transpose", lambda x: x.t().contiguous(), lambda: (rand(8192, 8192),),
           2 * 4 * 8192**2, 0, "f32")
    yield ("stencil3d", stencil, lambda: (rand(512, 512, 512),), 2 * 4 * 512**3, 0, "f32")
    yield ("sgemm", torch.mm, lambda: (rand(4096, 4096), rand(4096, 4096)),
           3 * 4 * 4096**2, 2 * 4096**3, "f32")
    yield ("hgemm", lambda a, b: torch.mm(a, b),
           lambda: (rand(4096, 4096, dtype=torch.float16), rand(4096, 4096, dtype=torch.float16)),
           2 * 2 * 4096**2 + 4 * 4096**2, 2 * 4096**3, "f16")


def time_calls(function, arguments, flush, seconds=1.0):
    """Median microseconds of one call, cold L2."""
    for _ in range(3):
        function(*arguments)
    torch.cuda.synchronize()
    times = []
    total = 0.0
    while total < seconds * 1e6 and len(times) < 300 or len(times) < 11:
        flush.zero_()
        begin, end = torch.cuda.Event(True), torch.cuda.Event(True)
        begin.record()
        function(*arguments)
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) * 1e3)
        total += times[-1]
    return statistics.median(times)


def first(result):
    return result[0] if isinstance(result, (tuple, list)) else result


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("kernels", nargs="*")
    options = parser.parse_args()
    if not torch.cuda.is_available():
        sys.exit("pytorch.py: no GPU that PyTorch can use")
    torch.set_float32_matmul_precision("highest")
    torch.backends.cudnn.allow_tf32 = False
    flush = torch.empty(1 << 28, device="cuda", dtype=torch.uint8)
    source, target = rand(1 << 28), torch.empty(1 << 28, device="cuda")
    copy = 2 * 4 * (1 << 28) / time_calls(target.copy_, (source,), flush) * 1e6
    del source, target
    rows = []
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, "
          f"copy {copy / 1e12:.2f} TB/s")
    for name, function, make, moved, operations, kind in cases():
        if options.kernels and name not in options.kernels:
            continue
        arguments = make()
        compiled = torch.compile(function, mode="max-autotune" if operations else None)
        eager_result, compiled_result = first(function(*arguments)), first(compiled(*arguments))
        torch.testing.assert_close(eager_result.float(), compiled_result.float(),
                                   rtol=1e-2, atol=1e-2)
        eager = time_calls(function, arguments, flush)
        tuned = time_calls(compiled, arguments, flush)
        floor = max(moved / copy, operations / RATES[kind]) * 1e6
        rows.append({"kernel": name, "eager": eager, "compiled": tuned, "floor": floor})
        print(f"{name}: eager {eager:.1f} us, compiled {tuned:.1f} us, floor {floor:.1f} us",
              flush=True)
        del arguments, compiled, eager_result, compiled_result
        torch.cuda.empty_cache()
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"device": torch.cuda.get_device_name(), "torch": torch.__version__,
                       "copy": copy, "rows": rows}, file, indent=1)


if __name__ == "__main__":
    main()
