"""Spans of whole days, [first, end), counted from today: the arithmetic of the time grammar. Pure.

A day that does not exist raises ValueError, one beyond any calendar OverflowError.
"""

from collections.abc import Callable, Mapping
from datetime import date, timedelta
from typing import TypeAlias

from steward.endpoints.reporter import calendar_words as words

FAR = timedelta(days=31)
"""A date without a year that lies further ahead than this is the one of last year."""

Span: TypeAlias = tuple[date, date]


def one_day(day: date) -> Span:
    """That day alone."""
    return day, day + timedelta(days=1)


def week_of(today: date, ahead: int) -> Span:
    """The week so many weeks from this one, from Monday."""
    monday = today - timedelta(days=today.weekday()) + timedelta(weeks=ahead)
    return monday, monday + timedelta(weeks=1)


def months(year: int, month: int, length: int = 1) -> Span:
    """So many whole months from one on."""
    after = year * 12 + month - 1 + length
    return date(year, month, 1), date(after // 12, after % 12 + 1, 1)


def month_of(today: date, ahead: int, length: int = 1) -> Span:
    """The month so many months from this one."""
    place = today.year * 12 + today.month - 1 + ahead
    return months(place // 12, place % 12 + 1, length)


def quarter_of(today: date, ahead: int) -> Span:
    """The quarter so many quarters from this one."""
    return month_of(today, ahead * 3 - (today.month - 1) % 3, 3)


def half_of(today: date, ahead: int) -> Span:
    """The half year so many halves from this one."""
    return month_of(today, ahead * 6 - (today.month - 1) % 6, 6)


def year_of(today: date, ahead: int) -> Span:
    """The year so many years from this one."""
    return months(today.year + ahead, 1, 12)


def named_month(today: date, month: int, year: int | None, ahead: int | None = None) -> Span:
    """A month by its name: of this year, or of the last one where it would lie ahead."""
    if ahead is not None:
        year = today.year + ahead
    if year is None:
        year = today.year if month <= today.month + 1 else today.year - 1
    return months(year, month)


def in_year(today: date, first: int, length: int, year: int | None) -> Span:
    """A quarter or a half of a year by its number."""
    span = months(year or today.year, first, length)
    return months(today.year - 1, first, length) if year is None and span[0] > today else span


def dated(today: date, month: int, day: int, year: int | None = None) -> Span:
    """A day of the calendar; without a year the nearest one."""
    found = date(year or today.year, month, day)
    if year is None and found > today + FAR:
        found = date(today.year - 1, month, day)
    elif year is None and found < today - timedelta(days=335):
        found = date(today.year + 1, month, day)
    return one_day(found)


def last(today: date, count: int, unit: str) -> Span:
    """The last so many days, today included; weeks are seven days, months calendar months."""
    return ago(today, count, unit)[0] + timedelta(days=1), today + timedelta(days=1)


def coming(today: date, count: int, unit: str) -> Span:
    """From today over so many days, today not counted."""
    if unit == "month":
        return today, same_day(today, count) + timedelta(days=1)
    days = count * (7 if unit == "week" else 1)
    return today, today + timedelta(days=days + 1)


def ago(today: date, count: int, unit: str) -> Span:
    """The day so many days, weeks or months ago."""
    if unit == "month":
        return one_day(same_day(today, -count))
    return one_day(today - timedelta(days=count * (7 if unit == "week" else 1)))


def same_day(today: date, ahead: int) -> date:
    """The same day so many months away, or the last one of a shorter month."""
    first, end = month_of(today, ahead)
    return min(first + timedelta(days=today.day - 1), end - timedelta(days=1))


def weekday_of(today: date, weekday: int, week: int | None) -> Span:
    """A weekday of a week; without a week, the last one that has come."""
    if week is not None:
        return one_day(week_of(today, week)[0] + timedelta(days=weekday))
    return one_day(today - timedelta(days=(today.weekday() - weekday) % 7))


def next_weekday(today: date, weekday: int) -> Span:
    """The weekday from today on."""
    return one_day(today + timedelta(days=(weekday - today.weekday()) % 7))


def iso_week(today: date, week: int, year: int | None) -> Span:
    """A week by its number."""
    monday = date.fromisocalendar(year or today.year, week, 1)
    if year is None and monday > today + FAR:
        monday = date.fromisocalendar(today.year - 1, week, 1)
    return monday, monday + timedelta(weeks=1)


def part_of_month(today: date, ahead: int, part: str) -> Span:
    """The first, second or last ten days of a month, or what there is of them."""
    first, end = month_of(today, ahead)
    match part:
        case "start":
            return first, first + timedelta(days=10)
        case "middle":
            return first + timedelta(days=10), first + timedelta(days=20)
        case _:
            return first + timedelta(days=20), end


def last_day(span: Span) -> Span:
    """The last day of a span."""
    return one_day(span[1] - timedelta(days=1))


def whole(text: str | None) -> int | None:
    """A number, where there is one."""
    return int(text) if text else None


RELATIVE: Mapping[str, Callable[[date, int], Span]] = {
    "week": week_of,
    "month": month_of,
    "quarter": quarter_of,
    "year": year_of,
}


def relative_weekday(today: date, which: str, weekday: int) -> Span:
    """A weekday by a word: the one before today, or of this or the next week."""
    if which == "last":
        return one_day(today - timedelta(days=(today.weekday() - weekday - 1) % 7 + 1))
    return weekday_of(today, weekday, words.RELATIVE_EN[which])


def chinese_month(today: date, year: str | None, month: int) -> Span:
    """A month by its number, with the year that stands before it."""
    if year is not None and year in words.YEARS_ZH:
        return named_month(today, month, None, words.YEARS_ZH[year])
    return named_month(today, month, whole(year))
