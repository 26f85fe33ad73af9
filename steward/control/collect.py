"""Reads all sources of one call at once; whatever one of them does, the others' evidence stands.

Above: the gate, which has decided which sources may be opened. Below: the sources. A source that hangs, raises
or answers for something else becomes a failure of its own here, and every text is cleaned on its way in. What a
source gave before stands in for what it does not give now, as old evidence.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TypeVar

from steward.control.lastgood import LastGood
from steward.control.registry import ConfiguredSource
from steward.model.reading import CoverageStatus as Status
from steward.model.reading import (
    GateCode,
    Health,
    PairCoverage,
    ReadFailure,
    Row,
    ScanQuery,
    Snapshot,
    SourceCode,
    SourceQuery,
)
from steward.ports.source import Source
from steward.ports.world import Clock
from steward.reading.attempts import Attempt, dated
from steward.reading.text import clean_row
from steward.reading.windows import marked_ahead

logger = logging.getLogger(__name__)

READ_TIMEOUT = timedelta(seconds=10)
"""How long one source may take, within the turn's own deadline."""

CHUNK = 1000
"""Rows handled in one go: a few milliseconds."""

_Found = TypeVar("_Found", Snapshot, Health)


class Collector:
    """Holds the clock and the turn's deadline for every read of a turn; `last_good` outlives it."""

    def __init__(self, clock: Clock, deadline: datetime, last_good: LastGood) -> None:
        self._clock = clock
        self._deadline = deadline
        self._last_good = last_good

    async def read(self, entries: Sequence[ConfiguredSource], query: ScanQuery) -> list[Attempt]:
        """One attempt per entry, in order, all of them at once."""
        asked = SourceQuery(
            view=query.view,
            goal=query.goal,
            since=query.since,
            until=query.until,
            request_id=query.request_id,
            include_stopped=query.include_stopped or query.goal is not None,
        )
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._attempt(entry, asked)) for entry in entries]
        return [task.result() for task in tasks]

    async def probe(self, entries: Sequence[ConfiguredSource]) -> list[PairCoverage]:
        """Whether each entry can be read now, without reading it whole."""
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._probe(entry)) for entry in entries]
        return [task.result() for task in tasks]

    async def _attempt(self, entry: ConfiguredSource, query: SourceQuery) -> Attempt:
        async def read(source: Source, deadline: datetime) -> Snapshot | ReadFailure:
            outcome = await source.read(query, deadline=deadline)
            if isinstance(outcome, ReadFailure):
                return outcome
            return await self._checked(outcome, query, entry)

        found = await self._guarded(entry, read)
        now = self._clock.now()
        if isinstance(found, ReadFailure):
            found = self._last_good.instead(found, query, entry.max_age, now)
        else:
            self._last_good.keep(entry.id, query, found, now)
        return Attempt(entry.id, found, entry.max_age)

    async def _probe(self, entry: ConfiguredSource) -> PairCoverage:
        async def probe(source: Source, _deadline: datetime) -> Health | ReadFailure:
            return await source.probe()

        found = await self._guarded(entry, probe)
        if isinstance(found, ReadFailure):
            self._last_good.failed(found)
            return PairCoverage(entry.id, None, Status.UNREADABLE, found)
        now = self._clock.now()
        self._last_good.reached(entry.id, now)
        stale = now - found.as_of > entry.max_age
        status = Status.STALE if stale else Status.READ
        return PairCoverage(entry.id, None, status, as_of=dated(found.as_of))

    async def _guarded(
        self,
        entry: ConfiguredSource,
        use: Callable[[Source, datetime], Awaitable[_Found | ReadFailure]],
    ) -> _Found | ReadFailure:
        """Use a source within its time; the failure that comes of it always names the source."""
        if entry.source is None:
            return entry.failure
        now = self._clock.now()
        deadline = min(self._deadline, now + READ_TIMEOUT)
        try:
            async with asyncio.timeout((deadline - now).total_seconds()):
                outcome = await use(entry.source, deadline)
        except TimeoutError:
            return ReadFailure(SourceCode.TIMEOUT, entry.id)
        except Exception:  # one source's fault must not take the others' evidence with it
            logger.exception("source %s: the read failed", entry.id)
            return ReadFailure(GateCode.READ_TOOL_UNAVAILABLE, entry.id)
        return replace(outcome, source=entry.id) if isinstance(outcome, ReadFailure) else outcome

    async def _checked(
        self, snapshot: Snapshot, query: SourceQuery, entry: ConfiguredSource
    ) -> Snapshot | ReadFailure:
        """The snapshot with clean rows, or a failure where it answers for something else."""
        now = self._clock.now()
        rows: list[Row] = []
        async for chunk in chunks(snapshot.rows):
            if any(_is_foreign(row, query, entry) for row in chunk):
                logger.error("source %s answered for another source, goal or view", entry.id)
                return ReadFailure(GateCode.REMOTE_SCOPE_MISMATCH, entry.id)
            rows += [marked_ahead(clean_row(row), now) for row in chunk]
        return replace(snapshot, rows=rows)


def _is_foreign(row: Row, query: SourceQuery, entry: ConfiguredSource) -> bool:
    return (
        row.source != entry.id
        or row.view is not query.view
        or (query.goal is not None and row.goal != query.goal)
    )


async def chunks(rows: Sequence[Row]) -> AsyncIterator[Sequence[Row]]:
    """All rows, a thousand at a time, with a turn for everyone else in between."""
    for start in range(0, len(rows), CHUNK):
        yield rows[start : start + CHUNK]
        await asyncio.sleep(0)
