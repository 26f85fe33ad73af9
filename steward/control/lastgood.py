"""What each source last gave, for the time when it gives nothing: old evidence, marked as such. Contracts R9, R13.

Above: the collector. It is kept in this process alone, whole and before any audience's scope: the gate narrows it to
who asks now and checks the scope again, as it does with what is read afresh.
"""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TypeAlias

from steward.model.ids import GoalId, SourceId
from steward.model.reading import (
    GateCode,
    ReadFailure,
    Snapshot,
    SourceCode,
    SourceQuery,
    View,
)
from steward.reading.evidence import PUT_AWAY

KEPT_FOR = timedelta(hours=24)
"""How long at least a snapshot stands in; longer where the source's own content may be older than that."""

_SNAPSHOTS = 64
_ROWS = 200_000

_WITHDRAWN = frozenset(
    {
        SourceCode.FORBIDDEN,
        SourceCode.OWNERSHIP_REFUSED,
        SourceCode.NOT_CONFIGURED,
        GateCode.REMOTE_SCOPE_MISMATCH,
    }
)
"""Whoever takes access away means what was read before, too; and a place that answers for another is not the same."""

_Days: TypeAlias = int | None
_Key: TypeAlias = tuple[SourceId, View, GoalId | None, str | None, bool, _Days, _Days]


@dataclass(frozen=True, slots=True)
class _Kept:
    source: SourceId
    query: SourceQuery
    snapshot: Snapshot
    at: datetime


class LastGood:
    """The last good snapshot of each kind of query, at most 64 of them with 200,000 rows, the newest ones."""

    def __init__(self) -> None:
        self._kept: OrderedDict[_Key, _Kept] = OrderedDict()
        self._rows = 0
        self._seen: dict[SourceId, datetime] = {}

    @property
    def seen(self) -> Mapping[SourceId, datetime]:
        """When each source was last read, or at least found readable."""
        return self._seen

    def reached(self, source: SourceId, at: datetime) -> None:
        """It answered."""
        self._seen[source] = at

    def keep(self, source: SourceId, query: SourceQuery, snapshot: Snapshot, at: datetime) -> None:
        """It answered with this. A later answer to the same kind of query takes its place."""
        self.reached(source, at)
        key = _key(source, query, at)
        self._drop(key)
        self._kept[key] = _Kept(source, query, snapshot, at)
        self._rows += len(snapshot.rows)
        while len(self._kept) > _SNAPSHOTS or self._rows > _ROWS:
            self._drop(next(iter(self._kept)))

    def failed(self, failure: ReadFailure) -> None:
        """It did not answer; where that means that access was taken away, nothing of it is kept."""
        if failure.code in _WITHDRAWN:
            for key in [key for key, kept in self._kept.items() if kept.source == failure.source]:
                self._drop(key)

    def instead(
        self, failure: ReadFailure, query: SourceQuery, max_age: timedelta, now: datetime
    ) -> Snapshot | ReadFailure:
        """The newest snapshot that holds all that the query asks for, with the failure as its gap; else the failure."""
        self.failed(failure)
        oldest = now - max(KEPT_FOR, max_age)
        for kept in reversed(self._kept.values()):
            if kept.source == failure.source and kept.at >= oldest and _covers(kept, query):
                gaps = (replace(failure, kept=True), *kept.snapshot.gaps)
                return replace(kept.snapshot, gaps=gaps, complete=False)
        return failure

    def holds(self, source: SourceId, max_age: timedelta, now: datetime) -> bool:
        """Whether anything of the source could stand in now."""
        oldest = now - max(KEPT_FOR, max_age)
        return any(kept.source == source and kept.at >= oldest for kept in self._kept.values())

    def _drop(self, key: _Key) -> None:
        kept = self._kept.pop(key, None)
        if kept is not None:
            self._rows -= len(kept.snapshot.rows)


def _key(source: SourceId, query: SourceQuery, now: datetime) -> _Key:
    """The kind of a query: windows of as many days are alike, whatever the day."""
    since, until = (None if end is None else (now - end).days for end in (query.since, query.until))
    return source, query.view, query.goal, query.request_id, query.include_stopped, since, until


def _covers(before: _Kept, asked: SourceQuery) -> bool:
    """Whether whatever answers `asked` is among what was kept; the gate drops the rest of it."""
    kept = before.query
    goal = None if asked.goal is None else before.snapshot.goals.get(asked.goal)
    runs = asked.goal is not None and (goal is None or goal.status not in PUT_AWAY)
    begins = kept.since is None or (asked.since is not None and kept.since <= asked.since)
    ends = kept.until is None or (asked.until is not None and asked.until <= kept.until)
    return (
        kept.view is asked.view
        and kept.goal in {None, asked.goal}
        and kept.request_id in {None, asked.request_id}
        and (kept.include_stopped or runs or not asked.include_stopped)
        and begins
        and ends
    )
