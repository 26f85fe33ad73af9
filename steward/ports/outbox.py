"""The outbox: what is promised to readers, and its fate."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Protocol

from steward.model.delivery import (
    Delivery,
    Fate,
    LostMessage,
    LostMessages,
    NewPart,
    OutboxDepth,
)
from steward.model.ids import AppId, MessageRef, WorkerId
from steward.model.turn import TurnFailure, Written


class Outbox(Protocol):
    """Order is per chat: only the oldest unfinished part of a chat can be claimed."""

    async def claim(self, worker: WorkerId, *, limit: int, ttl: timedelta) -> Sequence[Delivery]:
        """Mark due parts as SENDING, committed before any call, the most important first; `tries` counts this one.

        A part found in SENDING after its `ttl` may have arrived: it is handed out again, `first_unknown_at` being
        the time of that try (D4).
        """
        ...

    async def finish(self, delivery: Delivery, fate: Fate) -> Written:
        """Record a fate. The last part of an answer or notice closes its inbox row, and a whole answer its question (W3).

        LOST: this try is no longer the newest. An arrival is true all the same, and is kept (REPLAY: known before).
        A part that stepped down without a lower rung is given up; one of a recalled question is not tried again
        unless it may have arrived. Raises ContractError for a step down of a part that may have arrived, and for a
        repeat of one that may not, or that is a repeat itself.
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

    async def lost(self, app: AppId, *, most: int) -> LostMessages:
        """What was given up although somebody waited for it, and the owner does not know yet (W3).

        Not: what was withheld or withdrawn, which its reader knows; what nobody had asked for, as a message like this one.
        """
        ...

    async def tell(self, parts: Sequence[NewPart], lost: Sequence[LostMessage] = ()) -> Written:
        """Write what tells the owner, and mark what it tells of, in one commit. REPLAY: somebody did, nothing is written.

        Without parts there is nobody to tell: it is marked all the same.
        """
        ...

    async def depth(self, app: AppId) -> OutboxDepth:
        """For gauges."""
        ...
