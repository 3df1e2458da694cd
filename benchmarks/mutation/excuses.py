"""Survivors that are known: equivalent.txt names mutants that compute the same
function and orders the same accesses, open.txt those that the verifier should have
refuted and does not yet. A line is `NAME HASH reason`; the hash is the diff's, so
an excuse holds for the very change it was written for."""
import os
import re


class Excuses:
    def __init__(self, folder):
        self.entries, self.used, self.found_problems = {}, set(), []
        for kind in ("equivalent", "open"):
            path = os.path.join(folder, kind + ".txt")
            if not os.path.exists(path):
                continue
            with open(path, encoding="utf-8") as file:
                for number, line in enumerate(file, 1):
                    if not line.strip() or line.startswith("#"):
                        continue
                    match = re.fullmatch(r"(\S+) ([0-9a-f]{12}) (\S.*)\n?", line)
                    if not match:
                        self.found_problems.append(f"{kind}.txt:{number}: expected 'NAME HASH reason'")
                    elif match.group(1) in self.entries:
                        self.found_problems.append(f"{kind}.txt:{number}: {match.group(1)} stands twice")
                    else:
                        self.entries[match.group(1)] = (kind, match.group(2), f"{kind}.txt:{number}")

    def find(self, candidate):
        """What an accepted mutant is excused as, or None."""
        kind, digest, place = self.entries.get(candidate.name, (None, None, None))
        if kind and digest != candidate.hash:
            self.found_problems.append(f"{place}: {candidate.name} is now another change, {candidate.hash}")
            return None
        return kind

    def contradict(self, candidate):
        """A refuted mutant: nobody may call it equivalent."""
        kind, digest, place = self.entries.get(candidate.name, (None, None, None))
        if kind == "equivalent" and digest == candidate.hash:
            self.found_problems.append(f"{place}: {candidate.name} is said to be equivalent, yet refuted")
        elif kind and digest == candidate.hash:
            print(f"{place}: {candidate.name} is refuted now, so the entry can go")

    def problems(self, candidates, complete):
        names = {candidate.name for candidate in candidates}
        for name, (_, _, place) in self.entries.items():
            if complete and name not in names:
                self.found_problems.append(f"{place}: there is no mutant {name}")
        return self.found_problems
