"""How fast we may send: below 5 a second for each chat or message, and the app's own limit above that.

The platform's limit of a group is shared by every bot in it, so we stay under it. Of those that wait for the app's
limit the most important goes first, and among equals who came first; a chat has one place in that queue, so a busy one
keeps no other waiting. Decorations never wait and never take the last place. Several processes that send for one app
divide its limit by a fixed share. Windows slide on the monotonic clock, and an idle one is forgotten: memory follows
what is busy, not what was ever seen.
"""

import asyncio
import heapq
from collections import OrderedDict, deque
from dataclasses import dataclass, field
from datetime import timedelta

from steward.ports.world import Clock

PER_KEY = 4
"""A second, for one chat or one message; the platform refuses the sixth."""
PER_SECOND = 40
PER_MINUTE = 900
"""For the app: the platform allows 50 a second and 1,000 a minute for each operation."""
KEPT_FOR_ANSWERS = 1
GRAIN = 1e-6
"""Shorter waits are rounding."""
PATIENCE = timedelta(seconds=5)
"""A longer wait is refused instead: the caller has a lease to keep."""


class _Window:
    """At most `limit` uses within any `seconds`."""

    def __init__(self, limit: int, seconds: float) -> None:
        self._limit = limit
        self._seconds = seconds
        self._uses: deque[float] = deque(maxlen=limit)

    def wait(self, now: float, spare: int = 0) -> float:
        """Seconds until it may be used while `spare` places stay free; 0.0: now."""
        place = self._limit - spare
        if len(self._uses) < place:
            return 0.0
        wait = self._uses[-place] + self._seconds - now
        return wait if wait > GRAIN else 0.0

    def use(self, now: float) -> None:
        self._uses.append(now)


@dataclass(slots=True)
class _Key:
    window: _Window = field(default_factory=lambda: _Window(PER_KEY, 1.0))
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    used_at: float = 0.0
    users: int = 0


class _Turns:
    """Whose turn it is for the app's limit: the lowest rank, then the first to come."""

    def __init__(self) -> None:
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._count = 0
        self.taken = False

    async def take(self, rank: int) -> None:
        if not self.taken:
            self.taken = True
            return
        self._count += 1
        mine = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (rank, self._count, mine))
        try:
            await mine
        except asyncio.CancelledError:
            if mine.done() and not mine.cancelled():
                self.give()
            raise

    def give(self) -> None:
        """To the next who still waits."""
        while self._waiting:
            _, _, heir = heapq.heappop(self._waiting)
            if not heir.done():
                heir.set_result(None)
                return
        self.taken = False


class Pacing:
    """One for each app. A key is a chat id for messages, a message id for what is done to that message.

    `processes`: how many send for this app, each within its share of the app's limit.
    """

    def __init__(self, clock: Clock, processes: int = 1) -> None:
        self._clock = clock
        per_second = max(PER_SECOND // processes, 1 + KEPT_FOR_ANSWERS)
        per_minute = max(PER_MINUTE // processes, 1 + KEPT_FOR_ANSWERS)
        self._app = (_Window(per_second, 1.0), _Window(per_minute, 60.0))
        self._app_turns = _Turns()
        self._keys: OrderedDict[str, _Key] = OrderedDict()

    async def acquire(self, key: str, rank: int = 0) -> timedelta | None:
        """Wait for a place; within a key in order of arrival, for the app's limit the lowest rank first.

        A wait beyond PATIENCE is returned instead, nothing taken.
        """
        one = self._key(key)
        one.users += 1
        try:
            async with one.turn:
                await self._open(one.window)
                await self._app_turns.take(rank)
                try:
                    refused = await self._open(*self._app)
                    if refused is None:
                        self._use(one, self._clock.monotonic())
                    return refused
                finally:
                    self._app_turns.give()
        finally:
            one.users -= 1

    def try_acquire(self, key: str) -> bool:
        """Take a place for a decoration, if it is not the last and nobody waits, at once."""
        one, now = self._key(key), self._clock.monotonic()
        free = not one.turn.locked() and not self._app_turns.taken
        if free and not any(w.wait(now, KEPT_FOR_ANSWERS) for w in (one.window, *self._app)):
            self._use(one, now)
            return True
        return False

    @property
    def busy(self) -> int:
        """How many keys are remembered."""
        return len(self._keys)

    async def _open(self, *windows: _Window) -> timedelta | None:
        """Sleep until every window has a place."""
        while wait := max(window.wait(self._clock.monotonic()) for window in windows):
            if wait > PATIENCE.total_seconds():
                return timedelta(seconds=wait)
            await self._clock.sleep(wait)
        return None

    def _use(self, one: _Key, now: float) -> None:
        one.used_at = now
        for window in (one.window, *self._app):
            window.use(now)

    def _key(self, key: str) -> _Key:
        now = self._clock.monotonic()
        while self._keys:
            name, oldest = next(iter(self._keys.items()))
            if oldest.users or now - oldest.used_at <= 1.0:
                break
            del self._keys[name]
        one = self._keys.setdefault(key, _Key(used_at=now))
        self._keys.move_to_end(key)
        return one
