# usage: slower.py SLOW FAST RATIO
# Fails unless the first estimate in the IR of SLOW is at least RATIO times that in
# FAST's.
import re
import sys


def estimate(path):
    with open(path, encoding="utf-8") as file:
        found = re.search(r"estimated us = \[([0-9.e+]+)", file.read())
    if not found:
        sys.exit(f"{path} holds no estimate")
    return float(found.group(1))


slow, fast = estimate(sys.argv[1]), estimate(sys.argv[2])
if slow < float(sys.argv[3]) * fast:
    sys.exit(f"{slow} us is not {sys.argv[3]} times {fast} us")
