"""The words of the time grammar, data alone: numbers, days, weekdays, months, and what bounds a span."""

import re
from collections.abc import Mapping

_DIGITS: Mapping[str, int] = {
    "零": 0,
    "一": 1,
    "二": 2,
    "两": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
    "七": 7,
    "八": 8,
    "九": 9,
}
_ENGLISH: Mapping[str, int] = {
    "a": 1,
    "one": 1,
    "two": 2,
    "couple of": 2,
    "a couple of": 2,
    "three": 3,
    "few": 3,
    "a few": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "twelve": 12,
    "fourteen": 14,
    "thirty": 30,
}
NUMBER = r"(?<![\d.])\d{1,3}|[一二两三四五六七八九十]{1,3}|几"
NUMBER_EN = r"\d{1,3}|" + "|".join(sorted(_ENGLISH, key=len, reverse=True))

ORDINALS: Mapping[str, int] = {"first": 1, "second": 2, "third": 3, "fourth": 4}

WEEKDAYS_ZH: Mapping[str, int] = {day: place for place, day in enumerate("一二三四五六日")} | {
    "天": 6
}
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
SHORT_WEEKDAYS = ("mon", "tues", "tue", "weds", "wed", "thurs", "thur", "thu", "fri", "sat", "sun")

LONG_MONTHS = "january|february|april|june|july|august|september|october|november|december"
MONTHS: Mapping[str, int] = {
    "january": 1,
    "jan": 1,
    "february": 2,
    "feb": 2,
    "march": 3,
    "mar": 3,
    "april": 4,
    "apr": 4,
    "may": 5,
    "june": 6,
    "jun": 6,
    "july": 7,
    "jul": 7,
    "august": 8,
    "aug": 8,
    "september": 9,
    "sept": 9,
    "sep": 9,
    "october": 10,
    "oct": 10,
    "november": 11,
    "nov": 11,
    "december": 12,
    "dec": 12,
}

RELATIVE_ZH: Mapping[str, int] = {
    "上上": -2,
    "上": -1,
    "这": 0,
    "本": 0,
    "当": 0,
    "下": 1,
    "下下": 2,
}
RELATIVE_EN: Mapping[str, int] = {
    "last": -1,
    "past": -1,
    "previous": -1,
    "this": 0,
    "current": 0,
    "next": 1,
    "coming": 1,
}
YEARS_ZH: Mapping[str, int] = {"去": -1, "今": 0, "明": 1}
PARTS_ZH: Mapping[str, str] = {"初": "start", "中": "middle", "底": "end", "末": "end"}
PARTS_EN: Mapping[str, str] = {
    "beginning": "start",
    "start": "start",
    "middle": "middle",
    "end": "end",
}
UNITS_ZH: Mapping[str, str] = {
    "天": "day",
    "周": "week",
    "星期": "week",
    "礼拜": "week",
    "月": "month",
}

DAYS: Mapping[str, int] = {
    "大前天": -3,
    "前天": -2,
    "昨天": -1,
    "昨日": -1,
    "昨晚": -1,
    "今天": 0,
    "今日": 0,
    "今早": 0,
    "明天": 1,
    "明日": 1,
    "后天": 2,
    "大后天": 3,
}
DAYS_EN: Mapping[str, int] = {
    "the day before yesterday": -2,
    "yesterday": -1,
    "today": 0,
    "tonight": 0,
    "tomorrow": 1,
    "the day after tomorrow": 2,
}

SINCE = re.compile(r"(?:\b(?:ever\s+)?since\s+|\bfrom\s+|\bstarting\s+|\bafter\s+|自从?\s*|从\s*)$")
SINCE_AFTER = re.compile(
    r"\s*(?:以来|之后|以后|起|至今|到现在|到今天|开始|onwards?\b|on\b|until now\b)"
)
UNTIL = re.compile(
    r"(?:\b(?:until|till|up to|by|no later than)\s+(?:the\s+)?|截至\s*|截止到?\s*|到\s*)$"
)
UNTIL_AFTER = re.compile(r"\s*(?:为止|之?前(?=必须|要|得))")
UP_TO = re.compile(r"\b(?:before|earlier than)\s+$")
UP_TO_AFTER = re.compile(r"\s*(?:之前|以前|前)")
ENDS = frozenset("底末")
TO = re.compile(r"\s*(?:to|until|till|through|and|-|–|—|~|到|至|和)\s*")
BEFORE_RANGE = re.compile(r"(?:\bfrom|\bbetween|从|自)\s*$")


def number(text: str) -> int:
    """A number in digits or words; "a few" and 几 are three. Raises ValueError for what is none."""
    if text.isdecimal():
        return int(text)
    if text in _ENGLISH:
        return _ENGLISH[text]
    if text == "几":
        return 3
    tens, ten, ones = text.partition("十")
    if not ten:
        if len(text) != 1:
            raise ValueError(text)
        return _DIGITS[text]
    return (_digit(tens) if tens else 1) * 10 + (_digit(ones) if ones else 0)


def _digit(text: str) -> int:
    if text not in _DIGITS:
        raise ValueError(text)
    return _DIGITS[text]


def weekday(name: str) -> int:
    """Monday is 0."""
    return next(place for place, day in enumerate(WEEKDAYS) if day.startswith(name[:3]))
