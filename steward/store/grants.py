"""The grants of ports/grants.py. Contract A2."""

import logging
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Connection, Row, Select, and_, bindparam, select, update

from steward.errors import StoreError, StoreRejectedError
from steward.model.audience import Grant, GrantOrigin
from steward.model.command import GrantChange, GrantPlan, RevokeGrants, SetGrant
from steward.model.effect import Changed, GrantsSet
from steward.model.ids import GoalId, SourceId
from steward.policy.grants import plan, revision
from steward.ports.world import Clock
from steward.store.codec import NAMES
from steward.store.columns import is_one_of
from steward.store.engine import Database
from steward.store.schema import grant
from steward.store.sessions import forget_audience
from steward.store.statements import hold, insert

logger = logging.getLogger(__name__)

_LOCK = "grants"


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


async def copied(source: Database, target: Database) -> None:
    """Every row of grants, tombstones too, into a store that has none: to look at what holds without touching it."""
    found = await source.read(lambda connection: connection.execute(select(grant)).mappings().all())
    rows = [dict(row) for row in found]
    if rows:
        await target.write(lambda connection: connection.execute(grant.insert(), rows).rowcount)


def grants_of(connection: Connection, audience: str) -> list[Grant]:
    """The grants of exactly this audience key that are not revoked, by name; a corrupt one grants nothing."""
    return _granted(connection.execute(_in_force(), {"audience": audience}).all())


def change(
    connection: Connection, wanted: GrantChange, plan_revision: str, now: datetime
) -> GrantsSet | Changed:
    """Compare, write and read back, in the caller's transaction; the audience's sessions forget their past (S3).

    Changed where the plan is not one of what is granted now; nothing was written then. Raises StoreRejectedError where
    the grants do not read back as they were planned.
    """
    hold(connection, _LOCK)
    made = plan(grants_of(connection, wanted.audience), wanted)
    if made.plan_revision != plan_revision:
        return Changed(made.current_revision)
    if made.writes_required:
        match wanted:
            case SetGrant():
                _set(connection, wanted)
            case RevokeGrants():
                _revoke(connection, wanted.audience, now)
        forget_audience(connection, wanted.audience, now)
    present = grants_of(connection, wanted.audience)
    if revision(present) != revision(made.after):
        raise StoreRejectedError("the grants do not read back as they were planned")
    return GrantsSet(tuple(present))


def _set(connection: Connection, wanted: SetGrant) -> None:
    """The owner's one grant of this audience, in force."""
    content = _content(wanted.audience, wanted.sources, wanted.goals)
    content |= {"revoked_at": None, "revoked_by": None}
    connection.execute(
        insert(connection, grant).on_conflict_do_update(
            index_elements=[grant.c.origin, grant.c.name], set_=content
        ),
        {"name": wanted.audience, "origin": GrantOrigin.OWNER} | content,
    )


def _revoke(connection: Connection, audience: str, now: datetime) -> None:
    """Every row of the audience that is in force becomes a tombstone, which the configuration does not undo (A2)."""
    connection.execute(
        update(grant)
        .where(grant.c.audience == audience, grant.c.revoked_at.is_(None))
        .values(revoked_at=now, revoked_by=GrantOrigin.OWNER)
    )


def _granted(rows: Sequence[Row[Any]]) -> list[Grant]:
    return [_grant(row) for row in rows]


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

    An owner's revocation of such a row is a tombstone: the row follows the file's words, but stays revoked, as does what
    is only called otherwise. Sessions of audiences for which something changed forget their past (S3).
    """
    hold(connection, _LOCK)
    before = _revisions(connection)
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
        _put(connection, item, now)
    after = _revisions(connection)
    for audience in sorted(before.keys() | after.keys()):
        if before.get(audience) != after.get(audience):
            forget_audience(connection, audience, now)


def _revisions(connection: Connection) -> dict[str, str]:
    """What each audience is granted, in one word."""
    found = connection.execute(select(grant.c.audience).where(grant.c.revoked_at.is_(None)))
    return {key: revision(grants_of(connection, key)) for key in set(found.scalars())}


def _put(connection: Connection, item: Grant, now: datetime) -> None:
    content = _content(item.audience, item.sources, item.goals)
    key: dict[str, Any] = {"name": item.name, "origin": GrantOrigin.CONFIG}
    if _is_renamed_tombstone(connection, item.name, content):
        key |= {"revoked_at": now, "revoked_by": GrantOrigin.OWNER}
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


def _is_renamed_tombstone(connection: Connection, name: str, content: dict[str, Any]) -> bool:
    """Whether a row that is new to the file grants just what the owner took back under another name.

    To call it otherwise does not grant it again.
    """
    config = is_one_of(grant.c.origin, GrantOrigin.CONFIG)
    if connection.execute(select(grant.c.id).where(config, grant.c.name == name)).first():
        return False
    same = and_(*(grant.c[column].is_not_distinct_from(it) for column, it in content.items()))
    by_owner = is_one_of(grant.c.revoked_by, GrantOrigin.OWNER)
    return connection.execute(select(grant.c.id).where(config, by_owner, same)).first() is not None


def _content(
    audience: str, sources: Sequence[SourceId], goals: Sequence[GoalId] | None
) -> dict[str, Any]:
    return {
        "audience": audience,
        "sources": NAMES.dump(tuple(sources)),
        "goals": None if goals is None else NAMES.dump(tuple(goals)),
    }


def _grant(row: Row[Any]) -> Grant:
    """A corrupt row grants nothing, and stands: without it the owner, whom it narrowed, would read everything (A2)."""
    try:
        sources, goals = NAMES.load(row.sources), _goals(row.goals)
    except StoreError:
        logger.warning("grant row %d is corrupt and grants nothing", row.id)
        sources, goals = (), None
    return Grant(
        name=row.name,
        audience=row.audience,
        sources=tuple(SourceId(name) for name in sources),
        goals=goals,
        origin=row.origin,
    )


def _goals(text: str | None) -> tuple[GoalId, ...] | None:
    return None if text is None else tuple(GoalId(name) for name in NAMES.load(text))
