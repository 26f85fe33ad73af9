"""Other people's text, made fit for one line of ours. Design §5: evidence and chat text are untrusted.

Below presentation and answer rules, and used by the reporter. Escaping for a card or a post is the sender's.
"""

import unicodedata
from datetime import date, datetime, tzinfo

CUT = "…"
"""Stands where text was cut, always visible."""

TITLE_CHARS = 80
NAME_CHARS = 40
REASON_CHARS = 120


def plain(text: str, limit: int | None = None) -> str:
    """One line without control, bidi, zero-width, tag and private characters, cut at `limit` with a visible mark."""
    words = "".join(_kept(character) for character in text).split()
    line = " ".join(words)
    if limit is None or len(line) <= limit:
        return line
    return line[: limit - len(CUT)].rstrip() + CUT


def _kept(character: str) -> str:
    match unicodedata.category(character):
        case "Cc" | "Zl" | "Zp" | "Zs":
            return " "
        case "Cf" | "Cs" | "Co" | "Cn":
            return ""
        case _:
            return character


def day(instant: datetime, zone: tzinfo) -> date:
    """The calendar day of an instant where its readers are."""
    return _local(instant, zone).date()


def moment(instant: datetime, zone: tzinfo) -> str:
    """An instant as readers see it: date and minute, absolute."""
    return _local(instant, zone).strftime("%Y-%m-%d %H:%M")


def _local(instant: datetime, zone: tzinfo) -> datetime:
    try:
        return instant.astimezone(zone)
    except OverflowError:  # year 1 or 9999, a wrong date in evidence: shown as it is written
        return instant
