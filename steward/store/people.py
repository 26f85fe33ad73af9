"""How evidence names people, of ports/people.py: labels, never permissions. A claim counts only once it is approved."""

import logging
from collections.abc import Mapping, Sequence, Set
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, delete, select

from steward.errors import StoreError
from steward.model.audience import GrantOrigin
from steward.model.ids import AppId, OpenId
from steward.ports.world import Clock
from steward.store.codec import NAMES
from steward.store.columns import is_one_of
from steward.store.engine import Database
from steward.store.records import person
from steward.store.statements import insert

logger = logging.getLogger(__name__)


class SqlPeople:
    """Implements ports.people.People."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def sync(self, app: AppId, configured: Mapping[OpenId, tuple[str, ...]]) -> None:
        now = self._clock.now()
        await self._database.write(lambda connection: _sync(connection, app, configured, now))

    async def names(self, app: AppId, person: OpenId) -> tuple[str, ...]:
        return await self._database.read(lambda connection: names_of(connection, app, person))

    async def called(self, app: AppId, names: Sequence[str]) -> Sequence[OpenId]:
        wanted = {name.casefold() for name in names}
        return await self._database.read(lambda connection: _called(connection, app, wanted))


def names_of(connection: Connection, app: AppId, who: OpenId) -> tuple[str, ...]:
    """Configured names first, then those that the owner approved, each once."""
    rows = connection.execute(
        select(person).where(person.c.app_id == app, person.c.open_id == who, person.c.approved)
    ).all()
    first = sorted(rows, key=lambda row: row.origin is not GrantOrigin.CONFIG)
    return tuple(dict.fromkeys(name for row in first for name in _names(row)))


def _called(connection: Connection, app: AppId, wanted: Set[str]) -> list[OpenId]:
    known = select(person).where(person.c.app_id == app, person.c.approved).order_by(person.c.id)
    rows = connection.execute(known).all()
    named = [row for row in rows if not wanted.isdisjoint(map(str.casefold, _names(row)))]
    return list(dict.fromkeys(OpenId(row.open_id) for row in named))


def _sync(
    connection: Connection,
    app: AppId,
    configured: Mapping[OpenId, Sequence[str]],
    now: datetime,
) -> None:
    """Rows of origin config become the file's; what the owner approved, or somebody claimed, stays."""
    connection.execute(
        delete(person).where(
            person.c.app_id == app,
            is_one_of(person.c.origin, GrantOrigin.CONFIG),
            person.c.open_id.not_in(sorted(configured)),
        )
    )
    for who, names in configured.items():
        content = {"names": NAMES.dump(tuple(names)), "approved": True, "noted_at": now}
        connection.execute(
            insert(connection, person).on_conflict_do_update(
                index_elements=[person.c.app_id, person.c.open_id, person.c.origin], set_=content
            ),
            {"app_id": app, "open_id": who, "origin": GrantOrigin.CONFIG} | content,
        )


def _names(row: Row[Any]) -> tuple[str, ...]:
    """None where the row is corrupt: evidence then does not know this person by it."""
    try:
        return NAMES.load(row.names)
    except StoreError:
        logger.warning("person row %d is corrupt and names nobody", row.id)
        return ()
