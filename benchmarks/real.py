#!/usr/bin/env python3
"""What users' own files come to: a line for each .mlir, .cu, .ll or PyTorch task file
of the folders given, and totals by cause.

usage: real.py [--evo-opt PATH] [--python PATH] [--out FOLDER] [--jobs N] [--stages LIST]
               [--budget N] [--search-seconds S] [--seconds S] [--draw N --seed S] [--small]
               [--fresh] [--keep] [--min STAGE=PERCENT]... [-I DIR]... [-D NAME[=VALUE]]...
               FOLDER|FILE...

Columns: whether a PyTorch task was converted to linalg (real_suite/export_torch.py, by the
interpreter of --python, which needs torch and iree-turbine); whether the file is lifted,
and to which level; the grade of its reference verified against itself; how many
candidates of a search with --budget and --search-seconds were accepted; the estimate of
the kernel as it is over that of the best; seconds of all stages; memory, the largest sum
over the tool's processes at one moment.

Rows are kept in --out as they come, so that a run that was stopped goes on; a row is made
anew when its file, the tool or the options have changed, or with --fresh. --seconds ends a
stage that takes longer. --draw takes so many of the files, at random by --seed. --min
makes the exit code 1 where a share is smaller (stages: converted, lifted, verified,
searched, gain; l1, of the files that lift).
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys

from real_suite import stages, table

KINDS = {".mlir", ".cu", ".ll", ".py"}
EXPORT = pathlib.Path(__file__).resolve().parent / "real_suite" / "export_torch.py"


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def tool_digest(tool):
    """Of the tool and the library beside it that it is made of."""
    path = pathlib.Path(shutil.which(tool) or tool).resolve()
    parts = [path, *sorted(path.parent.parent.glob("lib*/**/libEvo.so.*"))]
    return "".join(digest(part) for part in parts if part.is_file() and not part.is_symlink())


class Rows:
    """The rows of a run, a file for each, so that whoever is stopped loses none."""

    def __init__(self, folder, key, fresh):
        self.folder, self.key, self.fresh = folder, key, fresh
        folder.mkdir(parents=True, exist_ok=True)

    def _path(self, name):
        return self.folder / (hashlib.sha256(name.encode()).hexdigest()[:16] + ".json")

    def load(self, name, file):
        if self.fresh:
            return None
        try:
            kept = json.loads(self._path(name).read_text())
        except (OSError, ValueError):
            return None
        same = kept.get("key") == self.key and kept.get("digest") == digest(file)
        return kept["row"] if same else None

    def store(self, name, file, row):
        path = self._path(name)
        part = path.with_suffix(".part")
        part.write_text(json.dumps({"name": name, "key": self.key, "digest": digest(file),
                                    "row": row}, indent=1) + "\n")
        part.replace(path)


def convert(task, folder, options):
    """A PyTorch task as linalg: its file, and what is to be told; no file where it fails."""
    folder.mkdir(parents=True, exist_ok=True)
    command = [options.python, str(EXPORT), "--into", str(folder),
               f"--seconds={int(options.seconds)}", str(task)]
    if options.small:
        command.insert(2, "--small")
    ended = stages.run(command, options.seconds + 60)
    told = {"seconds": round(ended.seconds, 2), "mib": ended.peak >> 20}
    try:
        said = json.loads(ended.out.splitlines()[-1])
    except (IndexError, ValueError):
        return None, told | {"ok": False, "why": stages.cause_of(ended.err or "it said nothing")}
    if "file" not in said:
        return None, told | {"ok": False, "why": stages.cause_of(said["why"]), "said": said["why"]}
    return pathlib.Path(said["file"]), told | {"ok": True, "decomposed": said["decomposed"]}


def go(name, file, options):
    """The row of one file: every stage until one fails that the next needs."""
    row, place = {}, options.out / "files" / hashlib.sha256(name.encode()).hexdigest()[:16]
    if file.suffix == ".py":
        file, row["converted"] = convert(file, place, options)
        if not file:
            return row
    row["lifted"] = stages.lift(file, options)
    if not row["lifted"]["ok"] or not row["lifted"]["contracts"]:
        return row
    if "verified" in options.stages:
        row["verified"] = stages.verify(file, options)
    if "searched" in options.stages:
        row["searched"] = stages.search(file, place / "search", options)
    return row


def collect(inputs):
    """Names and paths of the files; a name is the path below the folder given."""
    files = {}
    for given in inputs:
        if given.is_dir():
            below = {file.relative_to(given): file for file in sorted(given.rglob("*"))}
            files |= {str(name): file for name, file in below.items()
                      if file.suffix in KINDS
                      and not any(part.startswith((".", "__")) for part in name.parts)}
        elif given.is_file():
            files[given.name] = given
    return files


def min_share(text):
    stage, _, percent = text.partition("=")
    if stage not in (*table.STAGES, "gain", "l1") or not percent.replace(".", "", 1).isdigit():
        raise argparse.ArgumentTypeError(f"expected STAGE=PERCENT, found '{text}'")
    return stage, float(percent)


def stage_list(text):
    wanted = text.split(",")
    for stage in wanted:
        if stage not in table.STAGES[1:]:
            raise argparse.ArgumentTypeError(
                f"there is no stage '{stage}', only {', '.join(table.STAGES[1:])}")
    return wanted


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--evo-opt", default="evo-opt")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("real-rows"))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--stages", type=stage_list, default=list(table.STAGES[1:]))
    parser.add_argument("--budget", type=int, default=16)
    parser.add_argument("--search-seconds", type=float, default=60)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--draw", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--min", type=min_share, action="append", default=[])
    parser.add_argument("-I", dest="includes", metavar="DIR", action="append", default=[])
    parser.add_argument("-D", dest="macros", metavar="NAME[=VALUE]", action="append", default=[])
    parser.add_argument("inputs", type=pathlib.Path, nargs="+")
    options = parser.parse_args()
    missing = [str(given) for given in options.inputs if not given.exists()]
    if missing:
        parser.error(f"there is no {missing[0]}")
    options.flags = [f"-I{folder}" for folder in options.includes]
    options.flags += [f"-D{macro}" for macro in options.macros]
    options.processors = max(1, (os.cpu_count() or 1) // options.jobs)
    return parser, options


def main():
    parser, options = parse()
    files = collect(options.inputs)
    if not files:
        parser.error("no .mlir, .cu, .ll or .py files there")
    if options.draw is not None and options.draw < len(files):
        drawn = sorted(random.Random(options.seed).sample(sorted(files), options.draw))
        files = {name: files[name] for name in drawn}
    try:
        subprocess.run([options.evo_opt, "--version"], capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 4
    key = json.dumps([tool_digest(options.evo_opt), options.stages, options.budget,
                      options.search_seconds, options.seconds, options.small, options.flags])
    kept = Rows(options.out / "rows", key, options.fresh)

    def one(item):
        name, file = item
        row = kept.load(name, file)
        if row is None:
            row = go(name, file, options)
            kept.store(name, file, row)
        return row

    print(table.HEAD, flush=True)
    rows = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for name, row in zip(files, pool.map(one, files.items())):
            rows.append(row)
            print(table.line(name, row), flush=True)
    print()
    for text in table.totals(rows, options):
        print(text)
    below = [(stage, percent) for stage, percent in options.min
             if table.share(rows, stage) < percent]
    for stage, percent in below:
        print(f"{stage}: {table.share(rows, stage):.0f} %, expected at least {percent:g} %")
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main())
