"""Who the owner is and which tenant is ours, at this moment. Contracts A1, P9.

Above: intake, presses, standing, commands. Below: the stored owner, and the tenant that was configured or pinned. Read
afresh at every call, so that a change of owner counts from its commit on, in every process.
"""

from dataclasses import dataclass

from steward.model.audience import DirectoryFailure
from steward.model.ids import AppId
from steward.model.owner import Authority, OwnerRecord
from steward.ports.directory import Directory
from steward.ports.owners import Owners


@dataclass(frozen=True, slots=True)
class Authorities:
    """Of one app. Every method raises StoreUnavailableError where the records cannot be read."""

    app: AppId
    owners: Owners
    directory: Directory

    async def owner(self) -> OwnerRecord | None:
        """The owner in force."""
        return await self.owners.current(self.app)

    async def now(self) -> Authority | DirectoryFailure:
        """Owner and tenant; without a pinned tenant the platform's word is taken, and pinned.

        A tenant that nobody has said yet is a failed look-up: it is no tenant, and no audience (A1).
        """
        owner, tenant = await self.owners.in_force(self.app)
        if tenant is None:
            me = await self.directory.me()
            if isinstance(me, DirectoryFailure):
                return me
            if me.tenant_key is None:
                return DirectoryFailure(retry=True, reason="tenant_unknown")
            tenant = await self.owners.pin_tenant(self.app, me.tenant_key, configured=False)
            owner = await self.owner()
        return Authority(None if owner is None else owner.open_id, tenant)
