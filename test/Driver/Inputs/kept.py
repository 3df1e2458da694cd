"""What a search leaves when something ends it, and what it leaves alone.

usage: kept.py SERVE KERNEL OTHER ANSWER FOLDER

Prints a line for each case.
"""
import fcntl
import json
import os
import subprocess
import sys

serve, kernel, other, good, folder = sys.argv[1:]
WINNER = {"best.mlir", "best.ptx", "launch.json", "launcher.cpp", "report.json", "run.json"}


def optimize(out, *more, source=kernel, budget="1", mask=0o022):
    result = subprocess.run(["evo-opt", "optimize", source, "-o", out, "--confirm=none", "--budget", budget,
                             "--seed", "3", "--no-gpu", "--jobs", "1", *more],
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            preexec_fn=lambda: os.umask(mask))
    return result.returncode, result.stdout


def served(out, replies, *more):
    """The exit code and what is printed of a search whose model says `replies`."""
    command = ["evo-opt", "optimize", kernel, "-o", out, "--effort=quick", "--confirm=none",
               "--proposer", "llm", "--base-url",
               "@URL@", "--model", "m", "--seed", "3", "--no-gpu", "--jobs", "1",
               "--attempts", "2", "--strategy", "evoengineer-free", "--budget", "4", *more]
    result = subprocess.run([sys.executable, serve, out + ".log", *replies, "--", *command],
                            env=dict(os.environ, EVO_API_KEY="k", no_proxy="127.0.0.1"),
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return int(result.stdout.rsplit("exit code ", 1)[1]), result.stdout


def contents(out):
    return {name: open(os.path.join(out, name), "rb").read() for name in os.listdir(out)
            if os.path.isfile(os.path.join(out, name))}


def path(name):
    return os.path.join(folder, name)


# A server that answers once and then wants money: what was accepted is the result.
code, text = served(path("paid"), [good, "402"])
left = contents(path("paid"))
assert code == 4 and WINNER <= left.keys(), (code, left.keys(), text)
report = json.loads(left["report.json"])
best = next(v for v in report["variants"] if v["name"] == report["best"])
assert best["evidence"]["grade"] in ("exact", "algebraic", "numeric"), best
assert "402" in report["stopped"], report["stopped"]
assert "m0.v" in {v["name"] for v in report["variants"]}, report
assert "stopped after " in text and "402" in text, text
print("402: exit code 4, the best of what was accepted is there")

# One that fails before anything was accepted leaves what an earlier run has left.
bad = path("wrong.cu")
before = contents(path("paid"))
source = open(kernel).read()
open(bad, "w").write(source.replace("y[i] = 2 * x[i]", "y[i] = 2 * x[i + 1]"))
code, text = optimize(path("paid"), source=bad)
assert code == 3 and contents(path("paid")) == before, (code, text)
print("a faulty reference: exit code 3, the earlier results are as they were")
strange = path("strange.cu")
open(strange, "w").write(source.replace(
    "int i =", 'unsigned v; asm volatile("mov.u32 %0, %%pm0;" : "=r"(v)); int i ='))
code, text = optimize(path("paid"), source=strange)
assert code == 2 and contents(path("paid")) == before, (code, text)
inner = contents(path("paid/no-winner"))
assert "launch.json" not in inner and json.loads(inner["report.json"])["causes"], inner
assert "stays there" in text and "no variant was accepted" in text, text
print("no winner: exit code 2, the earlier results are as they were")

# A better end replaces them, all of them.
code, text = optimize(path("paid"))
after = contents(path("paid"))
assert code == 0 and after.keys() == before.keys(), (code, text)
assert after["run.json"] != before["run.json"], after["run.json"]
run = json.loads(after["run.json"])
assert run["kernel"] == "scale" and run["seed"] == 3 and "evo-opt" in run["tool"], run
assert run["command"][0] == "optimize" and "--budget" in run["command"], run
print("a winner: exit code 0, the results are of this run")

# Another kernel's folder.
code, text = optimize(path("paid"), source=other)
assert code == 3 and contents(path("paid")) == after, (code, text)
assert "holds the results of kernel 'scale': name another folder, or replace them with " \
    "--force" in text, text
wider = path("wider.cu")
open(wider, "w").write(source.replace("y: out f32[N])", "y: out f32[N], z: f32 = 1)"))
code, text = optimize(path("paid"), source=wider)
assert code == 3 and "holds the results of kernel 'scale' with other arguments" in text, text
code, text = optimize(path("paid"), "--force", source=other)
assert code == 0 and json.loads(contents(path("paid"))["run.json"])["kernel"] == "copy", text
print("another kernel: exit code 3, with --force 0")

# Somebody else is at it.
with open(path("paid/.evo-run"), "w") as held:
    fcntl.flock(held, fcntl.LOCK_EX)
    before = contents(path("paid"))
    code, text = optimize(path("paid"), source=other)
    assert code == 4 and "another run is at" in text, (code, text)
    assert "': wait for it, or name another folder" in text, text
    assert contents(path("paid")) == before, text
# One that was killed has left its lock: it keeps nobody out.
code, text = optimize(path("paid"), source=other)
assert code == 0 and ".evo-run" not in os.listdir(path("paid")), (code, text)
print("in use: exit code 4; a lock that nobody holds: 0")

# A disk without room is found before anything is tried (where a test may mount one).
os.mkdir(path("small"))
result = subprocess.run(["unshare", "-rm", "sh", "-c",
                         'mount -t tmpfs -o size=64k none "$0" && "$@"', path("small"),
                         "evo-opt", "optimize", kernel, "-o", path("small/out"),
                         "--budget", "1", "--no-gpu"],
                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
if "evo-opt" in result.stdout:
    assert result.returncode == 4, result.stdout
    assert "there is no room for results in '" in result.stdout, result.stdout
    assert "baseline" not in result.stdout, result.stdout
print("no room: exit code 4")

# So is one that has none for temporary files, by its name; nothing is kept of such an end.
os.mkdir(path("tiny"))
result = subprocess.run(["unshare", "-rm", "sh", "-c",
                         'mount -t tmpfs -o size=4k none "$0" && head -c 4096 /dev/zero >"$0/all"'
                         ' && TMPDIR="$0" "$@"', path("tiny"),
                         "evo-opt", "optimize", kernel, "-o", path("temporary"),
                         "--budget", "2", "--no-gpu"],
                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
if "evo-opt" in result.stdout:
    assert result.returncode == 4, result.stdout
    assert path("tiny") + "/" in result.stdout, result.stdout
    assert "the folder for temporary files (TMPDIR): No space left on device" in result.stdout
    assert "launch.json" not in os.listdir(path("temporary")), os.listdir(path("temporary"))
print("no room for temporary files: exit code 4")

# Rights are those that the user's mask leaves.
for mask, rights in ((0o002, 0o664), (0o027, 0o640)):
    out = path("mask%o" % mask)
    assert optimize(out, mask=mask)[0] == 0
    for name in os.listdir(out):
        got = os.stat(os.path.join(out, name)).st_mode & 0o777
        assert got == rights, (name, oct(got))
    assert os.stat(out).st_mode & 0o777 == 0o777 & ~mask
print("rights: those of the mask")
