# attacks.py PAGE TESTS UNITTESTS: whether the page on attacks has a row for each of
# the 42 and of those that came later, and whether each test that it names exists.
import os
import re
import sys

page_path, tests, unittests = sys.argv[1:]
with open(page_path) as file:
    page = file.read()
problems = []
rows = re.findall(r"^\| ([0-9, ]+) \|(.*)$", page, re.MULTILINE)
numbers = [int(n) for row, _ in rows for n in row.split(",")]
if numbers != list(range(1, max(42, len(numbers)) + 1)):
    problems.append(f"rows are numbered {numbers}")
sources = ""
for folder, _, files in os.walk(unittests):
    for name in files:
        if name.endswith("Test.cpp"):
            with open(os.path.join(folder, name)) as file:
                sources += file.read()
# Suites are named on the page without what follows in the source.
defined = {f"{suite.removesuffix('Test')}.{name}"
           for suite, name in re.findall(r"^TEST(?:_F)?\((\w+), (\w+)\)", sources, re.MULTILINE)}
for row, cells in rows:
    _, answer, named = cells.split("|")[:3]
    names = re.findall(r"`([^`]+)`", named)
    if not names and "open" not in answer and named.strip() != "the same":
        problems.append(f"{row}: names no test")
    for name in names:
        if name.endswith((".cu", ".test", ".mlir")):
            places = [os.path.join(tests, name), os.path.join(tests, "Verify", name),
                      os.path.join(tests, "Verify", "attacks", name)]
            if not any(map(os.path.exists, places)):
                problems.append(f"{row}: there is no test {name}")
        elif name not in defined:
            problems.append(f"{row}: there is no unit test {name}")
print("\n".join(problems) or "in step")
sys.exit(bool(problems))
