"""Claims of processes that are gone, of ports/recovery.py. Called under the store's lock alone (D5)."""

from sqlalchemy import Connection, func, update

from steward.model.delivery import PartStatus
from steward.ports.world import Clock
from steward.store.columns import is_one_of
from steward.store.engine import Database
from steward.store.schema import conversation, inbox, outbox


class SqlLeases:
    """Implements ports.recovery.Leases."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def break_all(self) -> None:
        now = self._clock.now()

        def work(connection: Connection) -> None:
            connection.execute(
                update(conversation)
                .where(conversation.c.owner.is_not(None))
                .values(owner=None, lease_until=None)
            )
            connection.execute(
                update(inbox)
                .where(inbox.c.verdict.is_(None), inbox.c.lease_until.is_not(None))
                .values(lease_owner=None, lease_until=None)
            )
            connection.execute(
                update(outbox)
                .where(is_one_of(outbox.c.status, PartStatus.SENDING))
                .values(
                    status=PartStatus.UNKNOWN,
                    first_unknown_at=func.coalesce(outbox.c.first_unknown_at, outbox.c.claimed_at),
                    next_at=now,
                    lease_owner=None,
                    lease_until=None,
                )
            )

        await self._database.write(work)
