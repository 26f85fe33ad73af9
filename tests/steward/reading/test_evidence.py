"""Attempts become one body of evidence: matched rows, counts, failures, and what is unknown (R7, R8)."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from steward.model.reading import (
    ReadFailure,
    Row,
    RowStatus,
    ScanQuery,
    Snapshot,
    SourceCode,
    View,
)
from steward.reading.attempts import Attempt, narrowed
from steward.reading.evidence import Evidence, evidence
from steward.testing.world import EPOCH
from tests.steward.evidence import (
    PAYMENTS,
    PLANS,
    SEARCH,
    TITLES,
    TRACKER,
    delivery,
    goal,
    handoff,
    scope,
    snapshot,
    todo,
)

SHANGHAI = ZoneInfo("Asia/Shanghai")


def found(query: ScanQuery, *outcomes: Snapshot | ReadFailure) -> Evidence:
    ids = (PLANS, TRACKER)[: len(outcomes)]
    attempts = [
        narrowed(
            Attempt(source, outcome, timedelta(hours=24)), scope(*ids), query.goal, query.since
        )
        for source, outcome in zip(ids, outcomes, strict=True)
    ]
    return evidence(attempts, query, now=EPOCH, zone=SHANGHAI, titles=TITLES)


def ids(rows: Evidence) -> list[str]:
    return [row.id for row in rows.rows]


@pytest.mark.requirement("R7")
def test_counts_are_of_all_matched_rows_by_status() -> None:
    rows = [todo(n, RowStatus.OPEN) for n in range(20)] + [todo(30, RowStatus.BLOCKED)]

    assert found(ScanQuery(View.TODOS), snapshot(*rows)).counts == {"open": 20, "blocked": 1}


@pytest.mark.requirement("R7", "R11")
def test_deliveries_are_counted_by_the_local_day_newest_rows_first() -> None:
    late = datetime(2026, 11, 29, 15, 59, tzinfo=UTC)  # 23:59 in Shanghai
    rows = [delivery(1, late), delivery(2, late + timedelta(minutes=1)), delivery(3, late)]

    read = found(ScanQuery(View.DELIVERIES), snapshot(*rows))

    assert read.counts == {"2026-11-29": 2, "2026-11-30": 1}
    assert ids(read) == ["d2", "d1", "d3"]


@pytest.mark.requirement("R11")
def test_a_window_is_kept_whatever_a_source_returns() -> None:
    rows = [delivery(1), delivery(2, EPOCH - timedelta(days=3)), replace(delivery(3), at=None)]

    read = found(ScanQuery(View.DELIVERIES, since=EPOCH - timedelta(days=1)), snapshot(*rows))

    assert ids(read) == ["d1"]


def test_one_handoff_is_found_by_its_request() -> None:
    query = ScanQuery(View.HANDOFFS, request_id="b" * 64)

    assert ids(found(query, snapshot(handoff("a"), handoff("b")))) == ["b" * 64]


@pytest.mark.requirement("R1")
def test_stopped_goals_and_their_todos_are_left_out_unless_asked_for() -> None:
    stopped = goal(SEARCH, RowStatus.STOPPED)
    goals = (goal(), stopped)
    todos = snapshot(todo(1), todo(2, goal_id=SEARCH), goals=goals)
    portfolio = snapshot(*goals, goals=goals)

    hidden = found(ScanQuery(View.TODOS), todos)
    assert (ids(hidden), hidden.stopped_excluded) == (["t1"], 1)
    assert ids(found(ScanQuery(View.TODOS, include_stopped=True), todos)) == ["t1", "t2"]
    assert ids(found(ScanQuery(View.TODOS, goal=SEARCH), todos)) == ["t2"]
    assert ids(found(ScanQuery(View.PORTFOLIO), portfolio)) == ["payments"]
    assert ids(found(ScanQuery(View.PORTFOLIO, include_stopped=True), portfolio)) == [
        "payments",
        "search",
    ]


def test_deliveries_of_a_stopped_goal_are_evidence_all_the_same() -> None:
    read = found(
        ScanQuery(View.DELIVERIES), snapshot(delivery(), goals=(goal(PAYMENTS, RowStatus.STOPPED),))
    )

    assert (ids(read), read.stopped_excluded) == (["d1"], 0)


@pytest.mark.requirement("R8")
def test_whatever_keeps_rows_from_being_known_is_a_reason() -> None:
    gaps = [
        ReadFailure(SourceCode.PARSE_FAILED, PLANS, PAYMENTS, 2),
        ReadFailure(SourceCode.PARSE_FAILED, PLANS, PAYMENTS, 3),
    ]
    old = EPOCH - timedelta(days=2)
    read = found(
        ScanQuery(View.TODOS),
        snapshot(todo(1, RowStatus.UNKNOWN), gaps=gaps, as_of=old),
        ReadFailure(SourceCode.TIMEOUT, TRACKER),
    )

    assert read.unknown_reasons == ("parse_failed", "timeout", "contract_changed", "stale")
    assert read.failures == (
        ReadFailure(SourceCode.PARSE_FAILED, PLANS, PAYMENTS, 5, part=True),
        ReadFailure(SourceCode.TIMEOUT, TRACKER),
    )
    assert read.stale == {(PLANS, PAYMENTS)}
    assert read.as_of == old


@pytest.mark.requirement("R8")
def test_a_whole_and_fresh_read_leaves_nothing_unknown() -> None:
    read = found(ScanQuery(View.TODOS), snapshot())

    assert (read.unknown_reasons, read.failures, read.coverage.complete) == ((), (), True)


@pytest.mark.requirement("R10")
def test_the_reader_is_told_where_reading_began() -> None:
    reach = EPOCH - timedelta(days=3)
    query = ScanQuery(View.DELIVERIES, since=EPOCH - timedelta(days=7))

    read = found(query, snapshot(delivery(), reaches_back_to=reach))

    assert read.reading_began == reach
    assert read.unknown_reasons == ("truncated",)


@pytest.mark.requirement("R7")
def test_the_revision_follows_every_source_and_the_window() -> None:
    query = ScanQuery(View.TODOS)
    first = found(query, snapshot(), snapshot(goals=())).revision

    assert found(query, snapshot(), snapshot(goals=())).revision == first
    changed = [
        found(query, snapshot(revision="2"), snapshot(goals=())),
        found(query, snapshot(), ReadFailure(SourceCode.TIMEOUT, TRACKER)),
        found(replace(query, since=EPOCH), snapshot(), snapshot(goals=())),
    ]
    assert first not in {read.revision for read in changed}


def test_rows_of_two_goals_that_look_alike_stay_apart() -> None:
    alike: list[Row] = [todo(1, title="Test plan"), todo(1, goal_id=SEARCH, title="Test plan")]

    read = found(
        ScanQuery(View.TODOS),
        snapshot(*alike, goals=(goal(title="Same"), goal(SEARCH, title="Same"))),
    )

    assert [(row.goal, row.id) for row in read.rows] == [(PAYMENTS, "t1"), (SEARCH, "t1")]
