# The GoogleTest executables, each test case a test of its own.
import os

import lit.formats

config.name = "evo-unit"
config.suffixes = []
config.test_source_root = os.path.join(config.evo_build_dir, "unittests")
config.test_exec_root = config.test_source_root
config.test_format = lit.formats.GoogleTest(".", "Tests")
for name in ("CUDA_HOME", "CUDA_PATH", "EVO_CUDA_PATH", "HOME"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
