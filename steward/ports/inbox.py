"""The inbox: everything that came in, and the verdict on it. One method = one transaction."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Protocol

from steward.model.audience import Audience, Declined, Ignored, Limits
from steward.model.delivery import NewPart
from steward.model.events import Envelope, Lane, Recorded, Taken
from steward.model.ids import InboxId, MessageRef, OpenId, QuestionId, WorkerId
from steward.model.turn import NewQuestion, TurnFailure, Written


class Inbox(Protocol):
    """Rows leave "unjudged" once: every verdict is refused (LOST) where another worker wrote one first."""

    async def record(self, batch: Sequence[Envelope]) -> Sequence[Recorded]:
        """Inbox and conversation rows in one commit, in the batch's order (D1).

        A row that the store cannot take is kept as `unparsable` (D3). Raises StoreUnavailableError where nothing
        was recorded.
        """
        ...

    async def take(
        self, worker: WorkerId, *, lane: Lane, limit: int, ttl: timedelta
    ) -> Sequence[Taken]:
        """Lease unjudged rows that are due. ORDERED: the oldest of each conversation, and only if none is leased."""
        ...

    async def admit(
        self, item: InboxId, question: NewQuestion, limits: Limits | None = None
    ) -> QuestionId | Declined | Written:
        """The row becomes a queued question, or a withdrawn one where a recall came first (D2).

        Declined: one more would be too many (A6); nothing was written, and the row is the caller's to decline.
        Text that no store can hold (NUL, lone surrogates) is stored as U+FFFD.
        """
        ...

    async def owe(
        self, item: InboxId, question: NewQuestion, failure: TurnFailure, notice: Sequence[NewPart]
    ) -> Written:
        """The row becomes a question that is owed from the start (A1), with its notice."""
        ...

    async def ignore(
        self,
        item: InboxId,
        why: Ignored,
        *,
        audience: Audience | None = None,
        asker: OpenId | None = None,
    ) -> Written:
        """Silence; `audience` and `asker` are for the audit, which keeps what was refused in it (A1, P7)."""
        ...

    async def decline(
        self,
        item: InboxId,
        why: Declined,
        notice: Sequence[NewPart],
        *,
        audience: Audience | None = None,
        asker: OpenId | None = None,
    ) -> Written:
        """A visible no; `audience` and `asker` are for the audit. A part whose key is there already is not written again: so one line a day stays one."""
        ...

    async def unparsable(
        self, item: InboxId, reason: str, notice: Sequence[NewPart]
    ) -> Written: ...

    async def defer(self, item: InboxId, *, until: datetime) -> Written:
        """Not now: the row, and what stands behind it in its conversation, waits. Costs no attempt."""
        ...

    async def release(self, item: InboxId, *, until: datetime) -> Written:
        """Give the lease back after a failed attempt, which stays counted; not before `until` again."""
        ...

    async def withdraw(self, item: InboxId, message: MessageRef) -> Written:
        """A recall: tombstone the message, withdraw its open question, drop its unsent parts (D2).

        The recall's own row is judged in the same commit. A running turn has lost; a part that is being sent, or that
        may have arrived, keeps its own fate.
        """
        ...
