"""What is after something else than speed, in the process of a candidate.

Clang, NVRTC, ptxas and the CPU engine all run in that process, or are started by it. So a
program that takes the place of ptxas tries, with all the means of a program, what code in
any of them could try that had been taken over by a candidate: to read a key, to reach a
server, to write outside, to leave a process behind. Candidates try the same by their texts.
"""
import glob
import json
import os
import socket
import subprocess
import threading
import time

from .runs import KEY, Workplace

# In place of ptxas: says on one line what came of each attempt, and refuses the code.
INTRUDER = r'''#!/usr/bin/python3
import ctypes, glob, os, socket, sys, time
words = []
def attempt(name, action):
    try:
        words.append(name + (": SUCCEEDED" if action() else ": nothing"))
    except OSError as error:
        words.append(name + ": " + os.strerror(error.errno or 0))
def key():
    for path in ["/proc/self/environ", "/proc/%d/environ" % os.getppid(),
                 *glob.glob("/proc/[0-9]*/environ")]:
        try:
            with open(path, "rb") as file:
                if b"@KEY@" in file.read():
                    return True
        except OSError:
            pass
    return False
def memory():
    # Of the search and its worker: of all processes but those of this candidate.
    for path in glob.glob("/proc/[0-9]*/mem"):
        try:
            if os.getpgid(int(path.split("/")[2])) != os.getpgid(0):
                with open(path, "rb"):
                    return True
        except OSError:
            pass
    return False
def outlive():
    if os.fork() == 0:
        for away in (os.setsid, lambda: os.setpgid(0, 0)):
            try:
                away()
            except OSError:
                pass
        ctypes.CDLL(None).prctl(15, b"evo-outlives")
        for descriptor in (0, 1, 2, 3):
            os.close(descriptor)
        time.sleep(60)
        os._exit(0)
    return False
attempt("key", key)
attempt("memory", memory)
attempt("socket", lambda: socket.create_connection(("127.0.0.1", @PORT@), 1))
attempt("signal", lambda: os.kill(os.getppid(), 0) is None)
attempt("write", lambda: open("@OUTSIDE@/written", "w"))
attempt("change", lambda: open("@OUTSIDE@/mine", "a"))
attempt("remove", lambda: os.remove("@OUTSIDE@/mine") is None)
attempt("outlive", outlive)
print("; ".join(words))
sys.exit(1)
'''

# By the text of a candidate: its route, what it tries, and its verdict.
BODY = """// evo.launch scale<<<ceildiv(N, 64), 64>>>(x, y, N)
%s
__global__ void scale(const float *x, float *y, int N) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < N)
    y[i] = %s;
}
"""
CALL = 'extern "C" __device__ int %s;'
TEXTS = [
    ("Clang and NVRTC", "key by #include", '__device__ const char k[] =\n'
     '#include "/proc/self/environ"\n;', "k[0]"),
    ("Clang and NVRTC", "key by #embed", '__device__ const char k[] = {\n'
     '#embed "/proc/self/environ"\n};', "k[0]"),
    ("Clang and NVRTC", "key by a computed name", '#define F "/proc/self/environ"\n'
     '__device__ const char k[] =\n#include F\n;', "k[0]"),
    ("ptxas", "key by .incbin", "", '2 * x[i]; asm volatile(".incbin \\"/proc/self/environ\\";")'),
    ("ptxas", "key by .file", "", '2 * x[i]; asm volatile(".file 1 \\"/proc/self/environ\\"")'),
    ("engine", "socket", CALL % "socket(int, int, int)", "socket(2, 1, 0)"),
    ("engine", "write outside", CALL % "open(const char *, int, int)",
     'open("@OUTSIDE@/written", 65, 420)'),
    ("engine", "remove", CALL % "unlink(const char *)", 'unlink("@OUTSIDE@/mine")'),
    ("engine", "fork", CALL % "fork()", "fork()"),
    ("engine", "system", CALL % "system(const char *)", 'system("sleep 60 &")'),
    ("engine", "key by getenv", 'extern "C" __device__ char *getenv(const char *);',
     'getenv("EVO_API_KEY")[0]'),
    ("engine", "memory of the host", "", "*(float *)(0x400000 + 4ull * i)"),
]


def toolkit(root, folder, intruder):
    """A toolkit like that at `root`, with another ptxas and no nvJitLink."""
    os.makedirs(os.path.join(folder, "bin"))
    os.makedirs(os.path.join(folder, "lib64"))
    for name in os.listdir(root):
        if name not in ("bin", "lib64", "lib"):
            os.symlink(os.path.join(root, name), os.path.join(folder, name))
    with open(os.path.join(folder, "bin", "ptxas"), "w", encoding="utf-8") as file:
        file.write(intruder)
    os.chmod(os.path.join(folder, "bin", "ptxas"), 0o755)


def outliving():
    """Processes that are left, but for those that have ended and that nobody has collected."""
    left = []
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                name, _, rest = file.read().partition(") ")
            if name.endswith("(evo-outlives") and rest[0] not in "ZX":
                left.append(name + ") " + rest[:30])
        except OSError:
            pass
    return left


class Listener:
    """Somebody on this machine who would hear of it."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.heard = 0
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        while True:
            try:
                self.socket.accept()[0].close()
            except OSError:
                return
            self.heard += 1


def run(tool, folder, root, counts, failures):
    for key in ("attempts", "refused"):
        counts[key] = 0
    del failures[:]
    place = Workplace(tool, folder)
    outside = place.path("outside")
    os.makedirs(outside, exist_ok=True)
    mine = os.path.join(outside, "mine")
    with open(mine, "w", encoding="utf-8") as file:
        file.write("mine")
    listener = Listener()

    def filled(text):
        return (text.replace("@OUTSIDE@", outside).replace("@PORT@", str(listener.port))
                .replace("@KEY@", KEY))

    def note(name, isRefused, why):
        counts["attempts"] += 1
        counts["refused"] += isRefused
        if not isRefused:
            failures.append(f"{name}: {why}")

    # With the means of a program.
    toolkit(root, place.path("kit"), filled(INTRUDER))
    command = place.search("scale.cu", place.path("program"), 1, 1)
    code, text = place.run([*command, "--cuda-path", place.path("kit")])
    line = next((line for line in text.splitlines() if "memory: " in line), "")
    for name in ("key", "memory", "socket", "signal", "write", "change", "remove", "outlive"):
        note(f"a program: {name}", f"{name}: " in line and f"{name}: SUCCEEDED" not in line,
             line[-600:] or f"exit code {code}: {text[-600:]}")
    time.sleep(0.2)
    note("a program: a process left behind", not outliving(), str(outliving()))

    # By their texts, with each code generator.
    for number, (route, name, head, value) in enumerate(TEXTS):
        path = place.path(f"candidate-{number}.cu")
        with open(path, "w", encoding="utf-8") as file:
            file.write(filled(BODY % (head, value)))
        done = subprocess.run([tool, "verify", place.path("scale.cu"), path, "--seed", "1",
                               "--effort", "quick"], env=place.environment(), check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        note(f"{route}: {name}", done.returncode in (1, 2) and KEY not in done.stdout,
             f"exit code {done.returncode}: {done.stdout[-400:]}")
    with open(mine, encoding="utf-8") as file:
        note("files outside", os.listdir(outside) == ["mine"] and file.read() == "mine",
             str(os.listdir(outside)))
    note("a server on this machine", listener.heard == 0, f"it was asked {listener.heard} times")
    left = json.dumps([open(path, encoding="utf-8", errors="replace").read()
                       for path in glob.glob(place.path("program*/**"), recursive=True)
                       if os.path.isfile(path)])
    note("the key in what is left", KEY not in left, "it is there")
    listener.socket.close()
