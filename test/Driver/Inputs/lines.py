"""Prints lines for evo-opt reward: good ones, bad ones, and no candidates.

usage: lines.py FOLDER    (with the recorded answers of test/Proposers/Inputs)
"""
import json
import os
import sys


def answer(name):
    with open(os.path.join(sys.argv[1], name)) as file:
        return file.read()


def blocks(text):
    return [part.split("```")[0] for part in text.split("```cuda\n")[1:]]


good, broken = blocks(answer("first.md"))
print(json.dumps({"id": "good", "code": good, "options": {"maxnreg": 64}}))
print(json.dumps({"id": 2, "code": broken, "language": "cuda"}))
print("{ this is no JSON")
print()
print(json.dumps({"id": "empty"}))
print(json.dumps({"id": "word", "code": good, "language": "klingon"}))
print(json.dumps({"id": "answer", "answer": answer("first.md")}))
print(json.dumps({"id": "wrong", "code": good.replace("expf(", "2.0f * expf(", 1)}))
print("[" * 300000)
