# Starts a command, lets it report some candidates, stops the process of the next
# one, so that it is surely in flight, and sends the command SIGINT (or what is
# asked for). Prints how it ended and how many candidates it reported after that.
import os
import signal
import subprocess
import sys
import time

from processes import children, status


def stop_candidate(tool):
    """Stops the worker's child; it may end while we look."""
    while tool.poll() is None:
        for worker in children(tool.pid):
            for candidate in children(worker):
                try:
                    os.kill(candidate, signal.SIGSTOP)
                except ProcessLookupError:
                    continue
                while status(candidate) and status(candidate)[0] not in "TZX":
                    time.sleep(0.001)
                if status(candidate) and status(candidate)[0] == "T":
                    return
        time.sleep(0.001)
    sys.exit("ended by itself")


name, want, command = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
process = subprocess.Popen(command, stderr=subprocess.PIPE)
for _ in range(want):
    if not process.stderr.readline().startswith(b"["):
        sys.exit("ended before %d candidates" % want)
stop_candidate(process)
os.set_blocking(process.stderr.fileno(), False)
process.stderr.read()
os.set_blocking(process.stderr.fileno(), True)
process.send_signal(getattr(signal, name))
try:
    _, rest = process.communicate(timeout=300)  # a guard, if it never ends
except subprocess.TimeoutExpired:
    process.kill()
    sys.exit("does not end after %s" % name)
print("ended with %d, %d candidates later" % (process.returncode, rest.count(b"\n")))
