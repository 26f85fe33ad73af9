"""Small makers of evidence for tests: rows, snapshots and scopes with the fields that matter."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from steward.model.audience import Scope, ScopeEntry
from steward.model.ids import GoalId, SourceId
from steward.model.reading import ReadFailure, Row, RowStatus, Snapshot, View
from steward.testing.world import EPOCH

PLANS = SourceId("plans")
TRACKER = SourceId("tracker")
PAYMENTS = GoalId("payments")
SEARCH = GoalId("search")
TITLES = {PLANS: "Plans", TRACKER: "Tracker"}


def goal(
    goal_id: GoalId = PAYMENTS,
    status: RowStatus = RowStatus.ACTIVE,
    source: SourceId = PLANS,
    title: str | None = None,
) -> Row:
    return Row(View.PORTFOLIO, source, goal_id, goal_id, title or goal_id.title(), status)


def todo(
    number: int = 1,
    status: RowStatus = RowStatus.OPEN,
    goal_id: GoalId = PAYMENTS,
    source: SourceId = PLANS,
    title: str | None = None,
) -> Row:
    return Row(View.TODOS, source, goal_id, f"t{number}", title or f"Todo {number}", status)


def delivery(
    number: int = 1,
    at: datetime = EPOCH - timedelta(hours=1),
    goal_id: GoalId = PAYMENTS,
    source: SourceId = PLANS,
) -> Row:
    return Row(
        View.DELIVERIES,
        source,
        goal_id,
        f"d{number}",
        f"Delivery {number}",
        RowStatus.DELIVERED,
        at=at,
    )


def handoff(digit: str = "a", goal_id: GoalId = PAYMENTS, source: SourceId = PLANS) -> Row:
    return Row(
        View.HANDOFFS, source, goal_id, digit * 64, f"Handoff {digit}", RowStatus.OPEN, at=EPOCH
    )


def snapshot(
    *rows: Row,
    goals: Iterable[Row] = (goal(),),
    as_of: datetime = EPOCH,
    revision: str = "1",
    complete: bool | None = None,
    gaps: Iterable[ReadFailure] = (),
    reaches_back_to: datetime | None = None,
    goal_as_of: Mapping[GoalId, datetime] | None = None,
) -> Snapshot:
    """`complete` follows from the gaps where a test does not say otherwise."""
    failures = tuple(gaps)
    return Snapshot(
        rows=rows,
        goals={row.goal: row for row in goals},
        as_of=as_of,
        revision=revision,
        complete=not failures if complete is None else complete,
        gaps=failures,
        reaches_back_to=reaches_back_to,
        goal_as_of=goal_as_of or {},
    )


def scope(
    *sources: SourceId, goals: Iterable[GoalId] | None = None, revision: str = "grants-1"
) -> Scope:
    """One grant over these sources; every goal of them unless some are named."""
    chosen = sources or (PLANS,)
    allowed = None if goals is None else frozenset(goals)
    return Scope(chosen, (ScopeEntry(frozenset(chosen), allowed),), revision)
