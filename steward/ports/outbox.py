"""The outbox: what is promised to readers, and its fate."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Protocol

from steward.model.delivery import Delivery, Fate, NewPart
from steward.model.ids import MessageRef, WorkerId
from steward.model.turn import TurnFailure, Written


class Outbox(Protocol):
    """Order is per chat: only the oldest unfinished part of a chat can be claimed."""

    async def claim(self, worker: WorkerId, *, limit: int, ttl: timedelta) -> Sequence[Delivery]:
        """Mark due parts as SENDING, committed before any call; `tries` counts this one.

        A part found in SENDING after its `ttl` may have arrived: it is handed out again, `first_unknown_at` being
        the time of that try (D4).
        """
        ...

    async def finish(self, delivery: Delivery, fate: Fate) -> Written:
        """Record a fate. The last part of an answer or notice closes its inbox row, and a whole answer its question (W3).

        LOST: this try is no longer the newest. An arrival is true all the same, and is kept (REPLAY: known before).
        A part that stepped down without a lower rung is given up; one of a recalled question is not tried again
        unless it may have arrived. Raises ContractError for a step down of a part that may have arrived.
        """
        ...

    async def revoke(
        self, delivery: Delivery, failure: TurnFailure, notice: Sequence[NewPart]
    ) -> Written:
        """A3: drop this part and what its message still has to send, and owe its question, with the notice.

        What is being sent by another worker, or may have arrived, keeps its own fate; the claimed part itself is given up.
        The reply to a command has no question to be owed: it is dropped and told. LOST: this try is no longer the newest.
        """
        ...

    async def due(self) -> datetime | None:
        """When the next part becomes due; None where nothing waits."""
        ...

    async def ours(self, message: MessageRef) -> bool:
        """Whether we sent this message (a reply to ours is addressed to us)."""
        ...
