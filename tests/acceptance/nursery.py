"""The tests' side of child.py: starts stewards, one at a time, kills them, and learns how each ended."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from tests.acceptance.child import Order
from tests.children import ended

ROOT = Path(__file__).parents[2]
PATIENCE = 15.0
KILLED = -signal.SIGKILL


class Child:
    """One serving process, from its start to its end."""

    def __init__(self, pid: int, lines: asyncio.StreamReader) -> None:
        self.pid = pid
        self._lines = lines
        self._code: int | None = None

    async def ready(self) -> None:
        """It serves; raises where it ended instead."""
        line = await _line(self._lines)
        if line != "ready":
            self._code = _code(line)
            raise RuntimeError(f"the steward ended with {self._code} before it was ready")

    async def ended(self) -> int:
        """How it ended, as a process's return code: negative for a signal."""
        while self._code is None:
            line = await _line(self._lines)
            if line != "ready":
                self._code = _code(line)
        return self._code

    async def stop(self) -> int:
        """Ask it to end, as an operator would."""
        os.kill(self.pid, signal.SIGTERM)
        return await self.ended()

    async def kill(self) -> None:
        """End it in the middle of whatever it does."""
        if self._code is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            await self.ended()


class Nursery:
    """Where stewards start within milliseconds."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._stdin = process.stdin
        self._stdout = process.stdout
        self._last: Child | None = None

    async def start(self, order: Order) -> Child:
        """A new steward. One that a failed test left behind is killed first."""
        await self.clear()
        self._stdin.write(f"{order.line()}\n".encode())
        await self._stdin.drain()
        self._last = Child(int((await _line(self._stdout)).removeprefix("started ")), self._stdout)
        return self._last

    async def clear(self) -> None:
        """Nothing runs any more."""
        if self._last is not None:
            await self._last.kill()
            self._last = None


@asynccontextmanager
async def open_nursery() -> AsyncIterator[Nursery]:
    """Ends with the block, and every steward with it."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.acceptance.child",
        cwd=ROOT,
        env={"PATH": ""},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    nursery = Nursery(process)
    try:
        yield nursery
    finally:
        await nursery.clear()
        assert process.stdin is not None
        process.stdin.close()
        await ended(process)


async def _line(lines: asyncio.StreamReader) -> str:
    async with asyncio.timeout(PATIENCE):
        return (await lines.readline()).decode().strip()


def _code(line: str) -> int:
    return int(line.removeprefix("ended "))
