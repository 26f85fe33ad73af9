"""The runtime controller: one question at a time per conversation, in order. Contract T.

Above: the dispatcher, which calls `work` with a leased conversation. Below: grounds, session, endpoint, gate, judge,
endings, ledger. Every arrow is a commit: `calling` before the endpoint is called, the candidate as it came, then
answer, citations, outbox parts and verdict in one.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta

from steward.control.broken import BROKEN, Broken
from steward.control.calls import LONGEST_IDLE, Call, Over, closed, retired
from steward.control.conclusions import Conclusions
from steward.control.endings import Endings
from steward.control.gate import Gate
from steward.control.grounds import Ground, Grounds
from steward.control.scopes import Scopes
from steward.errors import StoreUnavailableError
from steward.model.audience import AudienceKind
from steward.model.ids import AttemptToken, MessageRef, QuestionId
from steward.model.profile import EffectiveProfile, Readback
from steward.model.reading import Reading
from steward.model.session import Session
from steward.model.turn import (
    Candidate,
    Late,
    Lease,
    Orphan,
    Question,
    QuestionStatus,
    Seat,
    Thread,
    TurnCode,
    TurnEvent,
    TurnFailure,
    TurnInput,
    Written,
)
from steward.policy.sessions import MOST_EXCHANGES, Fresh, SessionPlan, history_lines, planned
from steward.policy.workspace import prompt_revision
from steward.ports.conversations import Conversations
from steward.ports.endpoint import Endpoint
from steward.ports.ledger import Ledger
from steward.ports.sessions import Sessions
from steward.reading.schema import CONTEXT_TOOL, MANAGER_TOOL

logger = logging.getLogger(__name__)

WATCH_SECONDS = 1.0
"""How often a running turn with host tools is asked whether it still may have them (P9)."""

INTERRUPTED = TurnFailure(TurnCode.INTERRUPTED)


@dataclass(frozen=True, slots=True)
class TurnLimits:
    """`total`: how long an endpoint may take for one answer. `grace`: beyond it, the call is abandoned.

    `idle`: how long it may go without a sign of life, which is a read or its result.
    """

    total: timedelta = timedelta(seconds=60)
    grace: timedelta = timedelta(seconds=5)
    idle: timedelta = LONGEST_IDLE


@dataclass(frozen=True, slots=True)
class _Turn:
    """A begun turn: what it is for, what it stands on, and what it was told to start with."""

    question: Question
    attempt: AttemptToken
    ground: Ground
    readback: Readback

    @property
    def endpoint(self) -> Endpoint:
        return self.ground.endpoint


@dataclass(frozen=True, slots=True)
class _Running:
    """A call of this process, and whose question it is."""

    question: Question
    call: Call


class Turns:
    """Runs turns. Everything that must survive is in the ledger; `_running` only ends what runs here at once.

    `grounds` and `endings`: what turns stand on, and how they end; reviews do the same.
    """

    def __init__(
        self,
        *,
        conversations: Conversations,
        ledger: Ledger,
        sessions: Sessions,
        scopes: Scopes,
        grounds: Grounds,
        endings: Endings,
        limits: TurnLimits,
    ) -> None:
        self._conversations = conversations
        self._ledger = ledger
        self._sessions = sessions
        self._scopes = scopes
        self.grounds = grounds
        self.endings = endings
        self._conclusions = Conclusions(ledger, grounds, endings)
        self._clock = endings.clock
        self._limits = limits
        self._running: dict[QuestionId, _Running] = {}
        self._broken = Broken(ledger, endings)

    async def work(self, lease: Lease) -> None:
        """Answer what is queued in a leased conversation, oldest first, until nothing is or the lease is lost."""
        while (question := await self._conversations.next(lease)) is not None:
            written = await self._broken.owed(lease, question, self.run(lease, question))
            if written is Written.LOST:
                return

    async def run(self, lease: Lease, question_id: QuestionId) -> Written:
        """One turn, whole. LOST: another worker holds the conversation, or the question was withdrawn."""
        question = await self._ledger.question(question_id)
        ground = await self.grounds.of(question)
        if isinstance(ground, TurnFailure):
            return await self.endings.owe(lease, question, ground)
        session = await self._sessions.of(question.conversation)
        revision = prompt_revision(ground.profile)
        plan = planned(
            session,
            Fresh(
                profile=ground.profile,
                endpoint=ground.endpoint.name,
                prompt_revision=revision,
                scope_revision=ground.scope.revision,
                audience=question.audience.kind,
            ),
        )
        repeated = question.choice is not None or question.attempt > 1
        if plan.start.forget and repeated:
            # S3: the words that would be asked again are of the past that is to be forgotten.
            return await self.endings.owe(
                lease, question, TurnFailure(TurnCode.AUTHORIZATION_CHANGED)
            )
        turn = _Turn(
            question,
            AttemptToken(self.endings.tokens.new()),
            ground,
            Readback(ground.profile, revision),
        )
        begun = await self._ledger.begin(
            lease,
            question.id,
            turn.attempt,
            endpoint=turn.endpoint.name,
            readback=turn.readback,
            scope_revision=ground.scope.revision,
            session=plan.start,
        )
        if begun is not Written.DONE:
            return begun
        self.endings.watcher.saw(question.id, question.message, TurnEvent.STARTED)
        return await self._ended(question, turn.attempt, self._opened(turn, plan, session))

    def stop(self, questions: Sequence[QuestionId]) -> None:
        """End the turns that run here for these questions, which were withdrawn: their calls, and their threads (P9)."""
        for question in questions:
            if (running := self._running.get(question)) is not None:
                running.call.end(None)

    def recalled(self, message: MessageRef) -> None:
        """The same for the questions of a message that was taken back (D2)."""
        asked = [one.question for one in self._running.values()]
        self.stop([question.id for question in asked if question.message == message])

    # ------------------------------------------------------------ the thread

    async def _opened(self, turn: _Turn, plan: SessionPlan, session: Session | None) -> Written:
        question, profile = turn.question, turn.readback.profile
        await self._retire(turn, plan, session)
        history = () if plan.resume is not None else await self._history(question)
        seat = Seat(profile, question.language, turn.readback.prompt_revision)
        thread = await turn.endpoint.open(seat, resume=plan.resume, history=history)
        if isinstance(thread, TurnFailure):
            return await self.endings.fail(question, turn.attempt, thread)
        if thread.readback != turn.readback:
            await closed(turn.endpoint, thread, self._limits.grace)
            mismatch = TurnFailure(TurnCode.READBACK_MISMATCH)
            return await self.endings.fail(question, turn.attempt, mismatch)
        return await self._called(turn, thread)

    async def _retire(self, turn: _Turn, plan: SessionPlan, session: Session | None) -> None:
        """S2: the old thread is closed before the new one starts; it may be another endpoint's, or nobody's any more."""
        if plan.retire is None or session is None:
            return
        endpoint = self.grounds.endpoints.named(session.endpoint)
        if endpoint is not None:
            await retired(endpoint, plan.retire, turn.readback, self._limits.grace)

    async def _history(self, question: Question) -> tuple[str, ...]:
        exchanges = await self._sessions.history(question.conversation, most=MOST_EXCHANGES)
        return history_lines(exchanges)

    # ------------------------------------------------------------ the call

    async def _called(self, turn: _Turn, thread: Thread) -> Written:
        question, attempt = turn.question, turn.attempt
        asked = await self._input(question)
        call = Call(turn.endpoint, thread, asked, self._limits.grace, idle=self._limits.idle)
        gate = self._gate(turn, call)
        async with self._held(question, call):
            if await self._ledger.calling(attempt, upstream=thread.upstream) is not Written.DONE:
                await call.close()
                return Written.LOST
            outcome = await self._watched(turn, call, gate, asked)
            if isinstance(outcome, Candidate):
                return await self._handed_over(turn, call, outcome, gate.readings)
        failure = outcome.failure if isinstance(outcome, Over) else outcome
        if failure is None:
            return Written.LOST
        scope, host = turn.ground.scope, await call.ran()
        return await self.endings.fail(question, attempt, failure, scope, gate.readings, host)

    async def _watched(
        self, turn: _Turn, call: Call, gate: Gate, asked: TurnInput
    ) -> Candidate | TurnFailure | Over:
        """The call; where it has host tools, beside a watch that begins before it and ends with it (P9)."""
        deadline = asked.now + self._limits.total
        if not turn.ground.trusted:
            return await call.result(gate, deadline)
        await self._look(turn, call)
        async with asyncio.TaskGroup() as group:
            watch = group.create_task(self._watch(turn, call))
            try:
                return await call.result(gate, deadline)
            finally:
                watch.cancel()

    async def _watch(self, turn: _Turn, call: Call) -> None:
        while True:
            await self._clock.sleep(WATCH_SECONDS)
            await self._look(turn, call)

    async def _look(self, turn: _Turn, call: Call) -> None:
        """End a call that may have host tools no more, or whose question was withdrawn, in whichever process."""
        changed = await self._changed(turn)
        if changed is not None:
            call.end(changed)
            return
        try:
            question = await self._ledger.question(turn.question.id)
        except StoreUnavailableError:
            call.end(TurnFailure(TurnCode.STORE_UNAVAILABLE))
            return
        if question.status is not QuestionStatus.ACTING:
            call.end(None)

    async def _handed_over(
        self, turn: _Turn, call: Call, candidate: Candidate, readings: Sequence[Reading]
    ) -> Written:
        question, attempt = turn.question, turn.attempt
        if await self._ledger.candidate(attempt, candidate) is not Written.DONE:
            await call.close()
            return Written.LOST
        self.endings.watcher.saw(question.id, question.message, TurnEvent.JUDGING)
        ground = turn.ground
        changed = await self._changed(turn)
        settling = changed or await self.grounds.settling(
            question, ground.scope.revision, ground.profile
        )
        if isinstance(settling, TurnFailure):
            await call.close()
        written = await self._conclusions.concluded(
            question, attempt, candidate, readings, settling, call.ran
        )
        if await self._changed(turn) is not None:
            await call.close()
        return written

    @asynccontextmanager
    async def _held(self, question: Question, call: Call) -> AsyncIterator[None]:
        """The call can be ended from outside; where it breaks off, nobody here goes on with its thread."""
        self._running[question.id] = _Running(question, call)
        try:
            yield
        except BaseException:
            await call.close()
            raise
        finally:
            del self._running[question.id]

    # ------------------------------------------------------------ the end

    async def conclude(self, orphan: Orphan, candidate: Candidate) -> Written:
        """Judge and settle what a worker that is gone had stored. No endpoint is called here (T3)."""
        question, attempt = orphan.question, orphan.attempt
        begun = orphan.readback.profile
        turn = self._taken_over(orphan, candidate, begun)
        return await self._ended(question, attempt, turn)

    async def _taken_over(
        self, orphan: Orphan, candidate: Candidate, begun: EffectiveProfile
    ) -> Written:
        question = orphan.question
        settling = await self.grounds.settling(question, orphan.scope_revision, begun)
        return await self._conclusions.concluded(
            question, orphan.attempt, candidate, orphan.readings, settling
        )

    async def late(self, found: Late) -> Written:
        """Settle an owed question from what its worker brought after it was thought dead (T8)."""
        return await self._conclusions.late(found)

    async def interrupted(
        self,
        question: Question,
        attempt: AttemptToken,
        failure: TurnFailure = INTERRUPTED,
    ) -> Written:
        """An endpoint that may have acted is gone: the question is owed, and nothing runs again by itself (T4)."""
        return await self.endings.fail(question, attempt, failure)

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
            return await self.endings.fail(question, attempt, BROKEN)

    # ------------------------------------------------------------ what the endpoint gets

    async def _input(self, question: Question) -> TurnInput:
        """The question, and what was said in this conversation; nothing else of the chat enters a turn (P6)."""
        names = await self.endings.people.names(question.message.app_id, question.asker)
        return TurnInput(
            question=question.text,
            language=question.language,
            zone=str(self.endings.zone),
            now=self._clock.now(),
            asker_names=names,
            topic=await self._ledger.topic(question.conversation),
            chosen=question.chosen,
        )

    def _gate(self, turn: _Turn, call: Call) -> Gate:
        question = turn.question

        async def keep(reading: Reading) -> Written:
            """Before each result: the turn still is what it was, or nothing is given out any more (P9)."""
            if (changed := await self._changed(turn)) is not None:
                call.end(changed)
                return Written.LOST
            written = await self._ledger.read(turn.attempt, reading)
            if written is Written.LOST:
                call.end(None)
                return written
            self.endings.watcher.saw(question.id, question.message, TurnEvent.READ)
            return written

        owner = question.audience.kind is AudienceKind.OWNER_PRIVATE
        return Gate(
            tool=MANAGER_TOOL if owner else CONTEXT_TOOL,
            sources=self.endings.sources,
            scope=lambda: self._scopes.of(question.audience),
            keep=keep,
            clock=self._clock,
            tokens=self.endings.tokens,
            zone=self.endings.zone,
            max_page_chars=turn.endpoint.max_page_chars,
            deadline=self._clock.now() + self._limits.total,
        )

    async def _changed(self, turn: _Turn) -> TurnFailure | None:
        """Why a turn may not have its host tools any more; a restricted one has none to lose."""
        if not turn.ground.trusted:
            return None
        return await self.grounds.changed(turn.question, turn.ground)
