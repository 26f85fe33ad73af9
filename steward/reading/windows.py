"""Days and instants by the wall clock of the display zone (R11). Every instant that leaves here is UTC."""

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from steward.model.reading import Row

EARLIEST = datetime(1970, 1, 2, tzinfo=UTC)
LATEST = datetime(9998, 1, 1, tzinfo=UTC)
"""No answer speaks of days beyond these: evidence has none, and arithmetic in zones could overflow."""

AHEAD = timedelta(minutes=5)
"""A row that is further than this in our future is marked: a clock is wrong somewhere."""


def local_midnight(day: date, zone: tzinfo) -> datetime:
    """When that day begins there; where a clock change skips midnight, the first instant after it."""
    return datetime.combine(day, time.min, tzinfo=zone).astimezone(UTC)


def window_start(days: int, now: datetime, zone: tzinfo) -> datetime:
    """Local midnight of (today - days): "1" is yesterday from its beginning, and today so far."""
    today = now.astimezone(zone).date()
    return local_midnight(today - timedelta(days=days), zone)


def local_day(at: datetime, zone: tzinfo) -> str:
    """The ISO date that people there would give it."""
    return at.astimezone(zone).date().isoformat()


def within(at: datetime, since: datetime | None, until: datetime | None) -> bool:
    """Whether an instant lies in [since, until); a missing end is open."""
    return (since is None or at >= since) and (until is None or at < until)


def marked_ahead(row: Row, now: datetime) -> Row:
    """The row with `ahead` set by our clock; the same object where nothing changes."""
    instants = [at for at in (row.at, row.updated) if at is not None]
    ahead = any(at > now + AHEAD for at in instants)
    return row if row.ahead == ahead else replace(row, ahead=ahead)
