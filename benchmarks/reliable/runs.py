"""Searches that are small enough to be run thousands of times, and what they leave."""
import json
import os
import subprocess

KEY = "sk-of-the-test-0123456789"

KERNELS = {
    "scale.cu": """// evo.kernel scale(x: in f32[N], y: out f32[N])
// evo.launch scale<<<ceildiv(N, 64), 64>>>(x, y, N)
// evo.workload N = 1024
__global__ void scale(const float *x, float *y, int N) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < N)
    y[i] = 2 * x[i];
}
""",
    "scale.mlir": """// evo.kernel scale(x: in f32[N], y: out f32[N])
// evo.workload N = 1024
func.func @scale(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.add ins(%x, %x : tensor<?xf32>, tensor<?xf32>) outs(%y : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
"""}

# Every kind of request that there is.
STRATEGY = {"name": "all-stages", "perRequest": 1, "repairs": 1, "reflections": 1,
            "notesEvery": 1, "judges": ["memory"], "operators": [{"name": "propose"}]}
PRICES = {"date": "2026-01-02", "currency": "EUR", "per": 1000000,
          "models": {"m": {"input": 5, "output": 25}}}


class Workplace:
    """A folder with the kernels, and how the tool is run in it."""

    def __init__(self, tool, folder):
        self.tool, self.folder = tool, folder
        os.makedirs(folder, exist_ok=True)
        files = dict(KERNELS, **{"strategy.json": json.dumps(STRATEGY),
                                 "prices.json": json.dumps(PRICES)})
        for name, text in files.items():
            with open(self.path(name), "w", encoding="utf-8") as file:
                file.write(text)

    def path(self, name):
        return os.path.join(self.folder, name)

    def environment(self, **more):
        return dict(os.environ, EVO_API_KEY=KEY, no_proxy="127.0.0.1", **more)

    def search(self, kernel, out, seed, budget, *more):
        return [self.tool, "optimize", self.path(kernel), "-o", out, "--journal",
                out + ".journal", "--no-gpu", "--jobs", "1", "--seed", str(seed),
                "--effort=quick", "--confirm=none",
                "--budget", str(budget), *more]

    def model(self, url, *more):
        return ["--proposer", "llm", "--base-url", url, "--model", "m", "--attempts", "2",
                "--answer-seconds", "2", "--strategy", self.path("strategy.json"),
                "--prices", self.path("prices.json"), *more]

    def run(self, command, timeout=120):
        """The exit code (negative: the signal that it died of) and what was printed."""
        done = subprocess.run(command, env=self.environment(), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace",
                              timeout=timeout, check=False)
        return done.returncode, done.stdout


class Journal:
    """What a journal says, without the hours and what it took."""

    def __init__(self, tool, path):
        self.candidates, self.steps, self.charges = [], [], []
        if not os.path.exists(path) or os.path.getsize(path) == 0:
            return
        done = subprocess.run([tool, "journal", path], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False)
        if "is empty: no search has begun" in done.stderr:
            return  # it was killed before
        if done.returncode:
            raise AssertionError("the journal cannot be read: " + done.stderr[-500:])
        for line in done.stdout.splitlines():
            event = json.loads(line)
            if event["event"] == "request":
                self.charges.append(event)
            elif event["event"] in ("evaluated", "asked"):
                self.steps.append({key: value for key, value in event.items()
                                   if key not in ("seconds", "made")})
            if event["event"] == "evaluated":
                self.candidates.append(event["candidate"])

    def settled(self):
        """The questions of which the bill is known, be it nothing, each as often as that was."""
        return sorted((charge["request"], charge["hash"]) for charge in self.charges
                      if charge["state"] == "settled")

    def paid(self):
        """Of these, those that cost something."""
        return sorted((charge["request"], charge["hash"]) for charge in self.charges
                      if charge["state"] == "settled" and charge["money"] > 0)
