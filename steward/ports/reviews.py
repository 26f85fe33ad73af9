"""Reviews of interrupted answers, each reserved by compare-and-swap: exactly one per question. Contract V.

A review has a turn of its own in the ledger, under its own attempt token: `Ledger.candidate` keeps its result, and
`Ledger.settle` settles the question from it. It never runs as an ordinary turn: the ledger's `fail` and `requeue` are
LOST for it.
"""

from collections.abc import Sequence
from typing import Protocol

from steward.model.ids import AttemptToken, QuestionId
from steward.model.profile import Readback
from steward.model.review import OrphanedReview, ReviewCase, ReviewOutcome
from steward.model.turn import Lease, TurnFailure, Written


class Reviews(Protocol):
    """One method = one transaction. LOST: the question is not what it was, or the review is another's."""

    async def due(self, *, limit: int, after: QuestionId | None = None) -> Sequence[QuestionId]:
        """Owed questions whose last turn called, read and failed, and whose review is not used; by id, after `after`."""
        ...

    async def case(self, question: QuestionId) -> ReviewCase:
        """All that is known now."""
        ...

    async def reserve(
        self,
        lease: Lease,
        question: QuestionId,
        input_hash: str,
        attempt: AttemptToken,
        *,
        reviewed: AttemptToken,
        readback: Readback,
        scope_revision: str,
    ) -> Written:
        """owed → reviewing, under the lease's fence; the session is marked as read-only (V4).

        LOST too where the words have another hash, the turn to review is not the last one, the past was hidden since,
        or the review is used or reserved. REPLAY: this attempt has it reserved.
        """
        ...

    async def calling(self, attempt: AttemptToken) -> Written:
        """Committed before the endpoint is called: from here on the review is used up. REPLAY: do not call."""
        ...

    async def release(self, attempt: AttemptToken) -> Written:
        """reviewing → owed, reserved and not called; once only: LOST the second time."""
        ...

    async def fail(
        self, attempt: AttemptToken, outcome: ReviewOutcome, failure: TurnFailure | None = None
    ) -> Written:
        """reviewing → owed. The review is kept and used up; the failed turn and its notice stay as they are (V4)."""
        ...

    async def orphans(self) -> Sequence[OrphanedReview]:
        """Reviews in flight whose conversation nobody holds."""
        ...
