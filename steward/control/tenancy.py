"""Which tenant is ours, for those who may not wait: kept in memory, looked after in the background. Contract A1.

Above: `bot.app`: the webhook compares each event with it, and readiness shows where the platform disagrees. Below:
authorities, which pins it once. Audiences are never judged by this memory.
"""

import logging
from datetime import timedelta

from steward.control.authorities import Authorities
from steward.errors import StoreUnavailableError
from steward.model.audience import BotIdentity, DirectoryFailure
from steward.model.ids import TenantKey
from steward.ports.world import Clock

logger = logging.getLogger(__name__)

UNTIL_PINNED = timedelta(seconds=5)
ONCE_PINNED = timedelta(minutes=5)
MISMATCH = "tenant_mismatch"


class Tenancy:
    """`pinned`: what was pinned before the start, None at the very first."""

    def __init__(self, authorities: Authorities, clock: Clock, pinned: TenantKey | None) -> None:
        self._authorities = authorities
        self._clock = clock
        self._pinned = pinned
        self._said: TenantKey | None = None

    def ours(self) -> TenantKey | None:
        """Our tenant; None only until the platform has named it for the first time."""
        return self._pinned

    def red(self) -> str | None:
        """A word for readiness where the platform names another tenant than the pinned one."""
        differs = None not in {self._pinned, self._said} and self._pinned != self._said
        return MISMATCH if differs else None

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            await self.look()
            pause = UNTIL_PINNED if self._pinned is None else ONCE_PINNED
            await self._clock.sleep(pause.total_seconds())

    async def look(self) -> None:
        """Pin the tenant where nobody has yet, and hear what the platform says now."""
        try:
            authority = await self._authorities.now()
        except StoreUnavailableError:
            logger.warning("tenancy: the store is unavailable")
            return
        if not isinstance(authority, DirectoryFailure):
            self._pinned = authority.tenant
        me = await self._authorities.directory.me()
        if isinstance(me, BotIdentity):
            self._said = me.tenant_key
            if self.red() is not None:
                logger.error("the platform names another tenant than the one that is pinned")
