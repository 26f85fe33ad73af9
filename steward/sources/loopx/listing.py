"""Pages of one list → its rows, and a gap for everything that they do not prove. Pure; LoopX's `ok` counts for nothing.

What LoopX drops in silence shows in its counts: fewer rows than it matched, records that it calls invalid, a list that
it could not read (`unavailable`, `conflicting`), goals of which it says itself that they are stale or in conflict.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from steward.model.ids import GoalId, SourceId
from steward.model.reading import UNDATED, ReadFailure, Row, RowStatus, SourceCode, View
from steward.sources.loopx.rows import OVERSIZED, Record, instant, nested, row_of
from steward.sources.loopx.wire import PageWire

_READ = "read"
_CONFLICTING = "conflicting"


@dataclass(frozen=True, slots=True)
class Pages:
    """What was got of one list, in order. `received`: by our clock, the oldest page's time.

    `cut`: why there is no more of it, where there is not.
    """

    pages: Sequence[PageWire]
    received: datetime
    cut: SourceCode | None = None

    @property
    def matched(self) -> int:
        """How many records LoopX says there are; what it does not know is what it gave."""
        return self.pages[0].matched or 0

    @property
    def status(self) -> str:
        """How LoopX's own read of the list ended."""
        return self.pages[0].source.status or ""


@dataclass(frozen=True, slots=True)
class Listing:
    """One list as a snapshot can use it. `times`: the goals whose content has a time of its own."""

    rows: Sequence[Row]
    gaps: Sequence[ReadFailure]
    as_of: datetime
    reaches_back_to: datetime | None = None
    times: Mapping[GoalId, datetime] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """Changes with the rows and the gaps, and not with the time of reading."""
        return hashlib.sha256(repr((self.rows, self.gaps)).encode()).hexdigest()


def inventory(found: Pages, source: SourceId, unread: SourceCode) -> Listing:
    """All goals. `unread`: what to call a goal that LoopX could not read."""
    rows, gaps = _rows(found, View.PORTFOLIO, source, None)
    coverages = [page.source.coverage for page in found.pages]
    if invalid := max(one.invalid_registry_entries for one in coverages):
        gaps.append(ReadFailure(SourceCode.PARSE_FAILED, source, count=invalid))
    if omitted := max(one.omitted or 0 for one in coverages):
        gaps.append(ReadFailure(SourceCode.TRUNCATED, source, count=omitted))
    times: dict[GoalId, datetime] = {}
    as_of = _as_of(found)
    held = {row.goal for row in rows}
    for record in _records(found):
        goal = record.get("goal_id")
        if not isinstance(goal, str) or goal not in held:
            continue
        match record.get("quality"):
            case "verified":
                pass
            case "stale":
                recorded = instant(nested(record, "source").get("latest_recorded_at"))
                times[GoalId(goal)] = min(recorded or UNDATED, as_of)
            case quality:
                code = _QUALITIES.get(quality if isinstance(quality, str) else "")
                gaps.append(_of_goal(code or unread, source, GoalId(goal), View.PORTFOLIO))
    explained = bool(gaps) or bool(times)
    incomplete = not all(one.complete for one in coverages)
    if not explained and (incomplete or any(page.unknown for page in found.pages)):
        gaps.append(ReadFailure(SourceCode.TRUNCATED, source))
    if not rows and not gaps:
        gaps.append(ReadFailure(SourceCode.NOT_CONFIGURED, source))
    return Listing(rows, tuple(gaps), as_of, times=times)


_QUALITIES = {"conflicting": SourceCode.TRUNCATED, "partial": SourceCode.TRUNCATED}
"""What LoopX says of a goal that it read only in part; any other word is one that it could not read."""


def todos(found: Pages, source: SourceId, goal: GoalId, unread: SourceCode) -> Listing:
    """A goal's todos. LoopX lists those that are not done, and only counts the others."""
    rows, gaps = _rows(found, View.TODOS, source, goal)
    if found.status != _READ:
        gaps = [_of_goal(_failed(found, unread), source, goal, View.TODOS)]
    elif done := found.pages[0].source.completed_coverage.known:
        gaps.append(_of_goal(SourceCode.TRUNCATED, source, goal, View.TODOS, done))
    return Listing(rows, tuple(gaps), _as_of(found))


def deliveries(
    found: Pages, source: SourceId, goal: GoalId, unproven: ReadFailure | None
) -> Listing:
    """A goal's deliveries. `unproven`: what kept the run index behind them from being proved readable."""
    rows, gaps = _rows(found, View.DELIVERIES, source, goal)
    invalid = found.pages[0].source.coverage.invalid_delivery_records
    if found.status == _CONFLICTING:
        gaps = [_of_goal(SourceCode.TRUNCATED, source, goal, View.DELIVERIES)]
    elif invalid:
        gaps.append(_of_goal(SourceCode.PARSE_FAILED, source, goal, View.DELIVERIES, invalid))
    if unproven is not None:
        gaps.append(unproven)
    reach = instant(found.pages[0].source.window_start)
    return Listing(rows, tuple(gaps), _as_of(found), reaches_back_to=reach)


def unlisted(failure: ReadFailure, now: datetime) -> Listing:
    """A list of which nothing was got."""
    return Listing((), (failure,), now)


def is_foreign(page: PageWire, view: View, goal: GoalId | None) -> bool:
    """Whether a page, or a row of it, answers for another view or goal."""
    return (
        page.view != view.value
        or page.goal_id != goal
        or (goal is not None and any(row.get("goal_id") != goal for row in page.rows))
    )


def is_readable(found: Pages) -> bool:
    """Whether LoopX says that it read the list."""
    return found.status == _READ


def _failed(found: Pages, unread: SourceCode) -> SourceCode:
    return SourceCode.TRUNCATED if found.status == _CONFLICTING else unread


def _rows(
    found: Pages, view: View, source: SourceId, goal: GoalId | None
) -> tuple[tuple[Row, ...], list[ReadFailure]]:
    """The sound rows, each once, and gaps for records that are not among them."""
    kept: dict[str, Row] = {}
    oversized = dropped = 0
    for record in _records(found):
        row = row_of(record, view, source)
        if record.get("status") == OVERSIZED:
            oversized += 1
        elif row is None or row.id in kept:
            dropped += 1
        else:
            kept[row.id] = row
    missing = found.matched - len(kept) - oversized - dropped
    unmapped = sum(row.status is RowStatus.UNKNOWN for row in kept.values())
    counted = [
        (SourceCode.TOO_LARGE, oversized),
        (SourceCode.PARSE_FAILED, dropped),
        (found.cut or SourceCode.TRUNCATED, missing),
        (SourceCode.CONTRACT_CHANGED, unmapped if view is not View.PORTFOLIO else 0),
    ]
    gaps = list(_counted(counted, view, source, goal))
    if view is View.PORTFOLIO:
        strange = [row for row in kept.values() if row.status is RowStatus.UNKNOWN]
        gaps += [_of_goal(SourceCode.CONTRACT_CHANGED, source, row.goal, view) for row in strange]
    if found.cut is not None and missing <= 0:
        gaps.append(_gap(found.cut, view, source, goal, 1))
    return tuple(kept.values()), gaps


def _records(found: Pages) -> Iterator[Record]:
    for page in found.pages:
        yield from page.rows


def _counted(
    counted: Iterable[tuple[SourceCode, int]], view: View, source: SourceId, goal: GoalId | None
) -> Iterator[ReadFailure]:
    for code, count in counted:
        if count > 0:
            yield _gap(code, view, source, goal, count)


def _gap(
    code: SourceCode, view: View, source: SourceId, goal: GoalId | None, count: int
) -> ReadFailure:
    whole = ReadFailure(code, source, count=count)
    return whole if goal is None else replace(whole, goal=goal, view=view)


def _of_goal(
    code: SourceCode, source: SourceId, goal: GoalId, view: View, count: int = 1
) -> ReadFailure:
    return ReadFailure(code, source, goal, count, view=view)


def _as_of(found: Pages) -> datetime:
    """The oldest of what the pages say of themselves, and never after we had them: clocks differ."""
    said = [instant(page.source.observed_at) for page in found.pages]
    return min([found.received, *(at for at in said if at is not None)])
