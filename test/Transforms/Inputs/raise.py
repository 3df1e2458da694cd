#!/usr/bin/env python3
"""Raises the CUDA files FOLDER/NAME.cu. Prints "NAME: raised" and what it was raised to, or
"NAME: not raised" where `evo-raise` left the module as it was.

usage: raise.py FOLDER NAME...
"""
import subprocess
import sys


def run(*command, text=None):
    result = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if result.returncode:
        sys.exit(f"{' '.join(command)}: {result.returncode}\n{result.stderr}")
    return result.stdout


for name in sys.argv[2:]:
    lifted = run("evo-opt", "lift", f"{sys.argv[1]}/{name}.cu")
    raised = run("evo-opt", "-", "--pass-pipeline=builtin.module(evo.kernel(evo-raise{seed=1}))",
                 text=lifted)
    at = raised.find("evo.raised")
    print(f"{name}: raised\n{raised[at:]}" if at >= 0 else
          f"{name}: {'not raised' if raised == lifted else 'changed'}")
