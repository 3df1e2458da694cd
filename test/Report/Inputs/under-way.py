# under-way.py JOURNAL PAGE COMMAND...: makes pages of the journal while COMMAND, a
# search, writes it. Prints "N pages while the search ran, the last of M candidates" once
# it has ended; pages never lose a candidate that an earlier one had.
import re
import subprocess
import sys

journal, page, *command = sys.argv[1:]
search = subprocess.Popen(command + ["--journal", journal], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL)
pages, seen = 0, 0
while search.poll() is None:
    made = subprocess.run(["evo-opt", "report", journal, "-o", page], capture_output=True, text=True)
    if made.returncode != 0:
        # Before the run has begun there is nothing to show; that is said.
        assert made.returncode == 3 and pages == 0, made.stderr
        assert re.search("there is no file|is no journal of format|is empty: no search has begun|no run was begun", made.stderr), made.stderr
        continue
    text = open(page, encoding="utf-8").read()
    assert text.endswith("</html>\n"), text[-100:]
    tried = int(re.search(r'>([0-9]+)</div>\s*<div class="note">candidates tried', text)[1])
    assert tried >= seen, (tried, seen)
    if search.poll() is None and tried > 0:
        pages, seen = pages + 1, tried
        # The kernel as it is was judged first, and its time goes before all others.
        assert re.search(r'<div class="value">[0-9.]+ (µs|ms)</div>\s*<div class="note">input', text), text
assert search.returncode == 0, search.returncode
print(f"{pages} pages while the search ran, the last of {seen} candidates")
