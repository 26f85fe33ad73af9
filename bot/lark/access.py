"""The app's tenant token: fetched once for all who wait, renewed before it ends, replaced when it is refused.

The platform hands out the same token while 30 minutes or more are left, so it is renewed later than that; and
never in a loop, whatever comes back.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from bot.lark.errors import LarkFailure
from bot.lark.replies import TokenReply
from steward.ports.world import Clock

RENEW_BEFORE = 27 * 60.0
"""Seconds before its end; below the platform's 30 minutes."""
AGAIN = 60.0
"""Seconds until the next try of a renewal that failed, or brought the same token."""
FAILURE_KEPT = 1.0
"""Seconds for which one failed fetch answers all who waited for it."""

Fetch: TypeAlias = Callable[[], Awaitable[TokenReply | LarkFailure]]


@dataclass(slots=True)
class _Held:
    token: str
    renew_at: float
    ends_at: float


class TenantToken:
    """One for each app."""

    def __init__(self, clock: Clock, fetch: Fetch) -> None:
        self._clock = clock
        self._fetch = fetch
        self._turn = asyncio.Lock()
        self._held: _Held | None = None
        self._failed: tuple[float, LarkFailure] | None = None

    async def current(self) -> str | LarkFailure:
        """A token that should be good. While one caller renews it, the others go on with the old one."""
        held, now = self._held, self._clock.monotonic()
        if held and (now < held.renew_at or (now < held.ends_at and self._turn.locked())):
            return held.token
        async with self._turn:
            held = self._held
            if held and self._clock.monotonic() < held.renew_at:
                return held.token
            return await self._renew()

    async def replace(self, refused: str) -> str | LarkFailure:
        """Another token in place of one that the platform refused; who comes second gets the first one's."""
        async with self._turn:
            if self._held and self._held.token != refused:
                return self._held.token
            self._held = None
            return await self._renew()

    async def _renew(self) -> str | LarkFailure:
        now = self._clock.monotonic()
        if self._failed and now < self._failed[0] + FAILURE_KEPT:
            return self._failed[1]
        reply = await self._fetch()
        now = self._clock.monotonic()
        if isinstance(reply, LarkFailure):
            if self._held and now < self._held.ends_at:
                self._held.renew_at = now + AGAIN
                return self._held.token
            self._failed = now, reply
            return reply
        self._held = _Held(
            token=reply.tenant_access_token,
            renew_at=now + max(reply.expire - RENEW_BEFORE, AGAIN),
            ends_at=now + reply.expire,
        )
        return self._held.token
