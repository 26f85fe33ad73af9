"""How much of the scope was read: sources × goals, tried or not (E0, R9, R10).

`coverage` counts one call, `footer` a whole turn: there, what no reading tried appears as not read.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from steward.model.audience import Scope
from steward.model.ids import GoalId, SourceId
from steward.model.reading import (
    Coverage,
    CoverageStatus,
    PairCoverage,
    ReadFailure,
    Reading,
    Snapshot,
    SourceCode,
    SourceCoverage,
    View,
)
from steward.reading.attempts import Attempt, as_of, is_stale, kept_failure
from steward.reading.failures import MEANINGS

_SEVERITY = (
    CoverageStatus.READ,
    CoverageStatus.STALE,
    CoverageStatus.PARTIAL,
    CoverageStatus.NOT_READ,
    CoverageStatus.UNREADABLE,
)

GAVE_EVIDENCE = frozenset({CoverageStatus.READ, CoverageStatus.STALE, CoverageStatus.PARTIAL})
"""Something was read, whole or not, fresh or not."""

NOTHING_TRIED = Coverage(0, 0, 0, 0, 0, 0, 0, complete=False)
"""The coverage of a call that was refused before anything was opened."""


def coverage(
    attempts: Sequence[Attempt],
    goal: GoalId | None,
    now: datetime,
    titles: Mapping[SourceId, str],
) -> Coverage:
    """The coverage of one call over its narrowed attempts, one per source that records the view."""
    counted = [pair for attempt in attempts for pair in pairs(attempt, goal, now)]
    return tally(counted, [attempt.source for attempt in attempts], titles)


def pairs(attempt: Attempt, goal: GoalId | None, now: datetime) -> list[PairCoverage]:
    """Every goal of one source within the scope, and how its reading ended.

    A gap without a goal is one more pair, or, where it says that rows are missing anywhere, makes each goal
    partial. A goal that is not listed but failed is a pair too; R10 calls one that is gone partial. What an earlier
    read gave is stale, and keeps the failure of this one.
    """
    source, snapshot = attempt.source, attempt.outcome
    if isinstance(snapshot, ReadFailure):
        return [PairCoverage(source, goal, CoverageStatus.UNREADABLE, snapshot)]
    kept = kept_failure(snapshot)
    if kept is not None:
        return _kept(attempt, snapshot, goal, kept)
    gaps: dict[GoalId | None, ReadFailure] = {}
    for gap in snapshot.gaps:
        gaps.setdefault(gap.goal, gap)
    anywhere = next((gap for gap in snapshot.gaps if _anywhere(gap)), None)
    counted: list[PairCoverage] = []
    for listed in snapshot.goals:
        why = gaps.get(listed, anywhere)
        stale = is_stale(attempt, listed, now)
        status = CoverageStatus.STALE if stale else CoverageStatus.READ
        if why is not None:
            status = CoverageStatus.PARTIAL
        counted.append(PairCoverage(source, listed, status, why, as_of(snapshot, listed)))
    for missing, gap in gaps.items():
        if missing in snapshot.goals or (missing is None and _anywhere(gap) and counted):
            continue
        partial = gap.code is SourceCode.NOT_FOUND_OR_NO_ACCESS or MEANINGS[gap.code].partial
        status = CoverageStatus.PARTIAL if partial else CoverageStatus.UNREADABLE
        counted.append(PairCoverage(source, missing, status, gap))
    return counted


def _kept(
    attempt: Attempt, snapshot: Snapshot, goal: GoalId | None, failure: ReadFailure
) -> list[PairCoverage]:
    """Old evidence of each goal that it holds; where it holds none, the source could not be read at all."""
    stale = [
        PairCoverage(attempt.source, listed, CoverageStatus.STALE, failure, as_of(snapshot, listed))
        for listed in snapshot.goals
    ]
    if not stale:
        unread = replace(failure, kept=False)
        return [PairCoverage(attempt.source, goal, CoverageStatus.UNREADABLE, unread)]
    missing = {gap.goal: gap for gap in reversed(snapshot.gaps) if gap.goal not in snapshot.goals}
    return stale + [
        PairCoverage(attempt.source, name, CoverageStatus.UNREADABLE, gap)
        for name, gap in missing.items()
        if name is not None
    ]


def _anywhere(gap: ReadFailure) -> bool:
    """Rows are missing, and any goal of the source may be concerned."""
    return gap.goal is None and MEANINGS[gap.code].partial


def fold(
    counted: Iterable[PairCoverage], titles: Mapping[SourceId, str], tried: Iterable[SourceId] = ()
) -> list[SourceCoverage]:
    """One line per source: its worst status and why. `tried` names sources that may have no pair, in order."""
    by_source: dict[SourceId, list[PairCoverage]] = {source: [] for source in tried}
    for pair in counted:
        by_source.setdefault(pair.source, []).append(pair)
    return [_line(source, found, titles) for source, found in by_source.items()]


def _line(
    source: SourceId, found: Sequence[PairCoverage], titles: Mapping[SourceId, str]
) -> SourceCoverage:
    worst = max(found, key=lambda pair: _SEVERITY.index(pair.status), default=None)
    times = [pair.as_of for pair in found if pair.as_of is not None]
    status = worst.status if worst else CoverageStatus.READ
    if status not in GAVE_EVIDENCE and any(pair.status in GAVE_EVIDENCE for pair in found):
        status = CoverageStatus.PARTIAL
    return SourceCoverage(
        source=source,
        title=titles.get(source, source),
        status=status,
        failure=worst.failure if worst else None,
        as_of=min(times, default=None),
    )


def tally(
    counted: Sequence[PairCoverage], tried: Iterable[SourceId], titles: Mapping[SourceId, str]
) -> Coverage:
    """Count pairs by status; `tried` names the sources for the lines that readers see, in order."""
    by_status = {
        status: sum(pair.status is status for pair in counted) for status in CoverageStatus
    }
    not_read = by_status[CoverageStatus.NOT_READ]
    return Coverage(
        discovered=len(counted),
        attempted=len(counted) - not_read,
        read=by_status[CoverageStatus.READ],
        stale=by_status[CoverageStatus.STALE],
        unreadable=by_status[CoverageStatus.UNREADABLE],
        partial=by_status[CoverageStatus.PARTIAL],
        not_read=not_read,
        complete=bool(counted) and by_status[CoverageStatus.READ] == len(counted),
        pairs=tuple(counted),
        sources=tuple(fold(counted, titles, tried)),
    )


def footer(
    scope: Scope,
    titles: Mapping[SourceId, str],
    readings: Sequence[Reading],
    goal: GoalId | None,
) -> Coverage:
    """The answer's coverage: the scope joined with what the turn read, the worst of it (E0).

    `goal`: the one that the question is about; None where it is about all of them.
    """
    concerned = [source for source in scope.sources if goal is None or scope.allows(source, goal)]
    counted: list[PairCoverage] = []
    for source in concerned:
        counted += _of_source(source, readings, goal)
    return tally(counted, concerned, titles)


def _of_source(
    source: SourceId, readings: Sequence[Reading], goal: GoalId | None
) -> list[PairCoverage]:
    worst: dict[GoalId | None, PairCoverage] = {}
    whole = False
    for reading in readings:
        query = reading.query
        if query is None:
            continue
        probed = query.view is View.SOURCES
        for pair in reading.coverage.pairs:
            relevant = pair.source == source and (goal is None or pair.goal in {None, goal})
            if relevant and (not probed or pair.status is CoverageStatus.UNREADABLE):
                worst[pair.goal] = _worse(worst.get(pair.goal), pair)
        tried = any(line.source == source for line in reading.coverage.sources)
        whole = whole or (tried and not probed and query.goal in {None, goal})
    if not whole and None not in worst:
        worst[None] = PairCoverage(source, goal, CoverageStatus.NOT_READ)
    return list(worst.values())


def _worse(one: PairCoverage | None, other: PairCoverage) -> PairCoverage:
    if one is None or _SEVERITY.index(other.status) > _SEVERITY.index(one.status):
        return other
    return one
