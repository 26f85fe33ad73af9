"""A reader over evidence that a test lays down, with the gate's own joining and counting, and no scope to check.

Implements ports.endpoint.Reader. `readings` is what the gate would have stored, so that a candidate formed from it
can be judged and settled.
"""

import asyncio
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo

from steward.model.audience import Scope, ScopeEntry
from steward.model.ids import CitationId, GoalId, SourceId
from steward.model.reading import (
    Cited,
    GateCode,
    ReadFailure,
    Reading,
    Row,
    Scan,
    ScanQuery,
    Snapshot,
    ToolCall,
    ToolResult,
    View,
)
from steward.ports.world import Clock
from steward.reading.attempts import Attempt, narrowed
from steward.reading.coverage import coverage
from steward.reading.evidence import evidence
from steward.reading.failures import refusal
from steward.reading.pages import dumps

MAX_AGE = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Holding:
    """What one source holds: rows of any view, its goals among them. `failed` views cannot be read."""

    rows: Sequence[Row] = ()
    as_of: datetime | None = None
    complete: bool = True
    gaps: Sequence[ReadFailure] = ()
    failed: Mapping[View, ReadFailure] | None = None


class ScriptedReader:
    """`holdings` in the order of the configuration; a ReadFailure is a source that cannot be read at all."""

    def __init__(
        self,
        holdings: Mapping[SourceId, Holding | ReadFailure],
        *,
        clock: Clock,
        zone: tzinfo,
        titles: Mapping[SourceId, str] | None = None,
        results: Sequence[ToolResult] = (),
        hangs: bool = False,
    ) -> None:
        self.titles = {source: source for source in holdings} | dict(titles or {})
        self.scope = Scope(
            tuple(holdings), (ScopeEntry(frozenset(holdings), None),), revision="scripted"
        )
        self.readings: list[Reading] = []
        self.calls: list[ToolCall] = []
        self._holdings = holdings
        self._clock = clock
        self._zone = zone
        self._results = deque(results)
        self._hangs = hangs
        self._citations: dict[Row, CitationId] = {}

    async def call(self, call: ToolCall) -> ToolResult:
        """The next scripted result; without one, the refusal of an unknown tool."""
        await self._reached()
        self.calls.append(call)
        if self._results:
            return self._results.popleft()
        failure = ReadFailure(GateCode.UNSUPPORTED_READ_TOOL)
        return ToolResult(dumps(refusal(failure)), ok=False)

    async def scan(self, query: ScanQuery) -> Scan:
        """Every matching row, under ids of this reader's own."""
        await self._reached()
        reading = self._read(query)
        self.readings.append(reading)
        return Scan(
            rows=reading.rows,
            coverage=reading.coverage,
            counts=reading.counts,
            as_of=reading.as_of,
            window_start=reading.window_start,
            window_end=reading.window_end,
            failures=reading.failures,
            unknown_reasons=reading.unknown_reasons,
        )

    async def _reached(self) -> None:
        await asyncio.sleep(0)
        if self._hangs:
            await asyncio.get_running_loop().create_future()

    def _read(self, query: ScanQuery) -> Reading:
        attempts = [
            narrowed(
                Attempt(source, self._snapshot(source, query), MAX_AGE),
                self.scope,
                query.goal,
                query.since,
            )
            for source in self.scope.sources
            if query.source in {None, source}
        ]
        now = self._clock.now()
        failed = [one.outcome for one in attempts if isinstance(one.outcome, ReadFailure)]
        if len(failed) == len(attempts):
            refused = failed[0] if failed else ReadFailure(GateCode.SOURCE_OUTSIDE_AVAILABLE_SCOPE)
            return Reading(
                tool="scan",
                query=query,
                rows=(),
                counts={},
                coverage=coverage(attempts, query.goal, now, self.titles),
                failures=tuple(failed),
                as_of=None,
                window_start=query.since,
                window_end=query.until,
                unknown_reasons=(refused.code.value,),
                refused=refused,
            )
        found = evidence(attempts, query, now=now, zone=self._zone, titles=self.titles)
        return Reading(
            tool="scan",
            query=query,
            rows=tuple(Cited(self._citation(row), row) for row in found.rows),
            counts=found.counts,
            coverage=found.coverage,
            failures=found.failures,
            as_of=found.as_of,
            window_start=query.since,
            window_end=query.until,
            unknown_reasons=found.unknown_reasons,
            matched=len(found.rows),
        )

    def _snapshot(self, source: SourceId, query: ScanQuery) -> Snapshot | ReadFailure:
        held = self._holdings[source]
        if isinstance(held, ReadFailure):
            return replace(held, source=source)
        failure = (held.failed or {}).get(query.view)
        if failure is not None:
            return replace(failure, source=source)
        goals: dict[GoalId, Row] = {
            row.goal: row for row in held.rows if row.view is View.PORTFOLIO
        }
        return Snapshot(
            rows=[row for row in held.rows if row.view is query.view],
            goals=goals,
            as_of=held.as_of or self._clock.now(),
            revision=source,
            complete=held.complete,
            gaps=held.gaps,
        )

    def _citation(self, row: Row) -> CitationId:
        return self._citations.setdefault(row, CitationId(f"E{len(self._citations) + 1}-scripted"))
