"""Which goal a question names. Pure; a guess is never silent: two goals alike are both named to the asker.

First by exact id, then by title or alias with case, width and separators set aside; the longest match wins, and
a number is matched whole, so that "Release 2" is not found in "Release 2.1".
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from steward.model.ids import GoalId
from steward.model.reading import Row


@dataclass(frozen=True, slots=True)
class Named:
    """The question is about this goal."""

    goal: GoalId


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """Several goals fit equally well; the asker has to say which."""

    goals: tuple[GoalId, ...]


@dataclass(frozen=True, slots=True)
class NoGoal:
    """No goal that may be read here is named."""


Resolution: TypeAlias = Named | Ambiguous | NoGoal


@dataclass(frozen=True, slots=True)
class _Match:
    """Where a goal's name stands in the folded question: [start, end)."""

    goal: GoalId
    start: int
    end: int
    exact: bool

    def inside(self, other: "_Match") -> bool:
        """Whether another match covers this one and more."""
        return (
            other.start <= self.start
            and self.end <= other.end
            and other.end - other.start > self.end - self.start
        )


def resolve(question: str, goals: Iterable[Row]) -> Resolution:
    """The goal that `question` names among these portfolio rows."""
    folded = _Folded(question)
    matches = [match for row in goals for match in _matches(row, folded, question)]
    outer = [match for match in matches if not any(match.inside(other) for other in matches)]
    exact = dict.fromkeys(match.goal for match in outer if match.exact)
    found = tuple(exact or dict.fromkeys(match.goal for match in outer))
    if len(found) > 1:
        return Ambiguous(found)
    return Named(found[0]) if found else NoGoal()


def _matches(row: Row, folded: "_Folded", question: str) -> Iterator[_Match]:
    exact = _has_id(question, row.id)
    for start, end in folded.find(row.id):
        yield _Match(row.goal, start, end, exact)
    for name in (row.title, *row.aliases):
        for start, end in folded.find(name):
            yield _Match(row.goal, start, end, exact=False)


def _has_id(question: str, name: str) -> bool:
    """Whether the id itself stands in the question, letter for letter, and not inside a longer word."""
    return (
        re.search(rf"(?<![0-9A-Za-z_.-]){re.escape(name)}(?![0-9A-Za-z_-]|\.[0-9])", question)
        is not None
    )


class _Folded:
    """A text in the form in which names are compared, with the places where a name may begin or end."""

    def __init__(self, text: str) -> None:
        self.text, self._breaks = _fold(text)

    def find(self, name: str) -> Iterator[tuple[int, int]]:
        """Every place of a name. One Chinese character alone is no name: it stands in too many words."""
        wanted, _ = _fold(name)
        if not wanted or (len(wanted) == 1 and _ideographic(wanted)):
            return
        start = self.text.find(wanted)
        while start >= 0:
            end = start + len(wanted)
            if self._bounded(start) and self._bounded(end):
                yield start, end
            start = self.text.find(wanted, start + 1)

    def _bounded(self, place: int) -> bool:
        """Whether a name may begin or end here: not inside a word or a number."""
        if place in {0, len(self.text)}:
            return True
        before, after = self.text[place - 1], self.text[place]
        if "." in (before, after) or (before.isdecimal() and after.isdecimal()):
            return False
        return place in self._breaks or not (_in_word(before) and _in_word(after))


def _fold(text: str) -> tuple[str, frozenset[int]]:
    """Compatibility forms, case and separators set aside.

    Between two digits a separator stays, as a space or, for a point, as itself: "2.1" and "2 1" are not "21".
    The breaks are the places where another separator was.
    """
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    folded: list[str] = []
    breaks: set[int] = set()
    gap = ""
    for character in plain:
        if not _counts(character):
            gap = gap or character
            continue
        if gap and folded and folded[-1].isdecimal() and character.isdecimal():
            folded.append("." if gap == "." else " ")
        elif gap:
            breaks.add(len(folded))
        gap = ""
        folded.append(character)
    return "".join(folded), frozenset(breaks)


def _counts(character: str) -> bool:
    """Letters, digits and marks make a name; all else separates."""
    return unicodedata.category(character)[0] in "LNM"


def _in_word(character: str) -> bool:
    """Scripts that write words apart; Chinese and its neighbours do not."""
    return character.isalpha() and not _ideographic(character)


def _ideographic(character: str) -> bool:
    return unicodedata.east_asian_width(character) in {"W", "F"}
