"""The ledger: questions, turns, readings, answers. Every write is guarded by the fence or the attempt token."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from steward.model.action import NewAction
from steward.model.answer import Answer
from steward.model.delivery import NewPart
from steward.model.ids import AppId, AttemptToken, ConversationId, OpenId, QuestionId
from steward.model.owed import OwedQuestion, QuestionCounts
from steward.model.profile import Readback
from steward.model.reading import Reading
from steward.model.session import SessionStart
from steward.model.topic import Topic
from steward.model.turn import (
    Candidate,
    Language,
    Late,
    Lease,
    Orphan,
    Question,
    TurnFailure,
    Written,
)


class Ledger(Protocol):
    """One method = one transaction (T3). LOST: the question was withdrawn, or another attempt holds it.

    A question ends with a word to its asker (W3): `owe`, `settle` and `fail` without a part raise ContractError, and
    what they write belongs to the question, whatever `NewPart.question` said.
    """

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
        session: SessionStart,
    ) -> Written:
        """queued → acting, under the lease's fence; also the conversation's session row (S1, S2, S3).

        LOST too where an older question of the conversation is queued or at work. REPLAY: this attempt began before.
        """
        ...

    async def owe(
        self,
        lease: Lease,
        question: QuestionId,
        failure: TurnFailure,
        notice: Sequence[NewPart],
        actions: Sequence[NewAction] = (),
    ) -> Written:
        """queued → owed, before any call; with what the notice's buttons stand for."""
        ...

    async def calling(self, attempt: AttemptToken, *, upstream: str | None = None) -> Written:
        """Committed before the endpoint is called: from here on a crash is not simply run again (T4).

        `upstream`: the endpoint's own thread, for the session.

        REPLAY where it was announced before: whoever gets that must not call.
        """
        ...

    async def read(self, attempt: AttemptToken, reading: Reading) -> Written:
        """Keep a reading under the turn, in order."""
        ...

    async def candidate(self, attempt: AttemptToken, candidate: Candidate) -> Written:
        """Store the result as it came. LOST, but kept for `late`, where the turn was thought dead and failed (T8)."""
        ...

    async def settle(
        self,
        attempt: AttemptToken,
        answer: Answer,
        parts: Sequence[NewPart],
        actions: Sequence[NewAction] = (),
    ) -> Written:
        """acting → settled: answer, citations, outbox parts, buttons and verdict in one transaction (T3).

        REPLAY where this attempt settled before: nothing is written again (T4). CHANGED where the stored profile has
        another revision than the one that the turn began with: nothing is written, and the turn is to fail (P9).
        """
        ...

    async def fail(
        self,
        attempt: AttemptToken,
        failure: TurnFailure,
        notice: Sequence[NewPart],
        actions: Sequence[NewAction] = (),
    ) -> Written:
        """acting → owed, with its notice, and what its buttons stand for."""
        ...

    async def late(self) -> Sequence[Late]:
        """Candidates that came after their turn had failed, and are not judged yet; oldest first (T8).

        Only where the question is owed still and was not asked again since.
        """
        ...

    async def settle_late(
        self,
        attempt: AttemptToken,
        answer: Answer,
        parts: Sequence[NewPart],
        actions: Sequence[NewAction] = (),
    ) -> Written:
        """owed → settled from such a candidate, once; else as `settle`. LOST: it is late no more."""
        ...

    async def dismiss(self, attempt: AttemptToken) -> Written:
        """A late candidate cannot be used: it stays as it came, and `late` shows it no more."""
        ...

    async def answer(self, question: QuestionId) -> Answer | None:
        """The accepted answer, as stored."""
        ...

    async def topic(self, conversation: ConversationId) -> Topic | None:
        """What the conversation's last answer with a topic was about, if that was since `visible_from` (S3)."""
        ...

    async def readings(self, question: QuestionId) -> Sequence[Reading]:
        """What the question's last turn has read, in order; a review has read nothing itself."""
        ...

    async def owed(
        self,
        app: AppId,
        *,
        conversation: ConversationId | None = None,
        asker: OpenId | None = None,
        most: int,
    ) -> Sequence[OwedQuestion]:
        """What is unanswered: owed, or settled and undeliverable (T7); newest first, without a word of it (A4)."""
        ...

    async def counts(
        self,
        app: AppId,
        *,
        conversation: ConversationId | None = None,
        asker: OpenId | None = None,
        since: datetime,
    ) -> QuestionCounts:
        """How many questions run, wait and are owed; how many were asked and answered since then."""
        ...

    async def last_language(self, conversation: ConversationId, asker: OpenId) -> Language | None:
        """The language in which this person last asked there."""
        ...

    async def orphans(self) -> Sequence[Orphan]:
        """Turns in flight, but reviews, whose conversation nobody holds: its lease ran out, or recovery broke it.

        At a start, under the store's lock (D5), `Leases.break_all` comes first; what it broke is found here.
        """
        ...

    async def requeue(self, attempt: AttemptToken) -> Written:
        """acting → queued, the turn marked lost: for turns that never called, or whose endpoint is harmless (T5)."""
        ...
