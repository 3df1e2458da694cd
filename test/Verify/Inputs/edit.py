"""Replaces the first place of a text in a file. usage: edit.py FILE FROM TO OUT"""
import sys

name, old, new, out = sys.argv[1:]
with open(name, encoding="utf-8") as file:
    text = file.read()
if old not in text:
    sys.exit(f"{name} has no '{old}'")
with open(out, "w", encoding="utf-8") as file:
    file.write(text.replace(old, new, 1))
