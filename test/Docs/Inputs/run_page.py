#!/usr/bin/env python3
"""Runs a page of documentation as it stands. Fenced blocks, in order:

  ```sh              commands, run by bash in one folder; the first that fails, fails
  ```sh exit=N       the block's last command ends with N
  ```text            what the block before printed, line after line, in this order;
                     `...` stands for anything, in a line or for lines
  ```LANG file=NAME  a file that is written there

usage: run_page.py PAGE FOLDER [--link NAME=PATH]...    links are made in FOLDER
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

FENCE = re.compile(r"^```(\S*)[ \t]*([^\n]*)\n(.*?)^```$", re.M | re.S)


def matches(wanted, printed):
    """Whether the lines of `wanted` are in `printed`, in order; else the first that is not."""
    at = 0
    lines = printed.splitlines()
    for line in wanted.splitlines():
        if not line.strip() or line.strip() == "...":
            continue
        pattern = re.compile(".*".join(re.escape(part) for part in re.split(r"\.\.\.", line.strip())))
        while at < len(lines) and not pattern.search(lines[at]):
            at += 1
        if at == len(lines):
            return line
        at += 1
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--link", action="append", default=[])
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for link in options.link:
        name, path = link.split("=", 1)
        os.symlink(path, options.folder / name)
    text = options.page.read_text()
    printed, count = "", 0
    for block in FENCE.finditer(text):
        language, info, body = block.groups()
        line = text.count("\n", 0, block.start()) + 1
        where = f"{options.page.name}:{line}"
        if name := re.search(r"file=(\S+)", info):
            path = options.folder / name.group(1)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(body)
        elif language == "sh":
            count += 1
            exit_code = re.search(r"exit=(\d+)", info)
            wanted = int(exit_code.group(1)) if exit_code else 0
            script = "set -o pipefail\n" + ("" if wanted else "set -e\n") + body
            result = subprocess.run(["bash", "-c", script], cwd=options.folder, text=True, check=False,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            printed = result.stdout
            if result.returncode != wanted:
                sys.exit(f"{where}: ended with {result.returncode}, expected {wanted}\n{body}\n{printed}")
        elif language == "text":
            missing = matches(body, printed)
            if missing is not None:
                sys.exit(f"{where}: not printed: {missing}\nby the commands before, which printed\n{printed}")
    if not count:
        sys.exit(f"{options.page.name}: holds no commands")
    print(f"{options.page.name}: {count} blocks of commands")


if __name__ == "__main__":
    main()
