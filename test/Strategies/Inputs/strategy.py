"""Leads a search by one strategy through recorded answers, and prints what each of its
operators sent.

usage: strategy.py SOURCE FOLDER STRATEGY BUDGET SEED [NUMBER...]

The answers, the estimates and the kernels of an archive are written by hand, as test
data: the same for all strategies, in candidates.md and corrections.md, so that what
differs between two tests is what was asked. They are laid out as a recording, which
`evo-opt optimize --proposer replay` then goes through; what it sent stands in its
journal. NUMBERs say which candidate the answers hold, in turn (default: all of them).

A line an operator:
    NAME: parents COUNTS[, slowest first]; shows WHAT; rationales at most N; failures
    told|not told; other kernels N
and a line for each other kind of request. Every request must end in the instruction of
an operator of the strategy, and show its parents with what the strategy lets out.
"""
import collections
import hashlib
import json
import os
import re
import subprocess
import sys

source, folder, name, budget, seed, *numbers = sys.argv[1:]
here = os.path.dirname(os.path.abspath(__file__))
kernel = os.path.join(here, "scale.cu")
with open(os.path.join(source, "strategies", name + ".json")) as file:
    strategy = json.load(file)


def read(file):
    """The candidates of a file, whole, and the code of each by its name."""
    text = open(os.path.join(here, file)).read()
    whole = ["## " + part for part in re.split(r"^## ", text, flags=re.M)[1:]]
    code = {part[3:].split("\n")[0]: part.split("```cuda\n")[1].split("```")[0]
            for part in whole}
    return whole, code


candidates, code = read("candidates.md")
corrections, corrected = read("corrections.md")
if numbers:
    candidates = [candidates[int(number)] for number in numbers]

# Microseconds, registers, bytes of shared memory, microjoules: made up.
FACTS = {
    "baseline": (40, 12, 0, 900), "wide": (35, 12, 0, 880), "vectors": (12, 20, 0, 400),
    "pairs": (30, 14, 0, 700), "strides": (25, 40, 0, 600), "staged": (33, 16, 1024, 950),
    "sums": (28, 40, 0, 500), "through-a-buffer": (60, 12, 0, 1800),
    "through-a-buffer-too": (58, 12, 0, 1700), "streams": (14, 10, 0, 300),
    "fours": (18, 24, 0, 420), "half-vectors": (16, 16, 0, 410),
    "much-shared": (45, 70, 32768, 990), "corrected": (34, 12, 0, 870),
    "corrected-again": (31, 12, 0, 860), "corrected-at-last": (32, 12, 0, 865)}

#
# The recording.
#

lines = open(kernel).read().strip().split("\n")
header = lines[0] + "\n" + lines[2] + "\n"


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:32]


task = digest(header + "\ncuda\n" + "\n".join(lines))
recording = os.path.join(folder, "recording")
os.makedirs(recording)


def write(file, value):
    with open(os.path.join(recording, file), "w") as target:
        json.dump(value, target, indent=1)


def record(request, stage, text):
    write("%s-%s.json" % (request.replace("/", "-"), stage),
          {"format": 1, "requestHash": "", "number": 0,
           "request": {"id": request, "stage": stage, "task": task},
           "answer": {"text": text, "model": "written by hand", "origin": "test",
                      "finishReason": "stop"}})


for title, (micros, registers, shared, energy) in FACTS.items():
    text = "options\0" if title == "baseline" else (
        "cuda\0" + {**code, **corrected}[title])
    write("facts-%s.json" % digest(header + "\0" + text + "\0"),
          {"format": 1, "estimatedMicros": [micros], "measuredMicros": [],
           "profile": [["registers per thread of scale", str(registers)],
                       ["bytes of shared memory per block of scale", str(shared)],
                       ["energy_microjoules (estimated)", str(energy)]]})
each = strategy.get("perRequest", 4)
for at in range(int(budget)):
    symbol = "scale/m%d" % at
    given = [candidates[(at + i) % len(candidates)] for i in range(each)]
    record(symbol, "propose", "\n".join(given))
    record(symbol, "repair", "\n".join(corrections[:2] if each > 1 else
                                       [corrections[at // 4 % len(corrections)]]))
    # The model finds what does not build in its first answer, and nothing later.
    record(symbol + ".reflect", "reflect",
           "\n".join(corrections[1] if "misspelt\n" in part else part for part in given)
           if at == 0 else "Nothing to correct.")
    for judge in strategy.get("judges", []):
        record("%s.judge-%s" % (symbol, judge), "judge",
               "It forgets the last element.\nscore: 2" if at == 4 else "score: 8")
    record("scale/notes-%d" % at, "notes", "- wide accesses help, after %d" % at)
    write("elsewhere-%s.json" % digest(symbol),
          {"format": 1, "programs": [
              {"kernel": other, "candidate": "m7", "language": "cuda",
               "code": "__global__ void %s();" % other, "rationale": "in one pass",
               "speedup": 2.5} for other in ("shift", "add")]})

#
# The search.
#


def search(out, jobs):
    subprocess.run(["evo-opt", "optimize", kernel, "--effort=quick", "--confirm=none",
                    "--proposer", "replay",
                    "--replay-match", "task", "--replay-dir", recording, "--strategy", name,
                    "--budget", budget, "--seed", seed, "--no-gpu", "--jobs", jobs,
                    "--journal", out + ".journal", "-o", out], check=True,
                   stdout=subprocess.PIPE)
    text = subprocess.run(["evo-opt", "journal", out + ".journal", "--trajectories"],
                          check=True, stdout=subprocess.PIPE, text=True).stdout
    with open(os.path.join(out, "best.mlir")) as file:
        return [json.loads(line) for line in text.splitlines()], file.read()


asked, found = search(os.path.join(folder, "out"), "2")
proposals = {}
for line in found.splitlines():
    match = re.match(r' *evo.proposal @(\w+) "(\w+)" "((?:[^"\\]|\\.)*)"', line)
    if match:
        proposals[match[1]] = line
times, generations = {"baseline": FACTS["baseline"][0]}, {"baseline": -1}
for symbol, line in proposals.items():
    title = re.search(r' because "([\w-]+): ', line)
    if title and title[1] in FACTS and " failed at " not in line:
        times[symbol] = FACTS[title[1]][0]
    if symbol != "baseline":
        generations[symbol] = int(re.search(r"evo.generation = (\d+)", line)[1])

#
# What was sent.
#

instructions = {}
for operator in strategy["operators"]:
    path = os.path.join(source, "prompts", "operator-%s.mustache" % operator["name"])
    if os.path.exists(path):
        instructions[open(path).read().strip()] = operator["name"]


def section(text, title):
    match = re.search(r"^# " + title + r".*?\n(.*?)(?=^# |\Z)", text, re.M | re.S)
    return match[1] if match else ""


sent = collections.defaultdict(lambda: {
    "parents": set(), "ordered": True, "several": False, "shows": set(), "recalled": 0,
    "failures": False, "elsewhere": 0})
others = collections.Counter()
for request in asked:
    text = request["prompt"][-1]["text"]
    if request["stage"] != "propose":
        others[request["stage"]] += 1
        if request["stage"] == "repair":
            assert "These candidates failed" in text, text
        continue
    wanted = section(text, "What is wanted now")
    operator = [value for key, value in instructions.items() if wanted.startswith(key)]
    assert len(operator) == 1, wanted
    symbol = request["request"].split("/")[1]
    assert 'evo.operator = "%s"' % operator[0] in proposals[symbol], proposals[symbol]
    entry = sent[operator[0]]
    parents = re.findall(r"^## (\S+)", section(text, "Parents"), re.M)
    assert len(set(parents)) == len(parents), parents
    entry["parents"].add(len(parents))
    if len(parents) > 1:
        entry["several"] = True
        known = [times[parent] for parent in parents]
        entry["ordered"] &= known == sorted(known, reverse=True)
    best = re.search(r"^# The best so far: (\S+)", text, re.M)
    programs = section(text, "The best so far") + section(text, "Parents")
    if best:
        entry["shows"].add("best")
        assert times[best[1]] == min(
            time for other, time in times.items()
            if generations[other] < generations[symbol]), (symbol, best[1])
    for word, mark in (("time", " us (estimated) |"), ("evidence", "Checked: "),
                       ("profile", "Profile:\n"), ("rationale", "Idea: "),
                       ("energy", "energy_microjoules")):
        if mark in programs:
            entry["shows"].add(word)
    recalled = len(re.findall(r"^- ", section(text, "What was learnt on the way"), re.M))
    entry["recalled"] = max(entry["recalled"], recalled)
    entry["failures"] |= "# What failed before" in text
    entry["elsewhere"] = max(entry["elsewhere"], len(re.findall(
        r"^## (?:shift|add),", section(text, "Kernels of other tasks"), re.M)))

for operator, entry in sorted(sent.items()):
    order = ["best", "time", "evidence", "profile", "energy", "rationale"]
    print("%s: parents %s%s; shows %s; learnt %d; failures %s; other kernels %d" % (
        operator, " ".join(map(str, sorted(entry["parents"]))),
        ", slowest first" if entry["several"] and entry["ordered"] else "",
        " ".join(word for word in order if word in entry["shows"]) or "nothing",
        entry["recalled"], "told" if entry["failures"] else "not told",
        entry["elsewhere"]))
for stage, count in sorted(others.items()):
    print("%s: %d requests" % (stage, count))
for operator in sorted({operator["name"] for operator in strategy["operators"]} - set(sent)):
    made = [symbol for symbol, line in proposals.items()
            if 'evo.operator = "%s"' % operator in line]
    accepted = [symbol for symbol in made if re.search(
        r'evo.variant @%s.v .*evidence <(?:exact|algebraic|numeric)' % symbol, found)]
    print("%s: asked nobody, %d of %d accepted" % (operator, len(accepted), len(made))
          if made else "%s: not drawn" % operator)
islands = set(re.findall(r"evo.island = (\d+)", found))
if islands:
    print("islands: %d" % len(islands))

# Where several are evaluated, or judged, at a time: the same again, one at a time.
if each > 1:
    again = search(os.path.join(folder, "again"), "1")
    assert again[1] == found
    assert [entry["prompt"] for entry in again[0]] == [entry["prompt"] for entry in asked]
    print("twice the same")
