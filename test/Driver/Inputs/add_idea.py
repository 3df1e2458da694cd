#!/usr/bin/env python3
"""Prints a module that `lift` made, with a CUDA file as the kernel's proposal @idea.

usage: add_idea.py KERNEL.mlir IDEA.cu
"""
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    head, tail = file.read().rstrip().rsplit("\n  }\n}", 1)
with open(sys.argv[2], encoding="utf-8") as file:
    text = "".join(f"\\{ord(c):02X}" if c in '\n"\\' else c for c in file.read())
print(f'{head}\n    evo.proposal @idea "cuda" "{text}" by "test"\n  }}\n}}{tail}')
