"""The sweep that reviews interrupted answers, each question once. Contract V.

Above: bot.app, which supervises `run`. Below: the store's reviews, endpoint, judge, endings. Everything is looked up
afresh twice, before a review is reserved and between that and its call, and each arrow is a commit: reserved, calling,
candidate, settled. Whatever goes wrong, the question is owed as before, and its review is used up.
"""

import asyncio
import logging
from collections.abc import Coroutine
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from steward.control.reviewing import Review, Reviewing
from steward.control.standing import Lost, Standing
from steward.errors import StoreUnavailableError
from steward.model.audience import Scope
from steward.model.ids import AttemptToken, QuestionId, WorkerId
from steward.model.profile import Readback
from steward.model.review import InterruptedTurn, ReviewCase, ReviewOutcome, ReviewRefusal
from steward.model.turn import (
    Candidate,
    Lease,
    Observed,
    Question,
    Thread,
    TurnFailure,
    Written,
)
from steward.policy.review import ReviewFacts, RouteFacts, barred, legible, refused, seated, unfit
from steward.policy.workspace import prompt_revision
from steward.ports.conversations import Conversations, Wake
from steward.ports.reviews import Reviews as Store

logger = logging.getLogger(__name__)

EVERY = timedelta(seconds=15)
AT_ONCE = 16
"""So many owed questions are looked at in one sweep; the next one goes on behind them."""

PAUSE = timedelta(seconds=2)
"""Between two looks at a turn: one that still grows is seen to."""

TTL = timedelta(seconds=60)
"""How long a conversation is held without a sign of life, as a turn holds it."""


@dataclass(frozen=True, slots=True)
class _Later:
    """A turn that was looked at in vain so many times is not looked at again before `at`."""

    tries: int
    at: datetime


class Reviews:
    """One review at a time in this process; in every process together, one for each question.

    `every`: the pause between two sweeps; the one between two looks at a turn is never longer.
    """

    def __init__(
        self,
        *,
        worker: WorkerId,
        conversations: Conversations,
        store: Store,
        standing: Standing,
        reviewing: Reviewing,
        questions: Wake,
        every: timedelta = EVERY,
    ) -> None:
        self._worker = worker
        self._conversations = conversations
        self._store = store
        self._standing = standing
        self._grounds = reviewing.grounds
        self._endings = reviewing.endings
        self._reviewing = reviewing
        self._questions = questions
        self._every = every
        self._pause = min(PAUSE, every)
        self._clock = reviewing.endings.clock
        self._after: QuestionId | None = None
        self._later: dict[QuestionId, _Later] = {}

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            try:
                await self.sweep()
            except StoreUnavailableError:
                logger.warning("reviews: the store is unavailable")
            await self._clock.sleep(self._every.total_seconds())

    async def sweep(self) -> int:
        """End what a worker that is gone left behind, then look at what is owed; how many were reserved."""
        await self.take_over()
        due = await self._store.due(limit=AT_ONCE, after=self._after)
        self._after = due[-1] if len(due) == AT_ONCE else None
        reserved = 0
        for question in due:
            try:
                reserved += await self._look(question)
            except StoreUnavailableError:
                raise
            except Exception:  # the loop's edge: one question keeps no other from its review
                logger.exception("question %d cannot be reviewed", question)
        return reserved

    async def take_over(self) -> None:
        """What was reserved and not called is free once more; what was called never is again (V1)."""
        for orphan in await self._store.orphans():
            question, attempt = orphan.question, orphan.attempt
            try:
                if orphan.candidate is not None:
                    review = Review(question, attempt, orphan.readback, orphan.scope_revision)
                    await self._reviewing.concluded(review, orphan.candidate)
                elif orphan.called:
                    await self._store.fail(attempt, ReviewOutcome.INTERRUPTED)
                else:
                    await self._put_back(question, attempt, "its worker is gone")
            except StoreUnavailableError:
                raise
            except Exception:  # the loop's edge, as above
                logger.exception("question %d: its review cannot be taken over", question.id)
            self._questions.wake(question.conversation)

    # ------------------------------------------------------------ before

    async def _look(self, of: QuestionId) -> bool:
        """Whether a review of it was reserved."""
        case = await self._store.case(of)
        facts = await self._facts(case)
        if barred(facts) is not None or (turn := case.turn) is None:
            return False
        if of in self._later and self._clock.now() < self._later[of].at:
            return False
        first = await self._seen(case.question, turn)
        await self._clock.sleep(self._pause.total_seconds())
        second = await self._seen(case.question, turn)
        why = unfit((first, second))
        if why is ReviewRefusal.FINAL_ANSWER and second is not None and second.final is not None:
            await self._answered(case.question, turn, second.final)
        if why is not None or not legible(await self._endings.ledger.readings(of)):
            self._look_later(of, why or ReviewRefusal.NOTHING_READ)
            return False
        self._later.pop(of, None)
        lease = await self._conversations.hold(self._worker, case.question.conversation, TTL)
        if lease is None:
            return False
        try:
            return await self._held(lease, self._reserved(lease, facts, second))
        finally:
            await self._conversations.release(lease)
            self._questions.wake(case.question.conversation)

    def _look_later(self, of: QuestionId, why: ReviewRefusal) -> None:
        """Whoever shows nothing of use is asked less and less often: a look may cost it a process."""
        tries = self._later[of].tries + 1 if of in self._later else 1
        self._later[of] = _Later(tries, self._clock.now() + tries * self._every)
        logger.info("question %d is not reviewed: %s", of, why)

    async def _answered(self, question: Question, turn: InterruptedTurn, final: bytes) -> None:
        """It came to an answer after all: kept as one that came late, it is settled from without a call (T8)."""
        logger.info("question %d: its turn has a final answer", question.id)
        await self._endings.ledger.candidate(turn.attempt, Candidate(final))

    async def _facts(self, case: ReviewCase, mine: AttemptToken | None = None) -> ReviewFacts:
        question = case.question
        endpoint = self._grounds.endpoints.of(question.audience.kind)
        stand = await self._standing.now(question.audience, question.asker, question.conversation)
        route = RouteFacts(
            endpoint=endpoint.name,
            harmless=self._grounds.endpoints.harmless(endpoint.name),
            profile=await self._grounds.held(question),
            scope_revision=stand.revision if isinstance(stand, Scope) else None,
            unclear=not isinstance(stand, Scope | Lost),
        )
        return ReviewFacts(case, route, self._clock.now(), mine)

    async def _seen(self, question: Question, turn: InterruptedTurn) -> Observed | None:
        """What the endpoint shows of the turn; None where it shows nothing."""
        endpoint = self._grounds.endpoints.of(question.audience.kind)
        asked = await self._reviewing.asked(question, turn.started_at)
        seen = await endpoint.observe(Thread(turn.upstream, turn.readback), asked)
        return None if isinstance(seen, TurnFailure) else seen

    # ------------------------------------------------------------ reserved

    async def _held(self, lease: Lease, work: Coroutine[None, None, bool]) -> bool:
        """Work under the lease, which is prolonged meanwhile; where it is lost, the work ends."""
        task = asyncio.ensure_future(work)
        renewals = asyncio.ensure_future(self._renewals(lease, task))
        try:
            await asyncio.wait((task,))
        finally:
            renewals.cancel()
            task.cancel()
            await asyncio.wait((task, renewals))
        return False if task.cancelled() else task.result()

    async def _renewals(self, lease: Lease, task: asyncio.Future[bool]) -> None:
        while True:
            await self._clock.sleep(TTL.total_seconds() / 3)
            try:
                kept = await self._conversations.renew([lease], TTL)
            except StoreUnavailableError:
                logger.warning("reviews: a lease could not be renewed")
                continue
            if not kept:
                task.cancel()
                return

    async def _reserved(self, lease: Lease, facts: ReviewFacts, before: Observed | None) -> bool:
        case, route = facts.case, facts.route
        if case.turn is None:
            return False
        profile = seated(route.profile)
        review = Review(
            case.question,
            AttemptToken(self._endings.tokens.new()),
            Readback(profile, prompt_revision(profile)),
            case.turn.scope_revision,
        )
        written = await self._store.reserve(
            lease,
            case.question.id,
            case.words_hash,
            review.attempt,
            reviewed=case.turn.attempt,
            readback=review.readback,
            scope_revision=review.scope_revision,
        )
        if written is not Written.DONE:
            return False
        logger.info("question %d: a review is reserved", case.question.id)
        try:
            await self._checked(review, before)
        except StoreUnavailableError:
            raise
        except Exception:  # the review's edge: whatever broke, the question is owed as before
            logger.exception("question %d: its review broke", case.question.id)
            await self._put_back(review.question, review.attempt, "it broke", ReviewOutcome.BROKE)
        return True

    async def _checked(self, review: Review, before: Observed | None) -> None:
        """Once more, from facts as they are now; then the call."""
        case = await self._store.case(review.question.id)
        facts = await self._facts(case, review.attempt)
        seen = None if case.turn is None else await self._seen(review.question, case.turn)
        why = refused(replace(facts, seen=(before, seen)))
        if why is not None:
            await self._put_back(review.question, review.attempt, why.value)
            return
        not_called = await self._reviewing.run(review)
        if not_called is not None:
            await self._put_back(review.question, review.attempt, not_called)

    async def _put_back(
        self,
        question: Question,
        attempt: AttemptToken,
        why: str,
        outcome: ReviewOutcome = ReviewOutcome.NOT_CALLED,
    ) -> None:
        """Reserved and not called: free for one more try, once; then it is used up (V1)."""
        logger.info("question %d: its review is put back: %s", question.id, why)
        if await self._store.release(attempt) is Written.LOST:
            await self._store.fail(attempt, outcome)
