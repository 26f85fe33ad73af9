"""Lists and counts of questions, without a word of any. What was settled and can never arrive counts as owed (T7)."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, func, literal_column, or_, select

from steward.model.answer import OutgoingKind
from steward.model.audience import Audience
from steward.model.delivery import PartStatus
from steward.model.ids import AppId, ConversationId, OpenId, QuestionId
from steward.model.owed import OwedQuestion, QuestionCounts
from steward.model.turn import Language, QuestionStatus
from steward.store.codec import FAILURE
from steward.store.columns import is_one_of
from steward.store.schema import IN_FLIGHT, UNANSWERED, outbox, question
from steward.store.statements import conversation_key


def owed(
    connection: Connection,
    app: AppId,
    conversation: ConversationId | None,
    asker: OpenId | None,
    most: int,
) -> Sequence[OwedQuestion]:
    """The newest first."""
    columns = (
        question.c.id,
        question.c.conversation,
        question.c.audience_kind,
        question.c.audience_chat_id,
        question.c.asker,
        question.c.asked_at,
        question.c.status,
        question.c.failure,
    )
    found = connection.execute(
        select(*columns)
        .where(_within(app, conversation, asker), *_unanswered())
        .order_by(question.c.id.desc())
        .limit(most)
    )
    return [
        OwedQuestion(
            id=QuestionId(row.id),
            conversation=ConversationId.parse(row.conversation),
            audience=Audience(row.audience_kind, row.audience_chat_id),
            asker=row.asker,
            asked_at=row.asked_at,
            failure=None
            if row.failure is None or row.status is QuestionStatus.SETTLED
            else FAILURE.load(row.failure),
        )
        for row in found
    ]


def counts(
    connection: Connection,
    app: AppId,
    conversation: ConversationId | None,
    asker: OpenId | None,
    since: datetime,
) -> QuestionCounts:
    """At one instant."""
    here = _within(app, conversation, asker)
    settled = (
        question.c.settled_at >= since,
        or_(
            is_one_of(question.c.status, QuestionStatus.ANSWERED),
            and_(is_one_of(question.c.status, QuestionStatus.SETTLED), ~undeliverable()),
        ),
    )
    # Each count by itself, since each has an index of its own: together they would walk every question there is.
    row = connection.execute(
        select(
            _number(here, is_one_of(question.c.status, *IN_FLIGHT)),
            _number(here, is_one_of(question.c.status, QuestionStatus.QUEUED)),
            _number(here, *_unanswered()),
            _number(_of(app, conversation, asker), question.c.admitted_at >= since),
            _number(here, *settled),
        )
    ).one()
    return QuestionCounts(*row)


def last_language(
    connection: Connection, conversation: ConversationId, asker: OpenId
) -> Language | None:
    """Of the asker's newest question there."""
    language: Language | None = connection.execute(
        select(question.c.language)
        .where(question.c.conversation == conversation_key(conversation), question.c.asker == asker)
        .order_by(question.c.admitted_at.desc(), question.c.id.desc())
        .limit(1)
    ).scalar_one_or_none()
    return language


def _of(
    app: AppId, conversation: ConversationId | None, asker: OpenId | None
) -> ColumnElement[bool]:
    """Looked up by conversation and asker."""
    where = _within(app, None, None)
    if conversation is not None:
        where = where & (question.c.conversation == conversation_key(conversation))
    return where if asker is None else where & (question.c.asker == asker)


def _within(
    app: AppId, conversation: ConversationId | None, asker: OpenId | None
) -> ColumnElement[bool]:
    """The same of rows that were found by something better.

    Not the bare columns: SQLite would go by them, though a busy conversation has thousands of rows, and the app all.
    """
    where = _apart(question.c.app_id) == app
    if conversation is not None:
        where = where & (_apart(question.c.conversation) == conversation_key(conversation))
    return where if asker is None else where & (_apart(question.c.asker) == asker)


def _apart(column: ColumnElement[str]) -> ColumnElement[str]:
    return column.concat(literal_column("''"))


def _unanswered() -> tuple[ColumnElement[bool], ...]:
    return UNANSWERED, or_(is_one_of(question.c.status, QuestionStatus.OWED), undeliverable())


def undeliverable() -> ColumnElement[bool]:
    """Its answer was given up, so that it counts as owed (T7)."""
    return (
        select(outbox.c.id)
        .where(
            outbox.c.question_id == question.c.id,
            outbox.c.attempt == question.c.attempt,
            is_one_of(outbox.c.status, PartStatus.DEAD),
            is_one_of(outbox.c.kind, OutgoingKind.ANSWER),
        )
        .exists()
    )


def _number(*of: ColumnElement[bool]) -> Any:
    return select(func.count()).select_from(question).where(*of).scalar_subquery()
