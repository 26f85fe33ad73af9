"""A steward that dies, or stands still, at a chosen stage: the store's ports in a wrapping that signals its own process.

Above: child.py, which serves with it. Below: the real store. A kill here is a kill: nothing is flushed, closed or told.
"""

import os
import signal
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any

from steward.model.turn import Written
from steward.ports.world import Clock
from steward.store import Store, open_store

PORTS = (
    "inbox",
    "clicks",
    "conversations",
    "ledger",
    "outbox",
    "grants",
    "leases",
    "reviews",
    "upkeep",
)


@dataclass(frozen=True, slots=True)
class Stage:
    """Where to die: before or after the first call of a port's method that counts.

    After: the first whose result holds something, since loops also ask in vain. `since` names the method whose own
    first such call must be over before any counts: it brings a loop that asks all the time to the right moment.
    """

    call: str
    after: bool
    since: str | None = None
    signal: int = signal.SIGKILL

    @classmethod
    def parse(cls, text: str) -> "Stage":
        """`before PORT.METHOD`, `after PORT.METHOD`, and ` since PORT.METHOD` where it matters.

        `stop before …`: it stands still there, once, until it is told to go on.
        """
        stops = text.startswith("stop ")
        when, call, *rest = text.removeprefix("stop ").split()
        what = signal.SIGSTOP if stops else signal.SIGKILL
        return cls(call, when == "after", rest[1] if rest else None, what)


class Fuse:
    """Burns down along a stage's calls, and then kills this process, or stops it."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._armed = stage.since is None
        self._burnt = False

    def before(self, call: str) -> None:
        if self._armed and not self._stage.after and call == self._stage.call:
            self._fire()

    def after(self, call: str, result: object) -> None:
        if not _holds(call, result):
            return
        if self._armed and self._stage.after and call == self._stage.call:
            self._fire()
        self._armed = self._armed or call == self._stage.since

    def _fire(self) -> None:
        if not self._burnt:
            self._burnt = True
            os.kill(os.getpid(), self._stage.signal)


def dying(stage: Stage) -> Callable[[str, Clock], Awaitable[Store]]:
    """What `bot.app.serving` takes for its opener: the real store, in ports that lead through the fuse."""

    async def opener(url: str, clock: Clock) -> Store:
        store, fuse = await open_store(url, clock), Fuse(stage)
        wrapped = {name: Wrapped(getattr(store, name), name, fuse) for name in PORTS}
        return replace(store, **wrapped)

    return opener


class Wrapped:
    """A port whose every call passes the fuse, before and after."""

    def __init__(self, port: object, name: str, fuse: Fuse) -> None:
        self._port = port
        self._name = name
        self._fuse = fuse

    def __getattr__(self, method: str) -> Callable[..., Awaitable[Any]]:
        real, call, fuse = getattr(self._port, method), f"{self._name}.{method}", self._fuse

        @wraps(real)
        async def passed(*args: Any, **kwargs: Any) -> Any:
            fuse.before(call)
            result = await real(*args, **kwargs)
            fuse.after(call, result)
            return result

        return passed


def _holds(call: str, result: object) -> bool:
    """Whether the call did something; what only breaks leases always does."""
    return call == "leases.break_all" or not (result is Written.LOST or result in (None, [], ()))
