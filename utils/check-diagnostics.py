#!/usr/bin/env python3
"""Checks that every diagnostic is expected by some test, that none is searched for words,
and that every pass has a test and a twin of what it refuses.

usage: check-diagnostics.py ROOT [LIBRARY]...

A diagnostic is a string literal of three words or more in a source or header of
lib/LIBRARY, or of all of lib/ and tools/ if none is named; literals that stand side by
side are one, and what holds a brace or a new line or begins as a command of SQL is code,
as is the text of an assertion, and what a check of the verifier says of itself stands in
docs/Checks.md. It is expected if it stands in
a file under test/ or unittests/, whole or with 16 characters that no other
diagnostic has; of one with %s and the like, the longest part between them is enough.
What no input can bring about is said to be so by a comment, `// unreachable: REASON`,
on one of its lines or before; what is none, so by `// no diagnostic: REASON`. All to
the next line that begins with a brace is left out after `// no diagnostics: REASON`.

A failure has a kind (evo/Support/FaultKind.h), so what is named as diagnostics are (why,
failure, message, ...), or is printed from an error, is not asked what it contains or
begins with.

A pass evo-NAME of a .td file under include/ is run by a command of a test
test/Transforms/NAME.* (or NAME-*.*), or one of test/Conversion, and by one of
NAME-errors.* there.

Prints each other one as FILE:LINE: TEXT and exits with 1 if there is one.
"""
import collections
import pathlib
import re
import sys

LITERAL = r'"(?:[^"\\\n]|\\.)*"'
# Comments and characters are looked for first, so that quotes in them open nothing.
TOKEN = re.compile(
    rf"(?P<excuse>//[ ]*(?:unreachable|no diagnostic):[^\n]*)|(?P<other>//[ ]*no diagnostics:.*?^\}})"
    rf"|(?P<never>(?:llvm_unreachable|_Pragma)\(\s*{LITERAL}|&&\s*{LITERAL}(?:\s*{LITERAL})*\)"
    rf"|static_assert\([^;]*?{LITERAL}"
    rf"|BudgetLine\s+\w+\{{.*?\}};|Check evo::checks::\w+ = \{{.*?\}};)"
    rf"|(?P<comment>//[^\n]*|/\*.*?\*/)"
    rf"|(?P<raw>R\"\(.*?\)\")|(?P<character>'(?:[^'\\\n]|\\.)')"
    rf"|(?P<text>{LITERAL}(?:\s*{LITERAL})*)|(?P<include>#include[^\n]*)", re.S | re.M)
STRETCH = 16
PLACE = re.compile(r"%(?:l|ll|z)?[cdgsux]")
SHORTEST_PART = 8  # characters
SQL = re.compile(r"(?:SELECT|INSERT|UPDATE|DELETE|CREATE|PRAGMA|BEGIN)\b")
SOURCES = {".cpp", ".h", ".inc"}
# A question about the words of a diagnostic.
ASKED = re.compile(
    r"(?:\b(?:why|failures?|faults?|problems?|diag(?:nostic)?s?|caught|said|messages?|errors?)"
    r"|\b(?:describe|getFailure|message|what|getMessage)\(\)"
    r"|\b(?:diag(?:nostic)?|error)\.str\(\)|\btoString\([^;]*\))\)?(?:\.|->)"
    r"(?:contains|starts_with|ends_with|r?find|consume_front|consume_back|equals)\w*\(")


def diagnostics(path):
    """Line and text of each in the file."""
    text = path.read_text(encoding="utf-8")
    excused = {text.count("\n", 0, found.start()) for found in TOKEN.finditer(text)
               if found.lastgroup == "excuse"}
    for found in TOKEN.finditer(text):
        if found.lastgroup != "text":
            continue
        first = text.count("\n", 0, found.start())
        last = text.count("\n", 0, found.end())
        said = "".join(piece[1:-1] for piece in re.findall(LITERAL, found.group()))
        is_code = "{" in said or "\\n" in said or SQL.match(said)
        words = sum(any(map(str.isalpha, word)) for word in said.split())
        if words >= 3 and not is_code and not excused & set(range(first - 1, last + 1)):
            yield first + 1, said.replace('\\"', '"').strip()


def stretches(said):
    return {said[at:at + STRETCH] for at in range(max(0, len(said) - STRETCH + 1))}


def is_expected(said, uses, tests):
    if said in tests:
        return True
    if any(uses[stretch] == 1 and stretch in tests for stretch in stretches(said)):
        return True
    parts = PLACE.split(said)
    longest = max(parts, key=len)
    return len(parts) > 1 and len(longest) >= SHORTEST_PART and longest in tests


def decisions(path):
    """Line and text of each question about the words of a diagnostic."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        code = line.split("//")[0]
        if ASKED.search(code):
            yield number, code.strip()


def passes(root):
    """Each pass of the tree: its .td file, line and name."""
    for path in sorted((root / "include").rglob("*.td")):
        text = path.read_text(encoding="utf-8")
        for found in re.finditer(r'^def \w+ : \w*Pass<"([\w-]+)"', text, re.M):
            yield path, text.count("\n", 0, found.start()) + 1, found[1]


def is_run(name, tests):
    """Whether a command of one of the tests has the pass in a pipeline."""
    command = re.compile(rf"^\W*(?:RUN|DEFINE|REDEFINE):.*\b{re.escape(name)}(?![\w-])", re.M)
    return any(command.search(test.read_text(encoding="utf-8")) for test in tests)


def untested_passes(root):
    """What to say of each pass that lacks a test, and how many passes there are."""
    said, count = [], 0
    for path, line, name in passes(root):
        count += 1
        stem = name.removeprefix("evo-")
        tests = [test for suffix in ("mlir", "test")
                 for folder in ("Transforms", "Conversion")
                 for test in (root / "test" / folder).glob(f"{stem}*.{suffix}")]
        errors = [test for test in tests if test.stem == f"{stem}-errors"]
        others = [test for test in tests if "errors" not in test.stem
                  and (test.stem == stem or test.stem.startswith(f"{stem}-"))]
        place = f"{path.relative_to(root)}:{line}"
        if not is_run(name, others):
            said.append(f"{place}: {name} is run by no test/Transforms/{stem}.*")
        if not is_run(name, errors):
            said.append(f"{place}: {name} is run by no test/Transforms/{stem}-errors.*")
    return said, count


def main():
    if len(sys.argv) < 2:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 3
    root = pathlib.Path(sys.argv[1])
    tests = "\n".join(path.read_text(encoding="utf-8", errors="replace")
                      for folder in ("test", "unittests")
                      for path in sorted((root / folder).rglob("*")) if path.is_file())
    sources = [path for folder in ("lib", "tools")
               for path in sorted((root / folder).rglob("*")) if path.suffix in SOURCES]
    every = [(path, line, said) for path in sources for line, said in diagnostics(path)]
    uses = collections.Counter(stretch for said in {said for _, _, said in every}
                               for stretch in stretches(said))
    folders = [root / "lib" / library for library in sys.argv[2:]] or [root]
    count = missing = 0
    for path, line, said in every:
        if not any(path.is_relative_to(folder) for folder in folders):
            continue
        count += 1
        if not is_expected(said, uses, tests):
            missing += 1
            print(f"{path.relative_to(root)}:{line}: {said}")
    print(f"diagnostics: {count}, of which {missing} are expected by no test")
    asked = [(path, line, code) for path in sources
             if any(path.is_relative_to(folder) for folder in folders)
             for line, code in decisions(path)]
    for path, line, code in asked:
        print(f"{path.relative_to(root)}:{line}: decides by words: {code}")
    said, total = untested_passes(root)
    print("".join(f"{line}\n" for line in said) + f"passes: {total}, tests that are missing: {len(said)}")
    return 1 if missing or not count or asked or said else 0


if __name__ == "__main__":
    sys.exit(main())
