"""Claims of processes that are gone, of ports/recovery.py. Contracts D5, D7.

An SQLite store is served under its lock, so that whoever else has a claim there is gone. On PostgreSQL others serve
beside us: a worker is gone where the server knows no session of it (peers.py); one that lives and is silent, or that
nobody can tell of, keeps its claims until they run out.
"""

from collections.abc import Callable
from typing import Any

from sqlalchemy import ColumnElement, Connection, func, select, union, update

from steward.model.delivery import PartStatus
from steward.ports.world import Clock
from steward.store.columns import is_one_of
from steward.store.connect import is_sqlite
from steward.store.engine import Database
from steward.store.peers import is_gone
from steward.store.schema import OPEN_PARTS, conversation, inbox, outbox


class SqlLeases:
    """Implements ports.recovery.Leases."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._missed: frozenset[str] = frozenset()

    async def break_all(self) -> None:
        alone = is_sqlite(self._database.url)
        await self._break(lambda connection: None if alone else _gone(connection))

    async def break_gone(self) -> None:
        if is_sqlite(self._database.url):
            return
        gone = await self._database.write(_gone)
        twice, self._missed = gone & self._missed, gone
        if twice:
            await self._break(lambda connection: twice & _gone(connection))

    async def _break(self, whose: Callable[[Connection], frozenset[str] | None]) -> None:
        """None: everybody's."""
        now = self._clock.now()

        def work(connection: Connection) -> None:
            workers = whose(connection)
            if workers is None or workers:
                _freed(connection, workers, now)

        await self._database.write(work)


_UNJUDGED = inbox.c.verdict.is_(None)
# Said twice: SQLite takes the index of what is open only where the index's own words stand.
_SENDING = is_one_of(outbox.c.status, *OPEN_PARTS) & is_one_of(outbox.c.status, PartStatus.SENDING)


def _gone(connection: Connection) -> frozenset[str]:
    holders = union(
        select(conversation.c.owner).where(conversation.c.owner.is_not(None)),
        select(inbox.c.lease_owner).where(_UNJUDGED, inbox.c.lease_owner.is_not(None)),
        select(outbox.c.lease_owner).where(_SENDING, outbox.c.lease_owner.is_not(None)),
    )
    workers = connection.execute(holders).scalars().all()
    return frozenset(worker for worker in sorted(workers) if is_gone(connection, worker))


def _freed(connection: Connection, workers: frozenset[str] | None, now: Any) -> None:
    """What may have arrived is unknown from the time of its try on, and due (D4)."""

    def theirs(owner: ColumnElement[str]) -> ColumnElement[bool]:
        return owner.is_not(None) if workers is None else owner.in_(sorted(workers))

    connection.execute(
        update(conversation)
        .where(theirs(conversation.c.owner))
        .values(owner=None, lease_until=None)
    )
    connection.execute(
        update(inbox)
        .where(_UNJUDGED, theirs(inbox.c.lease_owner))
        .values(lease_owner=None, lease_until=None)
    )
    connection.execute(
        update(outbox)
        .where(_SENDING, theirs(outbox.c.lease_owner))
        .values(
            status=PartStatus.UNKNOWN,
            first_unknown_at=func.coalesce(outbox.c.first_unknown_at, outbox.c.claimed_at),
            next_at=now,
            lease_owner=None,
            lease_until=None,
        )
    )
