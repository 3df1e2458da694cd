# usage: candidate.py limit|orphans COMMAND...
# Starts a command and waits for the process of a candidate. limit: prints how many seconds
# of a processor that one has, and ends the command. orphans: kills the command alone, and
# prints what becomes of its worker and of the candidate.
import os
import signal
import subprocess
import sys
import time

from processes import children, status

process = subprocess.Popen(sys.argv[2:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def limit(candidate):
    """The bound on its processor time, once it has set its own."""
    try:
        with open("/proc/%d/limits" % candidate) as file:
            lines = [line.split() for line in file if line.startswith("Max cpu time")]
    except OSError:
        return None
    return lines[0][3] if lines and lines[0][3] != "unlimited" else None


def find():
    """A worker and its candidate."""
    while process.poll() is None:
        for worker in children(process.pid):
            for candidate in children(worker):
                if limit(candidate):
                    return worker, candidate
        time.sleep(0.001)
    sys.exit("ended without a candidate")


worker, candidate = find()
if sys.argv[1] == "limit":
    print("seconds of a processor: %s" % limit(candidate))
    process.terminate()
    process.wait()
    sys.exit()
os.kill(candidate, signal.SIGSTOP)  # it would take its time
process.kill()
process.wait()
end = time.monotonic() + 60  # a guard
while time.monotonic() < end:
    left = [pid for pid in (worker, candidate) if status(pid) and status(pid)[0] not in "ZX"]
    if not left:
        break
    time.sleep(0.01)
print("left behind: %d" % len(left))
