"""Evidence for tests of answers: two sources, one goal, Monday noon of 2026-11-30 in Shanghai."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from steward.model.answer import Answer, Claim, ClaimKind, ClaimScope, Judged
from steward.model.ids import CitationId, GoalId, SourceId
from steward.model.reading import (
    ReadFailure,
    Row,
    RowStatus,
    ScanQuery,
    SourceCode,
    View,
)
from steward.model.turn import Language
from steward.policy.answer_rules import settle
from steward.reading.coverage import footer
from steward.testing.reader import Holding, ScriptedReader
from steward.testing.world import EPOCH, FakeClock

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


def reader(holdings: Mapping[SourceId, Holding | ReadFailure]) -> ScriptedReader:
    return ScriptedReader(holdings, clock=FakeClock(NOW), zone=ZONE, titles=TITLES)


async def read(
    holdings: Mapping[SourceId, Holding | ReadFailure], *queries: ScanQuery
) -> ScriptedReader:
    """The portfolio and these queries, read over these sources."""
    scripted = reader(holdings)
    for query in (ScanQuery(View.PORTFOLIO, include_stopped=True), *queries):
        await scripted.scan(query)
    return scripted


def cite(scripted: ScriptedReader, *names: str) -> tuple[CitationId, ...]:
    """The citations of the rows with these ids, in this order."""
    known = {
        cited.row.id: cited.citation for reading in scripted.readings for cited in reading.rows
    }
    return tuple(known[name] for name in names)


def fact(text: str, *cites: CitationId) -> Claim:
    return Claim(text, cites, ClaimKind.FACT)


def absence(scope: ClaimScope | None, text: str = "nothing happened") -> Claim:
    return Claim(text, (), ClaimKind.ABSENCE, scope)


def count(text: str, scope: ClaimScope | None, *cites: CitationId) -> Claim:
    return Claim(text, cites, ClaimKind.COUNT, scope)


def settled(
    scripted: ScriptedReader,
    *claims: Claim,
    language: Language = Language.EN,
    goal: GoalId | None = PAYMENTS,
) -> Answer:
    """The answer that these claims come to over what was read."""
    return settle(
        Judged("overview", claims),
        language=language,
        scope=scripted.scope,
        titles=scripted.titles,
        readings=scripted.readings,
        coverage=footer(scripted.scope, scripted.titles, scripted.readings, goal),
        zone=ZONE,
        now=NOW,
    )


def texts(answer: Answer) -> list[str]:
    return [claim.text for claim in answer.claims]


def stale(rows: Sequence[Row]) -> Holding:
    return Holding(rows, as_of=NOW - timedelta(days=9))
