"""Which days a question speaks of, in Chinese and English. Pure: the text and today in, whole days out.

Dates that do not exist are no dates. A day without a year is the nearest one: what would lie more than a month ahead
is last year's. A weekday's short form counts only behind "on", "since", "last" and their like. Rules are tried at
every place; the longest reading of the first place wins. The tables of words are in `calendar_words`.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TypeAlias

from steward.endpoints.reporter import calendar_words as words
from steward.endpoints.reporter.folding import fold, plain

FAR = timedelta(days=31)
"""A date without a year that lies further ahead than this is the one of last year."""


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


_Span: TypeAlias = tuple[date, date]
_Reading: TypeAlias = Callable[[re.Match[str], date], _Span | None]


def days_of(text: str, today: date, sprints: Sequence[Sprint] = ()) -> Days | None:
    """The days that the text speaks of, or None. Names of goals should have been taken out before."""
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
    match = _LENGTH.search(plain(text))
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
                yield Days(sprint.first, sprint.last + timedelta(days=1), place)


def _readings(text: str, today: date) -> Iterator[Days]:
    for pattern, reading in _RULES:
        for match in pattern.finditer(text):
            span = _safely(reading, match, today)
            if span is not None:
                group = "at" if "at" in pattern.groupindex else 0
                yield Days(span[0], span[1], match.span(group))


def _safely(reading: _Reading, match: re.Match[str], today: date) -> _Span | None:
    try:
        return reading(match, today)
    except (ValueError, OverflowError):  # the 30th of February, or a year beyond any calendar
        return None


# ---------------------------------------------------------------- spans


def _one(day: date) -> _Span:
    return day, day + timedelta(days=1)


def _week(today: date, ahead: int) -> _Span:
    monday = today - timedelta(days=today.weekday()) + timedelta(weeks=ahead)
    return monday, monday + timedelta(weeks=1)


def _months(year: int, month: int, length: int = 1) -> _Span:
    after = year * 12 + month - 1 + length
    return date(year, month, 1), date(after // 12, after % 12 + 1, 1)


def _month(today: date, ahead: int, length: int = 1) -> _Span:
    place = today.year * 12 + today.month - 1 + ahead
    return _months(place // 12, place % 12 + 1, length)


def _quarter(today: date, ahead: int) -> _Span:
    return _month(today, ahead * 3 - (today.month - 1) % 3, 3)


def _half(today: date, ahead: int) -> _Span:
    return _month(today, ahead * 6 - (today.month - 1) % 6, 6)


def _year(today: date, ahead: int) -> _Span:
    return _months(today.year + ahead, 1, 12)


def _named_month(today: date, month: int, year: int | None, ahead: int | None = None) -> _Span:
    """A month by its name: of this year, or of the last one where it would lie ahead."""
    if ahead is not None:
        year = today.year + ahead
    if year is None:
        year = today.year if month <= today.month + 1 else today.year - 1
    return _months(year, month)


def _in_year(today: date, first: int, length: int, year: int | None) -> _Span:
    """A quarter or a half of a year by its number."""
    span = _months(year or today.year, first, length)
    return _months(today.year - 1, first, length) if year is None and span[0] > today else span


def _dated(today: date, month: int, day: int, year: int | None = None) -> _Span:
    found = date(year or today.year, month, day)
    if year is None and found > today + FAR:
        found = date(today.year - 1, month, day)
    elif year is None and found < today - timedelta(days=335):
        found = date(today.year + 1, month, day)
    return _one(found)


def _back(today: date, count: int, unit: str) -> _Span:
    """The last so many days, today included; weeks are seven days, months calendar months."""
    return _ago(today, count, unit)[0] + timedelta(days=1), today + timedelta(days=1)


def _ahead(today: date, count: int, unit: str) -> _Span:
    if unit == "month":
        return today, _same_day(today, count) + timedelta(days=1)
    days = count * (7 if unit == "week" else 1)
    return today, today + timedelta(days=days + 1)


def _ago(today: date, count: int, unit: str) -> _Span:
    if unit == "month":
        return _one(_same_day(today, -count))
    return _one(today - timedelta(days=count * (7 if unit == "week" else 1)))


def _same_day(today: date, ahead: int) -> date:
    """The same day so many months away, or the last one of a shorter month."""
    first, end = _month(today, ahead)
    return min(first + timedelta(days=today.day - 1), end - timedelta(days=1))


def _weekday(today: date, weekday: int, week: int | None) -> _Span:
    """A weekday of a week; without a week, the last one that has come."""
    if week is not None:
        return _one(_week(today, week)[0] + timedelta(days=weekday))
    return _one(today - timedelta(days=(today.weekday() - weekday) % 7))


def _coming(today: date, weekday: int) -> _Span:
    """The weekday from today on."""
    return _one(today + timedelta(days=(weekday - today.weekday()) % 7))


def _iso_week(today: date, week: int, year: int | None) -> _Span:
    monday = date.fromisocalendar(year or today.year, week, 1)
    if year is None and monday > today + FAR:
        monday = date.fromisocalendar(today.year - 1, week, 1)
    return monday, monday + timedelta(weeks=1)


def _part_of_month(today: date, ahead: int, part: str) -> _Span:
    first, end = _month(today, ahead)
    match part:
        case "start":
            return first, first + timedelta(days=10)
        case "middle":
            return first + timedelta(days=10), first + timedelta(days=20)
        case _:
            return first + timedelta(days=20), end


def _last_day(today: date, span: _Span) -> _Span:
    return _one(span[1] - timedelta(days=1))


def _int(text: str | None) -> int | None:
    return int(text) if text else None


# ---------------------------------------------------------------- the grammar

_N = words.NUMBER
_M = "|".join(words.MONTHS)
_W = "|".join(words.WEEKDAYS)
_S = "|".join(words.SHORT_WEEKDAYS)
_U = "day|week|month"

_GRAMMAR: tuple[tuple[str, _Reading], ...] = (
    # a calendar date
    (
        r"(?<![\d.])(\d{4})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})(?:[日号]|(?![\d.]))",
        lambda m, t: _dated(t, int(m[2]), int(m[3]), int(m[1])),
    ),
    (
        r"(?:(今|去|明)年)?(?<![\d.])(\d{1,2})\s*月\s*(\d{1,2})\s*[日号]?(?!\d)",
        lambda m, t: _dated(
            t, int(m[2]), int(m[3]), t.year + words.YEARS_ZH[m[1]] if m[1] else None
        ),
    ),
    (
        rf"\b(?:the\s+)?({_M})\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s+(\d{{4}}))?\b(?![.:]\d)",
        lambda m, t: _dated(t, words.MONTHS[m[1]], int(m[2]), _int(m[3])),
    ),
    (
        rf"\b(?:the\s+)?(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?({_M})\b\.?(?:,?\s+(\d{{4}}))?",
        lambda m, t: _dated(t, words.MONTHS[m[2]], int(m[1]), _int(m[3])),
    ),
    (
        r"(?<![\d./#])(\d{1,2})/(\d{1,2})(?![\d/.])",
        lambda m, t: _dated(t, int(m[1]), int(m[2])),
    ),
    (
        r"(上个?月|本月|这个?月|下个?月)\s*(\d{1,2})\s*[号日]",
        lambda m, t: _one(_month(t, words.RELATIVE_ZH[m[1][0]])[0].replace(day=int(m[2]))),
    ),
    (
        r"(?<![\d.第月年])(\d{1,2})[号日](?!线|楼|合并|的?\s*(?:pr|mr))",
        lambda m, t: _dated(t, t.month, int(m[1])),
    ),
    (r"\b(?:the\s+)(\d{1,2})(?:st|nd|rd|th)\b", lambda m, t: _dated(t, t.month, int(m[1]))),
    # days by name
    (
        "|".join(sorted(words.DAYS, key=len, reverse=True)).join(("(", ")")),
        lambda m, t: _one(t + timedelta(days=words.DAYS[m[1]])),
    ),
    (
        r"\b(" + "|".join(sorted(words.DAYS_EN, key=len, reverse=True)) + r")\b",
        lambda m, t: _one(t + timedelta(days=words.DAYS_EN[m[1]])),
    ),
    # weeks and weekdays
    (
        r"(上上|下下|上|这|本|下)(?:个|一)?(?:周|星期|礼拜)([一二三四五六日天末])?",
        lambda m, t: (
            _week(t, words.RELATIVE_ZH[m[1]])
            if not m[2]
            else (
                (
                    _week(t, words.RELATIVE_ZH[m[1]])[0] + timedelta(days=5),
                    _week(t, words.RELATIVE_ZH[m[1]])[1],
                )
                if m[2] == "末"
                else _weekday(t, words.WEEKDAYS_ZH[m[2]], words.RELATIVE_ZH[m[1]])
            )
        ),
    ),
    (
        r"(?<![一二两三四五六七八九十几\d个双])(?:周|星期|礼拜)([一二三四五六日天])(?=以?前|之前|为止)",
        lambda m, t: _coming(t, words.WEEKDAYS_ZH[m[1]]),
    ),
    (
        r"(?<![一二两三四五六七八九十几\d个双])(?:周|星期|礼拜)([一二三四五六日天])",
        lambda m, t: _weekday(t, words.WEEKDAYS_ZH[m[1]], None),
    ),
    (
        r"\bthe\s+week\s+before\s+last\b",
        lambda m, t: _week(t, -2),
    ),
    (
        r"\b(last|past|previous|this|current|next|coming)\s+week\b(?!\s*end)",
        lambda m, t: _week(t, words.RELATIVE_EN[m[1]]),
    ),
    (r"\bthe\s+(?:current\s+)?week\b(?!\s*end)", lambda m, t: _week(t, 0)),
    (
        r"\b(last|this|next)\s+weekend\b",
        lambda m, t: (
            _week(t, words.RELATIVE_EN[m[1]])[0] + timedelta(days=5),
            _week(t, words.RELATIVE_EN[m[1]])[1],
        ),
    ),
    (
        rf"\b(last|this|next)\s+({_W}|{_S})\b",
        lambda m, t: _relative_weekday(t, m[1], words.weekday(m[2])),
    ),
    (
        rf"\b(?:by|before|until|till|due)\s+(?:on\s+)?(?P<at>{_W}|{_S})\b",
        lambda m, t: _coming(t, words.weekday(m[1])),
    ),
    (
        rf"\b(?:on|since|from|after)\s+({_S})\b(?!\.\w)",
        lambda m, t: _weekday(t, words.weekday(m[1]), None),
    ),
    (rf"\b({_W})\b(?!\.\w)", lambda m, t: _weekday(t, words.weekday(m[1]), None)),
    (
        r"\b(?:(\d{4})[-\s]?)?w(?:eek|k)?[\s-]?(\d{1,2})\b(?!\s*(?:days|weeks|%))",
        lambda m, t: _iso_week(t, int(m[2]), _int(m[1])),
    ),
    (r"第\s*(\d{1,2})\s*周", lambda m, t: _iso_week(t, int(m[1]), None)),
    # months
    (
        r"(上上|上|这|本|下)(?:个)?月(初|中|底|末)",
        lambda m, t: _part_of_month(t, words.RELATIVE_ZH[m[1]], words.PARTS_ZH[m[2]]),
    ),
    (
        r"(?<![\d年月上这本下个])月(初|中|底|末)",
        lambda m, t: _part_of_month(t, 0, words.PARTS_ZH[m[1]]),
    ),
    (
        r"(上上|上|这|本|下|当)(?:个)?月(?![初中底末\d])",
        lambda m, t: _month(t, words.RELATIVE_ZH[m[1]]),
    ),
    (
        r"\b(last|past|previous|this|current|next)\s+(month|quarter|year)\b",
        lambda m, t: _RELATIVE[m[2]](t, words.RELATIVE_EN[m[1]]),
    ),
    (
        r"\b(?:the\s+)?(beginning|start|end|middle)\s+of\s+(?:the|this)\s+month\b",
        lambda m, t: _part_of_month(t, 0, words.PARTS_EN[m[1]]),
    ),
    (
        r"\b(?:the\s+)?end\s+of\s+(?:the|this)\s+(week|quarter|year)\b",
        lambda m, t: _last_day(t, _RELATIVE[m[1]](t, 0)),
    ),
    (
        r"(?:(\d{4}|今|去|明)年)?(?<![\d.])(\d{1,2}|[一二三四五六七八九]|十[一二]?)月(?:份)?(?![初中底末\d]|\s*\d)",
        lambda m, t: _chinese_month(t, m[1], words.number(m[2])),
    ),
    (
        rf"\b(?:in|during|for|of|since|from|until|till|by|before|last|this|next)\s+({_M})\b(?!\s*\d{{1,2}}\b)\.?(?:\s+(\d{{4}}))?",
        lambda m, t: _named_month(t, words.MONTHS[m[1]], _int(m[2])),
    ),
    (
        rf"\b({words.LONG_MONTHS})\b(?!\s*\d{{1,2}}\b)(?:\s+(\d{{4}}))?",
        lambda m, t: _named_month(t, words.MONTHS[m[1]], _int(m[2])),
    ),
    # quarters, halves, years
    (
        r"\b(?:(\d{4})\s*)?q([1-4])\b(?:\s*(?:of\s+)?(\d{4}))?",
        lambda m, t: _in_year(t, int(m[2]) * 3 - 2, 3, _int(m[1] or m[3])),
    ),
    (
        r"(?:(\d{4})年)?第?([一二三四1-4])季度?",
        lambda m, t: _in_year(t, words.number(m[2]) * 3 - 2, 3, _int(m[1])),
    ),
    (r"(上|这|本|下)(?:个)?季度?", lambda m, t: _quarter(t, words.RELATIVE_ZH[m[1]])),
    (
        r"\b(first|second|third|fourth)\s+quarter\b",
        lambda m, t: _in_year(t, words.ORDINALS[m[1]] * 3 - 2, 3, None),
    ),
    (r"\b(?:(\d{4})\s*)?h([12])\b", lambda m, t: _in_year(t, int(m[2]) * 6 - 5, 6, _int(m[1]))),
    (
        r"\b(first|second)\s+half(?:\s+of\s+(?:the|this)\s+year)?\b",
        lambda m, t: _in_year(t, words.ORDINALS[m[1]] * 6 - 5, 6, None),
    ),
    (r"(?:今年)?(上|下)半年", lambda m, t: _in_year(t, 1 if m[1] == "上" else 7, 6, None)),
    (r"\b(last|this)\s+half(?:[\s-]year)?\b", lambda m, t: _half(t, words.RELATIVE_EN[m[1]])),
    (r"(今|去|明)年(?!\s*\d{1,2}\s*月|[上下]半年)", lambda m, t: _year(t, words.YEARS_ZH[m[1]])),
    (r"(?<![\d.])(20\d{2})年(?!\s*\d)", lambda m, t: _months(int(m[1]), 1, 12)),
    # so many days
    (
        rf"(?:最近|近|过去|前|这)(?:的)?\s*({_N})\s*个?(天|周|星期|礼拜|月)",
        lambda m, t: _back(t, words.number(m[1]), words.UNITS_ZH[m[2]]),
    ),
    (
        rf"(?:接下来|未来|今后|往后|之后)(?:的)?\s*({_N})\s*个?(天|周|星期|礼拜|月)",
        lambda m, t: _ahead(t, words.number(m[1]), words.UNITS_ZH[m[2]]),
    ),
    (
        rf"({_N})\s*个?(天|周|星期|礼拜|月)(?:以|之)?内",
        lambda m, t: _ahead(t, words.number(m[1]), words.UNITS_ZH[m[2]]),
    ),
    (
        rf"({_N})\s*个?(天|周|星期|礼拜|月)(?:以|之)?前",
        lambda m, t: _ago(t, words.number(m[1]), words.UNITS_ZH[m[2]]),
    ),
    (
        rf"\b(?:in\s+|over\s+|for\s+|during\s+|within\s+)?(?:the\s+)?(?:last|past|previous|recent)\s+({words.NUMBER_EN})\s+({_U})s?\b",
        lambda m, t: _back(t, words.number(m[1]), m[2]),
    ),
    (
        rf"\b(?:in\s+|over\s+|within\s+)?(?:the\s+)?(?:next|coming)\s+({words.NUMBER_EN})\s+({_U})s?\b",
        lambda m, t: _ahead(t, words.number(m[1]), m[2]),
    ),
    (
        rf"\b(?:in|within)\s+({words.NUMBER_EN})\s+({_U})s?\b",
        lambda m, t: _ahead(t, words.number(m[1]), m[2]),
    ),
    (
        rf"\b({words.NUMBER_EN})\s+({_U})s?\s+ago\b",
        lambda m, t: _ago(t, words.number(m[1]), m[2]),
    ),
    (r"这几天|最近|近期|近来|近日", lambda m, t: _back(t, 7, "day")),
    (r"\b(?:recently|lately|these\s+days|of\s+late)\b", lambda m, t: _back(t, 7, "day")),
)


_RELATIVE: dict[str, Callable[[date, int], _Span]] = {
    "week": _week,
    "month": _month,
    "quarter": _quarter,
    "year": _year,
}


def _relative_weekday(today: date, which: str, weekday: int) -> _Span:
    if which == "last":
        return _one(today - timedelta(days=(today.weekday() - weekday - 1) % 7 + 1))
    return _weekday(today, weekday, words.RELATIVE_EN[which])


def _chinese_month(today: date, year: str | None, month: int) -> _Span:
    if year is not None and year in words.YEARS_ZH:
        return _named_month(today, month, None, words.YEARS_ZH[year])
    return _named_month(today, month, _int(year))


_LENGTH = re.compile(
    rf"\b({words.NUMBER_EN})\s+({_U})s?\b|({_N})\s*个?(天|周|星期|礼拜|月)(?!\s*\d)"
)
_RULES = tuple((re.compile(pattern), reading) for pattern, reading in _GRAMMAR)
