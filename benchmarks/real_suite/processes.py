"""Runs a command and says what it took: time by the clock, processor time, and the
memory of all its processes together at the worst moment."""
import collections
import os
import signal
import subprocess
import tempfile
import time

INTERVAL = 0.05  # seconds between two looks at the memory

# `code` is negative for a signal; `late` means that it was ended at its time limit.
Ended = collections.namedtuple("Ended", "code out err seconds processor peak late")


def _tree(root):
    """The living processes that descend from `root`, and itself."""
    found, open_ = [], [root]
    while open_:
        pid = open_.pop()
        found.append(pid)
        try:
            for thread in os.listdir(f"/proc/{pid}/task"):
                with open(f"/proc/{pid}/task/{thread}/children", encoding="ascii") as file:
                    open_ += map(int, file.read().split())
        except OSError:  # it has just ended
            pass
    return found


def _resident(pid):
    """Bytes of a process in memory; of pages that forks share, its part."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
            for line in file:
                if line.startswith("Pss:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def _end(pids):
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def run(command, seconds, environment=None):
    """Runs `command` for `seconds` at most, then ends it and all that it started."""
    start, peak, late = time.monotonic(), 0, False
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                              env=environment) as process:
            while True:
                pid, status, usage = os.wait4(process.pid, os.WNOHANG)
                if pid:
                    break
                tree = _tree(process.pid)
                peak = max(peak, sum(map(_resident, tree)))
                if not late and time.monotonic() - start > seconds:
                    late = True
                    _end(tree)
                time.sleep(INTERVAL)
            process.returncode = os.waitstatus_to_exitcode(status)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
    peak = max(peak, usage.ru_maxrss * 1024)  # of its largest process; it may be short-lived
    return Ended(process.returncode, *texts, time.monotonic() - start,
                 usage.ru_utime + usage.ru_stime, peak, late)
