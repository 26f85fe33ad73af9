"""The audit of ports/audit.py; most rows are written in the commit of what they tell. Contract A4."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, select

from steward.model.audit import AuditAct, AuditEntry, AuditRow
from steward.ports.world import Clock
from steward.store.columns import is_one_of
from steward.store.engine import Database
from steward.store.records import audit


class SqlAudit:
    """Implements ports.audit.Audit."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def note(self, row: AuditRow) -> None:
        now = self._clock.now()
        await self._database.write(lambda connection: note(connection, row, now))

    async def recent(
        self, *, most: int, before: int | None = None, acts: Sequence[AuditAct] = ()
    ) -> Sequence[AuditEntry]:
        newest = select(audit).order_by(audit.c.id.desc()).limit(most)
        if before is not None:
            newest = newest.where(audit.c.id < before)
        if acts:
            newest = newest.where(is_one_of(audit.c.act, *acts))
        return await self._database.read(
            lambda connection: [_entry(row) for row in connection.execute(newest)]
        )


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


def _entry(row: Row[Any]) -> AuditEntry:
    told = AuditRow(
        act=row.act,
        actor=row.actor,
        audience=row.audience,
        chat=row.chat_id,
        reason=row.reason,
        subject=row.subject,
    )
    return AuditEntry(row.id, row.at, told)
