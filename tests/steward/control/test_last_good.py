"""A source that fails after it was read: what it gave then is shown as old, and never completes anything (R9, R13)."""

import json
from datetime import timedelta

import pytest

from steward.control.lastgood import LastGood
from steward.model.audience import Scope
from steward.model.ids import GoalId
from steward.model.reading import (
    Coverage,
    CoverageStatus,
    GateCode,
    PairCoverage,
    ReadFailure,
    RowStatus,
    ScanQuery,
    Snapshot,
    SourceCode,
    SourceCoverage,
    SourceQuery,
    View,
)
from steward.testing.source import Hang, Raise, Scene
from steward.testing.world import EPOCH, FakeClock
from tests.steward.control.turn import TWO_GOALS, Turn, coverage, rows, turn
from tests.steward.evidence import PAYMENTS, PLANS, SEARCH, delivery, goal, scope, snapshot, todo

DAY = timedelta(days=1)
DOWN = ReadFailure(SourceCode.TIMEOUT, PLANS)
KEPT = ReadFailure(SourceCode.TIMEOUT, PLANS, part=True, kept=True)

pytestmark = pytest.mark.requirement("R13")


@pytest.mark.requirement("R8", "R9", "W1")
@pytest.mark.parametrize("scene", [DOWN, Raise(RuntimeError("out of order"))])
async def test_rows_of_the_last_good_read_are_shown_as_old(clock: FakeClock, scene: Scene) -> None:
    this = turn(clock, snapshot(todo()), scene)

    fresh = await this.call(view="todos")
    old = await this.call(view="todos")

    assert rows(old) == rows(fresh) == [("plans", "t1")]
    assert coverage(old) == {"discovered": 1, "attempted": 1, "stale": 1, "complete": False}
    assert old["unknown"] is True
    [failure] = _objects(old["failures"])
    [row] = _objects(old["rows"])
    assert old["unknown_reasons"] == [failure["code"], "stale"]
    assert row["stale"] is True
    assert old["as_of"] == fresh["as_of"]
    assert failure["stale_rows"] == "remote_goals_may_be_outdated_not_absent"
    assert "outdated, not absent" in str(failure["coverage_effect"])


async def test_what_is_stored_names_the_failure_beside_the_old_rows(clock: FakeClock) -> None:
    this = turn(clock, snapshot(todo()), DOWN)
    await this.gate.scan(ScanQuery(View.TODOS))

    await this.gate.scan(ScanQuery(View.TODOS))

    reading = this.gate.readings[1]
    assert (reading.matched, reading.counts, reading.failures) == (1, {"open": 1}, (KEPT,))
    assert reading.coverage == Coverage(
        discovered=1,
        attempted=1,
        read=0,
        stale=1,
        unreadable=0,
        partial=0,
        not_read=0,
        complete=False,
        pairs=(PairCoverage(PLANS, PAYMENTS, CoverageStatus.STALE, KEPT, EPOCH),),
        sources=(SourceCoverage(PLANS, "Plans", CoverageStatus.STALE, KEPT, EPOCH),),
    )


@pytest.mark.requirement("R8")
async def test_an_empty_list_that_is_old_is_never_a_whole_answer(clock: FakeClock) -> None:
    this = turn(clock, snapshot(), DOWN)
    assert (await this.call(view="todos"))["unknown"] is False

    old = await this.call(view="todos")

    assert (old["matched"], old["unknown"]) == (0, True)
    assert coverage(old) == {"discovered": 1, "attempted": 1, "stale": 1, "complete": False}


@pytest.mark.requirement("A3", "R6")
async def test_old_rows_are_narrowed_to_who_asks_now(clock: FakeClock) -> None:
    held = snapshot(todo(), todo(2, goal_id=SEARCH), goals=TWO_GOALS)
    narrow = scope(PLANS, goals=[PAYMENTS])
    scopes: list[Scope | ReadFailure] = [scope(), scope(), narrow]
    this = Turn(clock, {PLANS: (held, DOWN)}, scopes)
    await this.call(view="todos")

    old = await this.call(view="todos")

    assert rows(old) == [("plans", "t1")]
    assert str(SEARCH) not in json.dumps(old)


@pytest.mark.requirement("R6")
async def test_a_scope_that_changes_meanwhile_drops_old_rows_too(clock: FakeClock) -> None:
    empty = scope(goals=[], revision="grants-2")
    this = Turn(clock, {PLANS: (snapshot(todo()), DOWN)}, [scope(), scope(), scope(), empty])
    await this.call(view="todos")

    refused = await this.call(view="todos")

    assert refused["code"] == "authorization_changed"
    assert "rows" not in refused


@pytest.mark.requirement("R6")
@pytest.mark.parametrize(
    "code",
    [SourceCode.FORBIDDEN, SourceCode.OWNERSHIP_REFUSED, GateCode.REMOTE_SCOPE_MISMATCH],
)
async def test_access_that_was_taken_away_takes_old_rows_with_it(
    clock: FakeClock, code: SourceCode | GateCode
) -> None:
    this = turn(clock, snapshot(todo()), ReadFailure(code, PLANS), DOWN)
    await this.call(view="todos")

    for expected in (code, SourceCode.TIMEOUT):
        refused = await this.call(view="todos")
        assert (refused["ok"], refused["code"]) == (False, expected)


async def test_a_goal_that_the_old_rows_do_not_know_is_not_called_missing(
    clock: FakeClock,
) -> None:
    this = turn(clock, snapshot(todo()), DOWN)
    await this.call(view="todos")

    refused = await this.call(view="todos", goal_id="new")

    assert refused["code"] == "goal_inventory_unavailable"
    assert coverage(refused) == {
        "discovered": 1,
        "attempted": 1,
        "unreadable": 1,
        "complete": False,
    }


async def test_one_goal_is_found_among_what_was_read_of_all(clock: FakeClock) -> None:
    held = snapshot(todo(), todo(2, goal_id=SEARCH), goals=TWO_GOALS)
    this = turn(clock, held, DOWN)
    await this.call(view="todos")

    old = await this.call(view="todos", goal_id=SEARCH)

    assert rows(old) == [("plans", "t2")]
    assert coverage(old) == {"discovered": 1, "attempted": 1, "stale": 1, "complete": False}


async def test_a_stopped_goal_is_served_only_from_what_held_stopped_ones(clock: FakeClock) -> None:
    kept = LastGood()
    stopped = snapshot(goals=[goal(SEARCH, RowStatus.STOPPED)])
    asked = SourceQuery(View.TODOS, goal=SEARCH, include_stopped=True)
    kept.keep(PLANS, SourceQuery(View.TODOS), stopped, EPOCH)
    assert kept.instead(DOWN, asked, DAY, EPOCH) == DOWN

    kept.keep(PLANS, SourceQuery(View.TODOS, include_stopped=True), stopped, EPOCH)
    assert isinstance(kept.instead(DOWN, asked, DAY, EPOCH), Snapshot)


async def test_a_window_is_served_from_a_wider_one_and_never_from_a_narrower(
    clock: FakeClock,
) -> None:
    week = snapshot(delivery(1, EPOCH - 6 * DAY), delivery(2))
    this = turn(clock, week, DOWN)
    await this.call(view="deliveries", days=7)

    assert rows(await this.call(view="deliveries", days=1)) == [("plans", "d2")]
    assert (await this.call(view="deliveries", days=30))["code"] == "timeout"
    assert (await this.call(view="portfolio"))["code"] == "timeout"


async def test_old_rows_have_their_own_gaps_as_well(clock: FakeClock) -> None:
    gap = ReadFailure(SourceCode.PARSE_FAILED, PLANS, SEARCH)
    this = turn(clock, snapshot(todo(), gaps=[gap]), DOWN)
    await this.call(view="todos")

    old = await this.call(view="todos")

    assert [one["code"] for one in _objects(old["failures"])] == ["timeout", "parse_failed"]
    assert coverage(old) == {
        "discovered": 2,
        "attempted": 2,
        "stale": 1,
        "unreadable": 1,
        "complete": False,
    }


async def test_what_recovers_is_fresh_again(clock: FakeClock) -> None:
    this = turn(clock, snapshot(todo()), DOWN, snapshot(todo(2), revision="2"))
    for _ in range(2):
        await this.call(view="todos")

    fresh = await this.call(view="todos")

    assert (rows(fresh), fresh["unknown"]) == ([("plans", "t2")], False)


async def test_after_a_day_old_rows_are_no_evidence_any_more(clock: FakeClock) -> None:
    this = turn(clock, snapshot(todo()), DOWN)
    await this.call(view="todos")
    clock.advance(timedelta(seconds=30))
    assert (await this.call(view="todos"))["ok"] is True

    kept = LastGood()
    kept.keep(PLANS, SourceQuery(View.TODOS), snapshot(todo()), EPOCH)
    query = SourceQuery(View.TODOS)
    for age, max_age, stands_in in (
        (DAY, timedelta(hours=1), True),
        (DAY + timedelta(seconds=1), timedelta(hours=1), False),
        (6 * DAY, 7 * DAY, True),
    ):
        found = kept.instead(DOWN, query, max_age, EPOCH + age)
        assert isinstance(found, Snapshot) is stands_in


@pytest.mark.requirement("R1")
async def test_the_list_of_sources_says_how_each_is_and_when_it_last_was_well(
    clock: FakeClock,
) -> None:
    this = turn(clock, snapshot(todo()), DOWN)

    for expected in (
        {"status": "available", "health": "current", "last_success": "2026-11-30T12:00:00+08:00"},
        {"status": "unreadable", "health": "stale", "last_success": "2026-11-30T12:00:30+08:00"},
    ):
        [row] = _objects((await this.call(view="sources"))["rows"])
        assert {name: row[name] for name in expected} == expected
        clock.advance(timedelta(seconds=30))
        await this.call(view="todos")


async def test_a_source_that_never_answered_is_unread(clock: FakeClock) -> None:
    this = turn(clock, Hang())
    this.gate = turn(clock, DOWN).gate

    [row] = _objects((await this.call(view="sources"))["rows"])

    assert (row["health"], "last_success" in row) == ("unread", False)


def test_what_is_kept_is_bounded_in_snapshots_and_in_rows() -> None:
    kept = LastGood()
    for number in range(100):
        query = SourceQuery(View.TODOS, goal=GoalId(f"g{number}"))
        kept.keep(PLANS, query, snapshot(todo()), EPOCH)
    first, last = (SourceQuery(View.TODOS, goal=GoalId(name)) for name in ("g0", "g99"))

    assert kept.instead(DOWN, first, DAY, EPOCH) == DOWN
    assert isinstance(kept.instead(DOWN, last, DAY, EPOCH), Snapshot)
    many = snapshot(*[todo()] * 150_000, goals=[goal()])
    kept.keep(PLANS, SourceQuery(View.TODOS), many, EPOCH)
    kept.keep(PLANS, SourceQuery(View.PORTFOLIO), many, EPOCH)
    assert kept.instead(DOWN, last, DAY, EPOCH) == DOWN
    assert kept.instead(DOWN, SourceQuery(View.TODOS), DAY, EPOCH) == DOWN
    assert isinstance(kept.instead(DOWN, SourceQuery(View.PORTFOLIO), DAY, EPOCH), Snapshot)


def _objects(shown: object) -> list[dict[str, object]]:
    assert isinstance(shown, list)
    return shown
