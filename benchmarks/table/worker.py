"""The process that holds the device while a table is measured: a JSON object a line comes
in, one goes out. A kernel that ends it costs its own row; whoever started it starts another.

First it says what machine it is on and what the device can do. Each request names a kernel
and its file, the folder with what `optimize` left of it unchanged, and the sides to time."""
import json
import os
import sys
import traceback

# Whatever libraries print is no answer.
ANSWERS = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)

from . import bench as benches  # pylint: disable=wrong-import-position
from .corpus import BY_NAME, scalars, workload  # pylint: disable=wrong-import-position
from .device import choose_variant, load_folder  # pylint: disable=wrong-import-position


def answer(value):
    ANSWERS.write(json.dumps(value) + "\n")
    ANSWERS.flush()


def serve(bench, request):
    kernel = BY_NAME[request["kernel"]]
    path = request["source"]
    description = load_folder(request["baseline"])
    sizes = workload(path)
    moved = bench.set_up(kernel, description, sizes, scalars(path))
    if request["torch"]:
        bench.add_torch(request.get("mode"), request.get("compiles", True))
    for side in request["sides"]:
        if "image" in side:
            with open(side["image"], "rb") as file:
                bench.add_code(side["name"], choose_variant(description, sizes), file.read())
        else:
            bench.add_folder(side["name"], load_folder(side["folder"]), side["folder"])
    series, states = bench.time(request["seconds"])
    result = {"sides": series, "states": states, "problems": bench.problems(), "moved": moved,
              "sets": len(bench.sets)}
    bench.tear_down()
    return result


def main():
    bench = benches.Bench()
    answer({**benches.machine(), "ceilings": bench.ceilings()})
    for line in sys.stdin:
        try:
            answer(serve(bench, json.loads(line)))
        except Exception:  # pylint: disable=broad-except
            # The context may be lost: the next one starts anew.
            answer({"error": traceback.format_exc(limit=-3)[-600:], "side": bench.stage})
            sys.exit(1)


if __name__ == "__main__":
    main()
