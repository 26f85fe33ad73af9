"""Dates and times as people write them in evidence (R11). A value that is neither is a ValueError."""

import re
from datetime import UTC, date, datetime, time, tzinfo
from typing import TypeVar

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_INSTANT = re.compile(
    r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?( ?(Z|[+-]\d{2}:?\d{2}))?)?",
    re.ASCII,
)
_Day = TypeVar("_Day", bound=date)

_YEARS = range(1970, 2200)
"""Beyond these it is a slip of the pen, and arithmetic in zones could overflow."""


def parse_date(text: str) -> date:
    """A calendar date, without a zone."""
    if not _DATE.fullmatch(text):
        raise ValueError(text)
    return _plausible(date.fromisoformat(text))


def parse_instant(text: str, zone: tzinfo) -> datetime:
    """An instant in UTC. Without an offset it is wall-clock time in `zone`; a bare date is its midnight there."""
    if not _INSTANT.fullmatch(text):
        raise ValueError(text)
    if _DATE.fullmatch(text):
        return datetime.combine(parse_date(text), time.min, tzinfo=zone).astimezone(UTC)
    found = _plausible(datetime.fromisoformat(text.replace(" +", "+").replace(" -", "-")))
    return (found if found.tzinfo else found.replace(tzinfo=zone)).astimezone(UTC)


def _plausible(found: _Day) -> _Day:
    if found.year not in _YEARS:
        raise ValueError(found)
    return found
