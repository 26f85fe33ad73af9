"""A turn's way through its stages, each step guarded by the attempt token. Contracts T3, T4, T8.

Everything here locks the question first, then looks at the turn: so does a recall, and neither misses the other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Connection, Select, bindparam, func, select, update

from steward.errors import ContractError
from steward.model.action import NewAction
from steward.model.delivery import NewPart
from steward.model.hint import Hint
from steward.model.ids import AttemptToken, QuestionId
from steward.model.reading import Reading
from steward.model.review import ReviewOutcome
from steward.model.session import Opening
from steward.model.topic import Topic
from steward.model.turn import (
    Candidate,
    Lease,
    Question,
    QuestionStatus,
    TurnFailure,
    TurnStage,
    Written,
)
from steward.store import audited, questions
from steward.store.actions import add_actions
from steward.store.audit import note
from steward.store.codec import FAILURE, READBACK, USAGE
from steward.store.conversations import holds, oldest_queued
from steward.store.hints import hint
from steward.store.machine import standing_revision
from steward.store.parts import add_parts
from steward.store.schema import IN_FLIGHT, LIVE_STAGES, answer, question, reading, review, turn
from steward.store.sessions import Begin, note_start, note_topic, note_upstream
from steward.store.statements import conversation_key, insert


@dataclass(frozen=True, slots=True)
class Settled:
    """What a settle writes beside the states: the answer as it is stored, its topic, parts and buttons."""

    body: str
    topic: Topic | None
    parts: Sequence[NewPart]
    actions: Sequence[NewAction]


@dataclass(frozen=True, slots=True)
class Held:
    """A turn and its question, locked until the commit. `live`: the turn may still write.

    `late`: it may not, but its question waits for what it brought after all. `reviews`: the turn that it reviews, where it is a review.
    """

    id: int
    attempt: int
    stage: TurnStage
    question: Question
    candidate: bytes | None
    started_at: datetime
    reviews: int | None
    late_at: datetime | None

    @property
    def live(self) -> bool:
        """A review is at work while its question is in review, and at no other time; so is any other turn."""
        reviewing = self.question.status is QuestionStatus.REVIEWING
        at_work = self.stage in LIVE_STAGES and self.question.status in IN_FLIGHT
        return at_work and reviewing is (self.reviews is not None)

    @property
    def late(self) -> bool:
        waits = self.question.status is QuestionStatus.OWED
        return self.late_at is not None and waits and self.attempt == self.question.attempt


def begin(
    connection: Connection, lease: Lease, of: QuestionId, start: Begin, now: datetime
) -> Written:
    """queued → acting, where the fence holds and no older question waits; also the session's six fields (S1)."""
    if not holds(connection, lease):
        return Written.LOST
    before = turn_of(connection, start.attempt)
    if before is not None:
        return Written.REPLAY if before.question.id == of and before.live else Written.LOST
    key = conversation_key(lease.conversation)
    asked = questions.load(connection, of, lock=True)
    if oldest_queued(connection, key) != of:
        return Written.LOST
    set_status(connection, of, QuestionStatus.ACTING)
    added = connection.execute(
        insert(connection, turn).returning(turn.c.id),
        {
            "question_id": of,
            "attempt": asked.attempt,
            "attempt_token": start.attempt,
            "stage": TurnStage.BEGUN,
            "endpoint": start.endpoint,
            "readback": READBACK.dump(start.readback),
            "scope_revision": start.scope_revision,
            "started_at": now,
        },
    )
    note_start(connection, key, start, added.scalar_one(), now)
    if start.session.opening is Opening.ROTATE:
        note(connection, audited.rotated(asked), now)
    return Written.DONE


def owe(
    connection: Connection,
    lease: Lease,
    of: QuestionId,
    failure: TurnFailure,
    notice: Sequence[NewPart],
    actions: Sequence[NewAction],
    now: datetime,
) -> Written:
    """queued → owed, before any call."""
    _told(notice)
    if not holds(connection, lease):
        return Written.LOST
    asked = questions.load(connection, of, lock=True)
    if asked.status is not QuestionStatus.QUEUED or asked.conversation != lease.conversation:
        return Written.LOST
    _owed(connection, asked, failure, notice, now)
    add_actions(connection, actions, of_question=asked.id)
    return Written.DONE


def calling(
    connection: Connection, attempt: AttemptToken, upstream: str | None, now: datetime
) -> Written:
    """begun → calling. REPLAY where it was called before: the second caller must not call."""
    held = turn_of(connection, attempt)
    if held is None or not held.live:
        return Written.LOST
    if held.stage is not TurnStage.BEGUN:
        return Written.REPLAY
    set_stage(connection, held, TurnStage.CALLING, calling_at=now, upstream=upstream)
    note_upstream(connection, conversation_key(held.question.conversation), upstream)
    return Written.DONE


def read(
    connection: Connection, attempt: AttemptToken, made: Reading, body: str, now: datetime
) -> Written:
    """Append a reading, which is stored as `body`."""
    held = turn_of(connection, attempt)
    if held is None or not held.live:
        return Written.LOST
    note(connection, audited.read(held.question, made), now)
    last = select(func.coalesce(func.max(reading.c.seq), 0)).where(reading.c.turn_id == held.id)
    seq = connection.execute(last).scalar_one() + 1
    connection.execute(reading.insert(), {"turn_id": held.id, "seq": seq, "body": body})
    return Written.DONE


def keep_candidate(
    connection: Connection, attempt: AttemptToken, candidate: Candidate, now: datetime
) -> Written:
    """Store the result as it came. A turn that was thought dead has lost, but its result is kept (T8)."""
    held = turn_of(connection, attempt)
    if held is None:
        return Written.LOST
    usage = None if candidate.usage is None else USAGE.dump(candidate.usage)
    if held.live:
        set_stage(connection, held, TurnStage.CANDIDATE, candidate=candidate.raw, usage=usage)
        return Written.DONE
    if held.candidate is None and held.question.status is not QuestionStatus.WITHDRAWN:
        late = now if held.stage is TurnStage.FAILED and held.reviews is None else None
        set_stage(connection, held, held.stage, candidate=candidate.raw, usage=usage, late_at=late)
    return Written.LOST


def settle(
    connection: Connection,
    attempt: AttemptToken,
    settled: Settled,
    now: datetime,
) -> Written:
    """acting → settled: answer, parts, buttons, question and turn in this one commit, under one profile (T3, P9)."""
    _told(settled.parts)
    held = turn_of(connection, attempt)
    if held is None:
        return Written.LOST
    if held.stage is TurnStage.SETTLED:
        return Written.REPLAY
    return _settled(connection, attempt, held, settled, now) if held.live else Written.LOST


def settle_late(
    connection: Connection, attempt: AttemptToken, settled: Settled, now: datetime
) -> Written:
    """owed → settled from a candidate that came after its turn had failed, in the same commit (T8)."""
    _told(settled.parts)
    held = turn_of(connection, attempt)
    if held is None:
        return Written.LOST
    if held.stage is TurnStage.SETTLED:
        return Written.REPLAY
    return _settled(connection, attempt, held, settled, now) if held.late else Written.LOST


def dismiss(connection: Connection, attempt: AttemptToken) -> Written:
    """Nobody looks at the late candidate again."""
    held = turn_of(connection, attempt)
    if held is None or held.late_at is None:
        return Written.LOST
    set_stage(connection, held, held.stage, late_at=None)
    return Written.DONE


def _settled(
    connection: Connection, attempt: AttemptToken, held: Held, settled: Settled, now: datetime
) -> Written:
    parts = settled.parts
    if standing_revision(connection) != _begun_under(connection, held):
        return Written.CHANGED
    connection.execute(
        answer.insert(),
        {
            "question_id": held.question.id,
            "turn_id": held.id,
            "body": settled.body,
            "accepted": True,
        },
    )
    owned = [questions.owned(part, held.question.id) for part in parts]
    if add_parts(connection, owned, inbox_id=held.question.inbox, now=now) < len(parts):
        raise ContractError("a part of this answer stands in the outbox already")
    add_actions(connection, settled.actions, of_question=held.question.id)
    if held.reviews is not None:
        _reviewed(connection, attempt, now)
    elif settled.topic is not None and held.live:
        # A late answer is no newer than what was talked about since.
        key = str(held.question.conversation)
        note_topic(connection, key, settled.topic, held.id, held.started_at)
    set_stage(connection, held, TurnStage.SETTLED, ended_at=now, late_at=None)
    set_status(connection, held.question.id, QuestionStatus.SETTLED, settled_at=now)
    return Written.DONE


def fail(
    connection: Connection,
    attempt: AttemptToken,
    failure: TurnFailure,
    notice: Sequence[NewPart],
    actions: Sequence[NewAction],
    now: datetime,
) -> Written:
    """acting → owed, with its notice (W3)."""
    _told(notice)
    held = turn_of(connection, attempt)
    if held is None:
        return Written.LOST
    if held.reviews is None and _failed_before(held):
        return Written.REPLAY
    if not held.live or held.reviews is not None:
        return Written.LOST
    set_stage(connection, held, TurnStage.FAILED, failure=FAILURE.dump(failure), ended_at=now)
    _owed(connection, held.question, failure, notice, now)
    add_actions(connection, actions, of_question=held.question.id)
    return Written.DONE


def requeue(connection: Connection, attempt: AttemptToken, now: datetime) -> Written:
    """acting → queued; the turn is lost, and its attempt is no other one: the same turn key runs again (T5)."""
    held = turn_of(connection, attempt)
    if held is None or not held.live or held.reviews is not None:
        return Written.LOST
    set_stage(connection, held, TurnStage.LOST, ended_at=now)
    set_status(connection, held.question.id, QuestionStatus.QUEUED)
    hint(connection, Hint.QUESTIONS)
    return Written.DONE


def turn_of(connection: Connection, attempt: AttemptToken) -> Held | None:
    """The turn of this attempt, its question held until the commit; None: there is none."""
    mine = {"attempt": attempt}
    of = connection.execute(_question_of(), mine).scalar_one_or_none()
    if of is None:
        return None
    asked = questions.load(connection, QuestionId(of), lock=True)
    row = connection.execute(_stage_of(), mine).one()
    return Held(
        row.id,
        row.attempt,
        row.stage,
        asked,
        row.candidate,
        row.started_at,
        row.reviews,
        row.late_at,
    )


def _failed_before(held: Held) -> bool:
    return held.stage is TurnStage.FAILED and held.question.status is QuestionStatus.OWED


def _reviewed(connection: Connection, attempt: AttemptToken, now: datetime) -> None:
    """The answer is a review's: what the conversation was about since stays its topic (V4, V5)."""
    connection.execute(
        update(review)
        .where(review.c.attempt_token == attempt)
        .values(ended_at=now, outcome=ReviewOutcome.SETTLED)
    )


def _begun_under(connection: Connection, held: Held) -> str:
    text = connection.execute(select(turn.c.readback).where(turn.c.id == held.id)).scalar_one()
    return READBACK.load(text).profile.configuration_revision


@cache
def _question_of() -> Select[Any]:
    """Put together once, like the next: every step of a turn begins with both."""
    return select(turn.c.question_id).where(turn.c.attempt_token == bindparam("attempt"))


@cache
def _stage_of() -> Select[Any]:
    mine = turn.c.attempt_token == bindparam("attempt")
    looked_at = ("id", "attempt", "stage", "candidate", "started_at", "reviews", "late_at")
    return select(*(turn.c[name] for name in looked_at)).where(mine)


def set_stage(connection: Connection, held: Held, stage: TurnStage, **values: object) -> None:
    """How far the turn has come."""
    connection.execute(update(turn).where(turn.c.id == held.id).values(stage=stage, **values))


def set_status(
    connection: Connection, of: QuestionId, status: QuestionStatus, **values: object
) -> None:
    """Where the question stands (T7)."""
    connection.execute(update(question).where(question.c.id == of).values(status=status, **values))


def _owed(
    connection: Connection,
    asked: Question,
    failure: TurnFailure,
    notice: Sequence[NewPart],
    now: datetime,
) -> None:
    set_status(connection, asked.id, QuestionStatus.OWED, failure=FAILURE.dump(failure))
    questions.add_notice(connection, notice, of_question=asked.id, inbox_id=asked.inbox, now=now)


def _told(parts: Sequence[NewPart]) -> None:
    if not parts:
        raise ContractError("a question never ends without a word to its asker")
