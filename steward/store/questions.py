"""Questions as rows: how one comes from the inbox, and how a row becomes the model's Question again."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Connection, Row, Select, bindparam, func, select, update

from steward.errors import ContractError
from steward.model.audience import Audience, Declined, DeclineReason, Limits
from steward.model.delivery import NewPart
from steward.model.events import Verdict
from steward.model.hint import Hint
from steward.model.ids import ConversationId, InboxId, MessageRef, QuestionId
from steward.model.turn import (
    NewQuestion,
    Question,
    QuestionStatus,
    TurnCode,
    TurnFailure,
    Written,
)
from steward.store import audited
from steward.store.audit import note
from steward.store.codec import FAILURE
from steward.store.columns import is_one_of, printable
from steward.store.fingerprints import input_hash, turn_key
from steward.store.hints import hint
from steward.store.parts import add_parts, close_inbox
from steward.store.schema import IN_FLIGHT, OPEN_QUESTIONS, question
from steward.store.statements import (
    conversation_key,
    ensure_conversations,
    hold_asker,
    hold_message,
    insert,
)
from steward.store.verdicts import judge
from steward.store.withdrawal import is_recalled, is_stopped


def admit(
    connection: Connection,
    item: InboxId,
    asked: NewQuestion,
    limits: Limits | None,
    now: datetime,
) -> QuestionId | Declined | Written:
    """The row becomes a queued question, or a withdrawn one where a recall came first (D2), or a stop came since."""
    hold_message(connection, asked.message)
    recalled = is_recalled(connection, asked.message)
    over = None if limits is None or recalled else over_limit(connection, asked, limits)
    if over is not None:
        return Declined(over)
    if not judge(connection, item, Verdict.ADMITTED, now=now):
        return Written.LOST
    if (taken_back := _taken_back(connection, item, asked)) is not None:
        return _withdrawn(connection, item, asked, taken_back, now)
    added = _add(connection, item, asked, QuestionStatus.QUEUED, now)
    note(connection, audited.admitted(asked, added), now)
    return added


def over_limit(
    connection: Connection, asked: NewQuestion | Question, limits: Limits
) -> DeclineReason | None:
    """Whether one more open question would be too many, of this asker or in this conversation (A6).

    Until the commit nobody else adds one of either: two at the same instant never take the same last place.
    """
    hold_asker(connection, asked.message.app_id, asked.asker)
    ensure_conversations(connection, {asked.conversation})
    theirs = {"app": asked.message.app_id, "asker": asked.asker}
    if connection.execute(_open_of_asker(), theirs).scalar_one() >= limits.open_per_asker:
        return DeclineReason.ASKER_LIMIT
    here = {"conversation": conversation_key(asked.conversation)}
    if connection.execute(_open_here(), here).scalar_one() >= limits.open_per_conversation:
        return DeclineReason.CONVERSATION_LIMIT
    return None


@cache
def _open_of_asker() -> Select[Any]:
    return select(func.count()).where(
        question.c.app_id == bindparam("app"),
        question.c.asker == bindparam("asker"),
        is_one_of(question.c.status, *OPEN_QUESTIONS),
    )


@cache
def _open_here() -> Select[Any]:
    """Two counts, since each of the two has an index of its own."""
    here = question.c.conversation == bindparam("conversation")
    queued = select(func.count()).where(here, is_one_of(question.c.status, QuestionStatus.QUEUED))
    at_work = select(func.count()).where(here, is_one_of(question.c.status, *IN_FLIGHT))
    return select(queued.scalar_subquery() + at_work.scalar_subquery())


def ask_again(
    connection: Connection, item: InboxId, asked: NewQuestion, now: datetime
) -> QuestionId:
    """A press that was judged already becomes a queued question; the caller holds the message against a recall."""
    return _add(connection, item, asked, QuestionStatus.QUEUED, now)


def is_still_owed(connection: Connection, seen: Question) -> bool:
    """Whether the question is owed for the same attempt; held so until the commit."""
    now = load(connection, seen.id, lock=True)
    return (now.status, now.attempt) == (QuestionStatus.OWED, seen.attempt)


def requeue_owed(connection: Connection, asked: Question) -> None:
    """owed → queued for the next attempt, under a key of its own; what came of the last one stays with its turn (T4)."""
    attempt = asked.attempt + 1
    connection.execute(
        update(question)
        .where(question.c.id == asked.id)
        .values(
            status=QuestionStatus.QUEUED,
            attempt=attempt,
            turn_key=turn_key(asked.message, asked.text, attempt, asked.choice),
            failure=None,
        )
    )
    hint(connection, Hint.QUESTIONS)


def owe(
    connection: Connection,
    item: InboxId,
    asked: NewQuestion,
    failure: TurnFailure,
    notice: Sequence[NewPart],
    now: datetime,
) -> Written:
    """The row becomes a question that is owed from the start; its notice belongs to it from here on."""
    hold_message(connection, asked.message)
    if not judge(connection, item, Verdict.ADMITTED, now=now):
        return Written.LOST
    if (taken_back := _taken_back(connection, item, asked)) is not None:
        _withdrawn(connection, item, asked, taken_back, now)
        return Written.DONE
    owed = _add(connection, item, asked, QuestionStatus.OWED, now, failure)
    note(connection, audited.admitted(asked, owed, failure.code), now)
    add_notice(connection, notice, of_question=owed, inbox_id=item, now=now)
    return Written.DONE


def _taken_back(connection: Connection, item: InboxId, asked: NewQuestion) -> TurnCode | None:
    """How its asker took it back before it was judged; held so until the commit, the message and the conversation."""
    if is_recalled(connection, asked.message):
        return TurnCode.WITHDRAWN
    ensure_conversations(connection, {asked.conversation})
    stopped = is_stopped(connection, item, asked.conversation, asked.asker)
    return TurnCode.STOPPED if stopped else None


def _withdrawn(
    connection: Connection, item: InboxId, asked: NewQuestion, why: TurnCode, now: datetime
) -> QuestionId:
    """It was taken back before it was judged (D2)."""
    close_inbox(connection, item, now)
    added = _add(connection, item, asked, QuestionStatus.WITHDRAWN, now)
    note(connection, audited.admitted(asked, added, why), now)
    return added


def add_notice(
    connection: Connection,
    notice: Sequence[NewPart],
    *,
    of_question: QuestionId | None,
    inbox_id: InboxId,
    now: datetime,
) -> None:
    """Write a notice's parts; where none is new, the sender has been told before, and the row is closed."""
    parts = [part if of_question is None else owned(part, of_question) for part in notice]
    if not add_parts(connection, parts, inbox_id=inbox_id, now=now):
        close_inbox(connection, inbox_id, now)


def load(connection: Connection, of: QuestionId, *, lock: bool = False) -> Question:
    """The stored question, until the commit held against others where `lock`; raises ContractError without one."""
    query = _locked() if lock else _stored()
    row = connection.execute(query, {"of": of}).one_or_none()
    if row is None:
        raise ContractError(f"there is no question {of}")
    return from_row(row)


@cache
def _stored() -> Select[Any]:
    """The question `of`. Put together once: every step of a turn begins with it."""
    return select(question).where(question.c.id == bindparam("of"))


@cache
def _locked() -> Select[Any]:
    return _stored().with_for_update(key_share=True)


def from_row(row: Row[Any]) -> Question:
    """A row of the question table as the model knows it."""
    conversation = ConversationId.parse(row.conversation)
    return Question(
        id=QuestionId(row.id),
        inbox=InboxId(row.inbox_id),
        conversation=conversation,
        message=MessageRef(row.app_id, row.message_id),
        asker=row.asker,
        audience=Audience(row.audience_kind, row.audience_chat_id),
        in_thread=row.in_thread,
        text=row.text,
        language=row.language,
        asked_at=row.asked_at,
        status=row.status,
        attempt=row.attempt,
        chosen=row.chosen,
        choice=row.choice,
    )


def _add(
    connection: Connection,
    item: InboxId,
    asked: NewQuestion,
    status: QuestionStatus,
    now: datetime,
    failure: TurnFailure | None = None,
) -> QuestionId:
    ensure_conversations(connection, {asked.conversation})
    text = printable(asked.text)
    statement = insert(connection, question).returning(question.c.id)
    added = connection.execute(
        statement,
        {
            "inbox_id": item,
            "conversation": conversation_key(asked.conversation),
            "app_id": asked.message.app_id,
            "message_id": asked.message.message_id,
            "asker": asked.asker,
            "audience_kind": asked.audience.kind,
            "audience_chat_id": asked.audience.chat_id,
            "in_thread": asked.in_thread,
            "text": text,
            "language": asked.language,
            "asked_at": asked.asked_at,
            "status": status,
            "attempt": 1,
            "turn_key": turn_key(asked.message, text, 1, asked.choice),
            "input_hash": input_hash(text),
            "chosen": asked.chosen,
            "choice": asked.choice,
            "failure": None if failure is None else FAILURE.dump(failure),
            "admitted_at": now,
        },
    )
    if status is QuestionStatus.QUEUED:
        hint(connection, Hint.QUESTIONS)
    return QuestionId(added.scalar_one())


def owned(part: NewPart, by: QuestionId) -> NewPart:
    """The part as one of this question's; its caller may not have known the id."""
    return replace(part, question=by)
