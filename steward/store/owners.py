"""The owner and the tenant of ports/owners.py: every change of owner makes the machine restricted. Contract P9."""

from steward.model.ids import AppId, ChatId, InboxId, OpenId, TenantKey
from steward.model.owner import OwnerRecord
from steward.model.turn import Written
from steward.ports.world import Clock
from steward.store.engine import Database


class SqlOwners:
    """Implements ports.owners.Owners."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def current(self, app: AppId) -> OwnerRecord | None:
        raise NotImplementedError

    async def follow(self, app: AppId, configured: OpenId | None) -> OwnerRecord | None:
        raise NotImplementedError

    async def reinstate(self, app: AppId, configured: OpenId) -> OwnerRecord:
        raise NotImplementedError

    async def lose(self, item: InboxId, app: AppId, person: OpenId) -> Written:
        raise NotImplementedError

    async def prove_chat(self, owner: OwnerRecord, chat: ChatId) -> None:
        raise NotImplementedError

    async def tenant(self, app: AppId) -> TenantKey | None:
        raise NotImplementedError

    async def pin_tenant(self, app: AppId, tenant: TenantKey, *, configured: bool) -> TenantKey:
        raise NotImplementedError
