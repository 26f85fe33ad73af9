"""What all attempts of one read amount to: matched rows, counts, coverage, failures, and what is unknown (R7–R10)."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo

from steward.model.ids import GoalId, SourceId
from steward.model.reading import (
    STALE,
    Coverage,
    ReadFailure,
    Row,
    RowStatus,
    ScanQuery,
    Snapshot,
    SourceCode,
    View,
)
from steward.reading.attempts import Attempt, as_of, dated, is_stale
from steward.reading.coverage import coverage
from steward.reading.windows import local_day, within

PUT_AWAY = frozenset({RowStatus.STOPPED, RowStatus.DONE})
"""Goals that a read of all goals leaves out unless it includes stopped ones (R1)."""

_LONG_AGO = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Evidence:
    """One read, before paging. `stale`: the source × goal pairs whose rows are out of date.

    `stopped_excluded`: rows that `include_stopped` would add. `reading_began`: where the window could not be
    reached, the instant from which on it was. `revision` changes whenever the matched rows may have.
    """

    query: ScanQuery
    rows: Sequence[Row]
    counts: Mapping[str, int]
    coverage: Coverage
    failures: Sequence[ReadFailure]
    unknown_reasons: Sequence[str]
    as_of: datetime | None
    stale: frozenset[tuple[SourceId, GoalId]]
    stopped_excluded: int
    reading_began: datetime | None
    revision: str


def evidence(
    attempts: Sequence[Attempt],
    query: ScanQuery,
    *,
    now: datetime,
    zone: tzinfo,
    titles: Mapping[SourceId, str],
) -> Evidence:
    """Join narrowed attempts, in the order of the scope."""
    matched, excluded = select(attempts, query)
    failures = _failures(attempts)
    stale = frozenset(
        (attempt.source, goal)
        for attempt in attempts
        if isinstance(attempt.outcome, Snapshot)
        for goal in attempt.outcome.goals
        if is_stale(attempt, goal, now)
    )
    return Evidence(
        query=query,
        rows=matched,
        counts=counts(matched, query.view, zone),
        coverage=coverage(attempts, query.goal, now, titles),
        failures=failures,
        unknown_reasons=unknown_reasons(failures, matched, stale=bool(stale)),
        as_of=_oldest(attempts),
        stale=stale,
        stopped_excluded=excluded,
        reading_began=_reading_began(attempts, query.since),
        revision=_revision(attempts, query),
    )


def select(attempts: Iterable[Attempt], query: ScanQuery) -> tuple[list[Row], int]:
    """The rows that match, in a stable order, and how many of stopped or done goals were left out.

    A goal that is asked for by name is never left out. Deliveries and handoffs come newest first, the rest
    as their source orders them.
    """
    matched: list[Row] = []
    excluded = 0
    for attempt in attempts:
        snapshot = attempt.outcome
        if isinstance(snapshot, ReadFailure):
            continue
        hides = (
            query.view in {View.PORTFOLIO, View.TODOS}
            and query.goal is None
            and not query.include_stopped
        )
        put_away = {name for name, goal in snapshot.goals.items() if goal.status in PUT_AWAY}
        for row in snapshot.rows:
            if not matches(row, query):
                continue
            if hides and row.goal in put_away:
                excluded += 1
            else:
                matched.append(row)
    if query.view in {View.DELIVERIES, View.HANDOFFS}:
        matched.sort(key=lambda row: row.at or _LONG_AGO, reverse=True)
    return matched, excluded


def matches(row: Row, query: ScanQuery) -> bool:
    """Whether a row is one of those asked for; a delivery without a time lies in no window."""
    if query.request_id is not None and row.id != query.request_id:
        return False
    if query.view is View.DELIVERIES:
        return row.at is not None and within(row.at, query.since, query.until)
    return True


def counts(rows: Iterable[Row], view: View, zone: tzinfo) -> dict[str, int]:
    """All matched rows by status, deliveries by their local day, newest day last."""
    if view is View.DELIVERIES:
        by_day = Counter(local_day(row.at, zone) for row in rows if row.at is not None)
        return dict(sorted(by_day.items()))
    by_status = Counter(row.status for row in rows)
    return {status.value: by_status[status] for status in RowStatus if by_status[status]}


def unknown_reasons(
    failures: Iterable[ReadFailure], rows: Iterable[Row], *, stale: bool
) -> tuple[str, ...]:
    """Why the matched rows may not be all there is, each reason once (R8)."""
    reasons = [failure.code.value for failure in failures]
    if any(row.status is RowStatus.UNKNOWN for row in rows):
        reasons.append(SourceCode.CONTRACT_CHANGED.value)
    if stale:
        reasons.append(STALE)
    return tuple(dict.fromkeys(reasons))


def _failures(attempts: Iterable[Attempt]) -> tuple[ReadFailure, ...]:
    """Failed sources and gaps, those of one code, source and goal added up."""
    records: Counter[ReadFailure] = Counter()
    for attempt in attempts:
        outcome = attempt.outcome
        for failure in [outcome] if isinstance(outcome, ReadFailure) else outcome.gaps:
            records[replace(failure, count=1)] += failure.count
    return tuple(replace(failure, count=count) for failure, count in records.items())


def _oldest(attempts: Iterable[Attempt]) -> datetime | None:
    times: list[datetime | None] = []
    for attempt in attempts:
        snapshot = attempt.outcome
        if isinstance(snapshot, Snapshot):
            times += [as_of(snapshot, goal) for goal in snapshot.goals] or [dated(snapshot.as_of)]
    return min((at for at in times if at is not None), default=None)


def _reading_began(attempts: Iterable[Attempt], since: datetime | None) -> datetime | None:
    reached = [
        attempt.outcome.reaches_back_to
        for attempt in attempts
        if isinstance(attempt.outcome, Snapshot) and attempt.outcome.reaches_back_to is not None
    ]
    latest = max(reached, default=None)
    return latest if latest is not None and since is not None and latest > since else None


def _revision(attempts: Iterable[Attempt], query: ScanQuery) -> str:
    """A digest over the revisions of all sources, or their failures, and over the window."""
    digest = hashlib.sha256(f"{query.view} {query.since} {query.until}".encode())
    for attempt in attempts:
        outcome = attempt.outcome
        state = outcome.code if isinstance(outcome, ReadFailure) else outcome.revision
        digest.update(f"\n{attempt.source} {state}".encode())
    return f"sha256:{digest.hexdigest()[:32]}"
