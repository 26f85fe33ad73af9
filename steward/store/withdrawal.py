"""Recalls and stops: what a person took back is not answered, whichever comes first. Contract D2."""

from datetime import datetime

from sqlalchemy import Connection, exists, func, select, update

from steward.model.audience import IgnoreReason
from steward.model.events import Verdict
from steward.model.ids import ConversationId, InboxId, MessageRef, OpenId, QuestionId
from steward.model.turn import QuestionStatus, TurnCode, TurnFailure, TurnStage, Written
from steward.store.codec import FAILURE
from steward.store.columns import is_one_of
from steward.store.parts import drop_parts
from steward.store.records import stop as stopped_until
from steward.store.schema import LIVE_STAGES, OPEN_QUESTIONS, inbox, question, tombstone, turn
from steward.store.statements import (
    conversation_key,
    ensure_conversations,
    hold_message,
    insert,
)
from steward.store.verdicts import judge

EVERYBODY = ""
"""Whose stop counts for all who ask there."""

_OPEN = frozenset(QuestionStatus) - {QuestionStatus.ANSWERED, QuestionStatus.WITHDRAWN}


def withdraw(connection: Connection, item: InboxId, message: MessageRef, now: datetime) -> Written:
    """Tombstone the message; its open questions end, their running turns have lost, unsent parts are dropped.

    There is more than one question where a goal was chosen under the answer to the first.
    """
    hold_message(connection, message)
    if not judge(
        connection, item, Verdict.IGNORED, reason=IgnoreReason.APPLIED, closed=True, now=now
    ):
        return Written.LOST
    connection.execute(
        insert(connection, tombstone).on_conflict_do_nothing(),
        {"app_id": message.app_id, "message_id": message.message_id, "recalled_at": now},
    )
    found = connection.execute(
        select(question.c.id, question.c.status)
        .where(question.c.app_id == message.app_id, question.c.message_id == message.message_id)
        .order_by(question.c.id)
        .with_for_update(key_share=True)
    )
    for row in found.all():
        if row.status in _OPEN:
            _end(connection, QuestionId(row.id), TurnCode.WITHDRAWN, now)
        elif row.status is QuestionStatus.ANSWERED:
            drop_parts(connection, QuestionId(row.id), TurnCode.WITHDRAWN, now=now)
    return Written.DONE


def stop(
    connection: Connection,
    conversation: ConversationId,
    asker: OpenId | None,
    item: InboxId | None,
    now: datetime,
) -> list[QuestionId]:
    """What is open in the conversation ends, of one asker or of everybody; which questions that were.

    What came in before the event of the stop, and was not judged by then, ends when it is (`is_stopped`).
    """
    ensure_conversations(connection, {conversation})
    last = item or connection.execute(select(func.max(inbox.c.id))).scalar_one() or 0
    key = {"conversation": conversation_key(conversation), "asker": asker or EVERYBODY}
    connection.execute(
        insert(connection, stopped_until).on_conflict_do_update(
            index_elements=[stopped_until.c.conversation, stopped_until.c.asker],
            set_={"inbox_id": last},
            where=stopped_until.c.inbox_id < last,
        ),
        key | {"inbox_id": last},
    )
    theirs = [] if asker is None else [question.c.asker == asker]
    found = connection.execute(
        select(question.c.id)
        .where(
            question.c.conversation == conversation_key(conversation),
            is_one_of(question.c.status, *OPEN_QUESTIONS),
            *theirs,
        )
        .order_by(question.c.id)
        .with_for_update(key_share=True)
    )
    stopped = [QuestionId(id_) for id_ in found.scalars()]
    for one in stopped:
        _end(connection, one, TurnCode.STOPPED, now)
    return stopped


def is_stopped(
    connection: Connection, item: InboxId, conversation: ConversationId, asker: OpenId
) -> bool:
    """Whether a stop that came later has taken effect. Only while the conversation is held does a False hold."""
    later = exists().where(
        stopped_until.c.conversation == conversation_key(conversation),
        stopped_until.c.asker.in_([asker, EVERYBODY]),
        stopped_until.c.inbox_id > item,
    )
    return bool(connection.execute(select(later)).scalar_one())


def is_recalled(connection: Connection, message: MessageRef) -> bool:
    """Whether its recall is known. Only under `hold_message` does a False hold until the commit."""
    mine = tombstone.c.app_id == message.app_id, tombstone.c.message_id == message.message_id
    return (
        connection.execute(select(tombstone.c.recalled_at).where(*mine)).one_or_none() is not None
    )


def _end(connection: Connection, of_question: QuestionId, why: TurnCode, now: datetime) -> None:
    """Nobody waits for an answer any more: a running turn has lost, and unsent parts are dropped."""
    connection.execute(
        update(question).where(question.c.id == of_question).values(status=QuestionStatus.WITHDRAWN)
    )
    connection.execute(
        update(turn)
        .where(turn.c.question_id == of_question, is_one_of(turn.c.stage, *LIVE_STAGES))
        .values(stage=TurnStage.FAILED, failure=FAILURE.dump(TurnFailure(why)), ended_at=now)
    )
    drop_parts(connection, of_question, why, now=now)
