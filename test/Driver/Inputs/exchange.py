"""A search by exchange that is killed while it waits for an answer.

usage: exchange.py FOLDER ANSWER COMMAND...

Starts COMMAND --budget 2 with a journal and a folder of requests in FOLDER, kills it once
there is a request, answers that, and starts it again with --budget 8: it must take the
answer to the question that was open, not ask it anew for more candidates.
"""
import os
import signal
import subprocess
import sys
import time

folder, answer, *command = sys.argv[1:]
os.mkdir(folder)
exchange = os.path.join(folder, "exchange")


def start(budget, timeout):
    return subprocess.Popen(
        [*command, "--proposer", "exchange", "--exchange-dir", exchange, "--journal",
         os.path.join(folder, "journal"), "-o", os.path.join(folder, "out"), "--budget",
         str(budget), "--exchange-timeout", str(timeout)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)


def requests():
    names = os.listdir(exchange) if os.path.isdir(exchange) else []
    return sorted(name for name in names if name.endswith(".request.json"))


process = start(2, 600)
while not requests():
    assert process.poll() is None, process.communicate()[0]
    time.sleep(0.05)
os.killpg(process.pid, signal.SIGKILL)
process.communicate()
open_ones = requests()
assert len(open_ones) == 1, open_ones
with open(answer) as text:
    content = text.read()
with open(os.path.join(exchange, open_ones[0].replace("request.json", "answer.md")), "w") as file:
    file.write(content)
process = start(8, 2)
text = process.communicate()[0]
assert "resuming run 1: 1 of 8 candidates (seed " in text, text
assert "[2/8] m0: " in text, text
# The next question is another one.
assert len(requests()) == 2 and open_ones[0] in requests(), requests()
print("the answer to the open question was taken, exit code", process.returncode)
