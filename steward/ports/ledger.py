"""The ledger: questions, turns, readings, answers. Every write is guarded by the fence or the attempt token."""

from collections.abc import Sequence
from typing import Protocol

from steward.model.answer import Answer
from steward.model.delivery import NewPart
from steward.model.ids import AttemptToken, QuestionId
from steward.model.profile import Readback
from steward.model.reading import Reading
from steward.model.turn import Candidate, Lease, Orphan, Question, TurnFailure, Written


class Ledger(Protocol):
    """One method = one transaction (T3). LOST: the question was withdrawn, or another attempt holds it."""

    async def question(self, question: QuestionId) -> Question: ...

    async def begin(
        self,
        lease: Lease,
        question: QuestionId,
        attempt: AttemptToken,
        *,
        endpoint: str,
        readback: Readback,
        scope_revision: str,
    ) -> Written:
        """queued → acting, under the lease's fence; also the conversation's session row (S1)."""
        ...

    async def owe(
        self, lease: Lease, question: QuestionId, failure: TurnFailure, notice: Sequence[NewPart]
    ) -> Written:
        """queued → owed, before any call."""
        ...

    async def calling(self, attempt: AttemptToken) -> Written:
        """Committed before the endpoint is called: from here on a crash is not simply run again (T4)."""
        ...

    async def read(self, attempt: AttemptToken, reading: Reading) -> Written:
        """Keep a reading under the turn, in order."""
        ...

    async def candidate(self, attempt: AttemptToken, candidate: Candidate) -> Written: ...

    async def settle(
        self, attempt: AttemptToken, answer: Answer, parts: Sequence[NewPart]
    ) -> Written:
        """acting → settled: answer, citations, outbox parts and verdict in one transaction (T3).

        REPLAY where this attempt settled before: nothing is written again (T4).
        """
        ...

    async def fail(
        self, attempt: AttemptToken, failure: TurnFailure, notice: Sequence[NewPart]
    ) -> Written:
        """acting → owed, with its notice."""
        ...

    async def answer(self, question: QuestionId) -> Answer | None:
        """The accepted answer, as stored."""
        ...

    async def readings(self, question: QuestionId) -> Sequence[Reading]:
        """What the question's last turn has read, in order."""
        ...

    async def orphans(self) -> Sequence[Orphan]:
        """Turns in flight whose worker is gone. Called under the store's lock alone (D5)."""
        ...

    async def requeue(self, attempt: AttemptToken) -> Written:
        """acting → queued, the turn marked lost: for turns that never called, or whose endpoint is harmless (T5)."""
        ...
