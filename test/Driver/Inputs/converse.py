"""Gives a command the first two lines of a file, each after the verdict on the one
before it.

usage: converse.py FILE COMMAND...
"""
import json
import subprocess
import sys

with open(sys.argv[1]) as file:
    lines = file.read().splitlines()[:2]
process = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                           text=True)
for line in lines:
    process.stdin.write(line + "\n")
    process.stdin.flush()
    verdict = json.loads(process.stdout.readline())
    if verdict["id"] != json.loads(line)["id"]:
        sys.exit("a verdict on something else: %s" % verdict)
process.stdin.close()
if process.stdout.read():
    sys.exit("more verdicts than candidates")
print("%d verdicts, one after the other, exit code %d" % (len(lines), process.wait()))
