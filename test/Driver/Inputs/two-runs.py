"""Two runs of one search on one journal: the second is told of the first, and the first
is not harmed. usage: two-runs.py KERNEL FOLDER"""
import os
import signal
import sqlite3
import subprocess
import sys
import time

kernel, folder = sys.argv[1:]
journal = os.path.join(folder, "journal")


def start(out, *more):
    return subprocess.Popen(["evo-opt", "optimize", kernel, "-o", os.path.join(folder, out),
                             "--journal", journal, "--seed", "1", "--no-gpu", "--jobs", "1",
                             "--confirm=none",
                             *more], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True)


def under_way():
    """Whether a run has said what it is of, which it does once it holds its lock: the
    lock's file is there a moment earlier."""
    try:
        with sqlite3.connect(f"file:{journal}?mode=ro", uri=True) as database:
            said = database.execute("SELECT count(*) FROM run WHERE source <> ''")
            return said.fetchone()[0] == 1
    except sqlite3.OperationalError:
        return False


first = start("first", "--budget", "40")
while not under_way():
    assert first.poll() is None, first.communicate()[0]
    time.sleep(0.01)
os.kill(first.pid, signal.SIGSTOP)  # it is under way, however fast it is
second = start("second", "--budget", "2")
text = second.communicate()[0]
assert second.returncode == 4 and "under way in another process" in text, text
assert "UNIQUE" not in text and "resuming" not in text, text
print("the second: exit code", second.returncode)
other = start("other", "--budget", "1", "--seed", "2")
text = other.communicate()[0]
assert other.returncode == 0, text
print("another search: exit code", other.returncode)
os.kill(first.pid, signal.SIGKILL)
first.communicate()
assert os.path.exists(journal + "-run1")
again = start("first", "--budget", "2")
text = again.communicate()[0]
assert again.returncode == 0, text
assert sorted(name for name in os.listdir(folder) if name.startswith("journal-run")) == [], text
print("after a kill: exit code", again.returncode)
