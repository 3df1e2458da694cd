# keys.py PAGE SOURCES: whether each key that the sources give evidence stands in the
# table of keys on the page.
import os
import re
import sys

page_path, folder = sys.argv[1:]
with open(page_path) as file:
    rows = re.findall(r"^\| (`[^|]*) \|", file.read(), re.MULTILINE)
named = {key for row in rows for key in re.findall(r"`(\w+)`", row)}
emitted = set()
for name in sorted(os.listdir(folder)):
    with open(os.path.join(folder, name)) as file:
        emitted |= set(re.findall(r'(?:details\.append|number|listBranches)\(\s*"(\w+)"',
                                  file.read()))
missing = sorted(emitted - named)
print("\n".join(f"the page has no {key}" for key in missing)
      or f"{len(emitted)} keys in step")
sys.exit(bool(missing or not emitted))
