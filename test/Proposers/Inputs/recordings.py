"""Reads all recordings of examples/recorded, and checks that each can be replayed: its
answers are about its kernel as it is in the tree, and hold enough candidates.

usage: recordings.py EXAMPLES
"""
import glob
import hashlib
import json
import os
import re
import sys

examples = sys.argv[1]
recorded = os.path.join(examples, "recorded")


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def check(folder, kernel):
    with open(kernel) as file:
        source = file.read().strip()
    candidates, ids, facts = 0, set(), 0
    for path in sorted(glob.glob(os.path.join(folder, "*.json"))):
        with open(path) as file:
            record = json.load(file)
        assert record["format"] == 1, path
        if os.path.basename(path).startswith("facts-"):
            assert record["estimatedMicros"], path
            facts += 1
            continue
        request, answer = record["request"], record["answer"]
        assert os.path.basename(path) == "%s-%d.json" % (
            record["requestHash"], record["number"]), path
        assert answer["origin"] == "exchange" and answer["model"], path
        assert request["id"] not in ids, path
        ids.add(request["id"])
        # What the task is a digest of: the contract, and the reference.
        prompt = request["messages"][-1]["text"]
        contract = re.search(r"keeps:\n```\n(.*?)\n```\n", prompt, re.S)[1]
        reference = re.search(r"# The reference\n```cuda\n(.*?)\n```\n", prompt, re.S)[1]
        assert reference == source, "%s is of another %s" % (path, kernel)
        assert request["task"] == digest(contract + "\n\ncuda\n" + reference), path
        assert contract.split("(")[0] in source, path
        # A candidate: a heading, then code.
        found = re.findall(r"^## ([\w.-]+)$.*?^```cuda$.*?^```$", answer["text"], re.M | re.S)
        assert found and len(set(found)) == len(found), path
        candidates += len(found)
    assert candidates >= 8, "%s has %d candidates" % (folder, candidates)
    return candidates, len(ids), facts


total = 0
for strategy in ("evoengineer-full", "fsr"):
    folders = sorted(glob.glob(os.path.join(recorded, strategy, "*", "")))
    for folder in folders:
        name = os.path.basename(os.path.dirname(folder))
        total += check(folder, os.path.join(examples, "cuda", name, "naive.cu"))[0]
    print("%s: %d recordings" % (strategy, len(folders)))
for name in ("softmax", "sgemm"):
    total += check(os.path.join(recorded, name), os.path.join(examples, "cuda", name + ".cu"))[0]
print("%d candidates" % total)
