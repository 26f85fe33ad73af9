"""The overview of one goal, or of all: counts first, then what is blocked, due, delivered and handed over.

Pure: scans in, a candidate's bytes out. Rows are left out, and counted, until the candidate is within its bound
(T2); no text of evidence is shortened but by the mark that shows it. Absence is claimed, never worded, here.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo

from steward.endpoints.reporter.candidate import absence, count, dump, fact
from steward.model.answer import Claim, ClaimScope
from steward.model.ids import CitationId, GoalId
from steward.model.reading import Cited, CoverageStatus, Row, RowStatus, Scan, View
from steward.model.turn import Language
from steward.policy.judge import MAX_BYTES
from steward.policy.wording import day, row_line, title_of, window
from steward.reading.windows import local_midnight
from steward.texts import answers
from steward.texts.catalogue import Text

DAYS_BACK = 7
"""Deliveries are looked at from local midnight of so many days ago."""

DAYS_AHEAD = 7
"""Todos are listed as due up to so many days from today, that day included."""

MOST_ROWS = 5
"""Rows of a group that are shown; the rest is counted."""

MOST_CHOICES = 40
"""So many portfolio rows are cited where the asker has to choose a goal."""

UNFINISHED = (RowStatus.OPEN, RowStatus.DOING, RowStatus.BLOCKED)

_TALLIED = (*UNFINISHED, RowStatus.DONE, RowStatus.UNKNOWN)
_READ = frozenset({CoverageStatus.READ, CoverageStatus.STALE, CoverageStatus.PARTIAL})
_WHOLE = frozenset({CoverageStatus.READ, CoverageStatus.STALE})


@dataclass(frozen=True, slots=True)
class Reads:
    """What was read for one question, a scan for each view."""

    portfolio: Scan
    todos: Scan
    deliveries: Scan
    handoffs: Scan

    @property
    def rows(self) -> int:
        """How many rows there are to go through."""
        scans = (self.portfolio, self.todos, self.deliveries, self.handoffs)
        return sum(len(scan.rows) for scan in scans)

    @property
    def nothing(self) -> bool:
        """Whether not one source × goal could be read."""
        scans = (self.portfolio, self.todos, self.deliveries, self.handoffs)
        return not any(pair.status in _READ for scan in scans for pair in scan.coverage.pairs)


@dataclass(frozen=True, slots=True)
class Frame:
    """For whom and when: what every line of an overview depends on."""

    language: Language
    zone: tzinfo
    now: datetime
    since: datetime
    goal: GoalId | None

    def midnight(self, days: int) -> datetime:
        """The beginning of the local day so many days from today."""
        return local_midnight(self.day(days), self.zone)

    def day(self, days: int) -> date:
        """The local day so many days from today."""
        return day(self.now, self.zone) + timedelta(days=days)


@dataclass(frozen=True, slots=True)
class _Group:
    """Rows of one scope, the most important first, and how the rest of them is counted."""

    rows: Sequence[Cited]
    scope: ClaimScope
    more: Callable[[int], str]


def overview(reads: Reads, frame: Frame) -> bytes:
    """The candidate of an overview, with as many rows as its bound allows."""
    if reads.nothing:
        return dump("overview", [_none(ClaimScope(View.TODOS), frame)])
    groups = _grouped(reads, frame)
    raw = b""
    for most in range(MOST_ROWS, -1, -1):
        raw = dump("overview", list(_claims(reads, groups, frame, most)))
        if len(raw) <= MAX_BYTES:
            break
    return raw


@dataclass(frozen=True, slots=True)
class _Groups:
    blocked: _Group
    overdue: _Group
    due: _Group
    unclear: _Group
    delivered: _Group
    handoffs: _Group
    goals: _Group


def _grouped(reads: Reads, frame: Frame) -> _Groups:
    blocked: list[Cited] = []
    overdue: list[Cited] = []
    due: list[Cited] = []
    unclear: list[Cited] = []
    today, last = frame.day(0), frame.day(DAYS_AHEAD)
    for cited in reads.todos.rows:
        row = cited.row
        if row.status is RowStatus.BLOCKED:
            blocked.append(cited)
        if row.status is RowStatus.UNKNOWN:
            unclear.append(cited)
        if row.due is not None and row.due <= last and row.status in UNFINISHED:
            (overdue if row.due < today else due).append(cited)
    handed = [cited for cited in reads.handoffs.rows if cited.row.status is RowStatus.OPEN]
    goals = [
        cited
        for cited in reads.portfolio.rows
        if (cited.row.status is RowStatus.ACTIVE if frame.goal is None else _is(cited, frame.goal))
    ]
    said = _Wording(frame)
    return _Groups(
        blocked=_Group(
            sorted(blocked, key=_urgency),
            said.scope(View.TODOS, RowStatus.BLOCKED),
            said.more(answers.MORE_BLOCKED),
        ),
        overdue=_Group(
            sorted(overdue, key=_by_due),
            said.due(None, frame.midnight(0)),
            said.more(answers.MORE_OVERDUE),
        ),
        due=_Group(
            sorted(due, key=_by_due),
            said.due(frame.midnight(0), frame.midnight(DAYS_AHEAD + 1)),
            said.more(answers.MORE_DUE, date=last.isoformat()),
        ),
        unclear=_Group(
            sorted(unclear, key=_urgency),
            said.scope(View.TODOS, RowStatus.UNKNOWN),
            said.more(answers.MORE_UNCLEAR),
        ),
        delivered=_Group(
            sorted(reads.deliveries.rows, key=_at, reverse=True),
            said.deliveries(),
            said.more(answers.MORE_DELIVERED),
        ),
        handoffs=_Group(
            sorted(handed, key=_at),
            said.scope(View.HANDOFFS, RowStatus.OPEN),
            said.more(answers.MORE_HANDOFFS),
        ),
        goals=_Group(
            goals,
            said.scope(View.PORTFOLIO, RowStatus.ACTIVE),
            said.more(answers.MORE_GOALS),
        ),
    )


def _is(cited: Cited, goal: GoalId) -> bool:
    return cited.row.goal == goal


def _urgency(cited: Cited) -> tuple[str, float]:
    updated = cited.row.updated
    return cited.row.priority or "~", 0.0 if updated is None else updated.timestamp()


def _by_due(cited: Cited) -> str:
    return "" if cited.row.due is None else cited.row.due.isoformat()


def _at(cited: Cited) -> float:
    return 0.0 if cited.row.at is None else cited.row.at.timestamp()


class _Wording:
    """Scopes of this question, and the lines that count what is not shown."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame

    def scope(self, view: View, *statuses: RowStatus) -> ClaimScope:
        return ClaimScope(view, goal=self._frame.goal, statuses=statuses)

    def due(self, since: datetime | None, until: datetime) -> ClaimScope:
        return ClaimScope(
            View.TODOS, goal=self._frame.goal, since=since, until=until, statuses=UNFINISHED
        )

    def deliveries(self) -> ClaimScope:
        return ClaimScope(View.DELIVERIES, goal=self._frame.goal, since=self._frame.since)

    def more(self, text: Text, **values: str) -> Callable[[int], str]:
        return lambda number: text.format(self._frame.language, count=number, **values)


def _claims(reads: Reads, groups: _Groups, frame: Frame, most: int) -> Iterator[Claim]:
    """The direct lines first; a row that was shown is not shown again."""
    shown: set[CitationId] = set()
    listing = _Listing(reads.portfolio.rows, frame, most, shown)
    yield _todos(reads, frame)
    yield _delivered(reads, frame)
    if frame.goal is not None:
        yield from listing.rows(groups.goals.rows[:MOST_ROWS])
    if reads.todos.rows and not groups.blocked.rows:
        yield _none(groups.blocked.scope, frame)
    for group in (
        groups.blocked,
        groups.overdue,
        groups.due,
        groups.unclear,
        groups.delivered,
        groups.handoffs,
    ):
        yield from listing.group(group)
    if not groups.handoffs.rows:
        yield _none(groups.handoffs.scope, frame)
    if frame.goal is None and groups.goals.rows:
        total = len(groups.goals.rows)
        text = answers.GOALS if _is_whole(reads.portfolio) else answers.GOALS_SO_FAR
        yield count(text.format(frame.language, count=total), groups.goals.scope)
        yield from listing.group(groups.goals)


def _todos(reads: Reads, frame: Frame) -> Claim:
    """How many todos there are in each status, by the counts of the scan."""
    scope = ClaimScope(View.TODOS, goal=frame.goal)
    language, counts = frame.language, reads.todos.counts
    tallies = [
        answers.TALLY.format(
            language, status=answers.STATUSES[status].of(language), count=counts[status]
        )
        for status in _TALLIED
        if counts.get(status)
    ]
    if not tallies:
        return _none(scope, frame)
    line = answers.TALLY_LINE.format(
        language,
        subject=_subject(reads, frame),
        tallies=answers.COMMA.of(language).join(tallies),
    )
    return count(line, scope)


def _subject(reads: Reads, frame: Frame) -> str:
    """ "All" is said only where all was read (R3)."""
    if frame.goal is not None:
        return _titles(reads.portfolio.rows).get(frame.goal, frame.goal)
    whole = _is_whole(reads.portfolio) and _is_whole(reads.todos)
    return (answers.ACTIVE_GOALS if whole else answers.GOALS_READ).of(frame.language)


def _is_whole(scan: Scan) -> bool:
    """Whether nothing is missing; what is old says so itself (R9)."""
    return all(pair.status in _WHOLE for pair in scan.coverage.pairs)


def _titles(goals: Iterable[Cited]) -> dict[GoalId, str]:
    return {cited.row.goal: title_of(cited.row) for cited in goals}


def _delivered(reads: Reads, frame: Frame) -> Claim:
    scope = _Wording(frame).deliveries()
    total = sum(reads.deliveries.counts.values())
    if not total:
        return _none(scope, frame)
    days = window(frame.since, frame.now, frame.language, frame.zone)
    return count(answers.DELIVERED.format(frame.language, window=days, count=total), scope)


def _none(scope: ClaimScope, frame: Frame) -> Claim:
    return absence(answers.VIEWS[scope.view].of(frame.language), scope)


class _Listing:
    """Writes rows, each once, and counts what it leaves out."""

    def __init__(
        self, goals: Iterable[Cited], frame: Frame, most: int, shown: set[CitationId]
    ) -> None:
        self._titles = {} if frame.goal is not None else _titles(goals)
        self._frame = frame
        self._most = most
        self._shown = shown

    def group(self, group: _Group) -> Iterator[Claim]:
        """The first rows of a group, and how many more there are."""
        fresh = [cited for cited in group.rows if cited.citation not in self._shown]
        yield from self.rows(fresh[: self._most])
        if (left := len(fresh) - self._most) and left > 0:
            yield count(group.more(left), group.scope)

    def rows(self, rows: Sequence[Cited]) -> Iterator[Claim]:
        """One line a row."""
        for cited in rows:
            self._shown.add(cited.citation)
            yield fact(self._line(cited.row), [cited])

    def _line(self, row: Row) -> str:
        language = self._frame.language
        line = row_line(row, language, self._frame.zone)
        if row.due is not None and row.due < self._frame.day(0) and row.status in UNFINISHED:
            line = answers.OVERDUE.format(language, row=line)
        title = None if row.view is View.PORTFOLIO else self._titles.get(row.goal)
        return line if title is None else answers.OF_GOAL.format(language, goal=title, row=line)


def which_goal(goals: Sequence[Cited], frame: Frame) -> bytes:
    """Several goals fit: the candidates by title and id, for the asker to choose (never chosen for them)."""
    raw = b""
    for most in range(MOST_ROWS, -1, -1):
        raw = dump("ambiguous", list(_choices(goals, frame, most)))
        if len(raw) <= MAX_BYTES:
            break
    return raw


def _choices(goals: Sequence[Cited], frame: Frame, most: int) -> Iterator[Claim]:
    language = frame.language
    alike = len({cited.row.goal for cited in goals})
    yield fact(answers.WHICH_GOAL.format(language, count=alike), goals[:MOST_CHOICES])
    for cited in goals[:most]:
        line = row_line(cited.row, language, frame.zone)
        yield fact(answers.NAMED_BY.format(language, row=line, id=cited.row.goal), [cited])
    if rest := goals[most:MOST_CHOICES]:
        yield fact(answers.MORE_MATCHES.format(language, count=len(rest)), rest)
