"""Measures rows into a part: prepares the code of each side on all cores, lets the search
have the device, and then a worker time all sides in turn. Needs no PyTorch itself."""
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone

from . import parts
from .contract import spelled
from .corpus import BY_NAME, KERNELS, all_files, naive_file, recording

WORKER = [sys.executable, "-m", "table.worker"]
AHEAD = 12  # kernels prepared at a time
PREPARE_SECONDS, SEARCH_SECONDS, ROW_SECONDS = 120, 120, 75


class Worker:
    """The process that times; started when it is first asked, and again when it died."""

    def __init__(self, command):
        self.command, self.process, self.hello = command, None, None

    def start(self):
        folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, cwd=folder)
        line = self.process.stdout.readline()
        if not line:
            sys.exit("results.py: the worker that times kernels died at once: is there a GPU, "
                     "and PyTorch?")
        self.hello = self.hello or json.loads(line)

    def ask(self, request):
        if not self.process or self.process.poll() is not None:
            self.start()
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        answer = json.loads(line) if line else {"error": "the worker died"}
        if "error" in answer:
            self.process.kill()
            self.process.wait()
        return answer

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.stdin.close()
            self.process.wait()


def command(arguments, seconds):
    """The command's complaint; None where it ended well."""
    try:
        done = subprocess.run(arguments, capture_output=True, text=True, check=False,
                              timeout=seconds)
    except subprocess.TimeoutExpired:
        return f"no end within {seconds} s"
    return None if done.returncode == 0 else " ".join((done.stdout + done.stderr).split())[-200:]


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return json.load(file)


def lower_unchanged(tool, source, folder):
    """The kernel as it is, as this tool lowers it, with its launches; a complaint or None."""
    return command([tool, "optimize", source, "-o", folder, "--no-gpu", "--budget=1", "--seed=1",
                    "--force", "--jobs=1"], PREPARE_SECONDS)


def by_nvrtc(source, folder):
    """A copy of a file that asks for NVRTC."""
    path = os.path.join(folder, "nvrtc-" + os.path.basename(source))
    with open(source, encoding="utf-8") as file, open(path, "w", encoding="utf-8") as copy:
        copy.write("// evo.options codegen = nvrtc\n" + file.read())
    return path


def by_nvcc(nvcc, source, image, ours):
    """A file's cubin, for the architecture of the code in the folder `ours`. What a launch
    instantiates in a comment is named in code as well."""
    with open(source, encoding="utf-8") as file:
        text = file.read()
    instances = sorted(set(re.findall(r"^// evo\.launch (\w+<[^<>]*>)<<<", text, re.M)))
    copy = image.replace(".cubin", ".cu")
    with open(copy, "w", encoding="utf-8") as file:
        file.write(text + "".join(f"auto evo_instance_{number} = &{name};\n"
                                  for number, name in enumerate(instances)))
    target = read(ours, "launch.json")["variants"][0]["target"]
    return command([nvcc, "-O3", f"-arch={target}", "-cubin", copy, "-o", image], PREPARE_SECONDS)


def cores():
    """Those that this process may use: several parts of one host each have their own."""
    return len(os.sched_getaffinity(0))


class Part:
    """The file that a run adds its rows to, each as soon as there is one."""

    def __init__(self, options, worker):
        self.path, self.worker, self.commit = options.into, worker, options.commit
        known = [path for path in parts.find(options.parts)
                 if os.path.abspath(path) != os.path.abspath(self.path)]
        self.content = {"machine": {}, **{kind: [] for kind in parts.KINDS}}
        if os.path.exists(self.path):
            self.content = parts.load(self.path)
            known.append(self.path)
        self.rows, self.lowering, self.shapes = parts.merge(known)

    def entry(self, table, name):
        """The entry of this commit, or None."""
        entry = table.get(name)
        return entry if entry and entry["machine"]["commit"] == self.commit else None

    def has(self, table, name):
        """Whether there is an entry of this commit that has all that it should have."""
        entry = self.entry(table, name)
        return entry is not None and not entry["problems"]

    def add(self, kind, entry):
        date = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        if not self.content["machine"]:
            self.content["machine"] = {"date": date, "commit": self.commit, **self.worker.hello}
        self.content[kind].append({**entry, "date": date})
        parts.save(self.path, self.content)


def search(options, source, folder, extra, seconds):
    """What one search found: what is said of it in the row, with a `problem` where there is
    nothing to time. What a folder that is kept has already is not searched for again."""
    if os.path.exists(folder + "/said.json"):
        return read(folder, "said.json")
    start = time.monotonic()
    problem = command([options.tool, "optimize", source, "-o", folder, "--force",
                       "--progress=none", *extra], seconds)
    said = {"wall_seconds": round(time.monotonic() - start, 1)}
    if problem or not os.path.exists(os.path.join(folder, "launch.json")):
        return {**said, "problem": problem or "no winner"}
    report, timings = read(folder, "report.json"), read(folder, "timings.json")
    variant = next(v for v in report["variants"] if v["name"] == report["best"])
    said |= {"variant": variant["name"], "origin": variant["origin"],
             "grade": variant["evidence"]["grade"], "ranked_by": report["ranked_by"],
             "candidates": timings["candidates"], "measurements": timings["measurements"],
             "measuring": round(timings["measuring"], 2), "ptx": sha256(folder + "/best.ptx")}
    with open(folder + "/said.json", "w", encoding="utf-8") as file:
        json.dump(said, file)
    return said


def prepare(options, kernel, folder):
    """Code of the unchanged kernel by both compilers; complaints by side."""
    os.makedirs(folder, exist_ok=True)
    source, ours = naive_file(kernel), folder + "/ours"
    found = {"ours": lower_unchanged(options.tool, source, ours)}
    if not found["ours"]:
        found["nvcc"] = by_nvcc(options.nvcc, source, folder + "/nvcc.cubin", ours)
    return {side: problem for side, problem in found.items() if problem}


def without_model(options):
    """What a search is told that asks no model."""
    return [f"--budget={options.budget}", f"--max-seconds={options.max_seconds}", "--seed=1"]


def searched(options, source, folder, runs, row):
    """The sides that searches found, by what each is told. The row says the rest of them."""
    sides = []
    for name, extra in runs.items():
        said = search(options, source, f"{folder}/{name}", extra,
                      max(SEARCH_SECONDS, options.max_seconds + 60))
        if "problem" in said:
            row["problems"][name] = said.pop("problem")
        else:
            sides.append({"name": name, "folder": f"{folder}/{name}"})
        row["said"][name] = said
    return sides


def timed(worker, row, request):
    """The row with the times of its sides and of PyTorch, or with what was in the way."""
    answer = worker.ask({**request, "kernel": row["kernel"], "torch": True})
    if "error" in answer:
        row["problems"][answer.get("side", "timing")] = answer["error"]
        return row
    row["problems"].update(answer.pop("problems"))
    return {**row, **answer}


def measure_row(options, worker, kernel, folder, problems):
    """One row: searches, and then the timing of all sides."""
    row = {"kernel": kernel, "said": {}, "problems": problems}
    if "ours" in problems:
        return row
    row["said"]["ours"] = {"ptx": sha256(folder + "/ours/best.ptx")}
    sides = [{"name": "ours", "folder": folder + "/ours"}]
    if "nvcc" not in problems:
        sides.append({"name": "nvcc", "image": folder + "/nvcc.cubin"})
    runs = {"search": without_model(options)}
    if recording(kernel):
        strategy, answers = recording(kernel)
        runs["recorded"] = ["--budget=9", "--seed=7", f"--max-seconds={options.max_seconds}",
                            "--proposer=replay", "--replay-match=task", f"--replay-dir={answers}",
                            *([f"--strategy={strategy}"] if strategy else [])]
    sides += searched(options, naive_file(kernel), folder, runs, row)
    return timed(worker, row, {"source": naive_file(kernel), "baseline": folder + "/ours",
                               "sides": sides, "seconds": options.look})


def choose(options, has):
    """Kernels that are asked for and not there yet."""
    for name in options.kernels:
        if name not in BY_NAME:
            sys.exit(f"results.py: no kernel '{name}' in the table")
    names = options.kernels or [kernel.name for kernel in KERNELS]
    return [name for name in names if not has(name)]


def fill(options, kind, choose_items, name_of, make):
    """Adds entries of a kind to the part until the time is over; `make(worker, folder, items)`
    makes that of the first of the items that are left. Exit status 0: none is left."""
    end = time.monotonic() + options.seconds
    worker = Worker(options.worker)
    part = Part(options, worker)
    items = choose_items(part)
    worker.start()
    with tempfile.TemporaryDirectory() as drop:
        folder = os.path.abspath(options.keep or drop)
        for index, item in enumerate(items):
            if time.monotonic() + min(ROW_SECONDS, options.max_seconds + 15) > end:
                print(f"left for another part: {' '.join(map(name_of, items[index:]))}")
                return 1
            entry = make(worker, folder, items[index:])
            part.add(kind, entry)
            print(summary(name_of(item), entry), flush=True)
    worker.stop()
    return 0


def measure(options):
    """Rows of the table, at the sizes of the kernels' files."""
    prepared = {}
    with ThreadPoolExecutor(cores()) as pool:
        def make(worker, folder, names):
            name = names[0]
            if name not in prepared:
                ahead = names[:AHEAD]
                prepared.update(zip(ahead, pool.map(
                    lambda each: prepare(options, each, f"{folder}/{each}"), ahead)))
            return measure_row(options, worker, name, f"{folder}/{name}", prepared[name])
        return fill(options, "rows", lambda part: choose(
            options, lambda name: part.has(part.rows, name)), str, make)


def middle(samples):
    return sorted(samples)[len(samples) // 2]


def summary(title, row):
    times = ", ".join(f"{name} {middle(side['samples']):.1f}"
                      for name, side in row.get("sides", {}).items())
    problems = "".join(f"; {side}: {text}" for side, text in row["problems"].items())
    sizes = f" ({spelled(row['sizes'])})" if row.get("sizes") else ""
    return f"{title}{sizes}: {times}{problems}"


def lower_file(options, source, folder):
    """A file's code by all three; complaints by side."""
    os.makedirs(folder, exist_ok=True)
    found = {"llvm": lower_unchanged(options.tool, source, folder + "/llvm"),
             "nvrtc": lower_unchanged(options.tool, by_nvrtc(source, folder), folder + "/nvrtc")}
    if not found["llvm"]:
        found["nvcc"] = by_nvcc(options.nvcc, source, folder + "/nvcc.cubin", folder + "/llvm")
    return {side: problem for side, problem in found.items() if problem}


def lowering(options):
    """Lines of the comparison with nvcc, of files as they are. Exit status as of `fill`."""
    end = time.monotonic() + options.seconds
    worker = Worker(options.worker)
    part = Part(options, worker)
    files = [(kernel, file) for kernel in choose(options, lambda name: False)
             for file in all_files(kernel) if not part.has(part.lowering, label(kernel, file))]
    worker.start()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(cores()) as pool:
        def at(kernel, file):
            return f"{folder}/{label(kernel, file).replace('/', '-')}"
        found = list(pool.map(lambda each: lower_file(options, each[1], at(*each)), files))
        for index, ((kernel, file), problems) in enumerate(zip(files, found)):
            if time.monotonic() + 20 > end:
                print("left for another part: "
                      + " ".join(label(*each) for each in files[index:]))
                return 1
            where = at(kernel, file)
            line = {"file": label(kernel, file), "problems": problems, "sides": {}}
            if "llvm" not in problems and "nvcc" not in problems:
                sides = [{"name": "nvcc", "image": where + "/nvcc.cubin"},
                         {"name": "llvm", "folder": where + "/llvm"}]
                if "nvrtc" not in problems:
                    sides.append({"name": "nvrtc", "folder": where + "/nvrtc"})
                answer = worker.ask({"kernel": kernel, "source": file, "sides": sides,
                                     "baseline": where + "/llvm", "torch": False,
                                     "seconds": options.look})
                problems.update(answer.get("problems", {}))
                if "error" in answer:
                    problems["timing"] = answer["error"]
                line.update({key: answer[key] for key in ("sides", "states") if key in answer})
            part.add("lowering", line)
            print(summary(line["file"], line), flush=True)
    worker.stop()
    return 0


def label(kernel, file):
    """sgemm/blocked, say."""
    return f"{kernel}/{'naive' if file == naive_file(kernel) else os.path.basename(file)[:-3]}"
