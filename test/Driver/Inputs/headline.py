"""headline.py TABLE: whether the last line of what `optimize` prints has the ratio of the
estimates in its rows, and the grade of the best."""
import re
import sys

with open(sys.argv[1]) as file:
    lines = file.read().splitlines()
assert lines[0] == lines[-1], lines
ratio, grade = re.fullmatch(r"([0-9.]+)x, estimated .*, verified (\w+)", lines[-1]).groups()
# Name, grade, registers, spills, shared bytes, estimate.
rows = {line[2:].split()[0]: line[2:].split() for line in lines
        if re.search(r" (search|reference)", line)}
best = next(line[2:].split()[0] for line in lines if line.startswith("* "))
expected = float(rows["baseline.v"][5]) / float(rows[best][5])
if abs(float(ratio) - expected) > (0.5 if expected >= 9.95 else 0.05) + 0.01 * expected:
    sys.exit(f"found {ratio}x, expected {expected:.2f}x")
speed_up = rows[best][7].rstrip("x")
if speed_up != ratio:
    sys.exit(f"found {speed_up}x in the row, {ratio}x in the last line")
if grade != rows[best][1]:
    sys.exit(f"found {grade}, expected {rows[best][1]}")
