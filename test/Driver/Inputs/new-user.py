"""What somebody does who has a kernel, README.md and --help, and nothing else.

usage: new-user.py README KERNEL FOLDER

Each command is one that README.md, the help of its verb or an answer before it names.
Prints a line for each step.
"""
import json
import os
import re
import signal
import subprocess
import sys

readme, kernel, folder = sys.argv[1:]
with open(readme, encoding="utf-8") as file:
    told = file.read()


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return done.returncode, done.stdout, done.stderr


def look_up(*command):
    """Whether what the command is made of stands where a user looks."""
    verb = command[1]
    _, usage, _ = run("evo-opt", verb, "--help")
    assert f"`evo-opt {verb} " in told, verb
    for word in command:
        if word.startswith("-"):
            assert re.search(rf"^  {word}\b", usage, re.M), (word, usage)
    return command


def path(name):
    return os.path.join(folder, name)


code, _, errors = run(*look_up("evo-opt", "optimize", kernel, "-o", path("out")))
assert code == 3 and "'evo-opt contract' drafts one" in errors, (code, errors)
print("without header lines: exit code 3, and the verb that drafts them")

code, _, errors = run(*look_up("evo-opt", "contract", kernel, "-o", path("mine.cu")))
assert code == 0 and not errors, (code, errors)
print("drafted")

command = look_up("evo-opt", "optimize", path("mine.cu"), "-o", path("out"), "--journal",
                  path("journal"), "--budget", "5", "--no-gpu", "--jobs", "1")
process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                           start_new_session=True)
seen = 0
for line in process.stderr:
    seen += line.startswith("[")
    if seen == 2:
        break
os.killpg(process.pid, signal.SIGKILL)
process.communicate()
assert seen == 2, seen
code, printed, errors = run(*command)
assert code == 0, (code, errors)
resumed = re.search(r"^resuming run 1: ([2-5]) of 5 candidates \(seed \d+\)$", errors, re.M)
assert resumed and len(re.findall(r"^\[", errors, re.M)) == 5 - int(resumed[1]), errors
print("killed, resumed and ended")

found = re.search(r"^the winner to read is (.*); '(evo-opt report .*) PAGE\.html' shows the search$",
                  printed, re.M)
assert found, printed
with open(found[1], encoding="utf-8") as file:
    winner = file.read()
with open(path("out/report.json"), encoding="utf-8") as file:
    best = json.load(file)["best"]
for words in ("Winner of a search by evo-opt", best, "Graded ", "Estimated: "):
    assert words in winner, (words, winner[:2000])
code, printed, errors = run(*look_up("evo-opt", "verify", path("mine.cu"), found[1]))
assert code == 0, (code, printed, errors)
print("the winner's source: found, read, and accepted once more")

page = path("page.html")
code, _, errors = run(*look_up(*found[2].split(), page))
assert code == 0 and not errors, (code, errors)
with open(page, encoding="utf-8") as file:
    text = file.read()
for words in ("Best over time", "Winner", "Roofline", "Candidates and their lineage"):
    assert f"<h2>{words}</h2>" in text, words
print("the page: made by the command that the search named")
