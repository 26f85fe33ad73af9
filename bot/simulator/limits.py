"""Frequency limits: sliding windows on the platform's clock, counted per key."""

from collections import deque
from dataclasses import dataclass

from steward.ports.world import Clock

KEYS_KEPT = 4096


@dataclass(frozen=True, slots=True)
class Limits:
    """The published numbers. Sending is limited per chat, changing a card per message, all calls per operation."""

    per_chat_second: int = 5
    per_message_second: int = 5
    per_operation_second: int = 50
    per_operation_minute: int = 1000


class Window:
    """At most `limit` uses of a key within any `seconds`; refused uses do not count."""

    def __init__(self, clock: Clock, limit: int, seconds: float) -> None:
        self._clock = clock
        self._seconds = seconds
        self._uses: dict[str, deque[float]] = {}
        self.limit = limit

    def wait(self, key: str) -> float:
        """Seconds until the key may be used again; 0 where it may now."""
        uses = self._fresh(key)
        if len(uses) < self.limit:
            return 0.0
        return uses[-self.limit] + self._seconds - self._clock.monotonic()

    def use(self, key: str) -> None:
        if len(self._uses) > KEYS_KEPT:
            self._forget()
        self._uses.setdefault(key, deque()).append(self._clock.monotonic())

    def _fresh(self, key: str) -> deque[float]:
        uses = self._uses.get(key)
        if uses is None:
            return deque()
        horizon = self._clock.monotonic() - self._seconds
        while uses and uses[0] <= horizon:
            uses.popleft()
        return uses

    def _forget(self) -> None:
        for key in [key for key in self._uses if not self._fresh(key)]:
            del self._uses[key]
