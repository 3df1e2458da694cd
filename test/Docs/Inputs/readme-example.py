"""Holds README.md's "Before and after" against the kernel's file and a run.

usage: readme-example.py README KERNEL FOLDER_OF_OPTIMIZE
"""
import json
import pathlib
import re
import sys

readme = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
folder = pathlib.Path(sys.argv[3])

# What comes before: lines of the file, in their order, next to each other but for "...".
source = pathlib.Path(sys.argv[2]).read_text(encoding="utf-8").splitlines()
at, elided = -1, True
for line in re.search(r"```cuda\n(.*?)```", readme, re.S)[1].splitlines():
    if line.strip() == "...":
        elided = True
        continue
    assert line in source[at + 1:], f"not in the kernel's file: {line.strip()}"
    place = source.index(line, at + 1)
    assert elided or place == at + 1, f"lines are left out before: {line}"
    at, elided = place, False
assert at >= 0
print("the kernel is as its file has it")

shown = re.search(r"```mlir\n(.*?)```", readme, re.S)[1]
report = json.loads((folder / "report.json").read_text())
made = (folder / "best.mlir").read_text()

# Its number is that of its turn, which hangs on the budget.
name = report["best"]
variant = re.search(rf"evo\.variant @{re.escape(name)} of.*?(?=\n    evo\.variant|\Z)", made, re.S)[0]
head, _, body = variant.partition("\n")
for part in re.findall(r'origin <"[^"]*">|evidence <\w+|\w+ = "\d+"', shown.partition("\n")[0]):
    assert part in head, (part, head)
launch = re.search(r'evo\.launch \S+ grid \[.*?\] block \[.*?\]', shown)[0]
assert launch in body, launch
load = re.search(r"llvm\.load \S+ (\{.*)", shown)[1]
assert load in body, load
print("the winner is as README.md shows it")
