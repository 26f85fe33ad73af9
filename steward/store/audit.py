"""The audit's rows, written in the commit of what they tell. Contract A4."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection

from steward.model.audit import AuditRow
from steward.store.schema import audit


def note(connection: Connection, row: AuditRow, now: datetime) -> None:
    """One act, in the caller's transaction."""
    note_all(connection, [row], now)


def note_all(connection: Connection, rows: Sequence[AuditRow], now: datetime) -> None:
    """Several acts, in their order."""
    if not rows:
        return
    connection.execute(
        audit.insert(),
        [
            {
                "at": now,
                "act": row.act,
                "actor": row.actor,
                "audience": row.audience,
                "chat_id": row.chat,
                "reason": row.reason,
                "subject": row.subject,
            }
            for row in rows
        ],
    )
