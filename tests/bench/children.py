"""Processes of the benchmark's own: each is asked by one line of JSON and answers with one.

Load, servers and readers live apart from each other, so that none takes another's processor time or memory for its
own. Above: the rows. Below: the modules of this package that are run as programs.
"""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.children import ended

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {"PATH": os.defpath, "LANG": "C.UTF-8"}
PATIENCE = 120.0
_LONGEST_LINE = 16 * 1024 * 1024


class Child:
    """A running program of this package."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def ask(self, **question: Any) -> Any:
        """Send one line; the answer's line, parsed."""
        stdin = self._process.stdin
        assert stdin is not None
        stdin.write(json.dumps(question).encode() + b"\n")
        return await self.heard()

    async def heard(self) -> Any:
        """The next line that the program writes, parsed."""
        stdout = self._process.stdout
        assert stdout is not None
        async with asyncio.timeout(PATIENCE):
            line = await stdout.readline()
        if not line:
            raise RuntimeError("a program of the benchmark ended before it answered")
        return json.loads(line)


@asynccontextmanager
async def running(module: str, *arguments: str) -> AsyncIterator[Child]:
    """`python -m module`, until the block ends: its input is closed then, which ends it."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        module,
        *arguments,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        cwd=ROOT,
        env=ENVIRONMENT,
        limit=_LONGEST_LINE,
    )
    try:
        yield Child(process)
    finally:
        if process.stdin is not None:
            process.stdin.close()
        await ended(process)


def say(answer: Any) -> None:
    """The program's side: one line to whoever asks."""
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def questions(answer: Callable[[Any], Any]) -> None:
    """The program's side: answer every line until the input is closed."""
    for line in sys.stdin:
        say(answer(json.loads(line)))
