"""The time grammar: each way to name days, and the span that it means. A table, Chinese and English.

A group called "at" is the place of the days where a pattern looks at more than them.
"""

import re
from collections.abc import Callable
from datetime import date, timedelta
from typing import TypeAlias

from steward.endpoints.reporter import calendar_words as words
from steward.endpoints.reporter.spans import (
    RELATIVE,
    Span,
    ago,
    chinese_month,
    coming,
    dated,
    half_of,
    in_year,
    iso_week,
    last,
    last_day,
    month_of,
    months,
    named_month,
    next_weekday,
    one_day,
    part_of_month,
    quarter_of,
    relative_weekday,
    week_of,
    weekday_of,
    whole,
    year_of,
)

Reading: TypeAlias = Callable[[re.Match[str], date], Span | None]

_N = words.NUMBER
_M = "|".join(words.MONTHS)
_W = "|".join(words.WEEKDAYS)
_S = "|".join(words.SHORT_WEEKDAYS)
_U = "day|week|month"

_GRAMMAR: tuple[tuple[str, Reading], ...] = (
    # a calendar date
    (
        r"(?<![\d.])(\d{4})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})(?:[日号]|(?![\d.]))",
        lambda m, t: dated(t, int(m[2]), int(m[3]), int(m[1])),
    ),
    (
        r"(?:(今|去|明)年)?(?<![\d.])(\d{1,2})\s*月\s*(\d{1,2})\s*[日号]?(?!\d)",
        lambda m, t: dated(
            t, int(m[2]), int(m[3]), t.year + words.YEARS_ZH[m[1]] if m[1] else None
        ),
    ),
    (
        rf"\b(?:the\s+)?({_M})\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s+(\d{{4}}))?\b(?![.:]\d)",
        lambda m, t: dated(t, words.MONTHS[m[1]], int(m[2]), whole(m[3])),
    ),
    (
        rf"\b(?:the\s+)?(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?({_M})\b\.?(?:,?\s+(\d{{4}}))?",
        lambda m, t: dated(t, words.MONTHS[m[2]], int(m[1]), whole(m[3])),
    ),
    (
        r"(?<![\d./#])(\d{1,2})/(\d{1,2})(?![\d/.])",
        lambda m, t: dated(t, int(m[1]), int(m[2])),
    ),
    (
        r"(上个?月|本月|这个?月|下个?月)\s*(\d{1,2})\s*[号日]",
        lambda m, t: one_day(month_of(t, words.RELATIVE_ZH[m[1][0]])[0].replace(day=int(m[2]))),
    ),
    (
        r"(?<![\d.第月年])(\d{1,2})[号日](?!线|楼|合并|的?\s*(?:pr|mr))",
        lambda m, t: dated(t, t.month, int(m[1])),
    ),
    (r"\b(?:the\s+)(\d{1,2})(?:st|nd|rd|th)\b", lambda m, t: dated(t, t.month, int(m[1]))),
    # days by name
    (
        "|".join(sorted(words.DAYS, key=len, reverse=True)).join(("(", ")")),
        lambda m, t: one_day(t + timedelta(days=words.DAYS[m[1]])),
    ),
    (
        r"\b(" + "|".join(sorted(words.DAYS_EN, key=len, reverse=True)) + r")\b",
        lambda m, t: one_day(t + timedelta(days=words.DAYS_EN[m[1]])),
    ),
    # weeks and weekdays
    (
        r"(上上|下下|上|这|本|下)(?:个|一)?(?:周|星期|礼拜)([一二三四五六日天末])?",
        lambda m, t: (
            week_of(t, words.RELATIVE_ZH[m[1]])
            if not m[2]
            else (
                (
                    week_of(t, words.RELATIVE_ZH[m[1]])[0] + timedelta(days=5),
                    week_of(t, words.RELATIVE_ZH[m[1]])[1],
                )
                if m[2] == "末"
                else weekday_of(t, words.WEEKDAYS_ZH[m[2]], words.RELATIVE_ZH[m[1]])
            )
        ),
    ),
    (
        r"(?<![一二两三四五六七八九十几\d个双])(?:周|星期|礼拜)([一二三四五六日天])(?=以?前|之前|为止)",
        lambda m, t: next_weekday(t, words.WEEKDAYS_ZH[m[1]]),
    ),
    (
        r"(?<![一二两三四五六七八九十几\d个双])(?:周|星期|礼拜)([一二三四五六日天])",
        lambda m, t: weekday_of(t, words.WEEKDAYS_ZH[m[1]], None),
    ),
    (
        r"\bthe\s+week\s+before\s+last\b",
        lambda m, t: week_of(t, -2),
    ),
    (
        r"\b(last|past|previous|this|current|next|coming)\s+week\b(?!\s*end)",
        lambda m, t: week_of(t, words.RELATIVE_EN[m[1]]),
    ),
    (r"\bthe\s+(?:current\s+)?week\b(?!\s*end)", lambda m, t: week_of(t, 0)),
    (
        r"\b(last|this|next)\s+weekend\b",
        lambda m, t: (
            week_of(t, words.RELATIVE_EN[m[1]])[0] + timedelta(days=5),
            week_of(t, words.RELATIVE_EN[m[1]])[1],
        ),
    ),
    (
        rf"\b(last|this|next)\s+({_W}|{_S})\b",
        lambda m, t: relative_weekday(t, m[1], words.weekday(m[2])),
    ),
    (
        rf"\b(?:by|before|until|till|due)\s+(?:on\s+)?(?P<at>{_W}|{_S})\b",
        lambda m, t: next_weekday(t, words.weekday(m[1])),
    ),
    (
        rf"\b(?:on|since|from|after)\s+({_S})\b(?!\.\w)",
        lambda m, t: weekday_of(t, words.weekday(m[1]), None),
    ),
    (rf"\b({_W})\b(?!\.\w)", lambda m, t: weekday_of(t, words.weekday(m[1]), None)),
    (
        r"\b(?:(\d{4})[-\s]?)?w(?:eek|k)?[\s-]?(\d{1,2})\b(?!\s*(?:days|weeks|%))",
        lambda m, t: iso_week(t, int(m[2]), whole(m[1])),
    ),
    (r"第\s*(\d{1,2})\s*周", lambda m, t: iso_week(t, int(m[1]), None)),
    # months
    (
        r"(上上|上|这|本|下)(?:个)?月(初|中|底|末)",
        lambda m, t: part_of_month(t, words.RELATIVE_ZH[m[1]], words.PARTS_ZH[m[2]]),
    ),
    (
        r"(?<![\d年月上这本下个])月(初|中|底|末)",
        lambda m, t: part_of_month(t, 0, words.PARTS_ZH[m[1]]),
    ),
    (
        r"(上上|上|这|本|下|当)(?:个)?月(?![初中底末\d])",
        lambda m, t: month_of(t, words.RELATIVE_ZH[m[1]]),
    ),
    (
        r"\b(last|past|previous|this|current|next)\s+(month|quarter|year)\b",
        lambda m, t: RELATIVE[m[2]](t, words.RELATIVE_EN[m[1]]),
    ),
    (
        r"\b(?:the\s+)?(beginning|start|end|middle)\s+of\s+(?:the|this)\s+month\b",
        lambda m, t: part_of_month(t, 0, words.PARTS_EN[m[1]]),
    ),
    (
        r"\b(?:the\s+)?end\s+of\s+(?:the|this)\s+(week|quarter|year)\b",
        lambda m, t: last_day(RELATIVE[m[1]](t, 0)),
    ),
    (
        r"(?:(\d{4}|今|去|明)年)?(?<![\d.])(\d{1,2}|[一二三四五六七八九]|十[一二]?)月(?:份)?(?![初中底末\d]|\s*\d)",
        lambda m, t: chinese_month(t, m[1], words.number(m[2])),
    ),
    (
        rf"\b(?:in|during|for|of|since|from|until|till|by|before|last|this|next)\s+({_M})\b(?!\s*\d{{1,2}}\b)\.?(?:\s+(\d{{4}}))?",
        lambda m, t: named_month(t, words.MONTHS[m[1]], whole(m[2])),
    ),
    (
        rf"\b({words.LONG_MONTHS})\b(?!\s*\d{{1,2}}\b)(?:\s+(\d{{4}}))?",
        lambda m, t: named_month(t, words.MONTHS[m[1]], whole(m[2])),
    ),
    # quarters, halves, years
    (
        r"\b(?:(\d{4})\s*)?q([1-4])\b(?:\s*(?:of\s+)?(\d{4}))?",
        lambda m, t: in_year(t, int(m[2]) * 3 - 2, 3, whole(m[1] or m[3])),
    ),
    (
        r"(?:(\d{4})年)?第?([一二三四1-4])季度?",
        lambda m, t: in_year(t, words.number(m[2]) * 3 - 2, 3, whole(m[1])),
    ),
    (r"(上|这|本|下)(?:个)?季度?", lambda m, t: quarter_of(t, words.RELATIVE_ZH[m[1]])),
    (
        r"\b(first|second|third|fourth)\s+quarter\b",
        lambda m, t: in_year(t, words.ORDINALS[m[1]] * 3 - 2, 3, None),
    ),
    (r"\b(?:(\d{4})\s*)?h([12])\b", lambda m, t: in_year(t, int(m[2]) * 6 - 5, 6, whole(m[1]))),
    (
        r"\b(first|second)\s+half_of(?:\s+of\s+(?:the|this)\s+year)?\b",
        lambda m, t: in_year(t, words.ORDINALS[m[1]] * 6 - 5, 6, None),
    ),
    (r"(?:今年)?(上|下)半年", lambda m, t: in_year(t, 1 if m[1] == "上" else 7, 6, None)),
    (r"\b(last|this)\s+half_of(?:[\s-]year)?\b", lambda m, t: half_of(t, words.RELATIVE_EN[m[1]])),
    (r"(今|去|明)年(?!\s*\d{1,2}\s*月|[上下]半年)", lambda m, t: year_of(t, words.YEARS_ZH[m[1]])),
    (r"(?<![\d.])(20\d{2})年(?!\s*\d)", lambda m, t: months(int(m[1]), 1, 12)),
    # so many days
    (
        rf"(?:最近|近|过去|前|这)(?:的)?\s*({_N})\s*个?(天|周|星期|礼拜|月)",
        lambda m, t: last(t, words.number(m[1]), words.UNITS_ZH[m[2]]),
    ),
    (
        rf"(?:接下来|未来|今后|往后|之后)(?:的)?\s*({_N})\s*个?(天|周|星期|礼拜|月)",
        lambda m, t: coming(t, words.number(m[1]), words.UNITS_ZH[m[2]]),
    ),
    (
        rf"({_N})\s*个?(天|周|星期|礼拜|月)(?:以|之)?内",
        lambda m, t: coming(t, words.number(m[1]), words.UNITS_ZH[m[2]]),
    ),
    (
        rf"({_N})\s*个?(天|周|星期|礼拜|月)(?:以|之)?前",
        lambda m, t: ago(t, words.number(m[1]), words.UNITS_ZH[m[2]]),
    ),
    (
        rf"\b(?:in\s+|over\s+|for\s+|during\s+|within\s+)?(?:the\s+)?(?:last|past|previous|recent)\s+({words.NUMBER_EN})\s+({_U})s?\b",
        lambda m, t: last(t, words.number(m[1]), m[2]),
    ),
    (
        rf"\b(?:in\s+|over\s+|within\s+)?(?:the\s+)?(?:next|coming)\s+({words.NUMBER_EN})\s+({_U})s?\b",
        lambda m, t: coming(t, words.number(m[1]), m[2]),
    ),
    (
        rf"\b(?:in|within)\s+({words.NUMBER_EN})\s+({_U})s?\b",
        lambda m, t: coming(t, words.number(m[1]), m[2]),
    ),
    (
        rf"\b({words.NUMBER_EN})\s+({_U})s?\s+ago\b",
        lambda m, t: ago(t, words.number(m[1]), m[2]),
    ),
    (r"这几天|最近|近期|近来|近日", lambda m, t: last(t, 7, "day")),
    (r"\b(?:recently|lately|these\s+days|of\s+late)\b", lambda m, t: last(t, 7, "day")),
)

RULES = tuple((re.compile(pattern), reading) for pattern, reading in _GRAMMAR)
LENGTH = re.compile(
    rf"\b({words.NUMBER_EN})\s+({_U})s?\b|({_N})\s*个?(天|周|星期|礼拜|月)(?!\s*\d)"
)
