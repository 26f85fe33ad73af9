"""The runtime controller: one question at a time per conversation, in order. Contract T.

Above: the dispatcher, which calls `work` with a leased conversation. Below: scope, endpoint, gate, judge, answer
rules, ledger. Every arrow is a commit: `calling` before the endpoint is called, the candidate as it came, then
answer, citations, outbox parts and verdict in one.
"""

import asyncio
import logging
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from zoneinfo import ZoneInfo

from steward.control.gate import Gate
from steward.control.parts import Subject, parts_of
from steward.control.registry import Sources
from steward.control.scopes import Scopes
from steward.errors import StoreUnavailableError
from steward.model.answer import Outgoing
from steward.model.audience import AudienceKind, Scope
from steward.model.delivery import NewPart
from steward.model.ids import AttemptToken, GoalId, OpenId, QuestionId
from steward.model.profile import RESTRICTED_DEFAULT, Readback
from steward.model.reading import ContextCode, Coverage, ReadFailure, Reading
from steward.model.session import Opening, SessionStart
from steward.model.turn import (
    Candidate,
    Lease,
    Question,
    Seat,
    Thread,
    TurnCode,
    TurnEvent,
    TurnFailure,
    TurnInput,
    Written,
)
from steward.policy.answer_rules import settle
from steward.policy.judge import judge
from steward.policy.offering import offered
from steward.policy.presentation import notice, present
from steward.ports.conversations import Conversations, Wake
from steward.ports.endpoint import Endpoint
from steward.ports.ledger import Ledger
from steward.ports.sender import Sender
from steward.ports.watcher import Watcher
from steward.ports.world import Clock, Tokens
from steward.reading.coverage import footer
from steward.reading.schema import CONTEXT_TOOL, MANAGER_TOOL

logger = logging.getLogger(__name__)

PROMPT_REVISION = "restricted-1"
"""Changes whenever what an endpoint is told changes (P10)."""


@dataclass(frozen=True, slots=True)
class TurnLimits:
    """`total`: how long an endpoint may take for one answer. `grace`: beyond it, the call is abandoned."""

    total: timedelta = timedelta(seconds=60)
    grace: timedelta = timedelta(seconds=5)


class Turns:
    """Runs turns. Stateless: everything that must survive is in the ledger."""

    def __init__(
        self,
        *,
        conversations: Conversations,
        ledger: Ledger,
        scopes: Scopes,
        sources: Sources,
        endpoint: Endpoint,
        sender: Sender,
        watcher: Watcher,
        deliveries: Wake,
        clock: Clock,
        tokens: Tokens,
        zone: ZoneInfo,
        limits: TurnLimits,
        people: Mapping[OpenId, tuple[str, ...]],
    ) -> None:
        self._conversations = conversations
        self._ledger = ledger
        self._scopes = scopes
        self._sources = sources
        self._endpoint = endpoint
        self._sender = sender
        self._watcher = watcher
        self._deliveries = deliveries
        self._clock = clock
        self._tokens = tokens
        self._zone = zone
        self._limits = limits
        self._people = people

    async def work(self, lease: Lease) -> None:
        """Answer what is queued in a leased conversation, oldest first, until nothing is or the lease is lost."""
        while (question := await self._conversations.next(lease)) is not None:
            if await self.run(lease, question) is Written.LOST:
                return

    async def run(self, lease: Lease, question_id: QuestionId) -> Written:
        """One turn, whole. LOST: another worker holds the conversation, or the question was withdrawn."""
        question = await self._ledger.question(question_id)
        scope = await self._scopes.of(question.audience)
        if isinstance(scope, ReadFailure):
            return await self._context_failed(lease, question, scope)
        attempt = AttemptToken(self._tokens.new())
        readback = Readback(RESTRICTED_DEFAULT, PROMPT_REVISION)
        begun = await self._ledger.begin(
            lease,
            question.id,
            attempt,
            endpoint=self._endpoint.name,
            readback=readback,
            scope_revision=scope.revision,
            session=SessionStart(Opening.FIRST, forget=False, audience=question.audience.kind),
        )
        if begun is not Written.DONE:
            return begun
        self._watcher.saw(question.id, question.message, TurnEvent.STARTED)
        return await self._ended(
            question, attempt, self._called(question, attempt, scope, readback)
        )

    async def _called(
        self, question: Question, attempt: AttemptToken, scope: Scope, readback: Readback
    ) -> Written:
        seat = Seat(readback.profile, question.language, readback.prompt_revision)
        thread = await self._endpoint.open(seat, resume=None, history=())
        if isinstance(thread, TurnFailure):
            return await self._fail(question, attempt, thread)
        if thread.readback != readback:
            return await self._fail(question, attempt, TurnFailure(TurnCode.READBACK_MISMATCH))
        if await self._ledger.calling(attempt) is not Written.DONE:
            return Written.LOST
        gate = self._gate(question, attempt)
        candidate = await self._answer(thread, question, gate)
        if isinstance(candidate, TurnFailure):
            return await self._fail(question, attempt, candidate, scope, gate.readings)
        if await self._ledger.candidate(attempt, candidate) is not Written.DONE:
            return Written.LOST
        self._watcher.saw(question.id, question.message, TurnEvent.JUDGING)
        return await self._concluded(question, attempt, candidate, gate.readings, scope.revision)

    async def conclude(
        self,
        question: Question,
        attempt: AttemptToken,
        candidate: Candidate,
        readings: Sequence[Reading],
        scope_revision: str,
    ) -> Written:
        """Judge and settle what a worker that is gone had stored. No endpoint is called here (T3)."""
        return await self._ended(
            question,
            attempt,
            self._concluded(question, attempt, candidate, readings, scope_revision),
        )

    async def _concluded(
        self,
        question: Question,
        attempt: AttemptToken,
        candidate: Candidate,
        readings: Sequence[Reading],
        scope_revision: str,
    ) -> Written:
        scope = await self._scopes.of(question.audience)
        if isinstance(scope, ReadFailure):
            return await self._fail(question, attempt, _context(scope))
        if scope.revision != scope_revision:
            return await self._fail(question, attempt, TurnFailure(TurnCode.AUTHORIZATION_CHANGED))
        judged = judge(candidate.raw)
        if isinstance(judged, TurnFailure):
            return await self._fail(question, attempt, judged, scope, readings)
        now = self._clock.now()
        answer = await asyncio.to_thread(  # rows may be many, and words come from outside
            settle,
            judged,
            language=question.language,
            scope=scope,
            titles=self._sources.titles,
            readings=readings,
            coverage=self._coverage(scope, readings),
            zone=self._zone,
            now=now,
            question=question.text,
            asker_names=self._people.get(question.asker, ()),
        )
        buttons = offered(answer, question.audience, now, self._tokens.new)
        outgoing = present(
            answer,
            asked_at=question.asked_at,
            now=now,
            zone=self._zone,
            buttons=[one.button for one in buttons],
        )
        written = await self._ledger.settle(
            attempt,
            answer,
            self._parts(outgoing, question),
            [one.action for one in buttons],
        )
        return self._said(written, question, TurnEvent.SETTLED)

    async def _ended(
        self, question: Question, attempt: AttemptToken, turn: Coroutine[None, None, Written]
    ) -> Written:
        """A begun turn comes to an end: where a fault of ours breaks it off, its question is owed, and told so.

        Left in flight it would be taken up again and again, and hold back everything behind it.
        """
        try:
            return await turn
        except StoreUnavailableError:
            raise
        except Exception:  # the turn's edge: whatever broke, its reader hears of it
            logger.exception("question %d: the turn broke", question.id)
            return await self._fail(question, attempt, TurnFailure(TurnCode.UNCLASSIFIED))

    async def interrupted(self, question: Question, attempt: AttemptToken) -> Written:
        """An endpoint that may have acted is gone: the question is owed, and nothing runs again by itself (T4)."""
        return await self._fail(question, attempt, TurnFailure(TurnCode.INTERRUPTED))

    def _gate(self, question: Question, attempt: AttemptToken) -> Gate:
        async def keep(reading: Reading) -> Written:
            written = await self._ledger.read(attempt, reading)
            self._watcher.saw(question.id, question.message, TurnEvent.READ)
            return written

        owner = question.audience.kind is AudienceKind.OWNER_PRIVATE
        return Gate(
            tool=MANAGER_TOOL if owner else CONTEXT_TOOL,
            sources=self._sources,
            scope=lambda: self._scopes.of(question.audience),
            keep=keep,
            clock=self._clock,
            tokens=self._tokens,
            zone=self._zone,
            max_page_chars=self._endpoint.max_page_chars,
            deadline=self._clock.now() + self._limits.total,
        )

    async def _answer(
        self, thread: Thread, question: Question, gate: Gate
    ) -> Candidate | TurnFailure:
        now = self._clock.now()
        turn = TurnInput(
            question=question.text,
            language=question.language,
            zone=str(self._zone),
            now=now,
            asker_names=self._people.get(question.asker, ()),
            topic=await self._ledger.topic(question.conversation),
            chosen=question.chosen,
        )
        try:
            async with asyncio.timeout((self._limits.total + self._limits.grace).total_seconds()):
                return await self._endpoint.answer(
                    thread, turn, gate, deadline=now + self._limits.total
                )
        except TimeoutError:
            return TurnFailure(TurnCode.EXECUTOR_TIMEOUT)
        except Exception:  # the loop's edge: an endpoint's fault ends its turn, not the process
            logger.exception("question %d: the endpoint failed", question.id)
            return TurnFailure(TurnCode.UNCLASSIFIED)

    async def _context_failed(
        self, lease: Lease, question: Question, failure: ReadFailure
    ) -> Written:
        owed = _context(failure)
        parts = self._parts(notice(owed, language=question.language), question)
        written = await self._ledger.owe(lease, question.id, owed, parts)
        return self._said(written, question, TurnEvent.OWED)

    async def _fail(
        self,
        question: Question,
        attempt: AttemptToken,
        failure: TurnFailure,
        scope: Scope | None = None,
        readings: Sequence[Reading] = (),
    ) -> Written:
        logger.info("question %d is owed: %s", question.id, failure.code)
        coverage = None
        if scope is not None and readings:
            coverage = self._coverage(scope, readings)
        outgoing = notice(
            failure,
            language=question.language,
            coverage=coverage,
            readings=readings,
            zone=self._zone,
        )
        written = await self._ledger.fail(attempt, failure, self._parts(outgoing, question))
        return self._said(written, question, TurnEvent.OWED)

    def _coverage(self, scope: Scope, readings: Sequence[Reading]) -> Coverage:
        return footer(scope, self._sources.titles, readings, resolved_goal(readings))

    def _said(self, written: Written, question: Question, event: TurnEvent) -> Written:
        if written is not Written.LOST:
            self._watcher.saw(question.id, question.message, event)
            self._deliveries.wake(question.conversation)
        return written

    def _parts(self, outgoing: Outgoing, question: Question) -> list[NewPart]:
        return parts_of(self._sender, outgoing, Subject.of(question))


def resolved_goal(readings: Sequence[Reading]) -> GoalId | None:
    """The goal that the answer is about: where every narrowed read named the same one (R9, the footer's scope)."""
    goals = {reading.query.goal for reading in readings if reading.query is not None}
    named = goals - {None}
    return named.pop() if len(named) == 1 else None


def _context(failure: ReadFailure) -> TurnFailure:
    code = failure.code if isinstance(failure.code, ContextCode) else None
    return TurnFailure(TurnCode.CONTEXT_FAILURE, context=code)
