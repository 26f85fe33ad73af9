"""A clock that moves when it is told to, and tokens that can be foretold."""

import asyncio
import heapq
from datetime import UTC, datetime, timedelta

EPOCH = datetime(2026, 11, 30, 4, 0, tzinfo=UTC)
"""Monday noon in Asia/Shanghai."""


class FakeClock:
    """Stands still until `advance`; sleepers wake in the order of their times."""

    def __init__(self, now: datetime = EPOCH) -> None:
        self._start = now
        self._elapsed = 0.0
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._order = 0

    def now(self) -> datetime:
        return self._start + timedelta(seconds=self._elapsed)

    def monotonic(self) -> float:
        return self._elapsed

    async def sleep(self, seconds: float) -> None:
        future = asyncio.get_running_loop().create_future()
        self._order += 1
        heapq.heappush(self._sleepers, (self._elapsed + max(seconds, 0.0), self._order, future))
        await future

    def advance(self, by: timedelta) -> None:
        """Move time forward and wake whoever is due."""
        self._elapsed += by.total_seconds()
        while self._sleepers and self._sleepers[0][0] <= self._elapsed:
            future = heapq.heappop(self._sleepers)[2]
            if not future.done():
                future.set_result(None)


class CountedTokens:
    """token-1, token-2 … — guessable, so for tests alone."""

    def __init__(self, prefix: str = "token") -> None:
        self._prefix = prefix
        self._count = 0

    def new(self) -> str:
        self._count += 1
        return f"{self._prefix}-{self._count}"
