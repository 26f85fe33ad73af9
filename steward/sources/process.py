"""Runs one child process to its end, or ends it: what every source that reads through a program stands on.

Below: the event loop. A child gets a fixed argument vector (no shell), an environment that its caller spelt out, no
terminal and a process group of its own, so that what it started ends with it. What it writes is bytes for the caller
to parse or to classify; stderr is never shown to anyone.
"""

import asyncio
import os
import shutil
import signal
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import cast

STDERR_BYTES = 64 * 1024
"""How much of stderr is kept, from its beginning; the rest is drained and dropped."""

_GRACE_SECONDS = 1.0
"""How long after the child's own end its pipes may stay open: something that it left behind may hold them."""

_REAP_SECONDS = 5.0
"""How long a killed child may take to go: it cannot while the kernel holds it, on a hung mount for example."""


class CutReason(StrEnum):
    """Why there is no result."""

    MISSING = "missing"
    """There is no such program on the PATH that the child would have had."""
    REFUSED = "refused"
    """The program is there, but the system would not start it."""
    TIMEOUT = "timeout"
    TOO_LARGE = "too_large"
    """More than `max_bytes` of output."""


@dataclass(frozen=True, slots=True)
class Finished:
    """The child ended by itself. `returncode` is negative where a signal ended it; `stderr` may be cut."""

    returncode: int
    stdout: bytes
    stderr: bytes


@dataclass(frozen=True, slots=True)
class Cut:
    """The child was never started, or it was ended with all that it had started."""

    reason: CutReason


async def run(
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    deadline_seconds: float,
    max_bytes: int,
    cwd: Path | None = None,
    stdin: bytes | None = None,
) -> Finished | Cut:
    """Run `argv` to its end. `env` is the child's whole environment; its PATH is where `argv[0]` is looked for.

    A cancelled call ends the group too. `stdin` None: the child reads nothing.
    """
    program = shutil.which(argv[0], path=env.get("PATH", os.defpath))
    if program is None:
        return Cut(CutReason.MISSING)
    loop = asyncio.get_running_loop()
    child = _Child(loop, max_bytes)
    start = loop.create_task(
        loop.subprocess_exec(
            lambda: child,
            program,
            *argv[1:],
            stdin=asyncio.subprocess.DEVNULL if stdin is None else asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=cwd,
            env=dict(env),
            start_new_session=True,
        )
    )
    try:
        async with asyncio.timeout(deadline_seconds):
            await asyncio.shield(start)  # a start that is broken off half-way leaks its pipes
            child.give(stdin)
            return await child.result
    except TimeoutError:
        return Cut(CutReason.TIMEOUT)
    except OSError:
        return Cut(CutReason.REFUSED)
    finally:
        await asyncio.wait([start])
        await child.end()


def picked(env: Mapping[str, str], names: Collection[str], **fixed: str) -> dict[str, str]:
    """An environment of what is named and nothing else: `names` as they are in `env`, and `fixed` over them."""
    return {name: env[name] for name in names if name in env} | fixed


class _Child(asyncio.SubprocessProtocol):
    """One child's output so far. `result` is set once, by whatever comes first: its end, or too much output."""

    def __init__(self, loop: asyncio.AbstractEventLoop, max_bytes: int) -> None:
        self.result: asyncio.Future[Finished | Cut] = loop.create_future()
        self._loop = loop
        self._max_bytes = max_bytes
        self._stdout = bytearray()
        self._stderr = bytearray()
        self._exited = asyncio.Event()
        self._transport: asyncio.SubprocessTransport | None = None
        self._grace: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The child runs. uvloop's transport has the methods of the class, but not its name."""
        self._transport = cast("asyncio.SubprocessTransport", transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Keep what fits."""
        if fd != 1:
            self._stderr += data[: STDERR_BYTES - len(self._stderr)]
            return
        self._stdout += data
        if len(self._stdout) > self._max_bytes:
            self._settle(Cut(CutReason.TOO_LARGE))

    def process_exited(self) -> None:
        """The child is gone; its last output may still be in the pipes."""
        self._exited.set()
        self._grace = self._loop.call_later(_GRACE_SECONDS, self._finish)

    def connection_lost(self, exc: Exception | None) -> None:
        """The child is gone, and its pipes are read to their ends."""
        del exc
        self._finish()

    def give(self, stdin: bytes | None) -> None:
        """Hand over all of its input, and close that. A child that is gone already wants none."""
        if stdin is None or self._transport is None:
            return
        pipe = cast("asyncio.WriteTransport", self._transport.get_pipe_transport(0))
        if not pipe.is_closing():
            pipe.write(stdin)
            pipe.close()

    async def end(self) -> None:
        """Kill whatever is left of the group, also what a child that ended by itself has left behind."""
        if self._grace is not None:
            self._grace.cancel()
        if self._transport is None:
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._transport.get_pid(), signal.SIGKILL)
        self._transport.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(_REAP_SECONDS):
                await self._exited.wait()

    def _finish(self) -> None:
        returncode = self._transport.get_returncode() if self._transport else None
        if returncode is not None:
            self._settle(Finished(returncode, bytes(self._stdout), bytes(self._stderr)))

    def _settle(self, result: Finished | Cut) -> None:
        if not self.result.done():
            self.result.set_result(result)
