"""What the store knows of a question's review, and which are due or left behind: the reads behind reviews.py."""

import logging
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Connection, Integer, Row, Select, bindparam, exists, func, or_, select

from steward.errors import StoreError
from steward.model.ids import AttemptToken, QuestionId
from steward.model.profile import RESTRICTED_DEFAULT, Readback
from steward.model.review import (
    EndpointEnd,
    InterruptedTurn,
    OrphanedReview,
    ReviewCase,
    ReviewState,
)
from steward.model.turn import Candidate, QuestionStatus, TurnStage
from steward.store import questions
from steward.store.codec import FAILURE, READBACK, USAGE
from steward.store.columns import is_one_of
from steward.store.fingerprints import input_hash as hash_of
from steward.store.schema import (
    IN_FLIGHT,
    LIVE_STAGES,
    OPEN_QUESTIONS,
    conversation,
    question,
    reading,
    review,
    session,
    turn,
)
from steward.store.sessions import UNREADABLE, hides
from steward.store.statements import conversation_key

logger = logging.getLogger(__name__)


def review_of(connection: Connection, of: QuestionId) -> Row[Any] | None:
    """The one row that a question may have."""
    return connection.execute(select(review).where(review.c.question_id == of)).one_or_none()


def state_of(row: Row[Any] | None, status: QuestionStatus) -> ReviewState:
    if row is None:
        return ReviewState.UNUSED
    if row.ended_at is not None or row.called_at is not None:
        return ReviewState.USED
    if status is QuestionStatus.REVIEWING:
        return ReviewState.RESERVED
    return ReviewState.RELEASED if row.released else ReviewState.USED


def case_of(connection: Connection, of: QuestionId) -> ReviewCase:
    asked = questions.load(connection, of)
    stored = connection.execute(
        select(question.c.input_hash).where(question.c.id == of)
    ).scalar_one()
    row, last = review_of(connection, of), last_turn(connection, of)
    key = conversation_key(asked.conversation)
    busy = exists().where(
        question.c.conversation == key,
        question.c.id != of,
        is_one_of(question.c.status, *OPEN_QUESTIONS),
    )
    read = 0
    if last is not None:
        counted = select(func.count()).where(reading.c.turn_id == last.id)
        read = connection.execute(counted).scalar_one()
    state = state_of(row, asked.status)
    return ReviewCase(
        question=asked,
        input_hash=stored,
        words_hash=hash_of(asked.text),
        turn=None if last is None else _interrupted(last),
        read=read,
        state=state,
        reserved_by=row.attempt_token if row is not None and _is_reserved(state) else None,
        hidden=last is not None and is_hidden(connection, key, last.id),
        busy=connection.execute(select(busy)).scalar_one(),
        last_end=None if last is None else _last_end(connection, last.endpoint),
    )


def _is_reserved(state: ReviewState) -> bool:
    return state is ReviewState.RESERVED


def _interrupted(row: Row[Any]) -> InterruptedTurn | None:
    if row.calling_at is None:
        return None
    return InterruptedTurn(
        attempt=AttemptToken(row.attempt_token),
        endpoint=row.endpoint,
        upstream=row.upstream,
        readback=READBACK.load(row.readback),
        scope_revision=row.scope_revision,
        started_at=row.started_at,
        failure=None if row.failure is None else FAILURE.load(row.failure),
        candidate=_candidate(row),
    )


def _candidate(row: Row[Any]) -> Candidate | None:
    if row.candidate is None:
        return None
    usage = None if row.usage is None else USAGE.load(row.usage)
    return Candidate(bytes(row.candidate), usage)


def last_turn(connection: Connection, of: QuestionId) -> Row[Any] | None:
    """The last ordinary one: a review is none."""
    return connection.execute(
        select(turn)
        .where(turn.c.question_id == of, turn.c.reviews.is_(None))
        .order_by(turn.c.id.desc())
        .limit(1)
    ).one_or_none()


def _last_end(connection: Connection, endpoint: str) -> EndpointEnd | None:
    row = connection.execute(
        select(turn.c.failure, turn.c.ended_at)
        .where(
            turn.c.endpoint == endpoint,
            turn.c.calling_at.is_not(None),
            is_one_of(turn.c.stage, TurnStage.SETTLED, TurnStage.FAILED),
        )
        .order_by(turn.c.id.desc())
        .limit(1)
    ).one_or_none()
    if row is None:
        return None
    return EndpointEnd(
        None if row.failure is None else FAILURE.load(row.failure).code, row.ended_at
    )


def is_hidden(connection: Connection, conversation: str, of_turn: int) -> bool:
    """Whether the turn is of the past that nobody is shown again (S3)."""
    found = connection.execute(_hidden(), {"key": conversation, "turn": of_turn})
    return bool(found.scalar_one())


@cache
def _hidden() -> Select[Any]:
    mine = session.c.conversation == bindparam("key")
    return select(exists().where(mine, hides() >= bindparam("turn")))


@cache
def due() -> Select[Any]:
    any_turn = turn.alias()
    last = (
        select(func.max(any_turn.c.id))
        .where(any_turn.c.question_id == question.c.id, any_turn.c.reviews.is_(None))
        .correlate(question)
        .scalar_subquery()
    )
    used = exists().where(
        review.c.question_id == question.c.id,
        or_(
            review.c.ended_at.is_not(None),
            review.c.called_at.is_not(None),
            review.c.released.is_(False),
        ),
    )
    return (
        select(question.c.id)
        .join(turn, turn.c.question_id == question.c.id)
        .where(
            is_one_of(question.c.status, QuestionStatus.OWED),
            question.c.id > bindparam("after"),
            turn.c.id == last,
            is_one_of(turn.c.stage, TurnStage.FAILED),
            turn.c.calling_at.is_not(None),
            exists().where(reading.c.turn_id == turn.c.id),
            ~used,
        )
        .order_by(question.c.id)
        .limit(bindparam("most", type_=Integer))
    )


def orphans(connection: Connection, now: datetime) -> list[OrphanedReview]:
    columns = ("attempt_token", "stage", "readback", "scope_revision", "candidate", "usage")
    held = connection.execute(
        select(
            question,
            *(turn.c[name].label(f"turn_{name}") for name in columns),
            turn.c.started_at.label("turn_started_at"),
        )
        .join(turn, turn.c.question_id == question.c.id)
        .join(conversation, conversation.c.id == question.c.conversation)
        .where(
            is_one_of(question.c.status, *IN_FLIGHT),
            turn.c.reviews.is_not(None),
            is_one_of(turn.c.stage, *LIVE_STAGES),
            or_(conversation.c.lease_until.is_(None), conversation.c.lease_until <= now),
        )
        .order_by(turn.c.id)
    )
    return [_orphan(row) for row in held.all()]


def _orphan(row: Row[Any]) -> OrphanedReview:
    """A corrupt one has come to nothing that could be judged: it is dealt with as one that gave no result."""
    try:
        usage = None if row.turn_usage is None else USAGE.load(row.turn_usage)
        raw, readback = row.turn_candidate, READBACK.load(row.turn_readback)
    except StoreError:
        logger.warning("question %d: what its review left is corrupt", row.id)
        usage, raw, readback = None, None, Readback(RESTRICTED_DEFAULT, UNREADABLE)
    return OrphanedReview(
        question=questions.from_row(row),
        attempt=AttemptToken(row.turn_attempt_token),
        called=row.turn_stage is not TurnStage.BEGUN,
        candidate=None if raw is None else Candidate(bytes(raw), usage),
        readback=readback,
        scope_revision=row.turn_scope_revision,
        reserved_at=row.turn_started_at,
    )
