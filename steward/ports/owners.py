"""The owner and the tenant: records that the configuration and the platform write, never a message. Contract P9."""

from typing import Protocol

from steward.model.ids import AppId, ChatId, InboxId, OpenId, TenantKey
from steward.model.owner import OwnerRecord
from steward.model.turn import Written


class Owners(Protocol):
    """One owner at most. A corrupt record is none (A2)."""

    async def current(self, app: AppId) -> OwnerRecord | None: ...

    async def in_force(self, app: AppId) -> tuple[OwnerRecord | None, TenantKey | None]:
        """The owner and the pinned tenant, at one instant: every judgement of an audience needs both."""
        ...

    async def follow(self, app: AppId, configured: OpenId | None) -> OwnerRecord | None:
        """Make the owner the configured one; the owner in force then.

        Where that changes who it is, `restricted` and an audit row stand in the same commit (P9). Somebody whose record
        ended as DELETED does not come back by configuration.
        """
        ...

    async def reinstate(self, app: AppId, configured: OpenId) -> OwnerRecord:
        """The operator says that the configured person is the owner although the platform once said that they left."""
        ...

    async def lose(self, item: InboxId, app: AppId, person: OpenId) -> Written:
        """A person left the tenant: where it is the owner, the record ends as DELETED, with `restricted` (P9).

        The event's own row is judged in the same commit.
        """
        ...

    async def prove_chat(self, owner: OwnerRecord, chat: ChatId) -> None:
        """The platform bore out that this is the owner's private chat; no effect where the owner changed meanwhile."""
        ...

    async def tenant(self, app: AppId) -> TenantKey | None:
        """The pinned tenant."""
        ...

    async def pin_tenant(self, app: AppId, tenant: TenantKey, *, configured: bool) -> TenantKey:
        """The tenant in force: the configured one, else the first one ever pinned, else this one."""
        ...
