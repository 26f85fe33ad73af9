"""The few statements that the two stores spell differently, or that several tables share."""

from typing import Any

from sqlalchemy import Connection, Table, func, select
from sqlalchemy.dialects import postgresql, sqlite

from steward.errors import StoreRejectedError
from steward.model.ids import AppId, ConversationId, MessageRef, OpenId
from steward.store import schema


def insert(connection: Connection, table: Table) -> Any:
    """INSERT in the store's own dialect: both know ON CONFLICT and RETURNING, under the same names."""
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    return dialect.insert(table)


def conversation_key(conversation: ConversationId) -> str:
    """The primary key of a conversation; raises StoreRejectedError where the ids could be mistaken for others'."""
    key = str(conversation)
    if key.count("/") != 2:
        raise StoreRejectedError("an id of the conversation holds the separator")
    return key


def ensure_conversations(connection: Connection, conversations: set[ConversationId]) -> None:
    """Make the rows exist and hold them until the commit, in one order for everybody.

    Held so, two processes that record into one conversation commit one after the other: its sequence ids
    then appear in their own order. On SQLite the one writer is order enough, and the lock is left out.
    """
    rows = {conversation_key(item): item for item in conversations}
    if not rows:
        return
    keys = sorted(rows)
    connection.execute(
        insert(connection, schema.conversation).on_conflict_do_nothing(),
        [
            {
                "id": key,
                "app_id": rows[key].app_id,
                "chat_id": rows[key].chat_id,
                "thread_id": rows[key].thread_id,
            }
            for key in keys
        ],
    )
    if connection.dialect.name == "postgresql":
        column = schema.conversation.c.id
        connection.execute(
            select(column).where(column.in_(keys)).order_by(column).with_for_update(key_share=True)
        )


def hold_message(connection: Connection, message: MessageRef) -> None:
    """Until the commit, nobody else decides about this message: a recall and an admission never miss each other.

    There may be no row yet that both could lock.
    """
    hold(connection, f"{message.app_id}/{message.message_id}")


def hold_asker(connection: Connection, app: AppId, asker: OpenId) -> None:
    """Until the commit, nobody else counts this person's open questions, to add one more (A6)."""
    hold(connection, f"asker {app}/{asker}")


def hold(connection: Connection, key: str, *, shared: bool = False) -> None:
    """Until the commit, nobody else holds this key; `shared`, nobody holds it alone. SQLite's one writer needs nothing.

    Whoever holds several takes them in this order: message, asker, button, owner, grants, machine.
    """
    if connection.dialect.name == "postgresql":
        lock_of = func.pg_advisory_xact_lock_shared if shared else func.pg_advisory_xact_lock
        lock = lock_of(func.hashtextextended(key, 0))
        connection.execute(select(lock))
