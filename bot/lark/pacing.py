"""How fast we may send: below 5 a second for each chat or message, and the app's own limit above that.

The platform's limit of a group is shared by every bot in it, so we stay under it. Answers wait for their turn;
decorations never wait and never take the last place. Windows slide on the monotonic clock, and an
idle one is forgotten: memory follows what is busy, not what was ever seen.
"""

import asyncio
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


class Pacing:
    """One for each app. A key is a chat id for messages, a message id for what is done to that message."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._app = (_Window(PER_SECOND, 1.0), _Window(PER_MINUTE, 60.0))
        self._app_turn = asyncio.Lock()
        self._keys: OrderedDict[str, _Key] = OrderedDict()

    async def acquire(self, key: str) -> timedelta | None:
        """Wait for a place, in order of arrival. A wait beyond PATIENCE is returned instead, nothing taken."""
        one = self._key(key)
        one.users += 1
        try:
            async with one.turn:
                await self._open(one.window)
                async with self._app_turn:
                    refused = await self._open(*self._app)
                    if refused is None:
                        self._use(one, self._clock.monotonic())
                    return refused
        finally:
            one.users -= 1

    def try_acquire(self, key: str) -> bool:
        """Take a place for a decoration, if it is not the last and nobody waits, at once."""
        one, now = self._key(key), self._clock.monotonic()
        free = not one.turn.locked() and not self._app_turn.locked()
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
