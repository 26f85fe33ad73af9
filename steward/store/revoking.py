"""An answer whose reader may not have it any more: what was still to be shown is dropped, and that is told. Contract A3."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, false, or_, update

from steward.errors import ContractError
from steward.model.answer import OutgoingKind
from steward.model.delivery import NewPart, PartStatus
from steward.model.turn import Question, QuestionStatus, TurnFailure
from steward.store import audited, questions
from steward.store.audit import note_all
from steward.store.codec import FAILURE
from steward.store.columns import is_one_of
from steward.store.parts import close_inbox, ends_of
from steward.store.schema import OPEN_PARTS, answer, outbox, question


def revoke(
    connection: Connection,
    asked: Question | None,
    claimed: Row[Any],
    failure: TurnFailure,
    notice: Sequence[NewPart],
    now: datetime,
) -> None:
    """Give the claimed part up, drop what waits of its message and of its question's evidence, and tell the reader.

    A settled question whose answer was still on its way is owed; an answered one stays answered, as what was asked for
    by a press is no answer. A withdrawn one is told nothing. What may have arrived keeps its own fate. A command's reply
    has no question: it is dropped alone, and told the same way.
    """
    messages = _dropped(connection, asked, claimed, failure)
    note_all(connection, [audited.withheld(one, asked, failure.code) for one in messages], now)
    answers = asked is not None and any(
        one.kind is OutgoingKind.ANSWER and one.attempt == asked.attempt for one in messages
    )
    if asked is not None and answers and asked.status is QuestionStatus.SETTLED:
        if not notice:
            raise ContractError("a question never ends without a word to its asker")
        _owe(connection, asked, failure)
    told = () if asked is not None and asked.status is QuestionStatus.WITHDRAWN else notice
    of_question = None if asked is None else asked.id
    questions.add_notice(
        connection, told, of_question=of_question, inbox_id=claimed.inbox_id, now=now
    )
    for one in messages:
        # The notice closes the claimed part's row; nobody would close that of a press whose evidence went with it.
        if one.inbox_id != claimed.inbox_id and not _open(connection, one):
            close_inbox(connection, one.inbox_id, now)


def _dropped(
    connection: Connection, asked: Question | None, claimed: Row[Any], failure: TurnFailure
) -> list[Row[Any]]:
    """One part of each message that is not shown whole, the claimed one's first."""
    columns = outbox.c
    given_up = {"status": PartStatus.DEAD, "failure": failure.code}
    connection.execute(
        update(outbox)
        .where(columns.id == claimed.id)
        .values(lease_owner=None, lease_until=None, **given_up)
    )
    of_message = and_(
        columns.subject == claimed.subject,
        columns.attempt == claimed.attempt,
        columns.kind == claimed.kind,
    )
    of_question: ColumnElement[bool] = false()
    if asked is not None:
        of_question = and_(columns.question_id == asked.id, columns.guard.is_not(None))
    waiting = connection.execute(
        update(outbox)
        .where(is_one_of(columns.status, PartStatus.PENDING), or_(of_question, of_message))
        .values(**given_up)
        .returning(*columns)
    ).all()
    return list({(one.subject, one.attempt, one.kind): one for one in (claimed, *waiting)}.values())


def _owe(connection: Connection, asked: Question, failure: TurnFailure) -> None:
    """The answer stands no longer: it is shown nowhere again, and makes room for another."""
    connection.execute(
        update(question)
        .where(question.c.id == asked.id)
        .values(status=QuestionStatus.OWED, failure=FAILURE.dump(failure))
    )
    connection.execute(
        update(answer).where(answer.c.question_id == asked.id).values(accepted=False)
    )


def _open(connection: Connection, part: Row[Any]) -> bool:
    return bool(ends_of(connection, part).keys() & set(OPEN_PARTS))
