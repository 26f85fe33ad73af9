"""The owner and the tenant of ports/owners.py: every change of owner makes the machine restricted. Contracts P9, A2."""

import logging
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, select, update

from steward.model.audience import IgnoreReason
from steward.model.audit import OPERATOR, STEWARD, AuditAct, AuditRow
from steward.model.events import Verdict
from steward.model.ids import AppId, ChatId, InboxId, OpenId, TenantKey
from steward.model.owner import OwnerEnd, OwnerRecord
from steward.model.turn import Written
from steward.ports.world import Clock
from steward.store import machine
from steward.store.audit import note
from steward.store.engine import Database
from steward.store.records import installation, owner
from steward.store.statements import hold, insert
from steward.store.verdicts import judge

logger = logging.getLogger(__name__)

NOBODY = "nobody"
"""The audit's subject where there is no owner any more."""

REINSTATED = "reinstated"
"""The audit's reason where the operator said so."""


class SqlOwners:
    """Implements ports.owners.Owners."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def current(self, app: AppId) -> OwnerRecord | None:
        return await self._database.read(lambda connection: current(connection, app))

    async def in_force(self, app: AppId) -> tuple[OwnerRecord | None, TenantKey | None]:
        return await self._database.read(
            lambda connection: (current(connection, app), _tenant(connection, app))
        )

    async def follow(self, app: AppId, configured: OpenId | None) -> OwnerRecord | None:
        now = self._clock.now()
        return await self._database.write(
            lambda connection: follow(connection, app, configured, now)
        )

    async def reinstate(self, app: AppId, configured: OpenId) -> OwnerRecord:
        now = self._clock.now()
        return await self._database.write(
            lambda connection: _reinstate(connection, app, configured, now)
        )

    async def lose(self, item: InboxId, app: AppId, person: OpenId) -> Written:
        now = self._clock.now()
        return await self._database.write(
            lambda connection: _lose(connection, item, app, person, now)
        )

    async def prove_chat(self, owner: OwnerRecord, chat: ChatId) -> None:
        await self._database.write(lambda connection: _prove(connection, owner, chat))

    async def tenant(self, app: AppId) -> TenantKey | None:
        return await self._database.read(lambda connection: _tenant(connection, app))

    async def pin_tenant(self, app: AppId, tenant: TenantKey, *, configured: bool) -> TenantKey:
        now = self._clock.now()
        return await self._database.write(
            lambda connection: _pin(connection, app, tenant, now, replaces=configured)
        )


def current(connection: Connection, app: AppId, *, lock: bool = False) -> OwnerRecord | None:
    """The owner in force, with `lock` until the commit; a corrupt record is none (A2)."""
    if lock:
        _hold(connection, app)
    try:
        row = connection.execute(select(owner).where(*_in_force(app))).one_or_none()
        return None if row is None else _record(row)
    except (TypeError, ValueError):
        logger.warning("the owner's record is corrupt, and nobody is the owner")
        return None


def _hold(connection: Connection, app: AppId) -> None:
    hold(connection, f"owner:{app}")


def _in_force(app: AppId) -> tuple[Any, ...]:
    return owner.c.app_id == app, owner.c.ended_at.is_(None)


def _record(row: Row[Any]) -> OwnerRecord:
    if not row.open_id.strip():
        raise ValueError("nobody's id")
    return OwnerRecord(
        id=row.id,
        app_id=AppId(row.app_id),
        open_id=OpenId(row.open_id),
        since=row.since,
        private_chat=None if row.private_chat is None else ChatId(row.private_chat),
    )


def follow(
    connection: Connection, app: AppId, configured: OpenId | None, now: datetime
) -> OwnerRecord | None:
    """Make the owner the configured one, in the caller's transaction; the owner in force then."""
    present = current(connection, app, lock=True)
    if configured is None:
        if _end(connection, app, OwnerEnd.UNCONFIGURED, now):
            _changed(connection, NOBODY, OwnerEnd.UNCONFIGURED, now)
        return None
    if present is not None and present.open_id == configured:
        return present
    ended = _end(connection, app, OwnerEnd.REPLACED, now)
    if _has_left(connection, app, configured):
        if ended:
            _changed(connection, NOBODY, OwnerEnd.REPLACED, now)
        return None
    _changed(connection, configured, OwnerEnd.REPLACED if ended else None, now)
    return _add(connection, app, configured, now)


def _reinstate(
    connection: Connection, app: AppId, configured: OpenId, now: datetime
) -> OwnerRecord:
    present = current(connection, app, lock=True)
    if present is not None and present.open_id == configured:
        return present
    _end(connection, app, OwnerEnd.REPLACED, now)
    _changed(connection, configured, REINSTATED, now, actor=OPERATOR)
    return _add(connection, app, configured, now)


def _lose(
    connection: Connection, item: InboxId, app: AppId, person: OpenId, now: datetime
) -> Written:
    present = current(connection, app, lock=True)
    is_owner = present is not None and present.open_id == person
    why = IgnoreReason.APPLIED if is_owner else IgnoreReason.NO_ACTION
    if not judge(connection, item, Verdict.IGNORED, reason=why, closed=True, now=now):
        return Written.LOST
    if is_owner:
        _end(connection, app, OwnerEnd.DELETED, now)
        _changed(connection, NOBODY, OwnerEnd.DELETED, now)
    return Written.DONE


def _prove(connection: Connection, record: OwnerRecord, chat: ChatId) -> None:
    connection.execute(
        update(owner)
        .where(owner.c.id == record.id, owner.c.ended_at.is_(None))
        .values(private_chat=chat)
    )


def _end(connection: Connection, app: AppId, by: OwnerEnd, now: datetime) -> bool:
    """Whether a record was in force, a corrupt one too; it stays as a tombstone."""
    ended = connection.execute(
        update(owner).where(*_in_force(app)).values(ended_at=now, ended_by=by)
    )
    return ended.rowcount > 0


def _add(connection: Connection, app: AppId, person: OpenId, now: datetime) -> OwnerRecord:
    added = connection.execute(
        insert(connection, owner).returning(owner.c.id),
        {"app_id": app, "open_id": person, "since": now},
    )
    return OwnerRecord(added.scalar_one(), app, person, now, private_chat=None)


def _has_left(connection: Connection, app: AppId, person: OpenId) -> bool:
    """Whether this person's last record as the owner ended because the platform said that they left."""
    by = connection.execute(
        select(owner.c.ended_by)
        .where(owner.c.app_id == app, owner.c.open_id == person)
        .order_by(owner.c.id.desc())
        .limit(1)
    ).scalar_one_or_none()
    return by is OwnerEnd.DELETED


def _changed(
    connection: Connection, to: str, why: str | None, now: datetime, *, actor: str = STEWARD
) -> None:
    """What a change of who the owner is does besides (P9). The first owner is a change too: before was nobody."""
    machine.restrict(connection, now)
    note(connection, AuditRow(AuditAct.OWNER_CHANGED, actor=actor, reason=why, subject=to), now)


def _tenant(connection: Connection, app: AppId) -> TenantKey | None:
    found = connection.execute(
        select(installation.c.tenant_key).where(installation.c.app_id == app)
    ).scalar_one_or_none()
    return None if found is None else TenantKey(found)


def _pin(
    connection: Connection, app: AppId, tenant: TenantKey, now: datetime, *, replaces: bool
) -> TenantKey:
    _hold(connection, app)
    present = _tenant(connection, app)
    if present == tenant or (present is not None and not replaces):
        return present
    content = {"tenant_key": tenant, "pinned_at": now}
    connection.execute(
        insert(connection, installation).on_conflict_do_update(
            index_elements=[installation.c.app_id], set_=content
        ),
        {"app_id": app} | content,
    )
    note(connection, AuditRow(AuditAct.TENANT_PINNED, actor=STEWARD, subject=tenant), now)
    return tenant
