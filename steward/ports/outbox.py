"""The outbox: what is promised to readers, and its fate."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Protocol

from steward.model.delivery import Delivery, Fate
from steward.model.ids import MessageRef, WorkerId
from steward.model.turn import Written


class Outbox(Protocol):
    """Order is per chat: only the oldest unfinished part of a chat can be claimed."""

    async def claim(self, worker: WorkerId, *, limit: int, ttl: timedelta) -> Sequence[Delivery]:
        """Mark due parts as SENDING, committed before any call. A part found in SENDING after `ttl` is unknown."""
        ...

    async def finish(self, delivery: Delivery, fate: Fate) -> Written:
        """Record a fate. The last part of a subject closes it: question answered, inbox row closed (W3)."""
        ...

    async def due(self) -> datetime | None:
        """When the next part becomes due; None where nothing waits."""
        ...

    async def ours(self, message: MessageRef) -> bool:
        """Whether we sent this message (design §3: a reply to ours is addressed to us)."""
        ...
