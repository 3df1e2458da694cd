# usage: kill-worker.py once|always COMMAND...
# Starts a command, lets it report a candidate, and kills its workers as they come: the
# first, or every one. Prints how the command ended and how many it killed.
import os
import signal
import subprocess
import sys
import time

from processes import children

limit = {"once": 1, "always": 1000}[sys.argv[1]]
process = subprocess.Popen(sys.argv[2:], stderr=subprocess.PIPE)
if not process.stderr.readline().startswith(b"["):
    sys.exit("ended before a candidate was reported")
os.set_blocking(process.stderr.fileno(), False)
rest, killed = b"", set()
while process.poll() is None:
    rest += process.stderr.read() or b""
    for worker in set(children(process.pid)) - killed:
        if len(killed) < limit:
            killed.add(worker)
            os.kill(worker, signal.SIGKILL)
    time.sleep(0.001)
rest += process.stderr.read() or b""
sys.stdout.buffer.write(rest)
print("ended with %d, %d killed" % (process.returncode, len(killed)))
