# Excuses of the mutation benchmark that no longer hold are problems.
import os
import sys
import tempfile

sys.path.insert(0, sys.argv[1])
from excuses import Excuses  # noqa: E402


class Mutant:
    def __init__(self, name, digest):
        self.name, self.hash = name, digest


with tempfile.TemporaryDirectory() as folder:
    with open(os.path.join(folder, "equivalent.txt"), "w") as file:
        file.write("a@b:1 111111111111 one reason\n")
        file.write("c@d:2 333333333333 another\n")
        file.write("e@f:3 555555555555 a third\n")
    with open(os.path.join(folder, "open.txt"), "w") as file:
        file.write("# words\ng@h:4 no hash\n")
        file.write("i@j:5 777777777777 a hole\n")
    excuses = Excuses(folder)
    # Problems with the files come first, so they are moved behind the others.
    first, excuses.found_problems = excuses.found_problems, []
    changed, refuted, known = Mutant("a@b:1", "2" * 12), Mutant("c@d:2", "3" * 12), Mutant("i@j:5", "7" * 12)
    assert excuses.find(changed) is None and excuses.find(known) == "open"
    assert excuses.find(refuted) == "equivalent"
    excuses.contradict(refuted)
    print("\n".join(excuses.problems([changed, refuted, known], complete=True) + first))
print("end")
