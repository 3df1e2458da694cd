"""Readers of what comes from outside, on inputs that libFuzzer makes.

The inputs begin with what the tree has of each kind. Those that reach something new are kept
in a folder of the user's (--corpora), if one is named. What a reader died of is given to
evo-opt itself, which has to answer with an exit code and a reason; what it dies of, too, is a
failure.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import time

from .runs import Workplace
from .server import completion

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
# By reader: its share of the inputs, the longest, and the seconds that one may take. Clang
# reads some tens a second, the others thousands: of a .cu file, most inputs go to what reads
# it without Clang (its header lines, its includes).
READERS = {"header": (0.17, 4096, 5), "includes": (0.10, 4096, 5), "answer": (0.14, 16384, 5),
           "reply": (0.09, 16384, 5), "launch": (0.15, 8192, 5), "mlir": (0.14, 8192, 20),
           "ll": (0.13, 8192, 20), "report": (0.03, 16384, 10), "journal": (0.02, 65536, 10),
           "cu": (0.03, 4096, 60)}
SMALL = 16 << 10  # bytes of a seed


def seeds(tool, folder, reader):
    """Texts of the kind that `reader` takes."""
    def found(*patterns):
        for pattern in patterns:
            for path in sorted(glob.glob(os.path.join(SOURCE, pattern), recursive=True)):
                if os.path.isfile(path) and os.path.getsize(path) <= SMALL:
                    with open(path, "rb") as file:
                        yield file.read()
    # Not what was found before (unittests/Fuzz/Inputs): a reader dies of it at once.
    if reader in ("header", "includes", "cu"):
        yield from found("examples/cuda/**/*.cu", "test/Frontend/*.cu")
    elif reader == "mlir":
        yield from found("examples/linalg/*.mlir", "test/Dialect/**/*.mlir",
                         "test/Conversion/*.mlir")
    elif reader == "ll":
        yield from found("examples/**/*.ll", "test/**/*.ll")
        for text in found("test/**/*.test"):
            for part in re.findall(rb"//--- \S+\.ll\n(.*?)(?=//---|\Z)", text, re.S):
                yield part
    elif reader == "answer":
        yield from found("test/Proposers/Inputs/*.md", "examples/recorded/**/*.json")
    elif reader == "reply":
        text = "```cuda\nint x;\n```"
        for value in (completion(text),
                      {"content": [{"type": "text", "text": text}], "stop_reason": "end_turn",
                       "usage": {"input_tokens": 1, "output_tokens": 2}},
                      {"error": {"message": "overloaded", "type": "overloaded_error"}}):
            yield json.dumps(value).encode()
    else:
        place = Workplace(tool, os.path.join(folder, "seeds"))
        out = place.path("out")
        if not os.path.exists(out):
            code, text = place.run(place.search("scale.cu", out, 1, 3))
            if code:
                raise AssertionError(text)
        name = {"launch": "out/launch.json", "report": "out/report.json",
                "journal": "out.journal"}[reader]
        with open(place.path(name), "rb") as file:
            yield file.read()


TEXTS = ("header", "includes", "cu", "mlir", "ll")


def as_text(data):
    """As the readers of texts take it, for evo-opt refuses what is none: with blanks in place
    of control characters."""
    return bytes(32 if (c < 0x20 and c not in b"\t\n\v\f\r") or c == 0x7f else c for c in data)


def ask_driver(place, reader, path):
    """What evo-opt does with an input that a reader died of: nothing where it answers."""
    def named(name):
        with open(path, "rb") as file:
            data = file.read()
        with open(place.path(name), "wb") as file:
            file.write(as_text(data) if reader in TEXTS else data)
        return place.path(name)
    if reader in ("header", "cu"):
        command = ["lift", named("found.cu")]
    elif reader in ("mlir", "ll"):
        command = ["lift", named("found." + reader)]
    elif reader == "journal":
        command = ["journal", named("found.journal")]
    elif reader == "report":
        os.makedirs(place.path("found"), exist_ok=True)
        named("found/report.json")
        command = ["report", place.path("found"), "-o", place.path("page.html")]
    else:
        return f"the reader '{reader}' died"
    try:
        code, text = place.run([place.tool, *command], timeout=120)
    except subprocess.TimeoutExpired:
        return "evo-opt does not end"
    if code not in (0, 1, 2, 3, 4) or (code and "error:" not in text):
        return f"exit code {code}: {text[-300:]}"
    return ""


def run_reader(fuzzer, tool, folder, corpora, cuda, reader, wanted, deadline, seed, counts,
               failures):
    done = counts.setdefault(reader, 0)
    _, longest, patience = READERS[reader]
    corpus = os.path.join(corpora or folder, reader)
    artifacts = os.path.join(folder, reader + "-found")
    first = os.path.join(folder, reader + "-seeds")
    for path in (corpus, artifacts, first):
        os.makedirs(path, exist_ok=True)
    for number, text in enumerate(seeds(tool, folder, reader)):
        with open(os.path.join(first, str(number)), "wb") as file:
            file.write(text[:longest])
    place = Workplace(tool, os.path.join(folder, "driver"))
    while done < wanted and time.monotonic() < deadline:
        seed += 1
        left = max(1, int(deadline - time.monotonic()))
        ended = subprocess.run(
            [fuzzer, f"--reader={reader}", f"-runs={wanted - done}", f"-max_total_time={left}",
             f"-max_len={longest}", f"-timeout={patience}", f"-seed={seed}", "-rss_limit_mb=4096",
             "-print_final_stats=1", f"-artifact_prefix={artifacts}/", corpus, first],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
            env={"EVO_CACHE_DIR": place.path("cache"), **os.environ, "EVO_CUDA_PATH": cuda,
                 "TMPDIR": place.folder})
        text = ended.stdout.decode(errors="replace")
        executed = re.findall(r"stat::number_of_executed_units:\s*(\d+)", text)
        # One that died has said how far it was.
        runs = executed or re.findall(r"^#(\d+)", text, re.M)
        if not runs and ended.returncode:
            failures.append(f"{reader}: {text[-500:]}")
            return
        done += int(runs[-1]) if runs else 0
        counts[reader] = done
        for path in glob.glob(os.path.join(artifacts, "*")):
            kind = os.path.basename(path).split("-")[0]
            counts[f"{kind} of a reader"] = counts.get(f"{kind} of a reader", 0) + 1
            # What is slow under a fuzzer is no crash.
            why = "" if kind == "slow" else ask_driver(place, reader, path)
            if corpora:
                os.makedirs(os.path.join(corpora, "found"), exist_ok=True)
                shutil.copy(path, os.path.join(corpora, "found",
                                               f"{reader}-{os.path.basename(path)}"))
            if why:
                failures.append(f"{reader}: {os.path.basename(path)}: {why}")
            os.remove(path)


def run(fuzzer, tool, folder, corpora, cuda, wanted, deadline, seed, counts, failures):
    counts.setdefault("inputs", 0)
    if not fuzzer or not os.path.exists(fuzzer):
        counts["could not be run"] = "no evo-fuzz (cmake -DEVO_FUZZ=ON, target evo-fuzz)"
        return
    counts.pop("could not be run", None)
    begin = time.monotonic()
    for number, reader in enumerate(READERS):
        # The time that is left, by the readers that are.
        share = (deadline - time.monotonic()) / (len(READERS) - number)
        run_reader(fuzzer, tool, folder, corpora, cuda, reader,
                   round(wanted * READERS[reader][0]),
                   min(deadline, time.monotonic() + share), seed + int(begin), counts, failures)
    counts["inputs"] = sum(counts.get(reader, 0) for reader in READERS)
