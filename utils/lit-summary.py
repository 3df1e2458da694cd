#!/usr/bin/env python3
"""Counts the results of a lit run.

usage: lit-summary.py RESULTS.json

Reads what `lit --output` wrote and prints as its last line "N passed, N failed",
before it "N skipped" where tests were skipped. Exits with 1 if a test failed, if none
passed, or if there are no results: a run that did not happen is no success.
"""
import json
import sys

PASSED = {"PASS", "FLAKYPASS", "XFAIL"}
SKIPPED = {"UNSUPPORTED", "SKIPPED", "EXCLUDED"}


def main(path):
    try:
        with open(path, encoding="utf-8") as file:
            codes = [test["code"] for test in json.load(file)["tests"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"lit-summary: no results: {error}", file=sys.stderr)
        codes = []
    passed = sum(code in PASSED for code in codes)
    skipped = sum(code in SKIPPED for code in codes)
    # Whatever is neither passed nor skipped, known or not, has failed.
    failed = len(codes) - passed - skipped
    sys.stdout.flush()
    if skipped:
        print(f"{skipped} skipped")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: lit-summary.py RESULTS.json")
    sys.exit(main(sys.argv[1]))
