# The test suite: lit tests in MLIR, CUDA and shell, and the unit tests.
# Features: `cuda` (headers, libdevice and an assembler were found), `gpu` (a
# device is present; never in CI), `long-tests` (EVO_LONG_TESTS is set: what takes minutes
# by itself, of which a shorter test says a part), `torch` (torch and iree-turbine, in our
# interpreter or the one that EVO_TORCH_PYTHON names), `clang-format` and `clang-tidy`
# (those of the LLVM in use), `chromium` (the browser, which looks at what `report` makes),
# `git` (the program, and the tree is a checkout), `sanitize` (a build with sanitizers).
import os
import shutil
import subprocess
import sys

import lit.formats

config.name = "evo"
config.suffixes = [".mlir", ".cu", ".test", ".py"]
config.excludes = ["Inputs", "lit.cfg.py", "sanitizers.py", "lit.site.cfg.py", "CMakeLists.txt"]
config.test_format = lit.formats.ShTest(execute_external=False)
config.test_source_root = os.path.join(config.evo_source_dir, "test")
config.test_exec_root = os.path.join(config.evo_build_dir, "test")

bin_dir = os.path.join(config.evo_build_dir, "bin")
path = os.pathsep.join([bin_dir, config.llvm_tools_dir, os.environ.get("PATH", "")])
config.environment["PATH"] = path
for name in ("CUDA_HOME", "CUDA_PATH", "EVO_CUDA_PATH", "HOME"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

# Headers of CUDA are parsed once for all tests.
config.environment["EVO_CACHE_DIR"] = os.path.join(config.evo_build_dir, "test", "cache")

sys.path.insert(0, os.path.join(config.evo_source_dir, "test"))
from sanitizers import sanitizer_environment  # noqa: E402

config.environment.update(sanitizer_environment(config))
if config.sanitize:
    config.available_features.add("sanitize")

config.substitutions.append(("%examples", os.path.join(config.evo_source_dir, "examples")))
config.substitutions.append(("%inputs", os.path.join(config.evo_source_dir, "test", "Inputs")))
config.substitutions.append(("%source", config.evo_source_dir))
config.substitutions.append(("%build", config.evo_build_dir))
config.substitutions.append(("%python", config.python))
config.substitutions.append(("%llvm_root", os.path.dirname(config.llvm_tools_dir.rstrip("/"))))
config.substitutions.append(("%llvm_include", config.llvm_include_dir))


def runs(*command):
    """Whether a command can be started and ends with status 0."""
    try:
        return subprocess.run(command, capture_output=True, env=config.environment | {}).returncode == 0
    except OSError:
        return False


probe = os.path.join(config.evo_source_dir, "examples", "cuda", "softmax.cu")
if runs(os.path.join(bin_dir, "evo-opt"), "lift", probe):
    config.available_features.add("cuda")
if os.path.exists(config.z3):
    config.available_features.add("z3")
for program in ("clang-format", "clang-tidy"):
    if os.path.exists(os.path.join(config.llvm_tools_dir, program)):
        config.available_features.add(program)
if shutil.which("chromium") or shutil.which("chromium-browser"):
    config.available_features.add("chromium")
if runs("git", "-C", config.evo_source_dir, "rev-parse", "--verify", "HEAD"):
    config.available_features.add("git")
if os.environ.get("EVO_LONG_TESTS"):
    config.available_features.add("long-tests")
torch_python = os.environ.get("EVO_TORCH_PYTHON", config.python)
config.substitutions.append(("%torch_python", torch_python))
importable = "import sys, importlib.util as u; sys.exit(not all(map(u.find_spec, ('torch', 'iree'))))"
if runs(torch_python, "-c", importable):
    config.available_features.add("torch")
if shutil.which("nvidia-smi") and runs("nvidia-smi", "-L"):
    config.available_features.add("gpu")
