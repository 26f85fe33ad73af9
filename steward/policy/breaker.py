"""When nothing is sent at all, because the platform takes nothing of this app. Contract D4. Pure.

Out of quota, switched off, not reachable: that is no part's fault, so one part tries from time to time, and the others
wait with their tries unspent. The pause begins where the refusal says and doubles up to ten times that.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

FIRST = timedelta(seconds=1)
TENFOLD = 10
SHORTEST_CEILING = timedelta(minutes=1)
LONGEST = timedelta(hours=1)
WORTH_TELLING = timedelta(minutes=10)
"""A shorter silence is nobody's concern."""


@dataclass(frozen=True, slots=True)
class Held:
    """Since when nothing is taken, why (our word), until when nothing is tried, and how often that was."""

    since: datetime
    reason: str
    until: datetime
    tries: int = 1


@dataclass(frozen=True, slots=True)
class Silence:
    """A time in which nothing could be sent, worth telling."""

    start: datetime
    end: datetime
    reason: str


def hold(held: Held | None, reason: str, least: timedelta | None, now: datetime) -> Held:
    """After a refusal of the whole app. Those that were under way together count once."""
    if held is None:
        return Held(now, reason, now + _pause(1, least))
    if now < held.until:
        return held
    tries = held.tries + 1
    return replace(held, reason=reason, until=now + _pause(tries, least), tries=tries)


def wait_on(held: Held, now: datetime) -> Held:
    """After a try whose end nobody knows: it opens nothing."""
    return hold(held, held.reason, None, now)


def silence(held: Held, now: datetime) -> Silence | None:
    """What was, once something is taken again; None where it was short."""
    if now - held.since < WORTH_TELLING:
        return None
    return Silence(held.since, now, held.reason)


def _pause(tries: int, least: timedelta | None) -> timedelta:
    first = max(min(least or FIRST, LONGEST), FIRST)
    ceiling = min(max(first * TENFOLD, SHORTEST_CEILING), LONGEST)
    return min(first * int(2 ** min(tries - 1, 12)), max(ceiling, first))
