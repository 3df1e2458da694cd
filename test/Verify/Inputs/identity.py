"""Verifies each file of a folder against itself, and against what `lift` prints of it.

usage: identity.py EVO_OPT FOLDER [--level=l1] [--shard K/N] [--once] [--except NAME]...

Prints each file that is not accepted, with the verdict, and how many were. A file that is
no kernel of its own (a header, a file without a contract) is passed over and counted.
With --once only the file against what `lift` prints, which stands for the other two.
"""
import argparse
import os
import subprocess
import sys
import tempfile


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False)


def verify(tool, reference, candidate):
    """None if accepted, else what it says first."""
    done = run(tool, "verify", reference, candidate, "--seed", "1", "--effort", "quick")
    return None if done.returncode == 0 else (
        f"exit {done.returncode}: " + " ".join((done.stdout + done.stderr).split())[:200])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("folder")
    parser.add_argument("--level", default="l0")
    parser.add_argument("--shard", default="0/1")
    parser.add_argument("--once", action="store_true")
    parser.add_argument("--except", dest="excepted", action="append", default=[])
    options = parser.parse_args()
    shard, shards = map(int, options.shard.split("/"))
    files = sorted(os.path.join(path, name) for path, _, names in os.walk(options.folder)
                   for name in names if name.endswith((".cu", ".ll", ".mlir")))
    accepted = failed = passed_over = 0
    for file in files[shard::shards]:
        name = os.path.relpath(file, options.folder)
        with open(file, encoding="utf-8") as text:
            has_contract = "evo.kernel" in text.read() or file.endswith(".mlir")
        if name in options.excepted or not has_contract:
            passed_over += 1
            continue
        complaint = None if options.once else verify(options.tool, file, file)
        with tempfile.TemporaryDirectory() as folder:
            lifted = os.path.join(folder, "lifted.mlir")
            done = run(options.tool, "lift", file, f"--level={options.level}", "-o", lifted)
            if done.returncode != 0:
                complaint = complaint or "lift: " + done.stderr[:200]
            else:
                complaint = complaint or verify(options.tool, file, lifted)
                if not options.once:
                    complaint = complaint or verify(options.tool, lifted, lifted)
        if complaint:
            failed += 1
            print(f"{name}: {complaint}")
        else:
            accepted += 1
    print(f"{accepted} accepted, {failed} not, {passed_over} passed over")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
