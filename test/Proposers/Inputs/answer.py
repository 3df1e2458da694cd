"""Answers the requests of an exchange folder while a command runs.

usage: answer.py FOLDER ANSWER... -- COMMAND...

The n-th request to appear gets the n-th ANSWER (a file) as its answer; a further
one gets none and the command is ended. Exits with the command's status.
"""
import os
import subprocess
import sys
import time

folder, *rest = sys.argv[1:]
split = rest.index("--")
answers, command = rest[:split], rest[split + 1:]
process = subprocess.Popen(command)
answered = set()
while process.poll() is None:
    names = os.listdir(folder) if os.path.isdir(folder) else []
    for name in sorted(names):
        if not name.endswith(".request.md") or name in answered:
            continue
        answered.add(name)
        if not answers:
            print("answer.py: more requests than answers", file=sys.stderr)
            process.terminate()
            break
        with open(answers.pop(0)) as source:
            text = source.read()
        path = os.path.join(folder, name[:-len(".request.md")] + ".answer.md")
        with open(path + ".part", "w") as target:
            target.write("<!-- model: test -->\n" + text)
        os.rename(path + ".part", path)
    time.sleep(0.02)
if answers:
    print("answer.py: %d answers were not asked for" % len(answers), file=sys.stderr)
    sys.exit(1)
sys.exit(process.returncode)
