"""The gate: every read of a turn passes here, and only what the audience may see comes out. Contract R.

Above: an endpoint, which holds it as its Reader. Below: the collector and the sources. The order is R6's: tool,
arguments, scope, source, goal, read, scope again. What lies outside the scope answers exactly as what does not
exist, before anything is opened. Every call is stored as one reading, refusals too, before its result is given.
"""

import base64
import hashlib
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

from steward.control.collect import Collector, chunks
from steward.control.outcomes import (
    Outcome,
    Probed,
    Refused,
    probed_reading,
    read_reading,
    refused_reading,
    scan_of,
)
from steward.control.registry import ConfiguredSource, Sources
from steward.model.audience import Scope
from steward.model.ids import CitationId, GoalId, SourceId
from steward.model.json import Json
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
from steward.model.turn import Written
from steward.ports.world import Clock, Tokens
from steward.reading.arguments import ReadArguments, accepted, rejected_arguments
from steward.reading.attempts import Attempt, narrowed
from steward.reading.coverage import coverage, tally
from steward.reading.evidence import Evidence, evidence
from steward.reading.failures import refusal
from steward.reading.pages import (
    citations,
    dumps,
    invalid_arguments,
    page,
    sources_page,
    unread,
)
from steward.reading.text import clean
from steward.reading.windows import window_start

logger = logging.getLogger(__name__)

SCAN = "scan"
"""The tool's name in the readings of in-process endpoints."""

_MARK_BYTES = 8
"""Of a citation id: 64 bits that nobody can foretell who has not the turn's secret."""


class Gate:
    """The Reader of one turn. `readings` is all that it has stored, in order."""

    def __init__(
        self,
        *,
        tool: str,
        sources: Sources,
        scope: Callable[[], Awaitable[Scope | ReadFailure]],
        keep: Callable[[Reading], Awaitable[Written]],
        clock: Clock,
        tokens: Tokens,
        zone: ZoneInfo,
        max_page_chars: int,
        deadline: datetime,
    ) -> None:
        self._tool = tool
        self._sources = sources
        self._scope = scope
        self._keep = keep
        self._clock = clock
        self._secret = tokens.new().encode()
        self._zone = zone
        self._max_page_chars = max_page_chars
        self._collector = Collector(clock, deadline, sources.last_good)
        self._citations: dict[Row, CitationId] = {}
        self._revisions: dict[ReadArguments, str] = {}
        self._readings: list[Reading] = []

    @property
    def readings(self) -> Sequence[Reading]:
        """What this turn has read, as it was stored."""
        return tuple(self._readings)

    async def call(self, call: ToolCall) -> ToolResult:
        """One call of the read tool; whatever goes wrong is a refusal, never an exception (R5)."""
        try:
            return await self._call(call)
        except Exception:  # the loop's edge: a model gets a typed failure, the log the reason
            logger.exception("the read tool failed")
            return _refusal(refusal(_unavailable().failure))

    async def scan(self, query: ScanQuery) -> Scan:
        """Every row of one view that the audience may read, under the same checks (R14)."""
        try:
            return await self._scan(query)
        except Exception:  # as in `call`: an endpoint gets a typed failure
            logger.exception("a scan failed")
            return scan_of(refused_reading(SCAN, query, _unavailable()))

    async def _call(self, call: ToolCall) -> ToolResult:
        if call.tool != self._tool:
            refused = Refused(ReadFailure(GateCode.UNSUPPORTED_READ_TOOL))
            return await self._refuse(clean(call.tool, 64), None, refused)
        rejected = rejected_arguments(call.arguments)
        if rejected:
            failure = ReadFailure(GateCode.INVALID_ARGUMENTS)
            payload = invalid_arguments(failure, rejected, call.tool)
            return await self._refuse(call.tool, None, Refused(failure), payload)
        arguments = accepted(call.arguments)
        query = self._query(arguments)
        outcome = await self._read(query)
        match outcome:
            case Probed():
                return await self._sources_page(call.tool, outcome)
            case Evidence() if self._is_current(arguments, outcome):
                return await self._page(call.tool, arguments, outcome)
            case Evidence():
                stale = Refused(ReadFailure(GateCode.STALE_SNAPSHOT, query.source))
                return await self._refuse(call.tool, query, stale)
            case Refused():
                return await self._refuse(call.tool, query, outcome)

    async def _scan(self, query: ScanQuery) -> Scan:
        reading = await self._scanned(query, await self._read(query))
        if not await self._stored(reading):
            reading = refused_reading(SCAN, query, _unavailable())
        return scan_of(reading)

    async def _scanned(self, query: ScanQuery, outcome: Outcome) -> Reading:
        match outcome:
            case Evidence():
                return read_reading(SCAN, outcome, await self._cited(outcome.rows))
            case Probed():
                return probed_reading(SCAN, outcome)
            case Refused():
                return refused_reading(SCAN, query, outcome)

    # ------------------------------------------------------------ scope, source, goal, read, scope again

    async def _read(self, query: ScanQuery) -> Outcome:
        scope = await self._scope()
        if isinstance(scope, ReadFailure):
            return Refused(scope)
        chosen = self._chosen(query, scope)
        if isinstance(chosen, ReadFailure):
            return Refused(chosen)
        if query.view is View.SOURCES:
            found: Outcome = await self._probed(query, chosen)
        else:
            found = self._joined(query, scope, await self._collector.read(chosen, query))
        again = await self._scope()
        if isinstance(again, ReadFailure):
            return Refused(again)
        if again != scope:
            return Refused(ReadFailure(GateCode.AUTHORIZATION_CHANGED))
        return found

    def _chosen(self, query: ScanQuery, scope: Scope) -> list[ConfiguredSource] | ReadFailure:
        """The sources to open. Nothing is opened to find out."""
        ids = [source for source in scope.sources if query.source in {None, source}]
        if not ids:
            return ReadFailure(GateCode.SOURCE_OUTSIDE_AVAILABLE_SCOPE)
        goal = query.goal
        if goal is not None:
            ids = [source for source in ids if scope.allows(source, goal)]
            if not ids:
                return _no_such_goal(query)
        entries = [self._sources.of(source) for source in ids]
        if query.view is View.SOURCES:
            return entries
        serving = [
            entry for entry in entries if entry.source is None or query.view in entry.source.views
        ]
        return serving or ReadFailure(GateCode.INVALID_REMOTE_READ, query.source)

    async def _probed(self, query: ScanQuery, chosen: Sequence[ConfiguredSource]) -> Probed:
        pairs = await self._collector.probe(chosen)
        sources = [entry.id for entry in chosen]
        last_good, now = self._sources.last_good, self._clock.now()
        return Probed(
            query,
            pairs,
            tally(pairs, sources, self._sources.titles),
            seen=dict(last_good.seen),
            kept=frozenset(one.id for one in chosen if last_good.holds(one.id, one.max_age, now)),
        )

    def _joined(self, query: ScanQuery, scope: Scope, attempts: Sequence[Attempt]) -> Outcome:
        """Narrow to the scope, and tell a goal that is not there from one that could not be looked for.

        One handoff that is asked for by its number and not found is a refusal, never an empty list (R5).
        """
        attempts = [narrowed(attempt, scope, query.goal, query.since) for attempt in attempts]
        now = self._clock.now()
        counted = coverage(attempts, query.goal, now, self._sources.titles)
        failed = [one.outcome for one in attempts if isinstance(one.outcome, ReadFailure)]
        if len(failed) == len(attempts):
            return Refused(failed[0], failed, counted)
        if query.goal is not None and not _lists(attempts, query.goal):
            gaps = [gap for one in attempts for gap in _gaps(one)]
            if not gaps:
                return Refused(_no_such_goal(query))
            unlisted = ReadFailure(GateCode.GOAL_INVENTORY_UNAVAILABLE, query.source)
            return Refused(unlisted, gaps, counted)
        found = evidence(attempts, query, now=now, zone=self._zone, titles=self._sources.titles)
        if query.request_id is not None and not found.rows:
            gaps = [gap for one in attempts for gap in _gaps(one)]
            return Refused(_no_such_handoff(query), gaps, counted)
        return found

    # ------------------------------------------------------------ results

    async def _page(self, tool: str, arguments: ReadArguments, found: Evidence) -> ToolResult:
        offset = arguments.offset
        cited = await self._cited(found.rows[offset : offset + arguments.limit])
        made = page(found, cited, offset=offset, zone=self._zone, max_chars=self._max_page_chars)
        if not await self._stored(read_reading(tool, found, made.rows)):
            return _refusal(refusal(_unavailable().failure))
        return ToolResult(made.text, ok=True, citations=citations(made.rows))

    async def _sources_page(self, tool: str, found: Probed) -> ToolResult:
        text = sources_page(
            found.query.source,
            found.pairs,
            found.coverage,
            seen=found.seen,
            kept=found.kept,
            titles=self._sources.titles,
            zone=self._zone,
            max_chars=self._max_page_chars,
        )
        if not await self._stored(probed_reading(tool, found)):
            return _refusal(refusal(_unavailable().failure))
        return ToolResult(text, ok=True)

    async def _refuse(
        self,
        tool: str,
        query: ScanQuery | None,
        refused: Refused,
        payload: dict[str, Json] | None = None,
    ) -> ToolResult:
        await self._stored(refused_reading(tool, query, refused))
        if payload is None and refused.coverage.discovered:
            payload = unread(
                refused.failure, refused.failures, refused.coverage, self._max_page_chars
            )
        return _refusal(payload or refusal(refused.failure))

    def _query(self, arguments: ReadArguments) -> ScanQuery:
        deliveries = arguments.view is View.DELIVERIES
        return ScanQuery(
            view=arguments.view,
            source=SourceId(arguments.source_id) if arguments.source_id is not None else None,
            goal=GoalId(arguments.goal_id) if arguments.goal_id is not None else None,
            since=(
                window_start(arguments.days, self._clock.now(), self._zone) if deliveries else None
            ),
            request_id=arguments.request_id,
            include_stopped=arguments.include_stopped,
        )

    def _is_current(self, arguments: ReadArguments, found: Evidence) -> bool:
        """R7: a later page belongs to the rows that the first one was cut from, or is refused."""
        asked = replace(arguments, offset=0, limit=1)
        known = self._revisions.get(asked)
        if arguments.offset > 0 and known is not None and known != found.revision:
            return False
        self._revisions[asked] = found.revision
        return True

    async def _cited(self, rows: Sequence[Row]) -> list[Cited]:
        """Rows under ids that hold for the turn; the same row keeps its id when it is read again."""
        cited: list[Cited] = []
        async for chunk in chunks(rows):
            cited += [Cited(self._citation(row), row) for row in chunk]
        return cited

    def _citation(self, row: Row) -> CitationId:
        known = self._citations.get(row)
        if known is None:
            number = len(self._citations) + 1
            known = CitationId(f"E{number}-{self._mark(number)}")
            self._citations[row] = known
        return known

    def _mark(self, number: int) -> str:
        """Made of the turn's one secret: asking the system for thousands would let go of the interpreter each time."""
        made = hashlib.blake2b(str(number).encode(), key=self._secret, digest_size=_MARK_BYTES)
        return base64.urlsafe_b64encode(made.digest()).decode().rstrip("=")

    async def _stored(self, reading: Reading) -> bool:
        """False: the turn is over, and nobody may build on what was read."""
        if await self._keep(reading) is Written.LOST:
            return False
        self._readings.append(reading)
        return True


def _gaps(attempt: Attempt) -> Sequence[ReadFailure]:
    outcome = attempt.outcome
    return [outcome] if isinstance(outcome, ReadFailure) else outcome.gaps


def _lists(attempts: Sequence[Attempt], goal: GoalId) -> bool:
    """Whether some source holds the goal, readable or not."""
    return any(
        isinstance(one.outcome, Snapshot)
        and (goal in one.outcome.goals or any(gap.goal == goal for gap in one.outcome.gaps))
        for one in attempts
    )


def _no_such_handoff(query: ScanQuery) -> ReadFailure:
    return ReadFailure(GateCode.HANDOFF_QUERY_UNAVAILABLE_OR_INVALID, query.source)


def _no_such_goal(query: ScanQuery) -> ReadFailure:
    """The same for a goal outside the scope and for one that does not exist (R6)."""
    return ReadFailure(GateCode.GOAL_OUTSIDE_AVAILABLE_SCOPE, query.source)


def _unavailable() -> Refused:
    """The program's own fault, or a turn that is over: nobody may build on what was read."""
    return Refused(ReadFailure(GateCode.READ_TOOL_UNAVAILABLE))


def _refusal(payload: dict[str, Json]) -> ToolResult:
    return ToolResult(dumps(payload), ok=False)
