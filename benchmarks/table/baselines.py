"""What PyTorch is asked to do for each kernel of the corpus: on the same buffers, by the call
that is its best (fused or in place where it has one). The compiled form is of plain
operations where the eager one is a call that a compiler cannot look into."""
import torch
import torch.nn.functional as F

TYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "f64": torch.float64,
         "i8": torch.int8, "u8": torch.uint8, "i16": torch.int16, "i32": torch.int32,
         "i64": torch.int64}


def below(bound):
    """Integers from 0 to a bound, itself not included, which is a size's name or a number."""
    return lambda shape, dtype, sizes: torch.randint(
        0, sizes.get(bound, bound), shape, device="cuda").to(dtype)


def uniform(low, high):
    return lambda shape, dtype, sizes: (
        torch.rand(shape, device="cuda") * (high - low) + low).to(dtype)


def shuffled_normals(shape, dtype, _):
    """Rows of distinct numbers: among equal ones PyTorch may name any as the larger."""
    rank = torch.rand(shape, device="cuda").argsort(-1)
    return torch.special.ndtri((rank + 0.5) / shape[-1]).to(dtype)


def starts_of_rows(shape, dtype, sizes):
    """Rows of a sparse matrix, of about equal lengths, all E entries in them."""
    inner = torch.randint(0, sizes["E"] + 1, (shape[0] - 2,), device="cuda").sort().values
    ends = torch.tensor([0], device="cuda"), torch.tensor([sizes["E"]], device="cuda")
    return torch.cat([ends[0], inner, ends[1]]).to(dtype)


# What inputs hold that are not just about normal, by kernel and argument.
VALUES = {
    ("cross_entropy", "label"): below("N"),
    ("cross_entropy_backward", "label"): below("N"),
    ("embedding", "index"): below("V"),
    ("embedding_backward", "index"): below("V"),
    ("histogram", "x"): below(256),
    ("scan", "x"): below(1000),
    ("topk", "x"): shuffled_normals,
    ("adam", "v"): uniform(0, 1),
    ("layernorm_backward", "inverse"): uniform(0.1, 10),
    ("rope", "cosine"): uniform(-1, 1),
    ("rope", "sine"): uniform(-1, 1),
    ("spmv", "row"): starts_of_rows,
    ("spmv", "column"): below("N"),
}


def make_buffer(kernel, argument, shape, sizes):
    dtype = TYPES[argument["type"]]
    if argument["role"] == "out":
        return torch.empty(shape, device="cuda", dtype=dtype)
    make = VALUES.get((kernel, argument["name"]))
    if make:
        return make(shape, dtype, sizes)
    return torch.randn(shape, device="cuda", dtype=torch.float32).to(dtype)


def rotate(x, cosine, sine):
    """Neighbours in a row are turned, in place."""
    pairs = x.view(*x.shape[:-1], -1, 2)
    a, b = pairs[..., 0], pairs[..., 1]
    c, s = cosine[:, None, :], sine[:, None, :]
    turned = torch.stack((a * c - b * s, a * s + b * c), -1)
    x.copy_(turned.view(x.shape))
    return x


def stencil(x, c0, c1):
    """The interior's seven-point sum; the faces are copied."""
    y = x.clone()
    y[1:-1, 1:-1, 1:-1] = c0 * x[1:-1, 1:-1, 1:-1] + c1 * (
        x[:-2, 1:-1, 1:-1] + x[2:, 1:-1, 1:-1] + x[1:-1, :-2, 1:-1]
        + x[1:-1, 2:, 1:-1] + x[1:-1, 1:-1, :-2] + x[1:-1, 1:-1, 2:])
    return y


def adam(p, m, v, g, rate, b1, b2, c1, c2):
    m.mul_(b1).add_(g, alpha=1 - b1)
    v.mul_(b2).addcmul_(g, g, value=1 - b2)
    p.sub_(rate * (m / c1) / (torch.sqrt(v / c2) + 1e-8))
    return p, m, v


def fused_adam(p, m, v, g, rate, b1, b2, c1, c2, step):
    """The first step, of which c1 and c2 are the corrections."""
    torch._fused_adam_([p], [g], [m], [v], [], [step], lr=rate, beta1=b1, beta2=b2,
                       weight_decay=0.0, eps=1e-8, amsgrad=False, maximize=False)
    return p, m, v


def cross_entropy_gradient(x, label, dloss):
    probability = torch.softmax(x, -1)
    rows = torch.arange(x.shape[0], device=x.device)
    probability[rows, label] -= 1
    return probability.mul_(dloss[:, None])


def plain_cross_entropy_gradient(x, label, dloss):
    columns = torch.arange(x.shape[1], device=x.device)
    hit = (columns[None, :] == label[:, None]).to(x.dtype)
    return (torch.softmax(x, -1) - hit) * dloss[:, None]


def layernorm_gradients(dy, x, gamma, mean, inverse):
    return torch.ops.aten.native_layer_norm_backward(
        dy, x, [x.shape[-1]], mean[:, None], inverse[:, None], gamma, gamma, [True] * 3)


def plain_layernorm_gradients(dy, x, gamma, mean, inverse):
    normal = (x - mean[:, None]) * inverse[:, None]
    g = dy * gamma
    dx = inverse[:, None] * (g - g.mean(-1, True) - normal * (g * normal).mean(-1, True))
    return dx, (dy * normal).sum(0), dy.sum(0)


def batchnorm(x, gamma, beta, eps):
    return F.batch_norm(x, None, None, gamma, beta, True, 0.0, eps)


class Baseline:
    """`eager` takes the set's tensors by name, and scalars, and answers the outputs in the
    contract's order; `plain` is what is compiled; `prepare` turns a set into what both are
    called with, outside of the timed call."""

    def __init__(self, eager, plain=None, prepare=None, tolerance=2e-3):
        self.eager, self.plain = eager, plain or eager
        self.prepare = prepare or (lambda t, s: {**t, **s})
        self.tolerance = tolerance


def only(*names, **changes):
    """Arguments by their names; `changes` are functions of those that others want otherwise."""
    def prepare(tensors, scalars):
        both = {**tensors, **scalars}
        return {name: changes[name](both) if name in changes else both[name]
                for name in (*names, *(c for c in changes if c not in names))}
    return prepare


def long(name):
    return lambda both: both[name].long()


BASELINES = {
    "softmax": Baseline(lambda x: torch.softmax(x, -1), prepare=only("x")),
    "log_softmax": Baseline(lambda x: torch.log_softmax(x, -1), prepare=only("x")),
    "layernorm": Baseline(lambda x, gamma, beta, eps: F.layer_norm(x, x.shape[-1:], gamma, beta, eps),
                          prepare=only("x", "gamma", "beta", "eps")),
    "rmsnorm": Baseline(lambda x, gamma, eps: F.rms_norm(x, x.shape[-1:], gamma, eps),
                        prepare=only("x", "gamma", "eps"), tolerance=2e-2),
    "batchnorm": Baseline(batchnorm, prepare=only("x", "gamma", "beta", "eps")),
    "sum": Baseline(lambda x: x.sum(), prepare=only("x")),
    "average_pool": Baseline(lambda x: x.mean(-1), prepare=only("x")),
    "argmax": Baseline(lambda x: torch.argmax(x, -1), prepare=only("x")),
    "topk": Baseline(lambda x: torch.topk(x, 4, -1), prepare=only("x")),
    "histogram": Baseline(lambda x: torch.bincount(x, minlength=256), prepare=only("x")),
    "gelu": Baseline(lambda x: F.gelu(x, approximate="tanh"), prepare=only("x")),
    "bias_relu": Baseline(lambda x, b: torch.relu(x + b), prepare=only("x", "b"), tolerance=2e-2),
    "saxpy": Baseline(lambda a, x, y: y.add_(x, alpha=a), prepare=only("a", "x", "y")),
    "adam": Baseline(
        fused_adam, lambda step, **named: adam(**named),
        only("p", "m", "v", "g", "rate", "b1", "b2", "c1", "c2",
             step=lambda both: torch.ones((), device="cuda"))),
    "transpose": Baseline(lambda x: x.t().contiguous(), prepare=only("x")),
    "permute": Baseline(lambda x: x.permute(0, 2, 1, 3).contiguous(), prepare=only("x")),
    "rope": Baseline(rotate, prepare=only("x", "cosine", "sine")),
    "embedding": Baseline(lambda table, index: F.embedding(index, table),
                          prepare=only("table", "index")),
    "cumsum": Baseline(lambda x: torch.cumsum(x, -1), prepare=only("x")),
    "scan": Baseline(lambda x: torch.cumsum(x, 0, dtype=torch.int32), prepare=only("x")),
    "conv2d": Baseline(F.conv2d, prepare=only(input=lambda both: both["x"],
                                              weight=lambda both: both["w"])),
    "depthwise_conv": Baseline(
        lambda x, w: F.conv2d(x, w, padding=1, groups=x.shape[1]),
        prepare=only("x", w=lambda both: both["w"].view(-1, 1, 3, 3))),
    "sgemm": Baseline(torch.mm, prepare=only(input=lambda both: both["a"],
                                             mat2=lambda both: both["b"])),
    "attention": Baseline(
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v),
        prepare=only(q=lambda both: both["q"][None], k=lambda both: both["k"][None],
                     v=lambda both: both["v"][None])),
    "batched_gemm": Baseline(torch.bmm, prepare=only(input=lambda both: both["a"],
                                                     mat2=lambda both: both["b"])),
    "hgemm": Baseline(lambda a, b: torch.mm(a, b, out_dtype=torch.float32),
                      prepare=only("a", "b")),
    "spmv": Baseline(torch.mv, prepare=only(
        input=lambda both: torch.sparse_csr_tensor(
            both["row"], both["column"], both["value"],
            (both["row"].numel() - 1, both["x"].numel())),
        vec=lambda both: both["x"])),
    "cross_entropy": Baseline(lambda x, label: F.cross_entropy(x, label, reduction="none"),
                              prepare=only("x", label=long("label"))),
    "cross_entropy_backward": Baseline(cross_entropy_gradient, plain_cross_entropy_gradient,
                                       only("x", "dloss", label=long("label"))),
    "layernorm_backward": Baseline(layernorm_gradients, plain_layernorm_gradients,
                                   only("dy", "x", "gamma", "mean", "inverse")),
    "embedding_backward": Baseline(
        lambda dy, index, rows: torch.ops.aten.embedding_dense_backward(dy, index, rows, -1, False),
        lambda dy, index, rows: torch.zeros(rows, dy.shape[1], device=dy.device).index_add_(
            0, index, dy),
        only("dy", index=long("index"), rows=lambda both: both["dtable"].shape[0])),
    "max_pool": Baseline(lambda x: F.max_pool2d(x, 3, 2), prepare=only("x")),
    "stencil3d": Baseline(stencil, prepare=only("x", "c0", "c1")),
}
