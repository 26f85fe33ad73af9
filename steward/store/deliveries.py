"""A row of the outbox as the courier is given it."""

from typing import Any

from sqlalchemy import Row

from steward.model.delivery import Delivery, Part, Place
from steward.model.ids import (
    AppId,
    ChatId,
    ConversationId,
    MessageRef,
    PartId,
    QuestionId,
    ThreadId,
)
from steward.store.codec import GUARD, RUNGS


def delivery_of(row: Row[Any]) -> Delivery:
    """Raises StoreError where what the row holds is corrupt."""
    app_id = AppId(row.app_id)
    thread = None if row.thread_id is None else ThreadId(row.thread_id)
    return Delivery(
        id=PartId(row.id),
        subject=row.subject,
        attempt=row.attempt,
        kind=row.kind,
        question=None if row.question_id is None else QuestionId(row.question_id),
        place=Place(
            ConversationId(app_id, ChatId(row.chat_id), thread),
            None if row.reply_to is None else MessageRef(app_id, row.reply_to),
            row.in_thread,
        ),
        part=Part(row.rung, row.part_no, row.of_n, bytes(row.body), row.uuid),
        lower=RUNGS.load(row.lower),
        tries=row.tries,
        first_unknown_at=row.first_unknown_at,
        guard=None if row.guard is None else GUARD.load(row.guard),
        spared=row.spared,
    )
