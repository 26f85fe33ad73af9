"""The grants of ports/grants.py. Contract A2."""

import logging
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Connection, Row, Select, bindparam, select, update

from steward.errors import StoreError
from steward.model.audience import Grant, GrantOrigin
from steward.model.command import GrantChange, GrantPlan
from steward.model.ids import GoalId, SourceId
from steward.policy.grants import plan
from steward.ports.world import Clock
from steward.store.codec import NAMES
from steward.store.columns import is_one_of
from steward.store.engine import Database
from steward.store.schema import grant
from steward.store.statements import insert

logger = logging.getLogger(__name__)


class SqlGrants:
    """Implements ports.grants.Grants."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def sync(self, grants: Sequence[Grant]) -> None:
        now = self._clock.now()
        await self._database.write(lambda connection: _sync(connection, grants, now))

    async def of(self, audience: str) -> Sequence[Grant]:
        return await self._database.read(lambda connection: grants_of(connection, audience))

    async def all(self) -> Sequence[Grant]:
        in_force = (
            select(grant)
            .where(grant.c.revoked_at.is_(None))
            .order_by(grant.c.audience, grant.c.name, grant.c.id)
        )
        return await self._database.read(
            lambda connection: _granted(connection.execute(in_force).all())
        )

    async def plan(self, change: GrantChange) -> GrantPlan:
        return await self._database.read(
            lambda connection: plan(grants_of(connection, change.audience), change)
        )


def grants_of(connection: Connection, audience: str) -> list[Grant]:
    """The grants of exactly this audience key that are not revoked, by name; a corrupt one is none."""
    return _granted(connection.execute(_in_force(), {"audience": audience}).all())


def _granted(rows: Sequence[Row[Any]]) -> list[Grant]:
    return [found for row in rows if (found := _grant(row)) is not None]


@cache
def _in_force() -> Select[Any]:
    """The grants of one `audience`. Put together once: every reading asks for them twice."""
    return (
        select(grant)
        .where(grant.c.audience == bindparam("audience"), grant.c.revoked_at.is_(None))
        .order_by(grant.c.name, grant.c.id)
    )


def _sync(connection: Connection, grants: Sequence[Grant], now: datetime) -> None:
    """Rows of origin config become the file's; what left it is revoked, and what came back is granted again.

    An owner's revocation of such a row is a tombstone: the row follows the file's words, but stays revoked.
    """
    of_config = is_one_of(grant.c.origin, GrantOrigin.CONFIG)
    connection.execute(
        update(grant)
        .where(
            of_config,
            grant.c.revoked_at.is_(None),
            grant.c.name.not_in([item.name for item in grants]),
        )
        .values(revoked_at=now, revoked_by=GrantOrigin.CONFIG)
    )
    for item in grants:
        _put(connection, item)


def _put(connection: Connection, item: Grant) -> None:
    content = {
        "audience": item.audience,
        "sources": NAMES.dump(item.sources),
        "goals": None if item.goals is None else NAMES.dump(item.goals),
    }
    key = {"name": item.name, "origin": GrantOrigin.CONFIG}
    connection.execute(
        insert(connection, grant).on_conflict_do_update(
            index_elements=[grant.c.origin, grant.c.name], set_=content
        ),
        key | content,
    )
    connection.execute(
        update(grant)
        .where(
            grant.c.name == item.name,
            is_one_of(grant.c.origin, GrantOrigin.CONFIG),
            is_one_of(grant.c.revoked_by, GrantOrigin.CONFIG),
        )
        .values(revoked_at=None, revoked_by=None)
    )


def _grant(row: Row[Any]) -> Grant | None:
    """None where the row is corrupt: no grant is the safe reading of one that cannot be read (A2)."""
    try:
        return Grant(
            name=row.name,
            audience=row.audience,
            sources=tuple(SourceId(name) for name in NAMES.load(row.sources)),
            goals=_goals(row.goals),
            origin=row.origin,
        )
    except StoreError:
        logger.warning("grant row %d is corrupt and grants nothing", row.id)
        return None


def _goals(text: str | None) -> tuple[GoalId, ...] | None:
    return None if text is None else tuple(GoalId(name) for name in NAMES.load(text))
