"""How the reporter writes: for whom and when, which rows a line is about, and each row once.

Below every way to answer; above candidates and wording. A scope selects rows here by the same test by which the
answer rules count them, so that no number can differ.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta, tzinfo
from heapq import nsmallest

from steward.endpoints.reporter.candidate import absence, count, fact
from steward.endpoints.reporter.understanding import Asked
from steward.model.answer import Claim, ClaimScope, Dated, RowField
from steward.model.ids import CitationId, GoalId
from steward.model.reading import Cited, CoverageStatus, Row, RowStatus, Scan, View
from steward.model.turn import Language
from steward.policy.scoping import UNFINISHED, belongs_to
from steward.policy.wording import day, listed, row_line, title_of, window
from steward.reading.coverage import GAVE_EVIDENCE
from steward.reading.windows import local_midnight
from steward.texts import answers
from steward.texts.catalogue import Text

DAYS_BACK = 7
"""Deliveries are looked at from local midnight of so many days ago, where no days are named."""

LISTS = (View.TODOS, View.DELIVERIES, View.HANDOFFS)
"""The views of what goals hold, beside the goals themselves."""

DAYS_AHEAD = 7
"""Todos are listed as due up to so many days from today, that day included."""

MOST_ROWS = 5
"""Rows of a group that are shown; the rest is counted."""

_WHOLE = frozenset({CoverageStatus.READ, CoverageStatus.STALE})


@dataclass(frozen=True, slots=True)
class Frame:
    """For whom and when. [since, until) is what the deliveries were read over; `until` None is now."""

    language: Language
    zone: tzinfo
    now: datetime
    since: datetime | None
    until: datetime | None = None

    def midnight(self, days: int) -> datetime:
        """The beginning of the local day so many days from today."""
        return local_midnight(self.day(days), self.zone)

    def day(self, days: int) -> date:
        """The local day so many days from today."""
        return day(self.now, self.zone) + timedelta(days=days)


@dataclass(frozen=True, slots=True)
class Reads:
    """What was read for one question, a scan for each view that its intent needs."""

    scans: Mapping[View, Scan]

    def rows(self, view: View) -> Sequence[Cited]:
        """The rows of a view; none where it was not read."""
        scan = self.scans.get(view)
        return () if scan is None else scan.rows

    @property
    def size(self) -> int:
        """How many rows there are to go through."""
        return sum(len(scan.rows) for scan in self.scans.values())

    @property
    def nothing(self) -> bool:
        """Whether not one source × goal could be read."""
        return not any(
            pair.status in GAVE_EVIDENCE
            for scan in self.scans.values()
            for pair in scan.coverage.pairs
        )

    def whole(self, *views: View) -> bool:
        """Whether nothing of these is missing; what is old says so itself (E9)."""
        return all(
            pair.status in _WHOLE
            for view in views
            if view in self.scans
            for pair in self.scans[view].coverage.pairs
        )


@dataclass(slots=True)
class Pen:
    """Writes one candidate: `most` rows of a group, each row once. `who`: the people that it is narrowed to."""

    reads: Reads
    frame: Frame
    asked: Asked
    most: int
    who: tuple[str, ...] = ()
    shown: set[CitationId] = field(default_factory=set)

    @property
    def language(self) -> Language:
        return self.frame.language

    @property
    def goal(self) -> GoalId | None:
        """The one goal that the question is about."""
        return self.asked.goals[0] if len(self.asked.goals) == 1 else None

    # ------------------------------------------------------------ scopes and their rows

    def scope(self, view: View, *statuses: RowStatus) -> ClaimScope:
        """Rows of this question's goal and people."""
        return ClaimScope(view, goal=self.goal, statuses=statuses, who=self.who)

    def deliveries(self) -> ClaimScope:
        """Deliveries of the days that were read."""
        return replace(self.scope(View.DELIVERIES), since=self.frame.since, until=self.frame.until)

    def due(self, since: datetime | None, until: datetime | None) -> ClaimScope:
        """Unfinished todos that are due in these days."""
        return replace(self.scope(View.TODOS, *UNFINISHED), since=since, until=until)

    def updated(
        self, since: datetime | None, until: datetime | None, *statuses: RowStatus
    ) -> ClaimScope:
        """Todos that were last updated in these days."""
        scope = self.scope(View.TODOS, *statuses)
        return replace(scope, since=since, until=until, dated=Dated.UPDATED)

    def having(self, view: View, wanted: RowField, *statuses: RowStatus) -> ClaimScope:
        """Rows that state this."""
        return replace(self.scope(view, *statuses), having=wanted)

    def select(self, scope: ClaimScope) -> list[Cited]:
        """The rows of a scope."""
        belongs = belongs_to(scope, self.frame.zone)
        return [cited for cited in self.reads.rows(scope.view) if belongs(cited.row)]

    # ------------------------------------------------------------ lines

    def say(self, text: Text, scope: ClaimScope, **values: str | int) -> Claim:
        """A counting line over a scope; of none, it is an absence."""
        number = len(self.select(scope))
        if not number:
            return self.none(scope)
        if "{subject}" in text.en:
            values["subject"] = self.subject(scope.view)
        return count(text.format(self.language, count=number, **values), scope)

    def tally(self, scope: ClaimScope, subject: str | None = None) -> Claim:
        """How many rows of a scope there are in each status."""
        counts: dict[RowStatus, int] = {}
        for cited in self.select(scope):
            counts[cited.row.status] = counts.get(cited.row.status, 0) + 1
        if not counts:
            return self.none(scope)
        tallies = [
            answers.TALLY.format(
                self.language, status=answers.STATUSES[status].of(self.language), count=number
            )
            for status in RowStatus
            if (number := counts.get(status))
        ]
        line = answers.TALLY_LINE.format(
            self.language,
            subject=subject or self.subject(scope.view),
            tallies=answers.COMMA.of(self.language).join(tallies),
        )
        return count(line, scope)

    def none(self, scope: ClaimScope) -> Claim:
        """An absence, for code to word."""
        return absence(answers.VIEWS[scope.view].of(self.language), scope)

    def delivered(self) -> Claim:
        """How much was delivered in the days that were read."""
        text = answers.DELIVERED_BY if self.who else answers.DELIVERED
        return self.say(text, self.deliveries(), window=self.days(), who=self.people())

    def days(self) -> str:
        """The days that deliveries were read over."""
        frame = self.frame
        since = frame.since or frame.now
        return window(since, frame.until or frame.now, frame.language, frame.zone)

    def people(self) -> str:
        """Whom the answer is narrowed to."""
        return listed(self.who, self.language)

    def subject(self, view: View) -> str:
        """Whose rows are counted. "All" is said only where all was read (E3)."""
        if self.who:
            return self.people()
        if self.goal is not None:
            return self.title(self.goal)
        whole = self.reads.whole(View.PORTFOLIO, view)
        if view is View.TODOS:
            return (answers.ACTIVE_GOALS if whole else answers.GOALS_READ).of(self.language)
        return (answers.ALL_GOALS if whole else answers.ANY_GOALS_READ).of(self.language)

    def title(self, goal: GoalId) -> str:
        """What readers call a goal."""
        return self.titles().get(goal, goal)

    def titles(self) -> dict[GoalId, str]:
        """What readers call each goal."""
        return {cited.row.goal: title_of(cited.row) for cited in self.reads.rows(View.PORTFOLIO)}

    def group(
        self, scope: ClaimScope, more: Text, order: "Order", **values: str
    ) -> Iterator[Claim]:
        """The first rows of a scope, and how many more there are."""
        fresh = [cited for cited in self.select(scope) if cited.citation not in self.shown]
        yield from self.rows(nsmallest(self.most, fresh, key=order))
        if (left := len(fresh) - self.most) > 0:
            yield count(more.format(self.language, count=left, **values), scope)

    def rows(self, rows: Iterable[Cited]) -> Iterator[Claim]:
        """One line a row."""
        titles = {} if self.goal is not None else self.titles()
        for cited in rows:
            self.shown.add(cited.citation)
            yield fact(self.line(cited.row, titles), [cited])

    def line(self, row: Row, titles: Mapping[GoalId, str]) -> str:
        """A row in one line, with its goal where several are answered for, and marked where it is overdue."""
        line = row_line(row, self.language, self.frame.zone)
        if row.due is not None and row.due < self.frame.day(0) and row.status in UNFINISHED:
            line = answers.OVERDUE.format(self.language, row=line)
        title = None if row.view is View.PORTFOLIO else titles.get(row.goal)
        return (
            line if title is None else answers.OF_GOAL.format(self.language, goal=title, row=line)
        )


Order = Callable[[Cited], tuple[str, float]]
"""What rows are sorted by: a word first, then a number."""


def by_urgency(cited: Cited) -> tuple[str, float]:
    """Priority, then the longest without an update."""
    updated = cited.row.updated
    return cited.row.priority or "~", 0.0 if updated is None else updated.timestamp()


def by_due(cited: Cited) -> tuple[str, float]:
    """The earliest due day; without one, last."""
    return "~" if cited.row.due is None else cited.row.due.isoformat(), 0.0


def newest(cited: Cited) -> tuple[str, float]:
    """The latest first."""
    at = cited.row.at or cited.row.updated
    return "", 0.0 if at is None else -at.timestamp()


def oldest(cited: Cited) -> tuple[str, float]:
    """The earliest first."""
    at = cited.row.at or cited.row.updated
    return "", 0.0 if at is None else at.timestamp()
