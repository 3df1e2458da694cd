"""Runs a command whose standard error is a terminal, and prints what it wrote there with
control characters by name. usage: terminal.py COMMAND..."""
import os
import subprocess
import sys

own, theirs = os.openpty()
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=theirs)
os.close(theirs)
text = b""
while True:
    try:
        part = os.read(own, 4096)
    except OSError:  # the other side is closed
        break
    if not part:
        break
    text += part
text = text.decode().replace("\r\x1b[K", "<return><clear>").replace("\r", "").replace("\n", "<line>\n")
print(text)
sys.exit(process.wait())
