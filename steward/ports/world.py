"""Time and randomness: the two things a test must be able to hold still."""

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """The wall clock (aware, UTC) and the monotonic one (seconds)."""

    def now(self) -> datetime: ...
    def monotonic(self) -> float: ...
    async def sleep(self, seconds: float) -> None: ...


class Tokens(Protocol):
    """Unguessable text: 128 bits, URL-safe, new at each call."""

    def new(self) -> str: ...
