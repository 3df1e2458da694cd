"""Gives a command a line, takes the answer, and ends it with a signal while it waits for
the next line.

usage: end.py SIGNAL LINE COMMAND...
"""
import signal
import subprocess
import sys

process = subprocess.Popen(sys.argv[3:], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                           text=True)
process.stdin.write(sys.argv[2] + "\n")
process.stdin.flush()
process.stdout.readline()
process.send_signal(getattr(signal, sys.argv[1]))
try:
    process.wait(timeout=60)  # a guard, if it never ends
    print("ended with %d" % process.returncode)
except subprocess.TimeoutExpired:
    process.kill()
    print("does not end")
