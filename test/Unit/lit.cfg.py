# The GoogleTest executables, each test case a test of its own.
import os
import sys

import lit.formats

config.name = "evo-unit"
config.suffixes = []
config.test_source_root = os.path.join(config.evo_build_dir, "unittests")
config.test_exec_root = config.test_source_root
config.test_format = lit.formats.GoogleTest(".", "Tests")
sys.path.insert(0, os.path.join(config.evo_source_dir, "test"))
from sanitizers import sanitizer_environment  # noqa: E402

config.environment.update(sanitizer_environment(config))
for name in ("CUDA_HOME", "CUDA_PATH", "EVO_CUDA_PATH", "HOME"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
