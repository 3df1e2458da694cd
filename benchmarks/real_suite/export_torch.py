#!/usr/bin/env python3
"""Turns PyTorch task files into func and linalg on tensors. A task file defines `Model`,
`get_inputs()` and `get_init_inputs()`, as benchmark collections for kernel writers have
them. The model is traced on the meta device, so that no size makes data, and its
parameters and buffers become arguments of the function, before the inputs.

usage: export_torch.py [--small] [--folded] [--seconds S] --into FOLDER TASK.py...

Writes FOLDER/TASK.mlir for each, and prints a line of JSON for each: "task", "seconds",
"decomposed" (whether the operations had to be decomposed further first), and either
"file" or "why". With --small the module's large integers become small ones, order and
shared factors kept as far as the model accepts them ("small" tells the replacement). With --folded the text is canonicalised at the end.
Needs torch and iree-turbine; exits with 4 where these are missing.
"""
import argparse
import ast
import contextlib
import io
import json
import os
import pathlib
import re
import signal
import sys
import time

# Into the torch dialect's backend form, then to linalg; all in one process.
PASSES = ("torchdynamo-export-to-torch-backend-pipeline",
          *(f"func.func({name})" for name in (
              "convert-torch-to-tmtensor", "convert-torch-to-linalg", "convert-torch-to-scf",
              "convert-torch-to-arith", "convert-torch-to-tensor")),
          "torch-func-backend-type-conversion",
          "func.func(cse)",  # lists that nothing reads any longer do not convert
          "func.func(torch-finalizing-backend-type-conversion)")


LARGE = 10  # integers above are sizes; below they are kernel sizes, strides, groups


def _integer(node):
    """The value of a constant integer expression; None where it is none."""
    try:
        value = eval(compile(ast.Expression(node), "size", "eval"), {"__builtins__": {}})
    except Exception:  # names, calls: no constant
        return None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _places(tree):
    """Where the module's top-level names are assigned: pairs of a list and an index."""
    for statement in tree.body:
        if not isinstance(statement, ast.Assign):
            continue
        yield from _within(vars(statement), "value")


def _within(holder, key):
    yield holder, key
    node = holder[key]
    if isinstance(node, (ast.Tuple, ast.List)):
        for index in range(len(node.elts)):
            yield from _within(node.elts, index)


def sizes_of(tree):
    """The large integers among them, ascending."""
    values = (_integer(holder[key]) for holder, key in _places(tree))
    return sorted({value for value in values if value is not None and value > LARGE})


def shrink(tree, sizes):
    """Puts what `sizes` maps them to in the place of the large integers."""
    for holder, key in list(_places(tree)):
        small = sizes.get(_integer(holder[key]))
        if small is not None:
            holder[key] = ast.copy_location(ast.Constant(small), holder[key])
    return ast.fix_missing_locations(tree)


def reductions(sizes):
    """Maps from the sizes to small ones, the smallest first."""
    yield {size: (2 * (rank + 2) if size % 2 == 0 else 2 * rank + 5)
           for rank, size in enumerate(sizes)}
    for step in (8, 16, 32):
        yield {size: step * (rank + 1) - (size % 2) for rank, size in enumerate(sizes)}
    yield {size: min(size, 64) for size in sizes}


def _tables():
    """Ways to take operations apart, for those that have no lowering as they are (training
    forms, losses): the exporter's own, the importer's, and both."""
    from iree.turbine.aot.decompositions import current_aot_decompositions
    from torch.export import default_decompositions
    return (default_decompositions, current_aot_decompositions,
            lambda: {**default_decompositions(), **current_aot_decompositions()})


def _anywhere(graph):
    """Takes the device from what the graph creates: that it is meta is the tracer's doing."""
    for node in graph.nodes:
        if "device" in node.kwargs:
            node.kwargs = {key: value for key, value in node.kwargs.items() if key != "device"}


def _import(ep, folded):
    from iree.compiler.extras.fx_importer import FxImporter
    from iree.compiler.passmanager import PassManager
    importer = FxImporter()
    importer.import_program(ep)
    module = importer.module
    passes = [*PASSES, "func.func(canonicalize)", "func.func(cse)"] if folded else PASSES
    with module.context:
        manager = PassManager.parse(f"builtin.module({','.join(passes)})")
        manager.run(module.operation)
    return str(module)


def _without_data(kind, torch):
    """A context in which tensors have shapes alone: on the device meta, or, for models that
    make small constants on the device of their input, as fakes of the processor's."""
    if kind == "meta":
        return torch.device("meta")
    from torch._subclasses.fake_tensor import FakeTensorMode
    return FakeTensorMode(allow_non_fake_inputs=True)


def _trace(source, path, torch, kind="meta"):
    space = {"__name__": "task", "__file__": str(path)}
    with _without_data(kind, torch):
        exec(compile(source, str(path), "exec"), space)
        model = space["Model"](*space["get_init_inputs"]())
        inputs = space["get_inputs"]()
    names = [name for name, _ in model.named_parameters()]
    kept = [name for name, _ in model.named_buffers()]
    state = [value.detach() for _, value in model.named_parameters()]
    state += [value.detach() for _, value in model.named_buffers()]

    class Wrapped(torch.nn.Module):
        """The model with its state as arguments. Buffers are copied first: what a forward
        pass leaves in them is no result of it."""

        def forward(self, state, inputs):
            values = dict(zip(names, state))
            values |= {name: value.clone() for name, value in zip(kept, state[len(names):])}
            return torch.func.functional_call(model, values, tuple(inputs))

    with torch.no_grad():
        return torch.export.export(Wrapped(), (tuple(state), tuple(inputs)), strict=False)


class _Untraced(Exception):
    """The model cannot be traced; how its operations are taken apart changes nothing."""


# Ways to convert a task, each in a process of its own: a pass may abort.
ATTEMPTS = [("meta", 0), ("meta", 1), ("meta", 2), ("meta", 3), ("fake", 0), ("fake", 3)]


def convert(path, attempt, small=False, folded=False):
    """The text of one task in linalg, and what is to be told of how it came about."""
    import torch
    kind, table = attempt
    tree = ast.parse(path.read_text())
    sizes = sizes_of(tree) if small else []
    failure = None
    for chosen in reductions(sizes) if sizes else [None]:
        source = ast.parse(path.read_text())
        if chosen:
            shrink(source, chosen)
        try:
            ep = _trace(source, path, torch, kind)
            break
        except Exception as error:  # a model that these sizes do not suit: the next ones
            failure = error
    else:
        raise _Untraced(_why(failure))
    told = {"decomposed": table > 0}
    if chosen:
        told["small"] = chosen
    with torch.no_grad():
        if table:
            ep = ep.run_decompositions(_tables()[table - 1]())
    _anywhere(ep.graph)
    return _import(ep, folded), told


def _why(error):
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    said = [line for line in lines if "error:" in line] or lines or [""]
    return f"{type(error).__name__}: {re.sub(r'^.*?error: ', '', said[0])}"[:300]


def _child(path, file, attempt, options, out):
    sink = io.StringIO()
    try:
        with contextlib.redirect_stdout(sink), contextlib.redirect_stderr(sink):
            text, told = convert(path, attempt, options.small, options.folded)
        temporary = file.with_suffix(".part")
        temporary.write_text(text)
        temporary.replace(file)
        told["file"] = str(file)
    except _Untraced as error:
        told = {"why": str(error), "untraced": True}
    except Exception as error:
        told = {"why": _why(error)}
    os.write(out, json.dumps(told).encode())


def _attempt(path, file, attempt, options, seconds):
    """What one way of converting gave."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # a dying pass prints its stack
        signal.alarm(max(1, int(seconds)))
        _child(path, file, attempt, options, write)
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as answer:
        text = answer.read()
    _, status = os.waitpid(child, 0)
    if text:
        return json.loads(text)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) != signal.SIGALRM:
        return {"why": f"the converter died: {signal.strsignal(os.WTERMSIG(status))}"}
    return {"why": f"took more than {options.seconds} s", "late": True}


def export(path, file, options):
    """The line of one task; of several failures the first way's is told."""
    start, told, untraced = time.monotonic(), None, set()
    for attempt in ATTEMPTS:
        if attempt[0] in untraced:
            continue
        left = options.seconds - (time.monotonic() - start)
        result = _attempt(path, file, attempt, options, left)
        if "file" in result:
            told = result
        if result.pop("untraced", False):
            untraced.add(attempt[0])
        told = told or result
        if "file" in result or result.pop("late", False):
            break
    return {"task": str(path), "seconds": round(time.monotonic() - start, 2), **told}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--into", type=pathlib.Path, required=True)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--folded", action="store_true")
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("tasks", type=pathlib.Path, nargs="+")
    options = parser.parse_args()
    try:
        import torch  # here, once: children inherit it
        import iree.compiler.extras.fx_importer
    except ImportError as error:
        print(f"torch and iree-turbine are needed: {error}", file=sys.stderr)
        return 4
    options.into.mkdir(parents=True, exist_ok=True)
    for task in options.tasks:
        file = options.into / f"{task.stem}.mlir"
        print(json.dumps(export(task, file, options)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
