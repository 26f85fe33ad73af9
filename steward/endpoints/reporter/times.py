"""Which days a question speaks of, in Chinese and English. Pure: the text and today in, whole days out.

Dates that do not exist are no dates; of days beyond those that an answer may speak of, the rest counts. A day without
a year is the nearest one: what would lie more than a month ahead is last year's. A weekday's short form counts only
behind "on", "since", "last" and their like. Rules are tried at every place; the longest reading of the first place
wins. The tables of words are in `calendar_words`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from steward.endpoints.reporter import calendar_words as words
from steward.endpoints.reporter.folding import fold, plain
from steward.endpoints.reporter.grammar import LENGTH, RULES, Reading
from steward.endpoints.reporter.spans import Span
from steward.reading.windows import EARLIEST, LATEST

FIRST_DAY = EARLIEST.date() + timedelta(days=1)
LAST_DAY = LATEST.date() - timedelta(days=1)
"""Their midnights lie within what an answer may speak of, in every zone."""


@dataclass(frozen=True, slots=True)
class Days:
    """[first, end) in whole days, None where it is open; `place` is [start, end) in the plain text."""

    first: date | None
    end: date | None
    place: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Sprint:
    """A named span of days, from the configuration; `last` is its last day."""

    names: tuple[str, ...]
    first: date
    last: date


def days_of(text: str, today: date, sprints: Sequence[Sprint] = ()) -> Days | None:
    """The days that the text speaks of, or None. Names of goals should have been taken out before."""
    found = _days_of(text, today, sprints)
    return None if found is None else _speakable(found)


def _speakable(days: Days) -> Days | None:
    """The part of them that an answer may speak of: "since 1900" is since ever; None where there is no such part."""
    first = None if days.first is None else max(days.first, FIRST_DAY)
    end = None if days.end is None else min(days.end, LAST_DAY)
    held = (first or FIRST_DAY) < (end or LAST_DAY)
    return replace(days, first=first, end=end) if held else None


def _days_of(text: str, today: date, sprints: Sequence[Sprint]) -> Days | None:
    asked = plain(text)
    found = sorted(
        (*_sprints(text, sprints), *_readings(asked, today)),
        key=lambda days: (days.place[0], -days.place[1]),
    )
    if not found:
        return None
    first = found[0]
    for other in found[1:]:
        between = asked[first.place[1] : other.place[0]]
        if other.place[0] >= first.place[1] and words.TO.fullmatch(between):
            return _range(asked, first, other)
    return _bounded(asked, first, today)


def _range(text: str, first: Days, last: Days) -> Days | None:
    """ "A to B"; a B that lies before A is taken as of the year after."""
    start, end = first.first, last.end
    if start is None or end is None:
        return None
    if end <= start:
        return None
    opening = words.BEFORE_RANGE.search(text[: first.place[0]])
    begins = opening.start() if opening else first.place[0]
    return Days(start, end, (begins, last.place[1]))


def _bounded(text: str, days: Days, today: date) -> Days:
    """What stands around the days: since, until, before."""
    start, end = days.place
    for opening, closing, first, last in (
        (words.SINCE, words.SINCE_AFTER, days.first, _till_today(days, today)),
        (words.UNTIL, words.UNTIL_AFTER, None, days.end),
        (words.UP_TO, words.UP_TO_AFTER, None, _up_to(text, days)),
    ):
        ahead, behind = opening.search(text[:start]), closing.match(text[end:])
        if ahead or behind:
            begins = ahead.start() if ahead else start
            return Days(first, last, (begins, end + (behind.end() if behind else 0)))
    return days


def _till_today(days: Days, today: date) -> date | None:
    return today + timedelta(days=1) if days.first is not None and days.first <= today else None


def _up_to(text: str, days: Days) -> date | None:
    """Before a day leaves it out; before the end of a month is until that end."""
    return days.end if text[days.place[1] - 1] in words.ENDS else days.first


def length_of(text: str) -> timedelta | None:
    """How long "two weeks" or 三周 are, the first such length in the text; months count 30 days."""
    match = LENGTH.search(plain(text))
    if match is None:
        return None
    unit = words.UNITS_ZH.get(match[2] or match[4], match[2] or match[4])
    days = {"day": 1, "week": 7, "month": 30}[unit]
    try:
        return timedelta(days=days * words.number(match[1] or match[3]))
    except ValueError:
        return None


def _sprints(text: str, sprints: Sequence[Sprint]) -> Iterator[Days]:
    folded = fold(text)
    for sprint in sprints:
        for name in sprint.names:
            for place in folded.find(name):
                yield Days(sprint.first, min(sprint.last, LAST_DAY) + timedelta(days=1), place)


def _readings(text: str, today: date) -> Iterator[Days]:
    for pattern, reading in RULES:
        for match in pattern.finditer(text):
            span = _safely(reading, match, today)
            if span is not None:
                group = "at" if "at" in pattern.groupindex else 0
                yield Days(span[0], span[1], match.span(group))


def _safely(reading: Reading, match: re.Match[str], today: date) -> Span | None:
    try:
        return reading(match, today)
    except (ValueError, OverflowError):  # the 30th of February, or a year beyond any calendar
        return None
