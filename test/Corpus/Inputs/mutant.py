# mutant.py REFERENCE TWIN SCRATCH REASON FROM TO: replaces the text FROM of a
# twin, which must stand there once, and checks that the result is refuted for
# REASON (one of several, between bars). A line end is written as \n. A mutant
# that is accepted, undecided or does not build fails the test.
import subprocess
import sys

reference, twin, scratch, reasons = sys.argv[1:5]
old, new = (text.replace("\\n", "\n") for text in sys.argv[5:])
with open(twin) as file:
    text = file.read()
if text.count(old) != 1:
    sys.exit(f"mutant: '{old}' stands {text.count(old)} times in {twin}, expected once")
with open(scratch, "w") as file:
    file.write(text.replace(old, new))
run = subprocess.run(
    ["evo-opt", "verify", reference, scratch, "--seed", "1"], capture_output=True, text=True
)
sys.stdout.write(run.stdout + run.stderr)
grade, _, reason = run.stdout.partition("\n")[0].partition(": ")
if run.returncode != 1 or grade != "refuted" or reason not in reasons.split("|"):
    sys.exit(f"mutant: expected 'refuted: {reasons}', status 1; found '{grade}: {reason}', status {run.returncode}")
