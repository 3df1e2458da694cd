# examples.py PAGE ROOT SCRATCH: runs the commands of a page's examples, `$ command`
# with its output below, and compares them: the first line must be the same, and each
# key of the other lines must still be told. `name.cu` before a block of CUDA is a file;
# race.cu is fast.cu without its barrier.
import os
import re
import shlex
import subprocess
import sys

page_path, root, scratch = sys.argv[1:]
with open(page_path) as file:
    page = file.read()
os.makedirs(scratch, exist_ok=True)
for name, text in re.findall(r"`(\w+\.cu)`:\n\n```cuda\n(.*?)```", page, re.DOTALL):
    with open(os.path.join(scratch, name), "w") as file:
        file.write(text)
    if name == "fast.cu":
        with open(os.path.join(scratch, "race.cu"), "w") as file:
            file.write(re.sub(r".*__syncthreads.*\n", "", text))
failures = runs = 0
for command, output in re.findall(r"```\n\$ ([^\n]*)\n(.*?)```", page, re.DOTALL):
    words = [os.path.join(root, word) if word.startswith("examples/")
             else os.path.join(scratch, word) if word.endswith(".cu") else word
             for word in shlex.split(command)]
    found = subprocess.run(words, capture_output=True, text=True).stdout.split("\n")
    wanted = output.split("\n")
    runs += 1
    keys = {line.split(":")[0] for line in found[1:]}
    missing = [line for line in wanted[1:] if line.split(":")[0] not in keys]
    if found[0] != wanted[0] or missing:
        failures += 1
        print(f"{command}\n  wanted {wanted[0]}, found {found[0]}; missing: {missing}")
print(f"{runs} examples, {failures} differ")
sys.exit(failures > 0 or runs == 0)
