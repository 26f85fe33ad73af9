"""Leased conversations: who may work on one, fenced against a worker that was thought dead."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Protocol

from steward.model.ids import ConversationId, QuestionId, WorkerId
from steward.model.turn import Lease


class Conversations(Protocol):
    """Conversations with a queued question are claimed, others held by name; one worker at a time has one."""

    async def claim(self, worker: WorkerId, *, limit: int, ttl: timedelta) -> Sequence[Lease]: ...

    async def hold(
        self, worker: WorkerId, conversation: ConversationId, ttl: timedelta
    ) -> Lease | None:
        """This conversation, where no question of it is queued or at work and nobody has it (V1); else None."""
        ...

    async def renew(self, leases: Sequence[Lease], ttl: timedelta) -> Sequence[Lease]:
        """The leases that are still ours, prolonged; a missing one is lost."""
        ...

    async def release(self, lease: Lease) -> None: ...

    async def next(self, lease: Lease) -> QuestionId | None:
        """The oldest queued question by sequence id, or None: nothing queued, or the lease is lost."""
        ...


class Wake(Protocol):
    """A hint, never a promise; `Conversations.claim` finds what a lost hint missed."""

    def wake(self, conversation: ConversationId | None) -> None: ...

    async def wait(self, at_most: timedelta) -> None:
        """Until a hint came since the last wait, or `at_most`."""
        ...
