"""How long an event loop keeps those who wait for it: what a blocked loop feels like from within."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

TICK = 0.005


@dataclass(slots=True)
class Stall:
    """The longest that a waking came after its time, in milliseconds."""

    worst: float = 0.0

    async def watch(self) -> None:
        """Sleep again and again, and note how late each waking is."""
        while True:
            began = time.perf_counter()
            await asyncio.sleep(TICK)
            self.worst = max(self.worst, (time.perf_counter() - began - TICK) * 1000)


@asynccontextmanager
async def watched() -> AsyncIterator[Stall]:
    """Watch the running loop while the block runs."""
    stall = Stall()
    async with asyncio.TaskGroup() as group:
        task = group.create_task(stall.watch())
        yield stall
        await asyncio.sleep(TICK)
        task.cancel()
