"""The phase that the disk is in: it flips between fast and slow flushes by itself, so every run says which."""

import os
import time
from pathlib import Path
from typing import Any

from tests.bench.figures import Figure, milliseconds, quantile

FLUSHES = 200
BLOCK = b"\0" * 4096


def flushing(folder: Path) -> tuple[list[Figure], dict[str, Any]]:
    """Write one block and flush it, again and again."""
    file = os.open(folder / "flushed", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    took = []
    try:
        for _ in range(FLUSHES):
            began = time.perf_counter()
            os.write(file, BLOCK)
            os.fdatasync(file)
            took.append((time.perf_counter() - began) * 1000)
    finally:
        os.close(file)
    p50, p99 = quantile(took, 0.5), quantile(took, 0.99)
    text = f"{milliseconds(p50)} (p99 {milliseconds(p99)})"
    return [Figure("0 write and flush 4 KiB", text)], {"flush_ms": took}
