"""What was given up, as its owner is told of it, and how deep the outbox is. Contract W3."""

from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, Row, func, or_, select, update

from steward.model.audience import AudienceKind
from steward.model.delivery import LostMessage, LostMessages, NewPart, OutboxDepth, PartStatus
from steward.model.ids import AppId, ChatId, PartId
from steward.model.turn import TurnCode, Written
from steward.store.columns import is_one_of
from steward.store.parts import add_parts
from steward.store.schema import OPEN_PARTS, outbox, question

_KNOWN_TO_ITS_READER = tuple(TurnCode)
"""Withheld or withdrawn: the reader was told instead, or took the question back."""
_PRIVATE = frozenset({AudienceKind.OWNER_PRIVATE, AudienceKind.MEMBER_PRIVATE})


def lost(connection: Connection, app: AppId, most: int) -> LostMessages:
    """At most `most` messages, the oldest first."""
    columns = outbox.c
    dead = is_one_of(columns.status, PartStatus.DEAD)
    found = connection.execute(
        select(outbox, question.c.asked_at, question.c.audience_kind)
        .select_from(outbox.outerjoin(question, columns.question_id == question.c.id))
        .where(
            columns.app_id == app,
            dead,
            columns.owner_told_at.is_(None),
            # A message that answers nobody is of the steward's own accord: its loss is told to nobody.
            or_(columns.question_id.is_not(None), columns.inbox_id.is_not(None)),
            columns.failure.not_in(_KNOWN_TO_ITS_READER),
        )
        .order_by(columns.id)
    ).all()
    told_at = connection.execute(
        select(func.max(columns.owner_told_at)).where(columns.app_id == app, dead)
    ).scalar_one()
    return LostMessages(tuple(_messages(found)[:most]), told_at)


def tell(
    connection: Connection,
    parts: Sequence[NewPart],
    messages: Sequence[LostMessage],
    now: datetime,
) -> Written:
    """Nothing, where another process told any of it, or the same at the same time."""
    ids = [part for message in messages for part in message.parts]
    untold = connection.execute(
        select(outbox.c.id)
        .where(outbox.c.id.in_(ids), outbox.c.owner_told_at.is_(None))
        .order_by(outbox.c.id)
        .with_for_update(key_share=True)
    ).all()
    if len(untold) < len(ids):
        return Written.REPLAY
    if parts and not add_parts(connection, parts, inbox_id=None, now=now):
        return Written.REPLAY
    connection.execute(update(outbox).where(outbox.c.id.in_(ids)).values(owner_told_at=now))
    return Written.DONE


def depth(connection: Connection, app: AppId) -> OutboxDepth:
    """Of what waits and what was given up; what arrived is counted nowhere."""
    columns = outbox.c
    counted = (*OPEN_PARTS, PartStatus.DEAD)
    found = connection.execute(
        select(columns.status, func.count())
        .where(columns.app_id == app, is_one_of(columns.status, *counted))
        .group_by(columns.status)
    )
    oldest = connection.execute(
        select(func.min(columns.next_at)).where(
            columns.app_id == app, is_one_of(columns.status, *OPEN_PARTS)
        )
    ).scalar_one()
    return OutboxDepth(dict.fromkeys(counted, 0) | {row[0]: row[1] for row in found}, oldest)


def _messages(found: Sequence[Row[Any]]) -> list[LostMessage]:
    def message(row: Row[Any]) -> tuple[Any, ...]:
        return row.subject, row.attempt, row.kind

    groups = (list(rows) for _, rows in groupby(sorted(found, key=message), key=message))
    return sorted(map(_message, groups), key=lambda one: one.parts)


def _message(rows: Sequence[Row[Any]]) -> LostMessage:
    first = rows[0]
    return LostMessage(
        parts=tuple(PartId(row.id) for row in rows),
        kind=first.kind,
        chat=ChatId(first.chat_id),
        asked_at=first.asked_at,
        failure=first.failure,
        private=first.audience_kind in _PRIVATE,
    )
