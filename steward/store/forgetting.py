"""What is forgotten when: words and readings after 30 days, whole records after 400. Contracts D6, D1.

Everything goes in small numbers, so that the one writer is never held long; what else is due goes the next time.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Delete,
    Select,
    Table,
    and_,
    delete,
    func,
    or_,
    select,
    update,
)

from steward.model.delivery import PartStatus
from steward.model.turn import QuestionStatus
from steward.model.upkeep import Horizon
from steward.store.columns import is_one_of
from steward.store.records import audit
from steward.store.schema import (
    KEPT_EVENT,
    KEPT_MESSAGE,
    KEPT_QUESTION,
    OPEN_PARTS,
    action,
    answer,
    click,
    command_button,
    inbox,
    job_run,
    outbox,
    question,
    reading,
    review,
    session,
    tombstone,
    turn,
)

_DONE_PARTS = (PartStatus.SENT, PartStatus.REPLACED, PartStatus.DEAD)
_NO_WORDS = {"body": b"", "lower": "[]"}


def forget(connection: Connection, horizon: Horizon, most: int, now: datetime) -> int:
    """Some of what was answered, carried out or told long enough ago; how many rows lost their words."""
    return (
        _questions(connection, horizon.kept, most, now)
        + _events(connection, horizon.kept, most)
        + _messages(connection, horizon.kept, most)
    )


def _questions(connection: Connection, kept: datetime, most: int, now: datetime) -> int:
    found = connection.execute(
        select(question.c.id, question.c.inbox_id)
        .join(inbox, inbox.c.id == question.c.inbox_id)
        # Nothing is over before it was admitted: what is younger is not even looked at.
        .where(KEPT_QUESTION, question.c.admitted_at < kept, _over(kept), ~_told_since(kept))
        .order_by(question.c.admitted_at)
        .limit(most)
        .with_for_update(skip_locked=True, of=question)
    ).all()
    if not found:
        return 0
    ids, items = [row.id for row in found], [row.inbox_id for row in found]
    if gone := _readings(connection, ids, most):
        return gone
    connection.execute(delete(answer).where(answer.c.question_id.in_(ids)))
    connection.execute(update(turn).where(turn.c.question_id.in_(ids)).values(candidate=None))
    connection.execute(update(outbox).where(outbox.c.question_id.in_(ids)).values(**_NO_WORDS))
    connection.execute(update(inbox).where(inbox.c.id.in_(items)).values(body=b""))
    connection.execute(
        update(question)
        .where(question.c.id.in_(ids))
        # What is known of few words tells the words themselves.
        .values(text="", input_hash="", forgotten_at=now)
    )
    return len(ids)


def _readings(connection: Connection, ids: list[int], most: int) -> int:
    """Some of these questions' readings, which may be megabytes each: their questions follow once none is left."""
    turns = select(turn.c.id).where(turn.c.question_id.in_(ids))
    some = select(reading.c.id).where(reading.c.turn_id.in_(turns)).limit(most)
    return _changed(connection, delete(reading).where(reading.c.id.in_(some)))


def _over(kept: datetime) -> ColumnElement[bool]:
    """Answered, or taken back, before then."""
    return or_(
        and_(
            is_one_of(question.c.status, QuestionStatus.ANSWERED),
            question.c.settled_at < kept,
        ),
        and_(
            is_one_of(question.c.status, QuestionStatus.WITHDRAWN),
            inbox.c.closed_at < kept,
        ),
    )


def _told_since(kept: datetime) -> ColumnElement[bool]:
    """Whether anything of it arrived later, as a part that had to wait does, or is still on its way."""
    return (
        select(outbox.c.id)
        .where(
            outbox.c.question_id == question.c.id,
            or_(is_one_of(outbox.c.status, *OPEN_PARTS), outbox.c.sent_at >= kept),
        )
        .exists()
    )


def _events(connection: Connection, kept: datetime, most: int) -> int:
    """Commands, presses and refused messages; which had no answer but this one."""
    on_its_way = (
        select(outbox.c.id)
        .where(outbox.c.inbox_id == inbox.c.id, is_one_of(outbox.c.status, *OPEN_PARTS))
        .exists()
    )
    due = (
        select(inbox.c.id)
        .where(KEPT_EVENT, inbox.c.received_at < kept, inbox.c.closed_at < kept, ~on_its_way)
        .order_by(inbox.c.received_at)
        .limit(most)
    )
    return _changed(connection, update(inbox).where(inbox.c.id.in_(due)).values(body=b""))


def _messages(connection: Connection, kept: datetime, most: int) -> int:
    """What was said without a question: replies to commands, refusals, messages to the owner."""
    due = (
        select(outbox.c.id)
        .where(
            KEPT_MESSAGE,
            outbox.c.created_at < kept,
            is_one_of(outbox.c.status, *_DONE_PARTS),
            func.coalesce(outbox.c.sent_at, outbox.c.created_at) < kept,
        )
        .order_by(outbox.c.created_at)
        .limit(most)
    )
    return _changed(connection, update(outbox).where(outbox.c.id.in_(due)).values(**_NO_WORDS))


def sweep(connection: Connection, horizon: Horizon, most: int) -> int:
    """Some of the rows that nothing asks for any more; how many."""
    connection.execute(
        update(session).where(session.c.topic_at < horizon.kept).values(topic=None, topic_at=None)
    )
    swept = _delete_records(connection, _old_records(connection, horizon.on_record, most))
    for table, column, before in (
        (command_button, command_button.c.expires_at, horizon.kept),
        (action, action.c.expires_at, horizon.kept),
        (audit, audit.c.at, horizon.on_record),
    ):
        swept += _changed(connection, _oldest(table, column, before, most))
    swept += _changed(
        connection, delete(tombstone).where(tombstone.c.recalled_at < horizon.on_record)
    )
    return swept + _changed(connection, delete(job_run).where(job_run.c.at < horizon.runs))


def _oldest(table: Table, at: Any, before: datetime, most: int) -> Delete:
    """Of the oldest rows those from before then: the table is not walked for what is not there."""
    head = select(table.c.id, at.label("at")).order_by(table.c.id).limit(most).subquery()
    return delete(table).where(table.c.id.in_(select(head.c.id).where(head.c.at < before)))


def _old_records(connection: Connection, before: datetime, most: int) -> list[int]:
    """Events from before then that are closed, with the questions that they became; the oldest first."""
    first_young = connection.execute(
        select(inbox.c.id).where(inbox.c.received_at >= before).order_by(inbox.c.id).limit(1)
    ).scalar_one_or_none()
    remembered = (
        select(question.c.id)
        .where(question.c.inbox_id == inbox.c.id, question.c.forgotten_at.is_(None))
        .exists()
    )
    still_told = (
        select(outbox.c.id)
        .where(outbox.c.inbox_id == inbox.c.id, is_one_of(outbox.c.status, *OPEN_PARTS))
        .exists()
    )
    old: Select[Any] = select(inbox.c.id).where(
        inbox.c.received_at < before,
        inbox.c.verdict.is_not(None),
        inbox.c.closed_at.is_not(None),
        ~remembered,
        ~still_told,
        ~_of_another(),
    )
    if first_young is not None:
        old = old.where(inbox.c.id < first_young)
    return list(connection.execute(old.order_by(inbox.c.id).limit(most)).scalars())


def _of_another() -> ColumnElement[bool]:
    """Whether something was sent because of it for a question that is another event's: it goes with that one."""
    return (
        select(outbox.c.id)
        .join(question, question.c.id == outbox.c.question_id)
        .where(outbox.c.inbox_id == inbox.c.id, question.c.inbox_id != inbox.c.id)
        .exists()
    )


def _delete_records(connection: Connection, items: list[int]) -> int:
    if not items:
        return 0
    of = select(question.c.id).where(question.c.inbox_id.in_(items))
    turns = select(turn.c.id).where(turn.c.question_id.in_(of))
    for statement in (
        delete(action).where(action.c.question_id.in_(of)),
        delete(review).where(review.c.question_id.in_(of)),
        delete(answer).where(answer.c.question_id.in_(of)),
        delete(reading).where(reading.c.turn_id.in_(turns)),
        delete(turn).where(turn.c.question_id.in_(of)),
        delete(outbox).where(or_(outbox.c.question_id.in_(of), outbox.c.inbox_id.in_(items))),
        delete(click).where(click.c.inbox_id.in_(items)),
        delete(question).where(question.c.inbox_id.in_(items)),
        delete(inbox).where(inbox.c.id.in_(items)),
    ):
        connection.execute(statement)
    return len(items)


def _changed(connection: Connection, statement: Any) -> int:
    return int(connection.execute(statement).rowcount)
