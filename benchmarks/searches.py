"""What the benchmarks of searches share: where a corpus kernel is, how `evo-opt
optimize` is run on it, and what it left."""
import json
import os
import subprocess
import tempfile
import time
from dataclasses import dataclass

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "examples")


def path_of(kernel):
    """The kernel's naive file. Softmax and sgemm lie beside the folders."""
    single = os.path.join(EXAMPLES, "cuda", kernel + ".cu")
    naive = os.path.join(EXAMPLES, "cuda", kernel, "naive.cu")
    return single if os.path.exists(single) else naive


def replay_options(kernel, strategy, match="task"):
    """Options that replay the answers recorded for a kernel; "" is the default strategy."""
    folder = os.path.join(EXAMPLES, "recorded", strategy, kernel)
    options = ["--proposer=replay", f"--replay-match={match}", f"--replay-dir={folder}"]
    return options + ([f"--strategy={strategy}"] if strategy else [])


@dataclass(frozen=True)
class Search:
    """What one search left; `complaint` where it failed or did not end."""
    seconds: float  # of wall time, of the whole process
    report: dict
    timings: dict
    complaint: str = ""


def read(folder, name):
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def search(tool, kernel, options, seconds):
    """Runs `evo-opt optimize` on a corpus kernel for at most so long."""
    with tempfile.TemporaryDirectory() as out:
        command = [tool, "optimize", path_of(kernel), "-o", out, "--json", *options]
        start = time.monotonic()
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False,
                                  timeout=seconds)
        except subprocess.TimeoutExpired:
            return Search(seconds, {}, {}, f"no end within {seconds} s")
        wall, report = time.monotonic() - start, read(out, "report.json")
        said = "" if report else " ".join((done.stdout + done.stderr).split())[-200:]
        return Search(wall, report, read(out, "timings.json"), said)


def micros(variant, what):
    """Microseconds at the first workload, "estimate" or "measured"; None: not known."""
    times = (variant.get(what) or {}).get("micros")
    return times[0] if isinstance(times, list) and times else None
