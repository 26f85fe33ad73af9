"""The platform's instants: digits without a unit, seconds, milliseconds or microseconds by event (lark.md §1.1)."""

import re
from datetime import UTC, datetime, timedelta

_DIGITS = re.compile(r"([0-9]{1,17})(?:\.([0-9]{1,9}))?", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SECONDS_BELOW = 10**11
_MILLISECONDS_BELOW = 10**14


def instant(text: str | None) -> datetime | None:
    """The aware instant that `text` names, its unit told by its magnitude; None where it names none.

    Each unit reaches to the year 5138, and a smaller unit begins in 1973, so no real instant is ambiguous.
    """
    match = _DIGITS.fullmatch(text) if text else None
    if match is None:
        return None
    whole = int(match[1])
    if whole == 0:
        return None
    if whole < _SECONDS_BELOW:
        fraction = (match[2] or "").ljust(6, "0")[:6]
        return _EPOCH + timedelta(seconds=whole, microseconds=int(fraction))
    if whole < _MILLISECONDS_BELOW:
        return _EPOCH + timedelta(milliseconds=whole)
    return _EPOCH + timedelta(microseconds=whole)
