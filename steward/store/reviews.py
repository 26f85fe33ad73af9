"""The reviews of ports/reviews.py, over the table `review` and the turns that reviews are. Contract V.

Everything here locks the question first, as every step of a turn does.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, exists, select, update

from steward.model.hint import Hint
from steward.model.ids import AttemptToken, QuestionId
from steward.model.profile import Readback
from steward.model.review import OrphanedReview, ReviewCase, ReviewOutcome, ReviewState
from steward.model.turn import Lease, QuestionStatus, TurnFailure, TurnStage, Written
from steward.ports.world import Clock
from steward.store import questions, turns
from steward.store.codec import FAILURE, READBACK
from steward.store.columns import is_one_of
from steward.store.conversations import holds
from steward.store.engine import Database
from steward.store.fingerprints import input_hash as hash_of
from steward.store.hints import hint
from steward.store.review_cases import (
    case_of,
    due,
    is_hidden,
    last_turn,
    orphans,
    review_of,
    state_of,
)
from steward.store.schema import IN_FLIGHT, question, review, session, turn
from steward.store.statements import conversation_key


@dataclass(frozen=True, slots=True)
class Reservation:
    """What a review begins with, as it is stored. `reviewed`: the turn that it speaks of."""

    input_hash: str
    attempt: AttemptToken
    reviewed: AttemptToken
    readback: Readback
    scope_revision: str


class SqlReviews:
    """Implements ports.reviews.Reviews."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def due(self, *, limit: int, after: QuestionId | None = None) -> Sequence[QuestionId]:
        place = {"after": after or 0, "most": limit}
        return await self._database.read(
            lambda connection: [
                QuestionId(id_) for id_ in connection.execute(due(), place).scalars()
            ]
        )

    async def case(self, question: QuestionId) -> ReviewCase:
        return await self._database.read(lambda connection: case_of(connection, question))

    async def reserve(
        self,
        lease: Lease,
        question: QuestionId,
        input_hash: str,
        attempt: AttemptToken,
        *,
        reviewed: AttemptToken,
        readback: Readback,
        scope_revision: str,
    ) -> Written:
        now = self._clock.now()
        start = Reservation(input_hash, attempt, reviewed, readback, scope_revision)
        return await self._database.write(
            lambda connection: reserve(connection, lease, question, start, now)
        )

    async def calling(self, attempt: AttemptToken) -> Written:
        now = self._clock.now()
        return await self._database.write(lambda connection: _calling(connection, attempt, now))

    async def release(self, attempt: AttemptToken) -> Written:
        now = self._clock.now()
        return await self._database.write(lambda connection: _release(connection, attempt, now))

    async def fail(
        self, attempt: AttemptToken, outcome: ReviewOutcome, failure: TurnFailure | None = None
    ) -> Written:
        now = self._clock.now()
        return await self._database.write(
            lambda connection: _fail(connection, attempt, outcome, failure, now)
        )

    async def orphans(self) -> Sequence[OrphanedReview]:
        now = self._clock.now()
        return await self._database.read(lambda connection: orphans(connection, now))


def reserve(
    connection: Connection, lease: Lease, of: QuestionId, start: Reservation, now: datetime
) -> Written:
    """owed → reviewing: the review's row, its turn and the session's mark in this one commit."""
    if not holds(connection, lease):
        return Written.LOST
    asked = questions.load(connection, of, lock=True)
    row = review_of(connection, of)
    if asked.status is QuestionStatus.REVIEWING and row is not None:
        return Written.REPLAY if row.attempt_token == start.attempt else Written.LOST
    if asked.status is not QuestionStatus.OWED or asked.conversation != lease.conversation:
        return Written.LOST
    last = last_turn(connection, of)
    key = conversation_key(asked.conversation)
    if last is None or not _still(connection, key, of, start, last):
        return Written.LOST
    if row is not None and state_of(row, asked.status) is not ReviewState.RELEASED:
        return Written.LOST
    mine = {"turn_id": last.id, "attempt_token": start.attempt, "reserved_at": now}
    if row is None:
        connection.execute(review.insert(), {"question_id": of, "released": False, **mine})
    else:
        connection.execute(update(review).where(review.c.id == row.id).values(**mine))
    _begin(connection, asked.attempt, of, last, start, now)
    connection.execute(
        update(session).where(session.c.conversation == key).values(review_only=True)
    )
    return Written.DONE


def _still(
    connection: Connection, key: str, of: QuestionId, start: Reservation, last: Row[Any]
) -> bool:
    """Whether words, turn, visible past and the conversation's peace are what they were when it was judged."""
    stored = connection.execute(
        select(question.c.input_hash, question.c.text).where(question.c.id == of)
    ).one()
    same_words = stored.input_hash == start.input_hash == hash_of(stored.text)
    same_turn = last.attempt_token == start.reviewed and last.stage is TurnStage.FAILED
    at_work = exists().where(
        question.c.conversation == key, is_one_of(question.c.status, *IN_FLIGHT)
    )
    return (
        same_words
        and same_turn
        and not is_hidden(connection, key, last.id)
        and not connection.execute(select(at_work)).scalar_one()
    )


def _begin(
    connection: Connection,
    attempt: int,
    of: QuestionId,
    last: Row[Any],
    start: Reservation,
    now: datetime,
) -> None:
    turns.set_status(connection, of, QuestionStatus.REVIEWING)
    connection.execute(
        turn.insert(),
        {
            "question_id": of,
            "attempt": attempt,
            "attempt_token": start.attempt,
            "stage": TurnStage.BEGUN,
            "endpoint": last.endpoint,
            "readback": READBACK.dump(start.readback),
            "scope_revision": start.scope_revision,
            "started_at": now,
            "reviews": last.id,
        },
    )


def _calling(connection: Connection, attempt: AttemptToken, now: datetime) -> Written:
    written = turns.calling(connection, attempt, None, now)
    if written is Written.DONE:
        _note(connection, attempt, called_at=now)
    return written


def _release(connection: Connection, attempt: AttemptToken, now: datetime) -> Written:
    held = turns.turn_of(connection, attempt)
    if held is None or not held.live or held.reviews is None or held.stage is not TurnStage.BEGUN:
        return Written.LOST
    row = review_of(connection, held.question.id)
    if row is None or row.released:
        return Written.LOST
    _note(connection, attempt, released=True)
    turns.set_stage(connection, held, TurnStage.LOST, ended_at=now)
    _owed_again(connection, held.question.id)
    return Written.DONE


def _fail(
    connection: Connection,
    attempt: AttemptToken,
    outcome: ReviewOutcome,
    failure: TurnFailure | None,
    now: datetime,
) -> Written:
    held = turns.turn_of(connection, attempt)
    if held is None or not held.live or held.reviews is None:
        return Written.LOST
    _note(connection, attempt, ended_at=now, outcome=outcome)
    why = None if failure is None else FAILURE.dump(failure)
    turns.set_stage(connection, held, TurnStage.FAILED, failure=why, ended_at=now)
    _owed_again(connection, held.question.id)
    return Written.DONE


def _owed_again(connection: Connection, of: QuestionId) -> None:
    """With the failure and the notice that it had: what waits behind it goes on."""
    turns.set_status(connection, of, QuestionStatus.OWED)
    hint(connection, Hint.QUESTIONS)


def _note(connection: Connection, attempt: AttemptToken, **values: object) -> None:
    connection.execute(update(review).where(review.c.attempt_token == attempt).values(**values))
