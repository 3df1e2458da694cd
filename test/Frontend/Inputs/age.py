"""age.py OWN FILE...: one of the files is as OWN, and the other was last read eight days ago."""

import filecmp
import os
import sys
import time

others = [file for file in sys.argv[2:] if not filecmp.cmp(sys.argv[1], file, shallow=False)]
assert len(sys.argv) == 4 and len(others) == 1, others
os.utime(others[0], (time.time() - 8 * 86400,) * 2)
