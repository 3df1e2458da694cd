#!/usr/bin/env python3
"""Runs clang-tidy over the libraries and tools, on what has changed since it last passed.

usage: check-tidy.py CLANG_TIDY BUILD SOURCE

Nearly all the time of clang-tidy on a source of this tree goes into MLIR's headers.
So several sources that are compiled alike are included in one generated
file, a unit, and are checked with it; findings in the sources and in the tree's
headers count, whatever file they were reached from. Sources that define the same
file-local name, or use other namespaces, are kept in different units; a unit that
does not compile all the same is checked in halves, and these in theirs.

BUILD/tidy keeps the units and, for each that passed, a hash of all it was made of:
the program, .clang-tidy, the command, the sources and the headers of SOURCE and
BUILD that they reach. A unit whose hash is still the same is not run again. Prints
the findings and, last, what was done; exits with 1 if there is a finding and with 3
if there is nothing to check.
"""
import concurrent.futures
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys

FOLDERS = ("lib", "tools")
# Sources and lines of a unit: longer ones save little, and pack two cores worse.
MAX_SOURCES = 10
MAX_LINES = 2500
# What one clang-tidy takes on a unit, in KiB.
MEMORY_OF_A_JOB = 1500000


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Source:
    """One source as the build compiles it."""

    def __init__(self, entry, root):
        self.path = entry["file"]
        self.name = os.path.relpath(self.path, root)
        self.folder = entry["directory"]
        self.text = read(self.path)
        self.flags = self.flags_of(entry)

    @staticmethod
    def flags_of(entry):
        """The command without its input and output."""
        words = entry.get("arguments") or shlex.split(entry["command"])
        flags, skip = [], False
        for word in words:
            if skip or word in ("-o", "-c"):
                skip = word in ("-o", "-c") and not skip
                continue
            flags.append(word)
        return flags

    def kind(self):
        """What sources of one unit have in common: the flags that are no folder, macro,
        warning or matter of code generation, and the world whose names they use bare."""
        flags = [flag for flag in self.flags if not flag.startswith(("-I", "-D", "-W", "-f"))]
        mlir = re.search(r"^using namespace mlir;", self.text, re.MULTILINE)
        llvm = re.search(r"^using namespace llvm;", self.text, re.MULTILINE)
        return (*flags, "llvm" if llvm and not mlir else "mlir" if "-include" in flags else "llvm")

    def local_names(self):
        """What the file defines for itself, as far as its lines show."""
        names = set(re.findall(r"^static\b[^;={]*?\b(\w+)\(", self.text, re.MULTILINE))
        for block in re.findall(r"^namespace \{$(.*?)^\}", self.text, re.MULTILINE | re.DOTALL):
            names.update(re.findall(r"^\w[^;={]*?\b(\w+)\(", block, re.MULTILINE))
        names.update(re.findall(r"^(?:struct|class|enum class|enum) (\w+)[^;]*$", self.text,
                                re.MULTILINE))
        names.update(re.findall(r"^int (main)\(", self.text, re.MULTILINE))
        names.update(re.findall(r"^(?:static )?const(?:expr)? [^(;]*?(\w+)(?:\[\w*\])? = ",
                                self.text, re.MULTILINE))
        return names


class Unit:
    """Sources that are checked together."""

    def __init__(self, kind):
        self.kind = kind
        self.sources = []
        self.names = set()
        self.lines = 0

    def flags(self):
        flags = list(self.sources[0].flags)
        for source in self.sources[1:]:
            flags += [flag for flag in source.flags
                      if flag.startswith(("-I", "-D")) and flag not in flags]
        return flags

    def takes(self, source, names, lines):
        return (source.kind() == self.kind and len(self.sources) < MAX_SOURCES
                and self.lines + lines <= MAX_LINES and not names & self.names)

    def add(self, source, names, lines):
        self.sources.append(source)
        self.names |= names
        self.lines += lines


def make_units(sources):
    units = []
    for source in sources:
        names, lines = source.local_names(), source.text.count("\n")
        unit = next((unit for unit in units if unit.takes(source, names, lines)), None)
        if unit is None:
            unit = Unit(source.kind())
            units.append(unit)
        unit.add(source, names, lines)
    for unit in units:
        unit.name = os.path.splitext(unit.sources[0].name)[0].replace("/", "-")
    return units


class Headers:
    """The files of the tree and of the build that a source reaches."""

    def __init__(self, include_folders):
        self.include_folders = include_folders
        self.known = {}

    def direct(self, path):
        if path not in self.known:
            found = []
            for name in re.findall(r'^\s*#\s*include\s+"([^"]+)"', read(path), re.MULTILINE):
                for folder in [os.path.dirname(path)] + self.include_folders:
                    header = os.path.normpath(os.path.join(folder, name))
                    if os.path.isfile(header):
                        found.append(header)
                        break
            self.known[path] = found
        return self.known[path]

    def reached(self, paths):
        seen, todo = set(), list(paths)
        while todo:
            path = todo.pop()
            if path not in seen:
                seen.add(path)
                todo += self.direct(path)
        return sorted(seen)


class Checker:
    def __init__(self, tidy, build, root):
        self.build = build
        self.folder = os.path.join(build, "tidy")
        self.config = os.path.join(root, ".clang-tidy")
        self.headers = Headers([os.path.join(root, "include"), os.path.join(build, "include")])
        self.version = subprocess.run([tidy, "--version"], check=True, capture_output=True,
                                      text=True).stdout
        own = "|".join(("include/evo",) + FOLDERS)
        self.command = [tidy, "--quiet", f"--config-file={self.config}",
                        f"--header-filter=^{re.escape(root)}/({own})/.*"]

    def key(self, unit):
        digest = hashlib.sha256()
        words = [self.version, read(self.config), *unit.flags(), *self.command]
        for path in self.headers.reached([source.path for source in unit.sources]):
            words += [path, read(path)]
        for word in words:
            digest.update(word.encode() + b"\0")
        return digest.hexdigest()

    def stamp(self, unit):
        return os.path.join(self.folder, unit.name + ".passed")

    def is_current(self, unit):
        try:
            return read(self.stamp(unit)) == self.key(unit)
        except OSError:
            return False

    def run(self, name, sources, flags):
        """Whether sources have no finding, whether they do not compile in one file, and the
        findings."""
        path = os.path.join(self.folder, name + ".cpp")
        with open(path, "w", encoding="utf-8") as file:
            file.write("// NOLINTBEGIN(bugprone-suspicious-include)\n")
            for source in sources:
                file.write(f'#include "{source.path}"\n')
            file.write("// NOLINTEND(bugprone-suspicious-include)\n")
        done = subprocess.run(self.command + [path, "--", *flags[1:]], cwd=sources[0].folder,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              check=False)
        # What clang-tidy says of warnings that it left out is no finding.
        passed = done.returncode == 0
        text = done.stdout or done.stderr
        if passed or len(sources) == 1 or "clang-diagnostic-error" not in text:
            return passed, False, "" if passed else text
        middle = len(sources) // 2
        halves = [self.run(f"{name}-{i}", half, flags)
                  for i, half in enumerate((sources[:middle], sources[middle:]))]
        return all(half[0] for half in halves), True, "".join(half[2] for half in halves)

    def check(self, unit):
        passed, split, text = self.run(unit.name, unit.sources, unit.flags())
        if passed:
            with open(self.stamp(unit), "w", encoding="utf-8") as file:
                file.write(self.key(unit))
        return passed, split, text


def count_jobs():
    jobs = len(os.sched_getaffinity(0))
    try:
        free = re.search(r"MemAvailable:\s*(\d+)", read("/proc/meminfo"))
    except OSError:
        free = None
    return max(1, min(jobs, int(free[1]) // MEMORY_OF_A_JOB) if free else jobs)


def find_sources(build, root):
    found = {}
    for entry in json.loads(read(os.path.join(build, "compile_commands.json"))):
        name = os.path.relpath(entry["file"], root)
        if name.split("/")[0] in FOLDERS:
            found[name] = Source(entry, root)
    return [found[name] for name in sorted(found)]


def main(tidy, build, root):
    build, root = os.path.abspath(build), os.path.abspath(root)
    sources = find_sources(build, root)
    if not sources:
        print(f"check-tidy: '{build}' compiles nothing of '{root}'", file=sys.stderr)
        return 3
    units = make_units(sources)
    checker = Checker(tidy, build, root)
    todo = [unit for unit in units if not checker.is_current(unit)]
    todo.sort(key=lambda unit: -unit.lines)
    os.makedirs(checker.folder, exist_ok=True)
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(count_jobs()) as pool:
        jobs = {pool.submit(checker.check, unit): unit for unit in todo}
        for job in concurrent.futures.as_completed(jobs):
            passed, split, text = job.result()
            unit = jobs[job]
            names = " ".join(source.name for source in unit.sources)
            if split:
                print(f"note: in halves, since they do not compile in one file: {names}")
            if not passed:
                failures += 1
                print(text, end="")
            print(f"{'ok' if passed else 'FAILED'} {names}", flush=True)
    print(f"check-tidy: {len(sources)} sources in {len(units)} units, "
          f"{len(units) - len(todo)} unchanged, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        print(__doc__, file=sys.stderr)
        sys.exit(3)
    sys.exit(main(*sys.argv[1:]))
