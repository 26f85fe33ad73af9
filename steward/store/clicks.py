"""The clicks of ports/clicks.py: an inbox row and the click's own key, in one commit."""

from datetime import datetime

from sqlalchemy import Connection, select

from steward.errors import StoreRejectedError
from steward.model.audience import Ignored, IgnoreReason
from steward.model.events import Click, Envelope, Recorded
from steward.model.ids import InboxId
from steward.ports.world import Clock
from steward.store import schema
from steward.store.engine import Database
from steward.store.recording import record_judged, record_unstorable, storable_key
from steward.store.statements import insert


class SqlClicks:
    """Implements ports.clicks.Clicks."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def record(self, envelope: Envelope, click: Click) -> Recorded:
        now = self._clock.now()
        try:
            return await self._database.write(
                lambda connection: _record(connection, envelope, click, now), first=True
            )
        except StoreRejectedError:
            return await self._database.write(
                lambda connection: record_unstorable(connection, envelope), first=True
            )


def _record(connection: Connection, envelope: Envelope, click: Click, now: datetime) -> Recorded:
    recorded = record_judged(connection, envelope, Ignored(IgnoreReason.NO_ACTION))
    key = _key(envelope, click)
    if recorded.duplicate or key is None:
        return recorded
    table = schema.click
    statement = insert(connection, table).on_conflict_do_nothing().returning(table.c.id)
    values = key | {"inbox_id": recorded.inbox, "recorded_at": now}
    if connection.execute(statement, values).one_or_none() is not None:
        return recorded
    before = select(table.c.inbox_id).where(*(table.c[name] == key[name] for name in key))
    return Recorded(InboxId(connection.execute(before).scalar_one()), duplicate=True)


def _key(envelope: Envelope, click: Click) -> dict[str, str] | None:
    """What makes a click the same click; a nonce is the presser's text and may be anything."""
    operator = click.operator.open_id
    if click.message is None or click.nonce is None or operator is None:
        return None
    return {
        "app_id": envelope.app_id,
        "message_id": storable_key(click.message.message_id),
        "nonce": storable_key(click.nonce),
        "operator": storable_key(operator),
    }
