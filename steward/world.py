"""The real clock and real randomness behind ports/world.py. The only file that asks the system for either."""

import asyncio
import secrets
import time
from datetime import UTC, datetime


class SystemClock:
    """The machine's wall clock in UTC, and its monotonic clock in seconds."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class RandomTokens:
    """128 bits from the system, URL-safe."""

    def new(self) -> str:
        return secrets.token_urlsafe(16)
