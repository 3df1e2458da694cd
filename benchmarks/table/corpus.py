"""The kernels of the results table: which class each is of, how it is called there, and
the minimum work that it needs. All else about a kernel (arguments, sizes, launches) is read
from its contract."""
import os
import re
from dataclasses import dataclass

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")

GROUPS = {
    "rows": "Softmax and normalisation",
    "reductions": "Reductions and scans",
    "elementwise": "Element-wise",
    "moves": "Moving data",
    "products": "Products and attention",
    "windows": "Convolutions, pooling, stencils",
    "losses": "Losses and gradients",
}


@dataclass(frozen=True)
class Kernel:
    name: str
    group: str
    title: str
    # Operations, a formula over the sizes, and the unit that does them ("f32", "f16").
    operations: str = "0"
    unit: str = "f32"
    # Bytes that have to be moved, where they are not those of all arguments once.
    moved: str = ""


# Those at the top are measured first.
KERNELS = [
    Kernel("softmax", "rows", "softmax 8192 x 8192"),
    Kernel("log_softmax", "rows", "log_softmax 8192 x 8192"),
    Kernel("layernorm", "rows", "layernorm 8192 x 4096"),
    Kernel("rmsnorm", "rows", "rmsnorm 8192 x 4096, bf16"),
    Kernel("batchnorm", "rows", "batchnorm 32 x 256 x 3136"),
    Kernel("sum", "reductions", "sum of 4 M"),
    Kernel("average_pool", "reductions", "average_pool 16384 x 3136"),
    Kernel("argmax", "reductions", "argmax 8192 x 32000"),
    Kernel("topk", "reductions", "top 4 of 8192 x 4096"),
    Kernel("histogram", "reductions", "histogram of 67 M bytes"),
    Kernel("gelu", "elementwise", "gelu of 67 M"),
    Kernel("bias_relu", "elementwise", "bias_relu 8192 x 4096, f16"),
    Kernel("saxpy", "elementwise", "saxpy of 67 M"),
    Kernel("adam", "elementwise", "adam of 67 M"),
    Kernel("transpose", "moves", "transpose 8192 x 8192"),
    Kernel("permute", "moves", "permute 8 x 2048 x 16 x 128, f16"),
    Kernel("rope", "moves", "rope 4096 x 32 x 128"),
    Kernel("embedding", "moves", "embedding 16384 x 1024", moved="T * D * 8 + T * 8"),
    Kernel("cumsum", "reductions", "cumsum 8192 x 4096"),
    Kernel("scan", "reductions", "scan of 4 M, i32"),
    Kernel("conv2d", "windows", "conv2d 16 x 64 x 58 x 58, 3 x 3",
           operations="2 * B * K * C * R * S * (H - R + 1) * (W - S + 1)"),
    Kernel("depthwise_conv", "windows", "depthwise_conv 16 x 256 x 56 x 56",
           operations="18 * B * C * H * W"),
    Kernel("sgemm", "products", "sgemm 4096^3, f32", operations="2 * M * N * K"),
    Kernel("attention", "products", "attention 128 x 1024 x 64, f32",
           operations="4 * H * S * T * D"),
    Kernel("batched_gemm", "products", "batched_gemm 16^3 x 16384",
           operations="2 * B * M * N * K"),
    Kernel("cross_entropy", "losses", "cross_entropy 8192 x 32000"),
    Kernel("max_pool", "windows", "max_pool 4096 x 113 x 113"),
    Kernel("stencil3d", "windows", "stencil3d 512^3"),
    Kernel("hgemm", "products", "hgemm 4096^3, f16", operations="2 * M * N * K", unit="f16"),
    Kernel("spmv", "products", "spmv 1 M rows, 16 M entries"),
    Kernel("cross_entropy_backward", "losses", "cross_entropy_backward 8192 x 32000"),
    Kernel("layernorm_backward", "losses", "layernorm_backward 8192 x 4096"),
    Kernel("embedding_backward", "losses", "embedding_backward 16384 x 256"),
]
BY_NAME = {kernel.name: kernel for kernel in KERNELS}

# Rows of the README: what people ask for first, whether the search is ahead there or not.
README = ["softmax", "layernorm", "sum", "topk", "transpose", "conv2d", "sgemm", "hgemm"]


def naive_file(name):
    """The kernel's naive file. Softmax and sgemm lie beside the folders."""
    single = os.path.join(EXAMPLES, "cuda", name + ".cu")
    return single if os.path.exists(single) else os.path.join(EXAMPLES, "cuda", name, "naive.cu")


def all_files(name):
    """The naive file and its tuned twins."""
    folder = os.path.join(EXAMPLES, "cuda", name)
    files = {naive_file(name)} | {os.path.join(folder, file) for file in os.listdir(folder)}
    return sorted(file for file in files if file.endswith(".cu"))


def recording(name):
    """Strategy ("" for the one that is the default) and folder of the recorded answers that
    the table replays; None where there are none."""
    for strategy in ("", "evoengineer-full"):
        folder = os.path.join(EXAMPLES, "recorded", strategy, name)
        if os.path.isdir(folder):
            return strategy, folder
    return None


def workload(path):
    """The sizes that the file's contract is measured at."""
    with open(path, encoding="utf-8") as file:
        line = re.search(r"^// evo\.workload (.*)$", file.read(), re.M).group(1)
    return {name: int(value) for name, value in re.findall(r"(\w+) = (\d+)", line)}


def scalars(path):
    """The default values of the contract's floating-point scalars, a half where there is none."""
    with open(path, encoding="utf-8") as file:
        line = re.search(r"^// evo\.kernel (.*)$", file.read(), re.M).group(1)
    return {name: float(value or 0.5) for name, value in re.findall(
        r"(\w+): f\d+(?: range\([^)]*\))?(?: = ([-\d.e]+))?(?=[,)])", line)}


def evaluate(formula, sizes):
    """A formula or requirement of the contract's language at given sizes."""
    text = re.sub(r"(?<!/)/(?!/)", "//", str(formula))
    return eval(text, {"__builtins__": {}, "ceildiv": lambda a, b: -(-a // b),  # pylint: disable=eval-used
                       "min": min, "max": max}, sizes)


ELEMENT_BYTES = {"f64": 8, "f32": 4, "f16": 2, "bf16": 2, "i64": 8, "u64": 8, "i32": 4,
                 "u32": 4, "i16": 2, "u16": 2, "i8": 1, "u8": 1, "i1": 1, "f8E4M3FN": 1,
                 "f8E5M2": 1}


def moved_bytes(kernel, description, sizes):
    """Bytes when each argument is read once and each result written once. `description` is
    the launch.json of a variant."""
    if kernel.moved:
        return evaluate(kernel.moved, sizes)
    total = 0
    for argument in description["arguments"]:
        if argument["role"] == "scalar":
            continue
        count = 1
        for dim in argument["dims"]:
            count *= evaluate(dim, sizes)
        total += count * ELEMENT_BYTES[argument["type"]] * (2 if argument["role"] == "inout" else 1)
    return total
