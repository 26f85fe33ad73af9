"""E5: each number of a fact or an advice stands in its rows or follows from them; else its rows stand in its place.

What follows: how many rows are cited, and of them in each state, of each owner, goal and source; the counts of the
scope that was read; shares of those in percent; days between a row's dates and today. A number that stands in a cited
row's text is let through wherever it is used: code does not know what it counts there.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from datetime import date
from itertools import combinations
from typing import TypeAlias

from steward.model.answer import ClaimKind, ClaimScope
from steward.model.ids import CitationId
from steward.model.reading import Row, RowStatus, View
from steward.policy.basis import Basis, evidence
from steward.policy.counting import statuses_agree
from steward.policy.drafts import Draft, Dropped
from steward.policy.numerals import Figures, Number, Unit, figures
from steward.policy.quotes import folded, rows_of, without_rows, words_of
from steward.policy.replacing import by_rows
from steward.policy.scoping import UNFINISHED
from steward.policy.wording import day, moment

MOST_DATES = 12
"""Between so many dates of its rows a claim may say how long it was; of more, how long it is to today alone."""

Tally: TypeAlias = Counter[RowStatus]


def numbers(draft: Draft, basis: Basis, _shown: Set[CitationId]) -> Draft | Dropped:
    """E5: keep a fact whose numbers hold, or write its rows instead."""
    if not draft.worded or draft.claim.kind is ClaimKind.COUNT:
        return draft
    text = folded(without_rows(draft, basis))
    said = figures(text)
    if not (said.numbers or said.days or said.times):
        return draft
    known = _known(draft, basis)
    if all(known.has(one) for one in said.numbers) and known.dated(said) and known.agrees(text):
        return draft
    return by_rows(draft, basis)


@dataclass(frozen=True, slots=True)
class _Known:
    """Everything that may be said in figures of the rows that one claim cites."""

    written: Set[tuple[str | int, Unit]]
    counts: Set[int]
    shares: Set[int]
    lengths: Set[int]
    hours: Set[int]
    dates: Set[date]
    own: Figures
    times: Set[str]
    tallies: Sequence[Tally]

    def has(self, number: Number) -> bool:
        """Whether a number stands in the rows, or follows from them in its unit."""
        if _meant(number) in self.written:
            return True
        match number.unit:
            case Unit.PERCENT:
                return number.value in self.shares
            case Unit.DAYS:
                return number.value in self.lengths
            case Unit.WEEKS:
                return number.value in {length // 7 for length in self.lengths if length >= 7}
            case Unit.MONTHS:
                return number.value in {length // 30 for length in self.lengths if length >= 28}
            case Unit.HOURS:
                return number.value in self.hours
            case _:
                return number.value in self.counts | {known.year for known in self.dates}

    def dated(self, said: Figures) -> bool:
        """Whether every date and time is one of the rows, of their window, or today."""
        days = all(
            one in self.own.days or any(one.is_of(known) for known in self.dates)
            for one in said.days
        )
        return days and self.times | set(self.own.times) >= set(said.times)

    def agrees(self, text: str) -> bool:
        """Whether a number beside a state is the number of rows in that state."""
        return any(statuses_agree(text, tally, complete=True) for tally in self.tallies)


def _known(draft: Draft, basis: Basis) -> _Known:
    rows = rows_of(draft, basis)
    instants = [at for row in rows for at in (row.updated, row.at) if at is not None]
    today = day(basis.now, basis.zone)
    own = {one for row in rows for one in (row.due, row.target) if one is not None}
    own |= {day(at, basis.zone) for at in instants}
    window = set(_window(basis))
    tallies = [Counter(row.status for row in rows), *_read_of(draft, rows, basis)]
    words = folded(" ".join(words_of(rows, basis)))
    of_rows = figures(words)
    return _Known(
        written={_meant(number) for number in of_rows.numbers},
        counts=_groups(rows) | {count for tally in tallies for count in _totals(tally)},
        shares={share for tally in tallies for share in _shares(tally)},
        lengths=_lengths(own, today) | {(today - first).days for first in window},
        hours={int(abs(basis.now - at).total_seconds() // 3600) for at in instants},
        dates={*own, *window, today},
        own=of_rows,
        times={moment(at, basis.zone)[-5:] for at in (*instants, basis.now)},
        tallies=tallies,
    )


def _meant(number: Number) -> tuple[str | int, Unit]:
    return number.text.casefold() if number.value is None else number.value, number.unit


def _window(basis: Basis) -> Iterator[date]:
    """The first days of the windows that deliveries were read over, and the last ones where they are closed."""
    for reading in basis.readings:
        if reading.query is not None and reading.query.view is View.DELIVERIES:
            ends = (reading.window_start, reading.query.since, reading.query.until)
            yield from (day(end, basis.zone) for end in ends if end is not None)


def _read_of(draft: Draft, rows: Sequence[Row], basis: Basis) -> Iterator[Tally]:
    """The counts of the claim's scope; without one, of the lists that its rows are of, in their goal and in all."""
    scopes = {draft.claim.scope} - {None}
    if not scopes:
        views = {row.view for row in rows}
        goals = {row.goal for row in rows} if len({row.goal for row in rows}) == 1 else set()
        scopes = {ClaimScope(view, goal=goal) for view in views for goal in (*goals, None)}
    for scope in scopes:
        if scope is not None and (found := evidence(scope, basis)).counts is not None:
            yield Counter(found.counts)


def _groups(rows: Sequence[Row]) -> set[int]:
    """How many rows, and how many of each kind, owner, goal, source; how many owners, goals and sources."""
    counts = {len(rows)}
    for kinds in (
        Counter(row.owner for row in rows),
        Counter(row.goal for row in rows),
        Counter(row.source for row in rows),
        Counter(row.view for row in rows),
        Counter(row.priority for row in rows),
        Counter(row.to or row.waiting_on for row in rows),
    ):
        counts |= {len(kinds), *kinds.values()}
    return counts


def _totals(tally: Tally) -> Iterator[int]:
    yield from tally.values()
    yield tally.total()
    yield sum(tally[status] for status in UNFINISHED)


def _shares(tally: Tally) -> Iterator[int]:
    """Whole percents, rounded either way."""
    if whole := tally.total():
        for part in (*tally.values(), sum(tally[status] for status in UNFINISHED), whole):
            yield 100 * part // whole
            yield -(-100 * part // whole)


def _lengths(dates: Iterable[date], today: date) -> set[int]:
    known = sorted({*dates, today})
    if len(known) > MOST_DATES:
        return {abs((one - today).days) for one in known}
    return {(last - first).days for first, last in combinations(known, 2)} | {0}
