"""Evidence for tests of answers: two sources, one goal, Monday noon of 2026-11-30 in Shanghai."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from steward.control.gate import Gate
from steward.control.registry import ConfiguredSource, Sources
from steward.model.answer import Answer, Claim, ClaimKind, ClaimScope, Judged
from steward.model.audience import Scope, ScopeEntry
from steward.model.ids import CitationId, GoalId, SourceId
from steward.model.reading import (
    ReadFailure,
    Reading,
    Row,
    RowStatus,
    Scan,
    ScanQuery,
    Snapshot,
    SourceCode,
    ToolCall,
    ToolResult,
    View,
)
from steward.model.turn import Language, Written
from steward.policy.answer_rules import settle
from steward.reading.coverage import footer
from steward.reading.schema import CONTEXT_TOOL
from steward.testing.source import Scene, ScriptedSource
from steward.testing.world import EPOCH, CountedTokens, FakeClock

ZONE = ZoneInfo("Asia/Shanghai")
NOW = EPOCH
PLANS, GITLAB = SourceId("plans"), SourceId("gitlab")
TITLES = {PLANS: "Plans", GITLAB: "GitLab"}
PAYMENTS = GoalId("payments")
WEEK_AGO = datetime(2026, 11, 23, tzinfo=ZONE)
TIMED_OUT = ReadFailure(SourceCode.TIMEOUT)


def local(day: int, hour: int = 9) -> datetime:
    return datetime(2026, 11, day, hour, tzinfo=ZONE)


def goal(
    title: str = "Payment gateway",
    *,
    source: SourceId = PLANS,
    goal: GoalId = PAYMENTS,
    status: RowStatus = RowStatus.ACTIVE,
    aliases: tuple[str, ...] = (),
) -> Row:
    return Row(View.PORTFOLIO, source, goal, goal, title, status, owner="Lin", aliases=aliases)


def todo(
    name: str,
    status: RowStatus = RowStatus.OPEN,
    *,
    source: SourceId = PLANS,
    goal: GoalId = PAYMENTS,
    due: date | None = None,
    blocked_by: str | None = None,
) -> Row:
    return Row(
        View.TODOS,
        source,
        goal,
        name,
        name.capitalize(),
        status,
        owner="Wei",
        due=due,
        blocked_by=blocked_by,
        updated=local(28),
    )


def delivery(name: str, at: datetime, *, source: SourceId = PLANS, link: str | None = None) -> Row:
    return Row(
        View.DELIVERIES,
        source,
        PAYMENTS,
        name,
        name.capitalize(),
        RowStatus.DELIVERED,
        owner="Wei",
        at=at,
        link=link,
    )


def handoff(name: str, status: RowStatus = RowStatus.OPEN) -> Row:
    return Row(
        View.HANDOFFS,
        PLANS,
        PAYMENTS,
        name,
        name.capitalize(),
        status,
        owner="Wei",
        to="QA",
        at=local(26),
    )


def held(
    *rows: Row,
    as_of: datetime = NOW,
    gaps: Sequence[ReadFailure] = (),
    complete: bool = True,
) -> Snapshot:
    """What a source holds: rows of any view, its goals among them."""
    goals = {row.goal: row for row in rows if row.view is View.PORTFOLIO}
    return Snapshot(rows, goals, as_of, revision="r1", complete=complete, gaps=gaps)


class Evidence:
    """The gate over scripted sources, and beside it what an answer is settled with.

    A source that is a failure cannot be read. `readings` are those of the turn; a test may change them.
    """

    def __init__(self, sources: Mapping[SourceId, Scene]) -> None:
        clock = FakeClock(NOW)
        self.readings: list[Reading] = []
        self.scope = Scope(
            tuple(sources), (ScopeEntry(frozenset(sources), None),), revision="scripted"
        )
        self.titles = {source: TITLES[source] for source in sources}
        self._gate = Gate(
            tool=CONTEXT_TOOL,
            sources=Sources(
                ConfiguredSource(
                    source, self.titles[source], ScriptedSource(source, [scene], clock=clock)
                )
                for source, scene in sources.items()
            ),
            scope=self._scope,
            keep=self._keep,
            clock=clock,
            tokens=CountedTokens(),
            zone=ZONE,
            max_page_chars=8_000,
            deadline=NOW + timedelta(seconds=30),
        )

    async def call(self, call: ToolCall) -> ToolResult:
        return await self._gate.call(call)

    async def scan(self, query: ScanQuery) -> Scan:
        return await self._gate.scan(query)

    async def _scope(self) -> Scope | ReadFailure:
        return self.scope

    async def _keep(self, reading: Reading) -> Written:
        self.readings.append(reading)
        return Written.DONE


async def read(sources: Mapping[SourceId, Scene], *queries: ScanQuery) -> Evidence:
    """The portfolio and these queries, read over these sources."""
    evidence = Evidence(sources)
    for query in (ScanQuery(View.PORTFOLIO, include_stopped=True), *queries):
        await evidence.scan(query)
    return evidence


def cite(evidence: Evidence, *names: str) -> tuple[CitationId, ...]:
    """The citations of the rows with these ids, in this order."""
    known = {
        cited.row.id: cited.citation for reading in evidence.readings for cited in reading.rows
    }
    return tuple(known[name] for name in names)


def fact(text: str, *cites: CitationId) -> Claim:
    return Claim(text, cites, ClaimKind.FACT)


def absence(scope: ClaimScope | None, text: str = "nothing happened") -> Claim:
    return Claim(text, (), ClaimKind.ABSENCE, scope)


def count(text: str, scope: ClaimScope | None, *cites: CitationId) -> Claim:
    return Claim(text, cites, ClaimKind.COUNT, scope)


def settled(
    evidence: Evidence,
    *claims: Claim,
    language: Language = Language.EN,
    goal: GoalId | None = PAYMENTS,
) -> Answer:
    """The answer that these claims come to over what was read."""
    return settle(
        Judged("overview", claims),
        language=language,
        scope=evidence.scope,
        titles=evidence.titles,
        readings=evidence.readings,
        coverage=footer(evidence.scope, evidence.titles, evidence.readings, goal),
        zone=ZONE,
        now=NOW,
    )


def texts(answer: Answer) -> list[str]:
    return [claim.text for claim in answer.claims]


def stale(*rows: Row) -> Snapshot:
    return held(*rows, as_of=NOW - timedelta(days=9))
