"""The chats of ports/chats.py: what we last saw of each, for the owner's eyes alone. Contract A4."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, or_, select, update

from steward.model.audience import ChatFacts, KnownChat
from steward.model.ids import AppId, ChatId
from steward.ports.world import Clock
from steward.store.engine import Database
from steward.store.records import chat
from steward.store.statements import insert


class SqlChats:
    """Implements ports.chats.Chats."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def note(self, app: AppId, facts: ChatFacts) -> None:
        await self._database.write(lambda connection: _note(connection, app, facts))

    async def left(self, app: AppId, chat: ChatId) -> None:
        now = self._clock.now()
        await self._database.write(lambda connection: _left(connection, app, chat, now))

    async def known(self, app: AppId) -> Sequence[KnownChat]:
        of_app = select(chat).where(chat.c.app_id == app)
        found = await self._database.read(
            lambda connection: [_known(row) for row in connection.execute(of_app)]
        )
        # Not by the store: each of the two has an order of its own for text.
        return sorted(found, key=lambda known: (known.title, known.chat_id))


def _note(connection: Connection, app: AppId, facts: ChatFacts) -> None:
    seen = {
        "title": facts.title,
        "external": facts.external,
        "as_of": facts.as_of,
        "left_at": None,
    }
    # Facts may have been kept for minutes: older ones undo neither newer ones nor a leaving.
    newer = (chat.c.as_of <= facts.as_of) & or_(
        chat.c.left_at.is_(None), chat.c.left_at <= facts.as_of
    )
    connection.execute(
        insert(connection, chat).on_conflict_do_update(
            index_elements=[chat.c.app_id, chat.c.chat_id], set_=seen, where=newer
        ),
        {"app_id": app, "chat_id": facts.chat_id} | seen,
    )


def _left(connection: Connection, app: AppId, gone: ChatId, now: datetime) -> None:
    """A chat that we never knew has nothing to be shown; one that was left before keeps its time."""
    connection.execute(
        update(chat)
        .where(chat.c.app_id == app, chat.c.chat_id == gone, chat.c.left_at.is_(None))
        .values(left_at=now)
    )


def _known(row: Row[Any]) -> KnownChat:
    return KnownChat(
        chat_id=row.chat_id,
        title=row.title,
        external=row.external,
        as_of=row.as_of,
        left_at=row.left_at,
    )
