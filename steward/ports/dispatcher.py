"""Calls the work for each conversation that has some; at least once, one at a time per conversation."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from steward.model.turn import Lease


class Dispatcher(Protocol):
    """Runs until cancelled and owns its tasks. Safety rests on the store, never on who delivers the hint."""

    async def run(self, work: Callable[[Lease], Awaitable[None]]) -> None: ...
