"""The upkeep of ports/upkeep.py: forgetting, jobs that one process of several does, SQLite's log. Contracts D6, W4."""

import asyncio
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection, func, select

from steward.model.delivery import NewPart
from steward.model.ids import AppId, ChatId
from steward.model.turn import Language, QuestionStatus, Written
from steward.model.upkeep import Backlog, Horizon, JobSlot
from steward.ports.world import Clock
from steward.store.columns import is_one_of
from steward.store.connect import is_memory, is_sqlite
from steward.store.engine import Database
from steward.store.forgetting import forget, sweep
from steward.store.parts import add_parts
from steward.store.schema import job_run, presence, question
from steward.store.statements import insert

_ROWS_LOOKED_AT = 1_000
"""How much of each table is looked at where SQLite counts anew what its plans stand on."""


class SqlUpkeep:
    """Implements ports.upkeep.Upkeep."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def forget(self, horizon: Horizon, *, most: int) -> int:
        now = self._clock.now()
        return await self._database.write(lambda connection: forget(connection, horizon, most, now))

    async def sweep(self, horizon: Horizon, *, most: int) -> int:
        return await self._database.write(lambda connection: sweep(connection, horizon, most))

    async def claim(self, job: JobSlot, detail: str | None = None) -> Written:
        return await self._tell(job, (), detail)

    async def tell(self, job: JobSlot, parts: Sequence[NewPart], detail: str) -> Written:
        return await self._tell(job, parts, detail)

    async def last_detail(self, name: str) -> str | None:
        newest = (
            select(job_run.c.detail)
            .where(job_run.c.name == name)
            .order_by(job_run.c.at.desc(), job_run.c.slot.desc())
            .limit(1)
        )
        return await self._database.read(
            lambda connection: connection.execute(newest).scalar_one_or_none()
        )

    async def seen(self, app: AppId) -> datetime | None:
        return await self._database.read(lambda connection: _seen(connection, app))

    async def note_seen(self, app: AppId) -> None:
        now = self._clock.now()
        await self._database.write(lambda connection: _note_seen(connection, app, now))

    async def chat_language(self, app: AppId, chat: ChatId) -> Language | None:
        newest = (
            select(question.c.language)
            .where(question.c.app_id == app, question.c.audience_chat_id == chat)
            .order_by(question.c.id.desc())
            .limit(1)
        )
        return await self._database.read(
            lambda connection: connection.execute(newest).scalar_one_or_none()
        )

    async def tidy(self) -> None:
        url = self._database.url
        if is_sqlite(url) and not is_memory(url):
            await asyncio.to_thread(_tidy, url.database or "")

    async def backlog(self, app: AppId) -> Backlog:
        oldest = select(func.min(question.c.admitted_at)).where(
            question.c.forgotten_at.is_(None),
            is_one_of(question.c.status, QuestionStatus.ANSWERED, QuestionStatus.WITHDRAWN),
        )

        def work(connection: Connection) -> tuple[datetime | None, datetime | None]:
            return connection.execute(oldest).scalar_one(), _seen(connection, app)

        kept_since, seen_at = await self._database.read(work)
        url = self._database.url
        file = url.database if is_sqlite(url) and not is_memory(url) else None
        return Backlog(kept_since, None if file is None else _size(f"{file}-wal"), seen_at)

    async def _tell(self, job: JobSlot, parts: Sequence[NewPart], detail: str | None) -> Written:
        now = self._clock.now()

        def work(connection: Connection) -> Written:
            run = {"name": job.name, "slot": job.slot, "at": now, "detail": detail}
            new = connection.execute(
                insert(connection, job_run).on_conflict_do_nothing().returning(job_run.c.slot), run
            ).one_or_none()
            if new is None:
                return Written.REPLAY
            add_parts(connection, parts, inbox_id=None, now=now)
            return Written.DONE

        return await self._database.write(work)


def _seen(connection: Connection, app: AppId) -> datetime | None:
    found: datetime | None = connection.execute(
        select(presence.c.seen_at).where(presence.c.app_id == app)
    ).scalar_one_or_none()
    return found


def _note_seen(connection: Connection, app: AppId, now: datetime) -> None:
    statement = insert(connection, presence)
    connection.execute(
        # A clock that was set back makes nobody older than they are.
        statement.on_conflict_do_update(
            index_elements=[presence.c.app_id],
            set_={"seen_at": now},
            where=presence.c.seen_at < now,
        ),
        {"app_id": app, "seen_at": now},
    )


def _tidy(file: str) -> None:
    """Wait for nobody: where the store is in use, the next time will do."""
    try:
        with closing(sqlite3.connect(file, timeout=0, isolation_level=None)) as connection:
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.execute(f"PRAGMA analysis_limit={_ROWS_LOOKED_AT}")
            connection.execute("PRAGMA optimize")
    except sqlite3.OperationalError:
        return


def _size(file: str) -> int:
    try:
        return Path(file).stat().st_size
    except FileNotFoundError:
        return 0
