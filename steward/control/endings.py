"""How a turn ends: as an answer, or as a debt that its asker is told of; each in one commit. Contracts T3, W3, A3.

Above: turns. Below: the judge's result, the answer rules, the ledger. No endpoint is called here.
"""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from zoneinfo import ZoneInfo

from steward.control.grounds import Settling
from steward.control.parts import Subject, guarding, parts_of
from steward.control.registry import Sources
from steward.model.answer import Answer, Judged, Outgoing
from steward.model.audience import Scope
from steward.model.delivery import Guard, NewPart
from steward.model.ids import AttemptToken, GoalId
from steward.model.reading import Coverage, Reading
from steward.model.turn import Lease, Question, TurnCode, TurnEvent, TurnFailure, Written
from steward.policy.answer_rules import settle
from steward.policy.offering import Offered, offered, offered_again
from steward.policy.presentation import notice, present, supplementary
from steward.ports.conversations import Wake
from steward.ports.ledger import Ledger
from steward.ports.people import People
from steward.ports.sender import Sender
from steward.ports.watcher import Watcher
from steward.ports.world import Clock, Tokens
from steward.reading.coverage import footer
from steward.texts.coverage import UNPROVEN

logger = logging.getLogger(__name__)

PROFILE_CHANGED = TurnFailure(TurnCode.PROFILE_CHANGED)


@dataclass(frozen=True, slots=True)
class Endings:
    """Keeps nothing itself."""

    ledger: Ledger
    people: People
    sources: Sources
    sender: Sender
    watcher: Watcher
    deliveries: Wake
    clock: Clock
    tokens: Tokens
    zone: ZoneInfo

    async def settle(
        self,
        question: Question,
        attempt: AttemptToken,
        judged: Judged,
        readings: Sequence[Reading],
        settling: Settling,
    ) -> Written:
        """Answer, citations, outbox parts, buttons and verdict in one commit."""
        answer = await self._formed(question, judged, readings, settling.scope)
        written = await self._written(question, attempt, answer, settling)
        if written is Written.CHANGED:
            return await self.fail(question, attempt, PROFILE_CHANGED)
        return written

    async def settle_late(
        self,
        question: Question,
        attempt: AttemptToken,
        judged: Judged,
        readings: Sequence[Reading],
        settling: Settling,
    ) -> Written:
        """The same for a candidate that came when its question was owed already (T8): owed → settled.

        CHANGED: as from the ledger; nothing was written.
        """
        answer = await self._formed(question, judged, readings, settling.scope)
        return await self._written(question, attempt, answer, settling, late=True)

    async def supplement(
        self,
        question: Question,
        attempt: AttemptToken,
        judged: Judged,
        readings: Sequence[Reading],
        scope: Scope,
    ) -> Written | None:
        """reviewing → settled, with an answer that says that it comes after a failure (V5); in one commit.

        None: nothing of the candidate may be shown. CHANGED: as from the ledger; nothing was written.
        """
        answer = await self._formed(question, judged, readings, scope)
        if not answer.claims:
            return None
        settling = Settling(scope, unproven=False, supplement=True)
        return await self._written(question, attempt, answer, settling)

    async def _formed(
        self, question: Question, judged: Judged, readings: Sequence[Reading], scope: Scope
    ) -> Answer:
        names = await self.people.names(question.message.app_id, question.asker)
        return await asyncio.to_thread(  # rows may be many, and words come from outside
            settle,
            judged,
            language=question.language,
            scope=scope,
            titles=self.sources.titles,
            readings=readings,
            coverage=self._coverage(scope, readings),
            zone=self.zone,
            now=self.clock.now(),
            question=question.text,
            asker_names=names,
        )

    async def _written(
        self,
        question: Question,
        attempt: AttemptToken,
        answer: Answer,
        settling: Settling,
        *,
        late: bool = False,
    ) -> Written:
        now = self.clock.now()
        buttons = offered(answer, question.audience, now, self.tokens.new)
        outgoing = present(
            answer,
            asked_at=question.asked_at,
            now=now,
            zone=self.zone,
            buttons=[one.button for one in buttons],
            late=late,
        )
        if settling.unproven:
            outgoing = _unproven(outgoing)
        if settling.supplement:
            outgoing = supplementary(outgoing, question.asked_at, self.zone)
        guard = guarding(question, settling.scope.revision)
        parts = self._parts(outgoing, question, guard)
        settles = self.ledger.settle_late if late else self.ledger.settle
        written = await settles(attempt, answer, parts, [one.action for one in buttons])
        return self._said(written, question, TurnEvent.SETTLED)

    async def fail(
        self,
        question: Question,
        attempt: AttemptToken,
        failure: TurnFailure,
        scope: Scope | None = None,
        readings: Sequence[Reading] = (),
        host: Sequence[str] = (),
    ) -> Written:
        """acting → owed, told so, with what was read before that, and what the host had run (`host`)."""
        logger.info("question %d is owed: %s", question.id, failure.code)
        coverage, guard = None, None
        if scope is not None and readings:
            coverage = self._coverage(scope, readings)
            guard = guarding(question, scope.revision)
        again = self._again(question, failure)
        outgoing = notice(
            failure,
            language=question.language,
            coverage=coverage,
            readings=readings,
            zone=self.zone,
            host=host,
            buttons=[one.button for one in again],
        )
        parts = self._parts(outgoing, question, guard)
        written = await self.ledger.fail(attempt, failure, parts, [one.action for one in again])
        return self._said(written, question, TurnEvent.OWED)

    async def owe(self, lease: Lease, question: Question, failure: TurnFailure) -> Written:
        """queued → owed, before any call."""
        logger.info("question %d is owed: %s", question.id, failure.code)
        again = self._again(question, failure)
        buttons = [one.button for one in again]
        outgoing = notice(failure, language=question.language, buttons=buttons)
        parts = self._parts(outgoing, question)
        actions = [one.action for one in again]
        written = await self.ledger.owe(lease, question.id, failure, parts, actions)
        return self._said(written, question, TurnEvent.OWED)

    def _again(self, question: Question, failure: TurnFailure) -> list[Offered]:
        """At most one button: where asking again can help, and somebody there may press it (T4)."""
        now, new = self.clock.now(), self.tokens.new
        one = offered_again(failure, question.audience, question.language, now, new)
        return [] if one is None else [one]

    def _coverage(self, scope: Scope, readings: Sequence[Reading]) -> Coverage:
        return footer(scope, self.sources.titles, readings, resolved_goal(readings))

    def _said(self, written: Written, question: Question, event: TurnEvent) -> Written:
        """Show what was committed; where nothing was, there is nothing to show."""
        if written not in {Written.LOST, Written.CHANGED}:
            self.watcher.saw(question.id, question.message, event)
            self.deliveries.wake(question.conversation)
        return written

    def _parts(
        self, outgoing: Outgoing, question: Question, guard: Guard | None = None
    ) -> list[NewPart]:
        return parts_of(self.sender, outgoing, Subject.of(question), guard)


def resolved_goal(readings: Sequence[Reading]) -> GoalId | None:
    """The goal that the answer is about: where every narrowed read named the same one (R9, the footer's scope)."""
    goals = {reading.query.goal for reading in readings if reading.query is not None}
    named = goals - {None}
    return named.pop() if len(named) == 1 else None


def _unproven(outgoing: Outgoing) -> Outgoing:
    """P7: the answer says that it was made without host tools, and why."""
    said = UNPROVEN.of(outgoing.language)
    return replace(outgoing, note=said if outgoing.note is None else f"{outgoing.note} {said}")
