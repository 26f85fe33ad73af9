"""Outbox rows as several commits write and close them: settles, notices, recalls, deliveries. Contracts D4, W3."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, Row, exists, false, select, update

from steward.errors import ContractError
from steward.model.answer import OutgoingKind
from steward.model.delivery import NewPart, PartStatus
from steward.model.events import Click
from steward.model.hint import Hint
from steward.model.ids import InboxId, QuestionId
from steward.model.turn import Question, QuestionStatus
from steward.store import audited
from steward.store.audit import note
from steward.store.codec import GUARD, RUNGS
from steward.store.columns import is_one_of
from steward.store.hints import hint
from steward.store.recording import storable_key
from steward.store.schema import OPEN_PARTS, inbox, outbox, question
from steward.store.statements import insert


def add_parts(
    connection: Connection,
    parts: Sequence[NewPart],
    *,
    inbox_id: InboxId | None,
    now: datetime,
    slot: int | None = None,
) -> int:
    """Write parts as pending; how many are new. One whose key is there already is not written again.

    `inbox_id`: the row that is closed once they are delivered. `slot`: the place in the chat's order that they
    take over from the part that they replace. A part that shows evidence belongs to a question, which is owed where it
    is withheld (A3); the reply to a command alone belongs to none.
    """
    written = 0
    for part in parts:
        if part.guard is not None and part.question is None and not _is_reply(part):
            raise ContractError("a guarded part belongs to a question")
        statement = insert(connection, outbox).on_conflict_do_nothing().returning(outbox.c.id)
        result = connection.execute(
            statement,
            {
                "subject": part.subject,
                "attempt": part.attempt,
                "kind": part.kind,
                "part_no": part.part.number,
                "rung": part.part.rung,
                "of_n": part.part.of,
                "slot": slot,
                "inbox_id": inbox_id,
                "question_id": part.question,
                "app_id": part.place.conversation.app_id,
                "chat_id": part.place.conversation.chat_id,
                "thread_id": part.place.conversation.thread_id,
                "reply_to": part.place.reply_to.message_id if part.place.reply_to else None,
                "in_thread": part.place.in_thread,
                "body": part.part.body,
                "uuid": part.part.uuid,
                "lower": RUNGS.dump(part.lower),
                "guard": None if part.guard is None else GUARD.dump(part.guard),
                "status": PartStatus.PENDING,
                "next_at": now,
                "created_at": now,
            },
        )
        written += len(result.all())
    if written:
        hint(connection, Hint.DELIVERIES)
    return written


def drop_parts(
    connection: Connection, of_question: QuestionId, failure: str, *, now: datetime
) -> None:
    """Nobody waits for these any more, nor for what a press on its answer asked for. What is being sent, or may have arrived, keeps its own fate (D4)."""
    dropped = connection.execute(
        update(outbox)
        .where(outbox.c.question_id == of_question, is_one_of(outbox.c.status, PartStatus.PENDING))
        .values(status=PartStatus.DEAD, failure=failure)
        .returning(outbox.c.inbox_id)
    )
    for item in {*dropped.scalars(), select_inbox(connection, of_question)}:
        close_inbox(connection, item, now)


def select_inbox(connection: Connection, of_question: QuestionId) -> InboxId:
    """The row that a question was admitted from."""
    found = connection.execute(select(question.c.inbox_id).where(question.c.id == of_question))
    return InboxId(found.scalar_one())


def close_inbox(connection: Connection, item: InboxId | None, now: datetime) -> None:
    """Nothing more is due to this row's sender; a row that was closed before keeps its time."""
    if item is not None:
        connection.execute(
            update(inbox)
            .where(inbox.c.id == item, inbox.c.closed_at.is_(None))
            .values(closed_at=now)
        )


def close_if_last(
    connection: Connection, part: Row[tuple[object, ...]], asked: Question | None, now: datetime
) -> None:
    """The last part of an answer or a notice closes its inbox row; a whole answer makes its question answered (W3).

    A part that was given up counts as an end, but not as an answer: its question stays settled, which every list
    counts as owed (T7). `asked`: the question that the part belongs to.
    """
    ends = ends_of(connection, part)
    if ends.keys() & set(OPEN_PARTS):
        return
    if part.kind is OutgoingKind.ANSWER and ends.keys() == {PartStatus.SENT}:
        connection.execute(
            update(question)
            .where(
                question.c.id == part.question_id,
                question.c.attempt == part.attempt,  # what an earlier one said is not its answer
                is_one_of(question.c.status, QuestionStatus.SETTLED),
            )
            .values(status=QuestionStatus.ANSWERED)
        )
    close_inbox(connection, part.inbox_id, now)
    note(connection, audited.sent(part, asked, ends.get(PartStatus.DEAD)), now)


def ends_of(connection: Connection, part: Row[tuple[object, ...]]) -> dict[PartStatus, str | None]:
    """Where the parts of this part's message stand, and a failure of each kind; what was replaced is no part of it."""
    columns = outbox.c
    found = connection.execute(
        select(columns.status, columns.failure).where(
            columns.subject == part.subject,
            columns.attempt == part.attempt,
            columns.kind == part.kind,
        )
    )
    return {row.status: row.failure for row in found if row.status is not PartStatus.REPLACED}


def _is_reply(part: NewPart) -> bool:
    return part.kind is OutgoingKind.NOTICE


def carrier(
    connection: Connection, pressed: Click, whose: ColumnElement[bool]
) -> tuple[bool, bool]:
    """Whether the pressed message is one of these parts, and whether one of them may be in the chat with its id unknown.

    One statement: between two a part may be reported as sent, and a card of ours would be neither.
    """
    on_its_way = exists().where(
        whose, is_one_of(outbox.c.status, PartStatus.SENDING, PartStatus.UNKNOWN)
    )
    sent: ColumnElement[bool] = false()
    if pressed.message is not None:
        sent = exists().where(
            whose,
            outbox.c.app_id == storable_key(pressed.message.app_id),
            outbox.c.provider_message_id == storable_key(pressed.message.message_id),
        )
    carried, sending = connection.execute(select(sent, on_its_way)).one()
    return bool(carried), bool(sending)
