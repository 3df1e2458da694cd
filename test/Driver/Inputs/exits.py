# Runs a command and compares its exit code with the wanted one. "not" of the
# LLVM tools takes any failure for the right one.
import subprocess
import sys

want, command = int(sys.argv[1]), sys.argv[2:]
got = subprocess.run(command).returncode
if got != want:
    sys.exit("wanted exit code %d, got %d: %s" % (want, got, " ".join(command)))
