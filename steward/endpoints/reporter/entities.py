"""Which goals a question names. Pure; a guess is never silent: goals alike are all named to the asker.

First by exact id, then by title or alias; the longest match wins. Where no goal is named, what the question seems to
call one is compared with the names of all, and what comes near is offered, never taken.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TypeAlias

from steward.endpoints.reporter.folding import Folded, fold, ideographic, plain
from steward.model.ids import GoalId
from steward.model.reading import Row

NEAR = 0.85
"""How much alike two names have to be before one is offered for the other, of 1."""

MOST_OFFERED = 5
_SHORTEST = 4

Place: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Named:
    """These goals are named, each at a place of its own, [start, end) in the plain question."""

    goals: tuple[GoalId, ...]
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """Several goals fit one name equally well; the asker has to say which."""

    goals: tuple[GoalId, ...]
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class NoGoal:
    """No goal that may be read here is named."""


Resolution: TypeAlias = Named | Ambiguous | NoGoal


@dataclass(frozen=True, slots=True)
class _Match:
    """Where a goal's name stands."""

    goal: GoalId
    place: Place
    exact: bool

    def inside(self, other: "_Match") -> bool:
        """Whether another match covers this one and more."""
        (start, end), (begins, ends) = self.place, other.place
        return begins <= start and end <= ends and ends - begins > end - start


def resolve(question: str, goals: Iterable[Row]) -> Resolution:
    """The goals that `question` names among these portfolio rows."""
    folded, text = fold(question), plain(question)
    matches = [match for row in goals for match in _matches(row, folded, text)]
    outer = [match for match in matches if not any(match.inside(other) for other in matches)]
    exact = {match.goal for match in outer if match.exact}
    at: dict[Place, list[GoalId]] = {}
    for match in outer:
        at.setdefault(match.place, []).append(match.goal)
    decided = {place: _decided(dict.fromkeys(found), exact) for place, found in at.items()}
    named = tuple(dict.fromkeys(goal for found in decided.values() for goal in found))
    if not named:
        return NoGoal()
    if any(len(found) > 1 for found in decided.values()):
        return Ambiguous(named, tuple(decided))
    return Named(named, tuple(decided))


def _decided(alike: Iterable[GoalId], exact: set[GoalId]) -> Sequence[GoalId]:
    """Of goals of one name the one whose id stands in the question too."""
    goals = list(alike)
    return [goal for goal in goals if goal in exact] or goals


def _matches(row: Row, folded: Folded, question: str) -> Iterator[_Match]:
    exact = _has_id(question, plain(row.id))
    for place in folded.find(row.id):
        yield _Match(row.goal, place, exact)
    for name in (row.title, *row.aliases):
        for place in folded.find(name):
            yield _Match(row.goal, place, exact=False)


def _has_id(question: str, name: str) -> bool:
    """Whether the id itself stands in the question, and not inside a longer word."""
    return (
        re.search(rf"(?<![0-9a-z_.-]){re.escape(name)}(?![0-9a-z_-]|\.[0-9])", question) is not None
    )


def alike(name: str, goals: Iterable[Row]) -> tuple[GoalId, ...]:
    """Goals whose names hold `name` as a part, else those that are nearly it: what may have been meant."""
    folded = fold(name)
    if not folded.text:
        return ()
    rows = list(goals)
    holding = dict.fromkeys(row.goal for row in rows if _holds(row, name))
    if holding:
        return tuple(holding)
    scores: dict[GoalId, float] = {}
    for row in rows:
        score = max(_likeness(folded.text, one) for one in (row.title, row.id, *row.aliases))
        if score >= NEAR:
            scores[row.goal] = max(score, scores.get(row.goal, 0.0))
    return tuple(sorted(scores, key=lambda goal: -scores[goal])[:MOST_OFFERED])


def _holds(row: Row, name: str) -> bool:
    if not _worth(name):
        return False
    return any(
        next(fold(whole).find(name), None) is not None for whole in (row.title, *row.aliases)
    )


def _worth(name: str) -> bool:
    """One letter, or a number alone, is a part of too many names."""
    text = fold(name).text
    if text.isdecimal():
        return False
    return len(text) >= (2 if any(map(ideographic, text)) else 3)


def _likeness(wanted: str, name: str) -> float:
    """How much alike two folded names are; names that differ in a number are not alike."""
    other = fold(name).text
    if min(len(wanted), len(other)) < _SHORTEST or _numbers(wanted) != _numbers(other):
        return 0.0
    matcher = SequenceMatcher(None, wanted, other, autojunk=False)
    if matcher.real_quick_ratio() < NEAR or matcher.quick_ratio() < NEAR:
        return 0.0
    return matcher.ratio()


def _numbers(text: str) -> list[str]:
    return re.findall(r"\d+", text)
