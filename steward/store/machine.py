"""The machine document of ports/machine.py: one row of bytes, and every change of it with its receipt. Contracts P1, P8.

What a change would do is decided by policy.profile alone; here it is decided again under a lock, and written.
"""

import hashlib
import logging
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, LargeBinary, cast, func, select

from steward.errors import StoreError
from steward.model.machine import Applied, ProfilePlan, Receipt
from steward.model.profile import RuntimeProfile, StoredProfile
from steward.policy import profile
from steward.store.codec import RECEIPT
from steward.store.engine import Database
from steward.store.records import machine_configuration, machine_transaction
from steward.store.statements import hold, insert

logger = logging.getLogger(__name__)

_LOCK = "machine"


class SqlMachine:
    """Implements ports.machine.Machine."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def document(self) -> bytes | None:
        return await self._database.read(_document)

    async def receipt(self, plan_revision: str) -> Receipt | None:
        return await self._database.read(lambda connection: _receipt(connection, plan_revision))

    async def last_transaction(self) -> str | None:
        return await self._database.read(_last)


@dataclass(frozen=True, slots=True)
class Stale:
    """The plan is not one of what is stored now; nothing was written."""

    present_revision: str


def apply(
    connection: Connection, desired: RuntimeProfile, plan_revision: str, now: datetime
) -> Applied | Stale:
    """Compare and write, read back, and keep the old bytes, in the caller's transaction (P8).

    A plan that was applied before gives its receipt and changes nothing. Raises StoreError where the document does not
    read back as it was written.
    """
    hold(connection, _LOCK)
    raw = _document(connection)
    before = _receipt(connection, plan_revision)
    if before is not None:
        return Applied(before, superseded=True, present_revision=profile.stored_of(raw).revision)
    made = profile.plan(raw, desired, _last(connection))
    if made.plan_revision != plan_revision:
        return Stale(made.current_revision)
    done = _write(connection, raw, made, now)
    return Applied(done, superseded=False, present_revision=done.applied_revision)


def standing_revision(connection: Connection) -> str:
    """The revision of what is stored; until the commit nobody changes it."""
    hold(connection, _LOCK, shared=True)
    return profile.stored_of(_document(connection)).revision


def restrict(connection: Connection, now: datetime) -> None:
    """`restricted`, in the transaction that takes the machine from an owner (P9).

    Nothing, and bytes that are no profile, are restricted already: they stay as they are.
    """
    hold(connection, _LOCK)
    raw = _document(connection)
    stored = profile.stored_of(raw)
    if isinstance(stored, StoredProfile) and stored.profile is not RuntimeProfile.RESTRICTED:
        made = profile.plan(raw, RuntimeProfile.RESTRICTED, _last(connection))
        _write(connection, raw, made, now)


def _write(connection: Connection, raw: bytes | None, made: ProfilePlan, now: datetime) -> Receipt:
    """The document of this plan with its transaction; a plan that needs no write leaves the bytes as they are."""
    if raw is None or made.writes_required:
        _put(connection, profile.applied(raw, made.desired), now)
    present = _document(connection)
    done = profile.receipt(made, _transaction_id(connection), present)
    if not done.readback_verified or done.applied_revision != made.desired_revision:
        raise StoreError("the machine document does not read back as it was written")
    connection.execute(
        machine_transaction.insert(),
        {
            "plan_revision": made.plan_revision,
            "receipt": RECEIPT.dump(done),
            "before": raw,
            "after": present,
            "applied_at": now,
        },
    )
    return done


def _put(connection: Connection, body: bytes, now: datetime) -> None:
    content = {"body": body, "updated_at": now}
    connection.execute(
        insert(connection, machine_configuration).on_conflict_do_update(
            index_elements=[machine_configuration.c.id], set_=content
        ),
        {"id": 1} | content,
    )


def _document(connection: Connection) -> bytes | None:
    """The bytes, whatever SQLite holds there: a value that was written by hand as text is corrupt or not, as bytes are."""
    body = cast(machine_configuration.c.body, LargeBinary)
    return connection.execute(select(body)).scalar_one_or_none()


def _receipt(connection: Connection, plan_revision: str) -> Receipt | None:
    """None also where it cannot be read: its plan is stale then, and nothing is written by it."""
    text = connection.execute(
        select(machine_transaction.c.receipt).where(
            machine_transaction.c.plan_revision == plan_revision
        )
    ).scalar_one_or_none()
    return None if text is None else _loaded(text)


def _last(connection: Connection) -> str | None:
    """The receipt's revision of the last change; one that cannot be read keeps nobody from restricting the machine."""
    text = connection.execute(
        select(machine_transaction.c.receipt).order_by(machine_transaction.c.id.desc()).limit(1)
    ).scalar_one_or_none()
    if text is None:
        return None
    last = _loaded(text)
    if last is None:
        return "unavailable:" + hashlib.sha256(text.encode()).hexdigest()
    return last.receipt_revision


def _loaded(text: str) -> Receipt | None:
    try:
        return RECEIPT.load(text)
    except StoreError:
        logger.warning("a receipt of the machine document is corrupt")
        return None


def _transaction_id(connection: Connection) -> str:
    """Counted under the lock: the machine's transactions are never deleted."""
    count = connection.execute(select(func.count()).select_from(machine_transaction)).scalar_one()
    return f"machine-{count + 1}"
