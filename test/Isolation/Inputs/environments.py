# usage: environments.py COMMAND...
# Runs a search, and reads what the kernel has of the environments of its process, of
# its workers and of their children, until it ends. Prints the names of the variables
# (of the search, of those that hold a key), and how many values of keys were found in
# workers and children.
import os
import subprocess
import sys
import time

sys.path.append(os.path.join(os.path.dirname(__file__), "..", "..", "Driver", "Inputs"))
from processes import children

keys = {name: value.encode() for name, value in os.environ.items()
        if name.endswith(("_API_KEY", "_TOKEN"))}


def environment(pid):
    try:
        with open("/proc/%d/environ" % pid, "rb") as file:
            return file.read()
    except OSError:
        return b""  # it has just ended


def names(text):
    return {entry.split(b"=")[0].decode() for entry in text.split(b"\0") if entry}


process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
search = b""
while not search and process.poll() is None:
    search = environment(process.pid)  # empty for a moment after exec
workers, candidates, found, seen = set(), set(), 0, set()


def look(pid, into):
    global found
    if pid in seen:
        return
    text = environment(pid)
    if not text:
        return
    seen.add(pid)
    into |= names(text)
    found += sum(value in text for value in keys.values())


while process.poll() is None:
    for worker in children(process.pid):
        try:
            with open("/proc/%d/cmdline" % worker, "rb") as file:
                started = b"\0worker\0" in file.read()
        except OSError:
            continue
        if not started:  # between fork and exec it is the search's own copy
            continue
        look(worker, workers)
        for candidate in children(worker):
            look(candidate, candidates)
    time.sleep(0.002)
print("of the search:", *sorted(names(search) & set(keys)))
print("of workers:", *sorted(workers))
print("of candidates:", *sorted(candidates))
print("keys below the search:", found)
print("ended with", process.returncode)
