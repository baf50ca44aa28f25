"""`python -m benchmarks`: the environment first, then NumPy and everything that needs it."""

import sys

from benchmarks.machine import one_thread

if __name__ == "__main__":
    one_thread()
    from benchmarks.cli import main

    sys.exit(main(sys.argv[1:]))
