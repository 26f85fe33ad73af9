"""Numbers, dates and times as people write them in Chinese and English; nothing here knows any evidence. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from enum import Enum


class Unit(Enum):
    """What a number counts: lengths of time, shares of a whole, or things."""

    DAYS = "days"
    WEEKS = "weeks"
    MONTHS = "months"
    HOURS = "hours"
    PERCENT = "percent"
    THINGS = "things"


@dataclass(frozen=True, slots=True)
class Number:
    """A number with its unit. `text` as written; `value` None where it is no whole number, such as "2.1"."""

    text: str
    value: int | None
    unit: Unit


@dataclass(frozen=True, slots=True)
class Day:
    """A date as far as it is written."""

    year: int | None
    month: int | None
    day: int | None

    def is_of(self, known: date) -> bool:
        """Whether a date that is known may be written so."""
        return (
            self.month in {None, known.month}
            and self.year in {None, known.year}
            and self.day in {None, known.day}
        )


@dataclass(frozen=True, slots=True)
class Figures:
    """All that a text says in figures."""

    numbers: tuple[Number, ...]
    days: tuple[Day, ...]
    times: tuple[str, ...]


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<{0}>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_DATE = re.compile(
    rf"""
      (?<![\w.])(?P<y1>\d{{4}})[-/.年]\s?(?P<m1>\d{{1,2}})[-/.月]\s?(?P<d1>\d{{1,2}})(?:[日号]|(?![\w-]))
    | (?<![\w.])(?P<y2>\d{{4}})年(?P<m2>\d{{1,2}})月(?:份)?
    | (?<!\w)(?P<m3>\d{{1,2}})\s?月\s?(?P<d3>\d{{1,2}})\s?[日号]?
    | (?<![\w.月-])(?P<d9>\d{{1,2}})\s?[日号]
    | (?<![\d月])(?P<m5>\d{{1,2}})月(?:份|底|初|中)?
    | \b(?P<d6>\d{{1,2}})(?:st|nd|rd|th)?(?:\ of)?\ {_MONTH.format("n6")}(?:,?\ (?P<y6>\d{{4}})\b)?
    | \b{_MONTH.format("n7")}\ (?P<d7>\d{{1,2}})(?:st|nd|rd|th)?\b(?!:)(?:,?\ (?P<y7>\d{{4}})\b)?
    | (?<![\w./-])(?P<m8>\d{{1,2}})[-/](?P<d8>\d{{1,2}})(?![\w/-])
    """,
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)
_TIME = re.compile(r"(?<![\w:.])(\d{1,2}):(\d{2})(?::\d{2})?(?![\w:])", re.ASCII)
_ORDINAL = re.compile(r"\b\d+(?:st|nd|rd|th)\b|第\s*[\d一二两三四五六七八九十]+")
_BULLET = re.compile(r"^\s*[(\[]?\d{1,2}[.)、\]]\s*(?=\D)")
_DIGITS = re.compile(r"(?<![A-Za-z_\d.])\d[\d,]*(?:\.\d+)*")
_ATTACHED = re.compile(r"(?<![A-Za-z0-9_])(?:[vV]\d\w*(?:\.\w+)*|[pP][0-9])(?![A-Za-z0-9])")
_SINO = re.compile(r"百分之[零〇一二两三四五六七八九十百]+|[零〇一二两三四五六七八九十百千万]+")
_WORDS = {
    word: value
    for value, word in enumerate(
        [
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
        ],
        start=2,
    )
} | {"twenty": 20, "thirty": 30, "fifty": 50, "dozen": 12, "hundred": 100}
_WORD = re.compile(
    rf"\b(?:{'|'.join(_WORDS)})\b|\b(?:only|just|exactly) one\b", re.IGNORECASE | re.ASCII
)
_UNITS = (
    (Unit.PERCENT, re.compile(r"\s*(?:%|percent\b|个百分点)", re.IGNORECASE)),
    (Unit.DAYS, re.compile(r"[\s-]*(?:多)?(?:calendar )?(?:days?\b|天|日(?!期))", re.IGNORECASE)),
    (Unit.WEEKS, re.compile(r"[\s-]*(?:个)?(?:weeks?\b|周|星期|礼拜)", re.IGNORECASE)),
    (Unit.MONTHS, re.compile(r"[\s-]*(?:months?\b|个月)", re.IGNORECASE)),
    (Unit.HOURS, re.compile(r"[\s-]*(?:个)?(?:hours?\b|小时|钟头)", re.IGNORECASE)),
)
_CLASSIFIER = re.compile(r"\s*[几多余]?[项个条件次份位名人笔张处类]")
_ONLY = re.compile(r"(?:只有|仅有?|只剩|唯一|共|总共)$")


def figures(text: str) -> Figures:
    """What a text, in compatibility form, says in figures. A date or time is not read as a number as well."""
    text = _ORDINAL.sub(" ", _BULLET.sub("", text, count=1))
    days = tuple(day for match in _DATE.finditer(text) if (day := _day(match)) is not None)
    text = _DATE.sub(lambda match: match[0] if _day(match) is None else " □ ", text)
    times = tuple(f"{int(match[1]):02}:{match[2]}" for match in _TIME.finditer(text))
    text = _TIME.sub(" □ ", text)
    return Figures((*_digits(text), *_sino(text), *_words(text)), days, times)


def _day(match: re.Match[str]) -> Day | None:
    groups = {name[0]: found for name, found in match.groupdict().items() if found is not None}
    named = groups.get("n")
    written = _MONTHS.index(named[:3].lower()) + 1 if named else groups.get("m")
    month = None if written is None else int(written)
    number, year = groups.get("d"), groups.get("y")
    if not 1 <= (month or 1) <= 12 or not 1 <= int(number or 1) <= 31:
        return None
    return Day(int(year) if year else None, month, int(number) if number else None)


def _digits(text: str) -> Iterator[Number]:
    for match in _DIGITS.finditer(text):
        written = match[0].rstrip(",")
        plain = written.replace(",", "")
        value = int(plain) if plain.isdecimal() and len(plain) < 10 else None
        yield Number(written, value, _unit(text, match.start() + len(written)))
    for match in _ATTACHED.finditer(text):
        yield Number(match[0], None, Unit.THINGS)


def _sino(text: str) -> Iterator[Number]:
    """In Chinese figures, where something is counted. "一个" is an article unless it is "the only one"."""
    for match in _SINO.finditer(text):
        written = match[0]
        if written.startswith("百分之"):
            yield Number(written, sino(written[3:]), Unit.PERCENT)
            continue
        unit = _unit(text, match.end())
        if unit is Unit.THINGS and not _CLASSIFIER.match(text, match.end()):
            continue
        if written == "一" and not _ONLY.search(text[: match.start()]):
            continue
        yield Number(written, sino(written), unit)


def _words(text: str) -> Iterator[Number]:
    for match in _WORD.finditer(text):
        yield Number(match[0], _WORDS.get(match[0].lower(), 1), _unit(text, match.end()))


def _unit(text: str, end: int) -> Unit:
    return next((unit for unit, words in _UNITS if words.match(text, end)), Unit.THINGS)


_SINO_DIGITS = {digit: value for value, digit in enumerate("零一二三四五六七八九")} | {
    "\u3007": 0,
    "两": 2,
}
_SINO_TENS = {"十": 10, "百": 100, "千": 1000}


def sino(text: str) -> int:
    """The value of a number in Chinese figures, below a hundred million."""
    total = section = digit = 0
    for character in text:
        if character == "万":
            total, section, digit = (total + section + digit) * 10_000, 0, 0
        elif character in _SINO_TENS:
            section += (digit or 1) * _SINO_TENS[character]
            digit = 0
        else:
            digit = digit * 10 + _SINO_DIGITS[character] if digit else _SINO_DIGITS[character]
    return total + section + digit
