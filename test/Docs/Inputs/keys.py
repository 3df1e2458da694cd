# keys.py PAGE SOURCE: whether each key that the source gives evidence stands in the
# table of keys on the page.
import re
import sys

page_path, source_path = sys.argv[1:]
with open(page_path) as file:
    rows = re.findall(r"^\| (`[^|]*) \|", file.read(), re.MULTILINE)
named = {key for row in rows for key in re.findall(r"`(\w+)`", row)}
with open(source_path) as file:
    emitted = set(re.findall(r'\b(?:number|count|text|attribute)\(\s*"(\w+)"', file.read()))
missing = sorted(emitted - named)
print("\n".join(f"the page has no {key}" for key in missing)
      or f"{len(emitted)} keys in step")
sys.exit(bool(missing or not emitted))
