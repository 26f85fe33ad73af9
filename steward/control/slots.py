"""Work taken as places come free: what is slow holds up nothing but itself.

Above: intake and outbox, which say where work comes from and what is done with it. One batch after another would let
one chat's slow look-up, or one send that waits for its pace, stand in the way of every other chat.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from typing import TypeVar

from steward.ports.conversations import Wake

T = TypeVar("T")

AT_ONCE = 32
BATCH = 8
"""Work is taken once so many places are free: a transaction for each piece would cost more than the piece."""


async def keep_working(
    take: Callable[[int], Awaitable[Sequence[T]]],
    work: Callable[[T], Awaitable[None]],
    wake: Wake,
    until_due: Callable[[], Awaitable[timedelta]],
) -> None:
    """Until cancelled: `take` at most so many pieces as there is room for, and `work` on them side by side.

    Where nothing is taken it waits for a hint, or as long as `until_due` says. `work` raises nothing.
    """
    free = AT_ONCE

    async def done(item: T) -> None:
        nonlocal free
        try:
            await work(item)
        finally:
            free += 1
            wake.wake(None)

    async with asyncio.TaskGroup() as group:
        while True:
            taken = await take(free) if free >= BATCH else ()
            free -= len(taken)
            for item in taken:
                group.create_task(done(item))
            if not taken:
                await wake.wait(await until_due())
