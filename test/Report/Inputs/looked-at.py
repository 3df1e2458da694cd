"""Looks at a journal from the first candidate until after the search's end.

usage: looked-at.py look|hold JOURNAL COMMAND...

With "hold" it is in a transaction all the while. Then copies the file alone, and prints how
COMMAND ended and how many candidates the copy has.
"""
import os
import shutil
import sqlite3
import subprocess
import sys
import time

how, journal, *command = sys.argv[1:]
search = subprocess.Popen(command + ["--journal", journal], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL)
while not os.path.exists(journal):
    time.sleep(0.01)
connection = sqlite3.connect(f"file:{journal}?mode=ro", uri=True, isolation_level=None)


def candidates():
    try:
        return connection.execute("SELECT count(*) FROM step").fetchone()[0]
    except sqlite3.OperationalError:  # not there yet
        return 0


while search.poll() is None and not candidates():
    time.sleep(0.01)
if how == "hold":
    connection.execute("BEGIN")
    candidates()
code = search.wait()
shutil.copy(journal, journal + ".alone")
printed = subprocess.run(["evo-opt", "journal", journal + ".alone"], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, text=True, check=False).stdout
print(f"exit code {code}, {printed.count(chr(34) + 'evaluated' + chr(34))} candidates in the "
      "file alone")
