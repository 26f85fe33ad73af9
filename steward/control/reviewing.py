"""One review from its thread to its end, in a restricted process of its own. Contracts V3-V5, T3.

Above: the sweep, which has reserved it. Below: the endpoint, called once; judge and endings. The session's own thread is
not touched: a review has one that is closed after it.
"""

import asyncio
import logging
from dataclasses import dataclass
from datetime import datetime

from steward.control.calls import Call, Over, closed
from steward.control.endings import Endings
from steward.control.grounds import Grounds
from steward.control.kept import KeptReader
from steward.control.turns import WATCH_SECONDS, TurnLimits
from steward.errors import StoreUnavailableError
from steward.model.ids import AttemptToken
from steward.model.profile import Readback
from steward.model.review import ReviewOutcome
from steward.model.turn import (
    Candidate,
    Kept,
    Question,
    QuestionStatus,
    Seat,
    TurnCode,
    TurnFailure,
    TurnInput,
    Written,
)
from steward.policy.judge import judge
from steward.policy.review import confined
from steward.policy.sessions import MOST_EXCHANGES, history_lines
from steward.ports.reviews import Reviews as Store
from steward.ports.sessions import Sessions

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Review:
    """A reserved review: what it is of, and what it is to start with. `scope_revision`: that of what was read."""

    question: Question
    attempt: AttemptToken
    readback: Readback
    scope_revision: str


class Reviewing:
    """Keeps nothing itself. `grounds` and `endings` are those of ordinary turns."""

    def __init__(
        self,
        *,
        store: Store,
        sessions: Sessions,
        grounds: Grounds,
        endings: Endings,
        limits: TurnLimits,
    ) -> None:
        self._store = store
        self._ledger = endings.ledger
        self._sessions = sessions
        self.grounds = grounds
        self.endings = endings
        self._clock = endings.clock
        self._limits = limits

    async def run(self, review: Review) -> str | None:
        """The call, and what comes of it. A word for the log: it was not called, and is still reserved."""
        question = review.question
        endpoint = self.grounds.endpoints.of(question.audience.kind)
        seat = Seat(review.readback.profile, question.language, review.readback.prompt_revision)
        thread = await endpoint.open(seat, resume=None, history=await self._history(question))
        if isinstance(thread, TurnFailure):
            return thread.code.value
        asked = await self.asked(question, self._clock.now())
        kept = Kept(await self._ledger.readings(question.id))
        call = Call(endpoint, thread, asked, self._limits.grace, kept)
        try:
            if thread.readback != review.readback or not confined(thread.readback):
                return TurnCode.READBACK_MISMATCH.value
            if await self._store.calling(review.attempt) is not Written.DONE:
                return None
            outcome = await self._watched(review, call, kept, asked)
        finally:
            await closed(endpoint, thread, self._limits.grace)
        await self._ended(review, outcome)
        return None

    async def concluded(self, review: Review, candidate: Candidate) -> None:
        """Judge and settle a result that is stored. No endpoint is called here (T3).

        Raises StoreUnavailableError: what cannot be compared is not settled.
        """
        outcome, failure = await self._settled(review, candidate)
        if outcome is not ReviewOutcome.SETTLED:
            logger.info("question %d: its review gave nothing: %s", review.question.id, outcome)
            await self._store.fail(review.attempt, outcome, failure)

    async def asked(self, question: Question, now: datetime) -> TurnInput:
        """The question as it was put. What the conversation is about since is none of its business (V5)."""
        names = await self.endings.people.names(question.message.app_id, question.asker)
        return TurnInput(
            question=question.text,
            language=question.language,
            zone=str(self.endings.zone),
            now=now,
            asker_names=names,
            chosen=question.chosen,
        )

    async def _history(self, question: Question) -> tuple[str, ...]:
        """What was said before it was asked, and may still be seen (S3)."""
        said = await self._sessions.history(question.conversation, most=MOST_EXCHANGES)
        return history_lines([one for one in said if one.asked_at < question.asked_at])

    async def _watched(
        self, review: Review, call: Call, kept: Kept, asked: TurnInput
    ) -> Candidate | TurnFailure | Over:
        """Beside a look at whether anybody still waits: a stop or a recall may come in another process."""
        reader, deadline = KeptReader(kept.readings), asked.now + self._limits.total
        async with asyncio.TaskGroup() as group:
            watch = group.create_task(self._watch(review, call))
            try:
                return await call.result(reader, deadline)
            finally:
                watch.cancel()

    async def _watch(self, review: Review, call: Call) -> None:
        while True:
            await self._clock.sleep(WATCH_SECONDS)
            try:
                question = await self._ledger.question(review.question.id)
            except StoreUnavailableError:
                logger.warning("reviews: the store is unavailable")
                continue
            if question.status is not QuestionStatus.REVIEWING:
                call.end(None)
                return

    async def _ended(self, review: Review, outcome: Candidate | TurnFailure | Over) -> None:
        match outcome:
            case Candidate():
                if await self._ledger.candidate(review.attempt, outcome) is Written.DONE:
                    await self.concluded(review, outcome)
            case TurnFailure():
                await self._store.fail(review.attempt, ReviewOutcome.FAILED, outcome)
            case Over():
                await self._store.fail(review.attempt, ReviewOutcome.INTERRUPTED, outcome.failure)

    async def _settled(
        self, review: Review, candidate: Candidate
    ) -> tuple[ReviewOutcome, TurnFailure | None]:
        question = review.question
        begun = review.readback.profile
        settling = await self.grounds.settling(question, review.scope_revision, begun)
        if isinstance(settling, TurnFailure):
            return ReviewOutcome.REFUSED, settling
        judged = judge(candidate.raw)
        if isinstance(judged, TurnFailure):
            return ReviewOutcome.NOTHING_ACCEPTED, judged
        if judged.actions:
            return ReviewOutcome.ACTION, None
        readings = await self._ledger.readings(question.id)
        written = await self.endings.supplement(
            question, review.attempt, judged, readings, settling.scope
        )
        match written:
            case None:
                return ReviewOutcome.NOTHING_ACCEPTED, None
            case Written.CHANGED:
                return ReviewOutcome.REFUSED, TurnFailure(TurnCode.PROFILE_CHANGED)
            case _:
                return ReviewOutcome.SETTLED, None
