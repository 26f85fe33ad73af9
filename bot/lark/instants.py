"""The platform's instants: digits without a unit, seconds or milliseconds or microseconds by the event."""

from datetime import UTC, datetime

_LONGEST = 17
_SECONDS_BELOW = 10**11
_MILLISECONDS_BELOW = 10**14


def instant(text: str | None) -> datetime | None:
    """The aware instant that `text` names, its unit told by its magnitude; None where it names none.

    Each unit reaches to the year 5138, and the smaller ones begin in 1973, so no real instant is ambiguous. A
    fraction, of seconds alone, is cut: it orders nothing.
    """
    digits = (text or "").partition(".")[0]
    if not digits.isascii() or not digits.isdecimal() or len(digits) > _LONGEST:
        return None
    whole = int(digits)
    if whole == 0:
        return None
    if whole < _SECONDS_BELOW:
        return datetime.fromtimestamp(whole, UTC)
    unit = 1_000 if whole < _MILLISECONDS_BELOW else 1_000_000
    return datetime.fromtimestamp(whole / unit, UTC)
