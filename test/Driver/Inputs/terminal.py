"""Runs a command on a terminal, and prints what it wrote there with control characters by
name. usage: terminal.py [--columns N] [--all] COMMAND...

The terminal is standard error; with --all standard output, too. Of each line that takes the
place of another one it prints a line of its own, <over> first; of equal ones in a row one.
"""
import fcntl
import os
import re
import struct
import subprocess
import sys
import termios

words, columns, everything = sys.argv[1:], 200, False
while words[0].startswith("--"):
    if words[0] == "--columns":
        columns = int(words[1])
        del words[:2]
    else:
        everything = True
        del words[:1]
own, theirs = os.openpty()
fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
environment = {**os.environ, "TERM": os.environ.get("EVO_TEST_TERM", "xterm")}
environment.pop("COLUMNS", None)
process = subprocess.Popen(words, stderr=theirs, env=environment,
                           stdout=theirs if everything else subprocess.DEVNULL)
os.close(theirs)
data = b""
while True:
    try:
        part = os.read(own, 4096)
    except OSError:  # the other side is closed
        break
    if not part:
        break
    data += part
text = data.decode().replace("\r\n", "\n").replace("\r\x1b[K", "\n<over>")
text = re.sub(r"[\x00-\x09\x0b-\x1f\x7f]", lambda match: "<%02x>" % ord(match[0]), text)
last = None
for line in text.split("\n"):
    if line and line != last and line != "<over>":
        print(line)
        last = line
sys.exit(process.wait())
