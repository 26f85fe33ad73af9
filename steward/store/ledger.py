"""The ledger of ports/ledger.py. The writes of a turn stand in turns.py; here are the reads, and the door."""

import asyncio
import logging
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, func, or_, select

from steward.errors import StoreError
from steward.model.action import NewAction
from steward.model.answer import Answer
from steward.model.delivery import NewPart
from steward.model.ids import AppId, AttemptToken, ConversationId, OpenId, QuestionId
from steward.model.owed import OwedQuestion, QuestionCounts
from steward.model.profile import RESTRICTED_DEFAULT, Readback
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
    QuestionStatus,
    TurnFailure,
    TurnStage,
    Written,
)
from steward.ports.world import Clock
from steward.store import overview, questions, turns
from steward.store.codec import (
    READBACK,
    USAGE,
    dump_answer,
    dump_reading,
    load_answer,
    load_reading,
)
from steward.store.columns import is_one_of
from steward.store.engine import Database
from steward.store.schema import (
    IN_FLIGHT,
    LIVE_STAGES,
    answer,
    conversation,
    question,
    reading,
    turn,
)
from steward.store.sessions import UNREADABLE, Begin, topic_of

logger = logging.getLogger(__name__)


class SqlLedger:
    """Implements ports.ledger.Ledger."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def question(self, question: QuestionId) -> Question:
        return await self._database.read(lambda connection: questions.load(connection, question))

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
        now = self._clock.now()
        start = Begin(attempt, endpoint, readback, scope_revision, session)
        return await self._database.write(
            lambda connection: turns.begin(connection, lease, question, start, now)
        )

    async def owe(
        self,
        lease: Lease,
        question: QuestionId,
        failure: TurnFailure,
        notice: Sequence[NewPart],
        actions: Sequence[NewAction] = (),
    ) -> Written:
        now = self._clock.now()
        return await self._database.write(
            lambda connection: turns.owe(connection, lease, question, failure, notice, actions, now)
        )

    async def calling(self, attempt: AttemptToken, *, upstream: str | None = None) -> Written:
        now = self._clock.now()
        return await self._database.write(
            lambda connection: turns.calling(connection, attempt, upstream, now)
        )

    async def read(self, attempt: AttemptToken, reading: Reading) -> Written:
        # A reading may hold 10,000 rows: neither the loop nor the writing thread waits for its text.
        body = await asyncio.to_thread(dump_reading, reading)
        now = self._clock.now()
        return await self._database.write(
            lambda connection: turns.read(connection, attempt, reading, body, now)
        )

    async def candidate(self, attempt: AttemptToken, candidate: Candidate) -> Written:
        now = self._clock.now()
        return await self._database.write(
            lambda connection: turns.keep_candidate(connection, attempt, candidate, now)
        )

    async def settle(
        self,
        attempt: AttemptToken,
        answer: Answer,
        parts: Sequence[NewPart],
        actions: Sequence[NewAction] = (),
    ) -> Written:
        now = self._clock.now()
        body = await asyncio.to_thread(dump_answer, answer)
        settled = turns.Settled(body, answer.topic, parts, actions)
        return await self._database.write(
            lambda connection: turns.settle(connection, attempt, settled, now)
        )

    async def fail(
        self,
        attempt: AttemptToken,
        failure: TurnFailure,
        notice: Sequence[NewPart],
        actions: Sequence[NewAction] = (),
    ) -> Written:
        now = self._clock.now()
        return await self._database.write(
            lambda connection: turns.fail(connection, attempt, failure, notice, actions, now)
        )

    async def late(self) -> Sequence[Late]:
        return await self._database.read(_late)

    async def settle_late(
        self,
        attempt: AttemptToken,
        answer: Answer,
        parts: Sequence[NewPart],
        actions: Sequence[NewAction] = (),
    ) -> Written:
        now = self._clock.now()
        body = await asyncio.to_thread(dump_answer, answer)
        settled = turns.Settled(body, answer.topic, parts, actions)
        return await self._database.write(
            lambda connection: turns.settle_late(connection, attempt, settled, now)
        )

    async def dismiss(self, attempt: AttemptToken) -> Written:
        return await self._database.write(lambda connection: turns.dismiss(connection, attempt))

    async def answer(self, question: QuestionId) -> Answer | None:
        return await self._database.read(lambda connection: _answer(connection, question))

    async def topic(self, conversation: ConversationId) -> Topic | None:
        key = str(conversation)
        return await self._database.read(lambda connection: topic_of(connection, key))

    async def readings(self, question: QuestionId) -> Sequence[Reading]:
        return await self._database.read(lambda connection: _last_readings(connection, question))

    async def owed(
        self,
        app: AppId,
        *,
        conversation: ConversationId | None = None,
        asker: OpenId | None = None,
        most: int,
    ) -> Sequence[OwedQuestion]:
        return await self._database.read(
            lambda connection: overview.owed(connection, app, conversation, asker, most)
        )

    async def counts(
        self,
        app: AppId,
        *,
        conversation: ConversationId | None = None,
        asker: OpenId | None = None,
        since: datetime,
    ) -> QuestionCounts:
        return await self._database.read(
            lambda connection: overview.counts(connection, app, conversation, asker, since)
        )

    async def last_language(self, conversation: ConversationId, asker: OpenId) -> Language | None:
        return await self._database.read(
            lambda connection: overview.last_language(connection, conversation, asker)
        )

    async def orphans(self) -> Sequence[Orphan]:
        now = self._clock.now()
        return await self._database.read(lambda connection: _orphans(connection, now))

    async def requeue(self, attempt: AttemptToken) -> Written:
        now = self._clock.now()
        return await self._database.write(
            lambda connection: turns.requeue(connection, attempt, now)
        )


def _answer(connection: Connection, of: QuestionId) -> Answer | None:
    body = connection.execute(
        select(answer.c.body).where(answer.c.question_id == of, answer.c.accepted)
    ).scalar_one_or_none()
    return None if body is None else load_answer(body)


def _last_readings(connection: Connection, of: QuestionId) -> tuple[Reading, ...]:
    last = connection.execute(
        select(func.max(turn.c.id)).where(turn.c.question_id == of, turn.c.reviews.is_(None))
    ).scalar_one_or_none()
    return () if last is None else _readings(connection, last)


def _orphans(connection: Connection, now: datetime) -> list[Orphan]:
    held = connection.execute(
        select(question, *(turn.c[name].label(f"turn_{name}") for name in _OF_TURN))
        .join(turn, turn.c.question_id == question.c.id)
        .join(conversation, conversation.c.id == question.c.conversation)
        .where(
            is_one_of(question.c.status, *IN_FLIGHT),
            is_one_of(turn.c.stage, *LIVE_STAGES),
            turn.c.reviews.is_(None),
            or_(conversation.c.lease_until.is_(None), conversation.c.lease_until <= now),
        )
    )
    # Not by the store: to spare itself the order, SQLite would walk every turn there ever was.
    oldest = sorted(held.all(), key=lambda row: row.turn_id)
    return [_orphan(connection, row) for row in oldest]


def _late(connection: Connection) -> list[Late]:
    found = connection.execute(
        select(question, turn.c.late_at, *(turn.c[name].label(f"turn_{name}") for name in _OF_TURN))
        .join(turn, turn.c.question_id == question.c.id)
        .where(
            turn.c.late_at.is_not(None),
            turn.c.attempt == question.c.attempt,
            is_one_of(question.c.status, QuestionStatus.OWED),
        )
        .order_by(turn.c.id)
    )
    late = []
    for row in found.all():
        try:
            candidate = _candidate(row)
            if candidate is not None:
                late.append(Late(_whole(connection, row), candidate, row.late_at))
        except StoreError:
            logger.warning("question %d: its late answer is corrupt, and it stays owed", row.id)
    return late


_OF_TURN = (
    "id",
    "attempt_token",
    "stage",
    "endpoint",
    "readback",
    "scope_revision",
    "started_at",
    "candidate",
    "usage",
)


def _orphan(connection: Connection, row: Row[Any]) -> Orphan:
    """A corrupt one has come to nothing that could be judged: it is dealt with as one that gave no result."""
    try:
        return _whole(connection, row)
    except StoreError:
        logger.warning("question %d: what its turn left is corrupt", row.id)
    return Orphan(
        question=questions.from_row(row),
        attempt=AttemptToken(row.turn_attempt_token),
        stage=row.turn_stage,
        endpoint=row.turn_endpoint,
        readback=Readback(RESTRICTED_DEFAULT, UNREADABLE),
        scope_revision=UNREADABLE,
        started_at=row.turn_started_at,
        readings=(),
        candidate=None,
        lost=_lost(connection, row.id, row.attempt),
    )


def _whole(connection: Connection, row: Row[Any]) -> Orphan:
    return Orphan(
        question=questions.from_row(row),
        attempt=AttemptToken(row.turn_attempt_token),
        stage=row.turn_stage,
        endpoint=row.turn_endpoint,
        readback=READBACK.load(row.turn_readback),
        scope_revision=row.turn_scope_revision,
        started_at=row.turn_started_at,
        readings=_readings(connection, row.turn_id),
        candidate=_candidate(row),
        lost=_lost(connection, row.id, row.attempt),
    )


def _lost(connection: Connection, of: int, attempt: int) -> int:
    """How many turns of this attempt went with their workers."""
    lost = select(func.count()).where(
        turn.c.question_id == of,
        turn.c.attempt == attempt,
        is_one_of(turn.c.stage, TurnStage.LOST),
    )
    return connection.execute(lost).scalar_one()


def _readings(connection: Connection, turn_id: int) -> tuple[Reading, ...]:
    bodies = connection.execute(
        select(reading.c.body).where(reading.c.turn_id == turn_id).order_by(reading.c.seq)
    ).scalars()
    return tuple(load_reading(body) for body in bodies)


def _candidate(row: Row[Any]) -> Candidate | None:
    if row.turn_candidate is None:
        return None
    usage = None if row.turn_usage is None else USAGE.load(row.turn_usage)
    return Candidate(bytes(row.turn_candidate), usage)
