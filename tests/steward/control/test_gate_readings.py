"""What comes out of the gate: pages, citations, scans, and the readings that are stored. Contract R."""

import asyncio
import json
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from steward.model.ids import GoalId, SourceId
from steward.model.json import Json
from steward.model.reading import (
    Coverage,
    CoverageStatus,
    GateCode,
    ReadFailure,
    RowStatus,
    ScanQuery,
    SourceCode,
    ToolCall,
    View,
)
from steward.model.turn import Written
from steward.reading.schema import CONTEXT_TOOL
from steward.testing.source import Hang, Raise
from steward.testing.world import CountedTokens, FakeClock
from tests.steward.control.turn import TWO_GOALS, Turn, coverage, rows, turn
from tests.steward.evidence import (
    PAYMENTS,
    PLANS,
    SEARCH,
    TRACKER,
    delivery,
    goal,
    handoff,
    scope,
    snapshot,
    todo,
)


@pytest.mark.requirement("R7")
async def test_a_later_page_of_changed_content_is_refused_until_one_begins_again(
    clock: FakeClock,
) -> None:
    many = [todo(number) for number in range(10)]
    before, after = snapshot(*many), snapshot(*many[1:], revision="2")
    this = turn(clock, before, before, after, after, after, after)

    first = await this.call(view="todos", limit=4)
    second = await this.call(view="todos", limit=4, offset=4)
    third = await this.call(view="todos", limit=4, offset=8)
    again = await this.call(view="todos", limit=4, offset=8)
    anew = await this.call(view="todos", limit=12)
    last = await this.call(view="todos", limit=2, offset=8)

    assert first["snapshot_id"] == second["snapshot_id"]
    assert (third["code"], again["code"]) == ("stale_snapshot", "stale_snapshot")
    assert "offset 0" in str(third["error"])
    assert rows(anew) == [("plans", f"t{number}") for number in range(1, 10)]
    assert rows(last) == [("plans", "t9")]


@pytest.mark.requirement("R7")
async def test_pages_of_different_reads_do_not_make_each_other_stale(clock: FakeClock) -> None:
    first, second = snapshot(todo()), snapshot(todo(), revision="2")
    this = turn(clock, first, second, second)

    await this.call(view="todos")
    await this.call(view="todos", goal_id=PAYMENTS)

    assert (await this.call(view="todos", goal_id=PAYMENTS, offset=1))["ok"] is True


@pytest.mark.requirement("R2")
async def test_a_row_keeps_its_citation_for_the_turn_and_a_changed_row_gets_its_own(
    clock: FakeClock,
) -> None:
    this = turn(clock, snapshot(todo()), snapshot(todo()), snapshot(todo(1, RowStatus.DONE)))

    first = await this.gate.call(ToolCall(CONTEXT_TOOL, "1", {"view": "todos"}))
    scanned = await this.gate.scan(ScanQuery(View.TODOS))
    changed = await this.gate.call(ToolCall(CONTEXT_TOOL, "2", {"view": "todos"}))

    assert [cited.citation for cited in scanned.rows] == list(first.citations)
    assert changed.citations != first.citations


@pytest.mark.requirement("R2")
async def test_a_citation_of_one_turn_tells_nothing_of_another_citation_or_turn(
    clock: FakeClock,
) -> None:
    todos = snapshot(*[todo(number) for number in range(2)])
    gates = [turn(clock, todos, tokens=CountedTokens(name)).gate for name in ("one", "other")]

    scans = [await gate.scan(ScanQuery(View.TODOS)) for gate in gates]

    marks = [cited.citation.partition("-")[2] for scan in scans for cited in scan.rows]
    assert len(set(marks)) == 4
    assert min(map(len, marks)) >= 10


@pytest.mark.requirement("R2", "R7")
async def test_only_rows_that_a_page_holds_can_be_cited(clock: FakeClock) -> None:
    this = turn(clock, snapshot(*[todo(number) for number in range(10)]))

    shown = await this.gate.call(ToolCall(CONTEXT_TOOL, "1", {"view": "todos", "limit": 3}))

    (kept,) = this.kept
    assert tuple(cited.citation for cited in kept.rows) == shown.citations
    assert [cited.row.id for cited in kept.rows] == ["t0", "t1", "t2"]
    assert (kept.matched, kept.counts) == (10, {"open": 10})


@pytest.mark.requirement("R14")
async def test_a_scan_returns_every_row_under_the_same_checks_as_one_reading(
    clock: FakeClock,
) -> None:
    many = [todo(number) for number in range(500)]
    this = turn(clock, snapshot(*many, todo(900, goal_id=SEARCH), goals=TWO_GOALS))
    this.scopes = [scope(PLANS, goals=[PAYMENTS])]

    scan = await this.gate.scan(ScanQuery(View.TODOS))

    (kept,) = this.kept
    assert [cited.row for cited in scan.rows] == many
    assert (kept.tool, kept.rows, kept.matched) == ("scan", scan.rows, 500)
    assert (scan.counts, scan.coverage.complete, scan.unknown_reasons) == ({"open": 500}, True, ())
    assert this.asked == 2
    assert this.gate.readings == (kept,)


@pytest.mark.requirement("R14")
async def test_a_refused_scan_says_why_and_is_stored(clock: FakeClock) -> None:
    this = Turn(clock, {PLANS: [snapshot(todo())]}, [scope(), scope(revision="2")])

    scan = await this.gate.scan(ScanQuery(View.TODOS))

    assert (scan.rows, scan.failures) == ((), (ReadFailure(GateCode.AUTHORIZATION_CHANGED),))
    assert this.kept[0].refused == ReadFailure(GateCode.AUTHORIZATION_CHANGED)


async def test_a_scan_of_the_sources_holds_no_rows(clock: FakeClock) -> None:
    this = turn(clock, ReadFailure(SourceCode.FORBIDDEN, PLANS))

    scan = await this.gate.scan(ScanQuery(View.SOURCES))

    assert (scan.rows, scan.failures) == ((), (ReadFailure(SourceCode.FORBIDDEN, PLANS),))
    assert scan.coverage.unreadable == 1


async def test_every_call_is_stored_refusals_too(clock: FakeClock) -> None:
    this = turn(clock)

    await this.call("other_tool", view="todos")
    await this.call(view="nothing")
    await this.call(view="todos", source_id="nowhere")
    await this.call(view="sources")
    await this.call(view="todos")

    assert [
        (reading.tool, reading.refused and reading.refused.code, len(reading.rows))
        for reading in this.kept
    ] == [
        ("other_tool", GateCode.UNSUPPORTED_READ_TOOL, 0),
        (CONTEXT_TOOL, GateCode.INVALID_ARGUMENTS, 0),
        (CONTEXT_TOOL, GateCode.SOURCE_OUTSIDE_AVAILABLE_SCOPE, 0),
        (CONTEXT_TOOL, None, 0),
        (CONTEXT_TOOL, None, 1),
    ]
    assert this.gate.readings == tuple(this.kept)


async def test_a_turn_that_is_over_is_given_no_rows(clock: FakeClock) -> None:
    this = replace(turn(clock), written=Written.LOST)

    refused = await this.call(view="todos")
    listed = await this.call(view="sources")
    scan = await this.gate.scan(ScanQuery(View.TODOS))

    assert refused["code"] == listed["code"] == "read_tool_unavailable"
    assert (scan.rows, scan.coverage) == ((), Coverage(0, 0, 0, 0, 0, 0, 0, complete=False))
    assert this.gate.readings == ()


async def test_sources_are_listed_with_what_is_wrong_and_nothing_is_read(clock: FakeClock) -> None:
    old = snapshot(as_of=clock.now() - timedelta(hours=25))
    broken, stale = SourceId("broken"), SourceId("stale")
    this = Turn(
        clock,
        {
            PLANS: [snapshot()],
            stale: [old],
            broken: [Raise(OSError("disk"))],
            TRACKER: [Hang()],
        },
        [scope(PLANS, stale, broken, TRACKER)],
        deadline=timedelta(milliseconds=50),
    )

    async with asyncio.timeout(5):
        shown = await this.call(view="sources")

    assert isinstance(shown["rows"], list)
    assert [(row["source_id"], row["status"], row.get("code")) for row in shown["rows"]] == [
        ("plans", "available", None),
        ("stale", "stale", None),
        ("broken", "unreadable", "read_tool_unavailable"),
        ("tracker", "unreadable", "timeout"),
    ]
    assert this.queries() == []
    assert [pair.status for pair in this.kept[0].coverage.pairs] == [
        CoverageStatus.READ,
        CoverageStatus.STALE,
        CoverageStatus.UNREADABLE,
        CoverageStatus.UNREADABLE,
    ]


@pytest.mark.requirement("R11")
async def test_days_become_a_window_from_local_midnight(clock: FakeClock) -> None:
    this = turn(clock, snapshot(delivery()))

    shown = await this.call(view="deliveries", days=2)

    midnight = datetime.fromisoformat("2026-11-28T00:00:00+08:00")
    assert [query.since for query in this.queries()] == [midnight]
    assert (shown["window_start"], shown["window_end"]) == ("2026-11-28T00:00:00+08:00", None)


@pytest.mark.requirement("R11")
async def test_a_row_ahead_of_our_clock_is_marked(clock: FakeClock) -> None:
    this = turn(clock, snapshot(delivery(at=clock.now() + timedelta(hours=1))))

    shown = await this.call(view="deliveries")

    assert isinstance(shown["rows"], list)
    assert shown["rows"][0]["ahead"] is True


async def test_what_others_wrote_is_cleaned_before_anyone_sees_it(clock: FakeClock) -> None:
    this = turn(clock, snapshot(todo(title="pay\u202ements\n\u200b" + "x" * 500)))

    scan = await this.gate.scan(ScanQuery(View.TODOS))
    shown = await this.call(view="todos")

    title = scan.rows[0].row.title
    assert title.startswith("payments x")
    assert len(title) == 400
    assert "\u202e" not in json.dumps(shown, ensure_ascii=False)


async def test_one_handoff_is_read_by_its_request(clock: FakeClock) -> None:
    this = turn(clock, snapshot(handoff("a"), handoff("b")))

    assert rows(await this.call(view="handoffs", request_id="b" * 64)) == [("plans", "b" * 64)]


@pytest.mark.requirement("R4", "R5", "R6")
async def test_a_handoff_that_is_not_found_is_refused_and_never_an_empty_list(
    clock: FakeClock,
) -> None:
    this = turn(clock, snapshot(handoff("a")))

    refused = await this.call(view="handoffs", request_id="f" * 64)

    assert (refused["ok"], refused["code"]) == (False, "handoff_query_unavailable_or_invalid")
    assert "rows" not in refused


@pytest.mark.requirement("R7")
async def test_pages_keep_within_the_endpoints_bound(clock: FakeClock) -> None:
    long = [todo(number, title="网" * 400) for number in range(12)]
    this = replace(turn(clock, snapshot(*long)), max_page_chars=3000)

    seen: list[tuple[str, str]] = []
    offset: Json = 0
    while offset is not None:
        result = await this.gate.call(
            ToolCall(CONTEXT_TOOL, "1", {"view": "todos", "limit": 12, "offset": offset})
        )
        assert len(result.text) <= 3000
        shown = json.loads(result.text)
        seen += rows(shown)
        offset = shown["next_offset"]

    assert seen == [("plans", f"t{number}") for number in range(12)]


async def test_reads_of_all_sources_run_at_once(clock: FakeClock) -> None:
    hanging = {SourceId(f"s{number}"): [Hang()] for number in range(20)}
    this = Turn(clock, {**hanging}, [scope(*hanging)], deadline=timedelta(milliseconds=100))

    async with asyncio.timeout(1.5):
        refused = await this.call(view="todos")

    assert refused["code"] == "timeout"


async def test_a_cancelled_turn_is_not_answered(clock: FakeClock) -> None:
    this = turn(clock, Hang())

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await this.call(view="todos")

    assert this.kept == []


@pytest.mark.requirement("R1")
async def test_a_goal_that_is_named_is_read_even_where_it_is_stopped(clock: FakeClock) -> None:
    this = turn(clock, snapshot(todo(), goals=[goal(PAYMENTS, RowStatus.STOPPED)]))

    assert rows(await this.call(view="todos")) == []
    assert rows(await this.call(view="todos", goal_id=PAYMENTS)) == [("plans", "t1")]
    assert [query.include_stopped for query in this.queries()] == [False, True]


async def test_a_goal_named_in_two_sources_is_read_in_both(clock: FakeClock) -> None:
    this = Turn(
        clock,
        {
            PLANS: [snapshot(todo())],
            TRACKER: [snapshot(todo(2, source=TRACKER), goals=[goal(PAYMENTS, source=TRACKER)])],
        },
        [scope(PLANS, TRACKER)],
    )

    shown = await this.call(view="todos", goal_id=GoalId("payments"))

    assert rows(shown) == [("plans", "t1"), ("tracker", "t2")]
    assert coverage(shown) == {"discovered": 2, "attempted": 2, "read": 2, "complete": True}
