"""The questions of ports/questions.py: lists for the operator. Contract T7."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, or_, select, true

from steward.model.audience import Audience
from steward.model.ids import AppId, ConversationId, QuestionId
from steward.model.owed import ListedQuestion, Listing
from steward.model.turn import QuestionStatus
from steward.store.codec import FAILURE
from steward.store.columns import is_one_of
from steward.store.engine import Database
from steward.store.overview import undeliverable
from steward.store.schema import OPEN_QUESTIONS, question

_FAILED = frozenset({QuestionStatus.OWED, QuestionStatus.REVIEWING})


class SqlQuestions:
    """Implements ports.questions.Questions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def listed(
        self, app: AppId, which: Listing, *, most: int, words: bool = False
    ) -> Sequence[ListedQuestion]:
        newest = (
            select(question, undeliverable().label("lost"))
            .where(question.c.app_id == app, _is(which))
            .order_by(question.c.id.desc())
            .limit(most)
        )

        def work(connection: Connection) -> list[ListedQuestion]:
            return [_listed(row, words=words) for row in connection.execute(newest)]

        return await self._database.read(work)


def _is(which: Listing) -> ColumnElement[bool]:
    match which:
        case Listing.OPEN:
            return is_one_of(question.c.status, *OPEN_QUESTIONS)
        case Listing.OWED:
            settled = is_one_of(question.c.status, QuestionStatus.SETTLED)
            owed = is_one_of(question.c.status, QuestionStatus.OWED)
            return or_(owed, and_(settled, undeliverable()))
        case Listing.ALL:
            return true()


def _listed(row: Row[Any], *, words: bool) -> ListedQuestion:
    """A failure of an earlier attempt is none of a question that is asked again, or was answered since."""
    failed = row.failure is not None and row.status in _FAILED
    return ListedQuestion(
        id=QuestionId(row.id),
        conversation=ConversationId.parse(row.conversation),
        audience=Audience(row.audience_kind, row.audience_chat_id),
        asker=row.asker,
        asked_at=row.asked_at,
        status=row.status,
        attempt=row.attempt,
        failure=FAILURE.load(row.failure) if failed else None,
        undelivered=bool(row.lost) and row.status is QuestionStatus.SETTLED,
        words=row.text if words else None,
    )
