"""The process's own parts: loops that run as long as it does, each restarted when it dies.

Above: bot.app, which names them. A part that is down turns /readyz red until it runs again.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Protocol

from steward.ports.world import Clock

logger = logging.getLogger(__name__)

LONGEST_PAUSE = 30.0
STEADY = 60.0
"""Seconds without a failure after which a part's earlier failures are forgotten."""


class PartHealth(Protocol):
    """Where the state of a part is shown."""

    def part_up(self, name: str) -> None: ...

    def part_down(self, name: str, reason: str) -> None: ...


async def supervise(
    parts: Mapping[str, Callable[[], Awaitable[None]]], health: PartHealth, clock: Clock
) -> None:
    """Run every part until cancelled; one that ends or fails is started again after a growing pause."""
    async with asyncio.TaskGroup() as group:
        for name, run in parts.items():
            group.create_task(_supervised(name, run, health, clock), name=name)


async def _supervised(
    name: str, run: Callable[[], Awaitable[None]], health: PartHealth, clock: Clock
) -> None:
    failures = 0
    while True:
        started = clock.monotonic()
        health.part_up(name)
        try:
            await run()
            logger.error("%s ended by itself", name)
        except Exception:
            logger.exception("%s failed", name)
        health.part_down(name, "restarting")
        failures = 1 if clock.monotonic() - started > STEADY else failures + 1
        await clock.sleep(min(0.5 * 2 ** min(failures - 1, 10), LONGEST_PAUSE))


@asynccontextmanager
async def running(work: Coroutine[None, None, None]) -> AsyncIterator[None]:
    """Run `work` beside the block and end it with the block: what must survive is in the store by then.

    No task group: it would wrap what the block raises, and callers wait for those errors by name.
    """
    task = asyncio.get_running_loop().create_task(work)
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
