"""A process that holds the whole of lark_oapi and nothing else of ours: says its process id, then waits."""

import os
import sys

import lark_oapi  # noqa: F401 - its weight is what is measured

if __name__ == "__main__":
    sys.stdout.write(f"{os.getpid()}\n")
    sys.stdout.flush()
    sys.stdin.read()
