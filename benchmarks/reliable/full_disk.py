"""A disk that is full, at every write of a search.

Everything that a search writes lies on a small file system of its own (tmpfs): its folder,
its journal, what it records and its temporary files. A file takes all room but some pages.
With ever more of these left, each write in turn is the first that finds none. Each time
the search ends with its reason and no signal, leaves no file that is half of one, and
leaves the earlier results or better ones; with room again it goes on to the end.
"""
import contextlib
import glob
import json
import os
import shutil
import subprocess
import sys
import threading
import time

from .runs import Journal, Workplace
from .server import ModelServer

PAGE = 4096
ROOM = 16 << 20  # of the file system; results have 8 MiB of it reserved
BUDGET = 3
ABOUT_ROOM = ("No space left", "disk is full", "no room", "database or disk", "disk I/O",
              "it is full")


def fill(path, left):
    """Takes all room of the file system but `left` bytes."""
    free = os.statvfs(os.path.dirname(path))
    free = free.f_bavail * free.f_frsize - left
    descriptor = os.open(path, os.O_CREAT | os.O_WRONLY)
    try:
        if free > 0:
            os.posix_fallocate(descriptor, 0, free)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def neighbour(small, is_there, reserved):
    """One who takes all room, again and again, once the search has reserved its own."""
    ended = threading.Event()

    def take():
        number = 0
        while not ended.wait(0.002):
            with contextlib.suppress(OSError):
                if os.path.getsize(reserved) or number:
                    number += 1
                    fill(os.path.join(small, f"filler-{number}"), 0)
    thread = threading.Thread(target=take if is_there else lambda: None)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        for path in glob.glob(os.path.join(small, "filler-*")):
            os.remove(path)


class Case:
    """`place` is on the small file system; `apart` are what lies elsewhere."""

    def __init__(self, place, pages, where):
        self.place, self.pages, self.where = place, pages, where

    def __str__(self):
        return f"{self.where}, {self.pages} pages left"

    def command(self, server, small, large):
        def path(name):
            here = self.where in ("all", GREEDY, name)
            return os.path.join(small if here else large, name)
        self.out, self.records, self.temporary = path("out"), path("records"), path("temporary")
        self.journal = path("journal")
        os.makedirs(self.temporary, exist_ok=True)
        return [self.place.tool, "optimize", self.place.path("scale.cu"), "-o", self.out,
                "--journal", self.journal, "--no-gpu", "--jobs", "1", "--seed", "3", "--budget",
                str(BUDGET), *self.place.model(server.url, "--record", self.records)]

    def run(self, small, large):
        server = ModelServer()
        try:
            command = self.command(server, small, large)
            fill(os.path.join(small, "filler"), self.pages * PAGE)
            with neighbour(small, self.where == GREEDY, os.path.join(self.out, ".evo-run")):
                code, text = self.search(command)
            assert code in (0, 4), f"exit code {code}: {text[-800:]}"
            if code == 4:
                assert any(words in text for words in ABOUT_ROOM), \
                    "that there is no room is not said: " + text[-800:]
            self.check_files()
            os.remove(os.path.join(small, "filler"))
            if code == 4:
                before = self.journaled()
                again, text = self.search(command)
                assert again == 0, f"with room again, exit code {again}: {text[-800:]}"
                after = self.journaled()
                assert after[:len(before)] == before and len(set(after)) == len(after) == BUDGET, \
                    f"had {before}, has {after}"
            return code
        finally:
            server.close()

    def search(self, command):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env=self.place.environment(TMPDIR=self.temporary), timeout=120,
                              errors="replace", check=False)
        return done.returncode, done.stdout

    def journaled(self):
        return Journal(self.place.tool, self.journal).candidates

    def check_files(self):
        for folder in (self.out, self.records):
            for name in os.listdir(folder) if os.path.isdir(folder) else []:
                path = os.path.join(folder, name)
                if name.endswith(".json"):
                    with open(path, encoding="utf-8") as file:
                        json.load(file)
                if os.path.isfile(path):
                    assert os.path.getsize(path), f"{path} is empty"
        report = os.path.join(self.out, "report.json")
        if os.path.exists(report) and os.path.exists(os.path.join(self.out, "best.ptx")):
            with open(report, encoding="utf-8") as file:
                assert json.load(file)["best"], "best.ptx without a best"


RESERVED = 2048  # pages, before anything is tried
GREEDY = "all, beside one who takes what is given back"
NEIGHBOURS = 30  # searches beside one


def cases():
    """What lies on the small file system, and the pages that are left there."""
    end = ROOM // PAGE
    for where, numbers in (("all", [0, 1, RESERVED - 1, *range(RESERVED, end)]),
                           ("out", [0, 1, RESERVED - 1, *range(RESERVED, end)]),
                           ("journal", range(end)), ("records", range(end)),
                           ("temporary", range(end)),
                           (GREEDY, [RESERVED + 4 * step for step in range(NEIGHBOURS)])):
        for pages in numbers:
            yield where, pages


def inside(tool, folder, wanted, deadline, counts, failures):
    """In a mount name space of its own."""
    small, large = os.path.join(folder, "small"), os.path.join(folder, "large")
    os.makedirs(small, exist_ok=True)
    place = Workplace(tool, os.path.join(folder, "place"))
    done = dict(counts.get("done", {}))  # by where: up to which number of pages
    well = dict(counts.get("well", {}))  # by where: searches in a row that found room enough
    for where, pages in cases():
        if time.monotonic() > deadline or counts["cases"] >= wanted:
            break
        if pages <= done.get(where, -1) or well.get(where, 0) >= 3:
            continue
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={ROOM}", "none", small], check=True)
        case = Case(place, pages, where)
        try:
            code = case.run(small, large)
            counts["ended well" if code == 0 else "ended with a reason"] += 1
            well[where] = well.get(where, 0) + 1 if code == 0 and where != GREEDY else 0
        except AssertionError as error:
            failures.append(f"{case}: {error}")
        finally:
            subprocess.run(["umount", small], check=True)
            shutil.rmtree(large, ignore_errors=True)
        counts["cases"] += 1
        done[where] = pages
    else:
        counts["at"] = "each write"
    counts["done"], counts["well"] = done, well


def run(tool, folder, wanted, seconds, counts, failures):
    for key in ("cases", "ended well", "ended with a reason"):
        counts.setdefault(key, 0)
    state = os.path.join(folder, "disk.json")
    with open(state, "w", encoding="utf-8") as file:
        json.dump([counts, failures], file)
    # Only root may mount, if of a name space of its own.
    done = subprocess.run(["unshare", "-rm", sys.executable, "-m", "reliable.full_disk", tool,
                           folder, str(wanted), str(seconds), state],
                          cwd=os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."),
                          stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        counts["could not be run"] = done.stderr.strip().rsplit("\n", 1)[-1]
        return
    with open(state, encoding="utf-8") as file:
        counts_after, failures_after = json.load(file)
    counts.update(counts_after)
    failures[:] = failures_after


def main():
    tool, folder, wanted, seconds, state = sys.argv[1:]
    with open(state, encoding="utf-8") as file:
        counts, failures = json.load(file)
    inside(tool, folder, int(wanted), time.monotonic() + float(seconds), counts, failures)
    with open(state, "w", encoding="utf-8") as file:
        json.dump([counts, failures], file)


if __name__ == "__main__":
    main()
