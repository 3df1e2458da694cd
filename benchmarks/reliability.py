"""How reliable a search is, in numbers.

usage: reliability.py [--kills N] [--at-a-time N] [--seconds S] [--state FILE]
                      [--tool EVO-OPT] [PART...]

Runs each part until its count is reached or its share of the time is over, adds what it
counted to the state file, so that a later run goes on, and prints one table of all counts.
A state file is of one build of evo-opt: counts of several say nothing of any.
Exits with 1 where anything was lost, doubled or not as it should be.
"""
import argparse
import glob
import hashlib
import json
import os
import shutil
import sys
import tempfile
import time

from reliable import faults, full_disk, fuzz, hostile, kills

PARTS = {}


def part(name):
    def add(function):
        PARTS[name] = function
        return function
    return add


@part("kills")
def run_kills(options, folder, deadline, state):
    kills.run(options.tool, folder, options.kills, deadline, options.seed, state["counts"],
              state["failures"], options.at_a_time)


@part("faults")
def run_faults(options, folder, deadline, state):
    pem = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "unittests", "LLM",
                       "Inputs", "untrusted.pem")
    faults.run(options.tool, folder, pem, options.cases, deadline, state["counts"],
               state["failures"])


@part("disk")
def run_disk(options, folder, deadline, state):
    full_disk.run(options.tool, folder, options.cases, deadline - time.monotonic(),
                  state["counts"], state["failures"])


@part("fuzz")
def run_fuzz(options, folder, deadline, state):
    fuzz.run(options.fuzzer or shutil.which("evo-fuzz"), options.tool, folder, options.corpora,
             options.cuda, options.fuzz, deadline, options.seed, state["counts"],
             state["failures"], options.at_a_time)


@part("hostile")
def run_hostile(options, folder, deadline, state):
    hostile.run(options.tool, folder, options.cuda, state["counts"], state["failures"])


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("parts", nargs="*", metavar="PART",
                        help="of " + ", ".join(PARTS) + "; all where none is named")
    parser.add_argument("--tool", default=shutil.which("evo-opt"), help="the evo-opt to try")
    parser.add_argument("--seconds", type=float, default=1e9, help="for each part")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--state", help="file that counts are kept in and added to")
    parser.add_argument("--at-a-time", type=int, default=3,
                        help="searches that are led at the same time, which mostly wait; fuzzers, "
                             "which do not")
    parser.add_argument("--kills", type=int, default=2000, help="of searches, in all")
    parser.add_argument("--cases", type=int, default=10000,
                        help="of faults of a server and of the disk, of each (default: all)")
    parser.add_argument("--fuzz", type=int, default=1000000, help="inputs, in all")
    parser.add_argument("--fuzzer", help="the evo-fuzz to run (default: that on the path)")
    parser.add_argument("--corpora", help="folder that inputs are kept in, for the next time")
    parser.add_argument("--cuda", default=next(
        (os.environ[name] for name in ("EVO_CUDA_PATH", "CUDA_HOME", "CUDA_PATH")
         if name in os.environ), "/usr/local/cuda"),
                        help="the toolkit whose headers fuzzed kernels are read with, and that a "
                             "false ptxas is put into a copy of")
    options = parser.parse_args()
    for name in options.parts:
        if name not in PARTS:
            parser.error(f"there is no part '{name}', only {', '.join(PARTS)}")
    if not options.tool:
        parser.error("no evo-opt on the path: name it by --tool")
    return options


def identify(tool):
    """A digest of the executable, and of the library that it may be linked with."""
    tool = os.path.realpath(tool)
    digest = hashlib.sha256()
    for path in [tool, *sorted(glob.glob(os.path.join(os.path.dirname(tool), "..", "lib",
                                                      "libEvo.so*")))]:
        with open(path, "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


def load(path, build):
    if not path or not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        state = json.load(file)
    if state.pop("build", build) != build:
        sys.exit(f"the counts in {path} are of another build of evo-opt: begin another file")
    return state


def keep(path, build, state):
    if not path:
        return
    with open(path + ".part", "w", encoding="utf-8") as file:
        json.dump({"build": build, **state}, file, indent=1)
    os.rename(path + ".part", path)


def print_table(state):
    rows = [("part", "counted", "failures")]
    for name, one in state.items():
        counts = ", ".join(f"{key}: {value}" if isinstance(value, str) else f"{value} {key}"
                           for key, value in one["counts"].items()
                           if not isinstance(value, dict))
        rows.append((name, counts, str(len(one["failures"]))))
    widths = [max(len(row[column]) for row in rows) for column in range(2)]
    for row in rows:
        print(f"{row[0]:{widths[0]}}  {row[1]:{widths[1]}}  {row[2]}")
    for name, one in state.items():
        for failure in one["failures"][:20]:
            print(f"{name}: " + failure.strip().replace("\n", "\n  "))


def main():
    options = parse()
    build = identify(options.tool)
    state = load(options.state, build)
    for name in options.parts or PARTS:
        one = state.setdefault(name, {"counts": {}, "failures": []})
        folder = tempfile.mkdtemp(prefix=f"evo-reliability-{name}-")
        try:
            PARTS[name](options, folder, time.monotonic() + options.seconds, one)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            keep(options.state, build, state)
    print_table(state)
    sys.exit(any(one["failures"] for one in state.values()))


if __name__ == "__main__":
    main()
