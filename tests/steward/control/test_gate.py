"""The gate lets out what the audience may see, and names every reason for what it does not. Contract R."""

import asyncio
import json
import logging
from dataclasses import replace
from datetime import timedelta

import pytest

from steward.control.registry import ConfiguredSource
from steward.model.audience import Scope, ScopeEntry
from steward.model.ids import SourceId
from steward.model.reading import (
    ContextCode,
    GateCode,
    ReadFailure,
    ScanQuery,
    SourceCode,
    ToolCall,
    View,
)
from steward.reading.schema import CONTEXT_TOOL, MANAGER_TOOL
from steward.testing.source import Hang, Raise, ScriptedSource
from steward.testing.world import FakeClock
from tests.steward.control.turn import TWO_GOALS, Turn, coverage, rows, turn
from tests.steward.evidence import (
    PAYMENTS,
    PLANS,
    SEARCH,
    TRACKER,
    delivery,
    goal,
    scope,
    snapshot,
    todo,
)


@pytest.mark.requirement("R1")
@pytest.mark.parametrize("tool", [MANAGER_TOOL, CONTEXT_TOOL])
async def test_only_the_audiences_own_tool_name_is_served(clock: FakeClock, tool: str) -> None:
    this = replace(turn(clock), tool=tool)
    other = MANAGER_TOOL if tool == CONTEXT_TOOL else CONTEXT_TOOL

    assert (await this.call(view="todos"))["ok"] is True
    refused = await this.call(other, view="todos")

    assert refused["code"] == "unsupported_read_tool"
    assert other not in json.dumps(refused)


@pytest.mark.requirement("R3")
async def test_refused_arguments_are_answered_with_what_to_mend(clock: FakeClock) -> None:
    this = turn(clock)

    refused = await this.call(view="todos", days=7, path="/etc/passwd")

    assert refused == {
        "ok": False,
        "code": "invalid_arguments",
        "error": "The arguments of this read were refused. Mend each listed argument as its entry says and "
        "call again.",
        "rejected_arguments": ["unknown_argument:path", "days:only_for_view_deliveries"],
        "allowed_arguments": [
            "view",
            "source_id",
            "days",
            "goal_id",
            "request_id",
            "include_stopped",
            "offset",
            "limit",
        ],
        "allowed_views": ["sources", "portfolio", "todos", "deliveries", "handoffs"],
        "detail": "resend loopx_context_read with only the allowed arguments; each rejected entry names the "
        "argument and what it must be",
        "read_failure": {
            "schema_version": "manager_read_failure_v0",
            "code": "invalid_arguments",
            "source_id": None,
            "coverage_effect": "No evidence was read from this source; it must not be presented as no progress.",
            "next_action": "Mend each listed argument as its entry says and call again.",
        },
    }
    assert (this.asked, this.queries()) == (0, [])


@pytest.mark.requirement("R3")
async def test_text_that_was_no_json_is_refused_by_name(clock: FakeClock) -> None:
    this = turn(clock)
    result = await this.gate.call(ToolCall(CONTEXT_TOOL, "1", b'{"view": "to'))

    assert json.loads(result.text)["rejected_arguments"] == ["arguments:must_be_json_and_an_object"]


@pytest.mark.requirement("R6")
async def test_a_scope_that_cannot_be_known_opens_nothing(clock: FakeClock) -> None:
    unknown = ReadFailure(ContextCode.EXTERNAL_AUTHORIZATION_UNAVAILABLE)
    this = Turn(clock, {PLANS: [snapshot(todo())]}, [unknown])

    assert (await this.call(view="todos"))["code"] == "external_authorization_unavailable"
    assert this.queries() == []


@pytest.mark.requirement("R6")
@pytest.mark.parametrize("view", ["sources", "portfolio", "todos", "deliveries", "handoffs"])
async def test_a_source_outside_the_scope_answers_as_one_that_does_not_exist(
    clock: FakeClock, view: str
) -> None:
    this = Turn(clock, {PLANS: [snapshot()], TRACKER: [snapshot()]}, [scope(PLANS)])

    outside = await this.call(view=view, source_id=TRACKER)
    missing = await this.call(view=view, source_id="nowhere")

    assert outside == missing
    assert outside["code"] == "source_outside_available_scope"
    assert this.queries() == []


@pytest.mark.requirement("R6")
async def test_a_goal_outside_the_scope_answers_as_one_that_does_not_exist(
    clock: FakeClock,
) -> None:
    held = snapshot(todo(), todo(2, goal_id=SEARCH), goals=TWO_GOALS)
    narrow = turn(clock, held, within=scope(PLANS, goals=[PAYMENTS]))
    wide = turn(clock, held)

    outside = await narrow.call(view="todos", goal_id=SEARCH)
    missing = await narrow.call(view="todos", goal_id="nowhere")
    read_and_missing = await wide.call(view="todos", goal_id="nowhere")

    assert outside == missing == read_and_missing
    assert outside["code"] == "goal_outside_available_scope"
    assert narrow.queries() == []
    assert str(SEARCH) not in json.dumps(outside)


@pytest.mark.requirement("R5", "R8")
async def test_a_goal_that_could_not_be_looked_for_everywhere_is_not_called_missing(
    clock: FakeClock,
) -> None:
    this = Turn(
        clock,
        {PLANS: [snapshot()], TRACKER: [ReadFailure(SourceCode.FORBIDDEN, TRACKER)]},
        [scope(PLANS, TRACKER)],
    )

    refused = await this.call(view="todos", goal_id="nowhere")

    assert refused["code"] == "goal_inventory_unavailable"
    assert refused["unknown"] is True
    assert refused["unknown_reasons"] == ["forbidden"]


@pytest.mark.requirement("R6", "A2")
async def test_only_rows_of_granted_goals_come_out(clock: FakeClock) -> None:
    held = snapshot(
        todo(1),
        todo(2, goal_id=SEARCH),
        goals=TWO_GOALS,
        gaps=[ReadFailure(SourceCode.PARSE_FAILED, PLANS, SEARCH)],
    )
    this = turn(clock, held, within=scope(PLANS, goals=[PAYMENTS]))

    shown = await this.call(view="todos")

    assert rows(shown) == [("plans", "t1")]
    assert (shown["matched"], shown["counts"], shown["unknown"]) == (1, {"open": 1}, False)
    assert str(SEARCH) not in json.dumps(shown)
    assert str(SEARCH) not in str(this.kept)


@pytest.mark.requirement("A2")
async def test_grants_are_never_multiplied_with_each_other(clock: FakeClock) -> None:
    within = Scope(
        (PLANS, TRACKER),
        (
            ScopeEntry(frozenset({PLANS}), frozenset({PAYMENTS})),
            ScopeEntry(frozenset({TRACKER}), frozenset({SEARCH})),
        ),
        "r",
    )
    rows_of = {
        source: [
            snapshot(
                todo(1, source=source),
                todo(2, goal_id=SEARCH, source=source),
                goals=[goal(PAYMENTS, source=source), goal(SEARCH, source=source)],
            )
        ]
        for source in (PLANS, TRACKER)
    }
    this = Turn(clock, {**rows_of}, [within])

    assert rows(await this.call(view="todos")) == [("plans", "t1"), ("tracker", "t2")]
    await this.call(view="todos", goal_id=SEARCH)
    assert len(this.sources[PLANS].queries) == 1


@pytest.mark.requirement("R6")
@pytest.mark.parametrize(
    ("second", "code"),
    [
        (scope(revision="grants-2"), "authorization_changed"),
        (
            ReadFailure(ContextCode.EXTERNAL_AUTHORIZATION_UNAVAILABLE),
            "external_authorization_unavailable",
        ),
    ],
)
@pytest.mark.parametrize("view", ["todos", "sources"])
async def test_rows_are_dropped_where_the_scope_changed_during_the_read(
    clock: FakeClock, second: Scope | ReadFailure, code: str, view: str
) -> None:
    this = Turn(clock, {PLANS: [snapshot(todo())]}, [scope(), second])

    refused = await this.call(view=view)

    assert refused["code"] == code
    assert "rows" not in refused
    assert [(reading.rows, reading.coverage.pairs) for reading in this.kept] == [((), ())]


@pytest.mark.requirement("R5")
async def test_a_view_that_no_source_records_is_named(clock: FakeClock) -> None:
    this = replace(turn(clock), views=frozenset({View.PORTFOLIO}))

    refused = await this.call(view="handoffs", source_id=PLANS)

    assert refused["code"] == "invalid_remote_read"
    assert this.queries() == []


@pytest.mark.requirement("R9")
async def test_a_source_whose_kind_does_not_record_the_view_is_not_counted(
    clock: FakeClock,
) -> None:
    other = ScriptedSource(TRACKER, [snapshot()], clock=clock, views=frozenset({View.PORTFOLIO}))
    this = Turn(
        clock,
        {PLANS: [snapshot(delivery())]},
        [scope(PLANS, TRACKER)],
        also=(ConfiguredSource(TRACKER, "Tracker", other),),
    )

    shown = await this.call(view="deliveries")

    assert coverage(shown) == {"discovered": 1, "attempted": 1, "read": 1, "complete": True}
    assert other.queries == []


@pytest.mark.requirement("R4", "R9", "W1")
async def test_one_failed_source_leaves_the_others_evidence_and_is_named(
    clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    names = [SourceId(name) for name in ("raises", "hangs", "fails", "foreign", "unset", "ghost")]
    raises, hangs, fails, foreign, unset, _ghost = names
    this = Turn(
        clock,
        {
            PLANS: [snapshot(todo())],
            raises: [Raise(RuntimeError("a secret of the driver"))],
            hangs: [Hang()],
            fails: [ReadFailure(SourceCode.TOO_LARGE)],
            foreign: [snapshot(todo(source=PLANS))],
        },
        [scope(PLANS, *names)],
        deadline=timedelta(milliseconds=50),
        also=(ConfiguredSource(unset, "Unset", None),),
    )

    async with asyncio.timeout(5):
        shown = await this.call(view="todos")

    assert rows(shown) == [("plans", "t1")]
    assert isinstance(shown["failures"], list)
    assert [(row["source_id"], row["code"]) for row in shown["failures"]] == [
        ("raises", "read_tool_unavailable"),
        ("hangs", "timeout"),
        ("fails", "too_large"),
        ("foreign", "remote_scope_mismatch"),
        ("unset", "not_configured"),
        ("ghost", "not_configured"),
    ]
    assert coverage(shown) == {
        "discovered": 7,
        "attempted": 7,
        "read": 1,
        "unreadable": 6,
        "complete": False,
    }
    assert shown["unknown"] is True
    assert "secret" not in json.dumps(shown)
    assert "a secret of the driver" in caplog.text


@pytest.mark.requirement("R4", "R7", "R8")
async def test_a_read_of_which_no_source_was_read_is_a_refusal(clock: FakeClock) -> None:
    down = ReadFailure(SourceCode.FORBIDDEN, PLANS)
    this = turn(clock, down)

    refused = await this.call(view="todos")

    assert (refused["ok"], refused["code"], refused["unknown"]) == (False, "forbidden", True)
    assert coverage(refused) == {
        "discovered": 1,
        "attempted": 1,
        "unreadable": 1,
        "complete": False,
    }
    assert isinstance(refused["read_failure"], dict)
    assert refused["read_failure"]["source_id"] == "plans"
    assert this.kept[0].refused == down
    assert this.kept[0].failures == (down,)
    assert this.kept[0].coverage.unreadable == 1


@pytest.mark.requirement("R6", "R9")
async def test_an_empty_scope_is_refused_and_not_complete(clock: FakeClock) -> None:
    this = turn(clock, within=Scope((), (), "r"))

    assert (await this.call(view="portfolio"))["code"] == "source_outside_available_scope"
    assert (await this.gate.scan(ScanQuery(View.PORTFOLIO))).coverage.complete is False


@pytest.mark.requirement("R5", "W2")
async def test_a_fault_of_the_gate_itself_is_a_typed_failure_and_goes_to_the_log(
    clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    this = turn(clock)
    this.fault = RuntimeError("/var/lib/secret")

    with caplog.at_level(logging.ERROR):
        refused = await this.call(view="todos")
        scan = await this.gate.scan(ScanQuery(View.TODOS))

    assert refused["code"] == "read_tool_unavailable"
    assert scan.failures == (ReadFailure(GateCode.READ_TOOL_UNAVAILABLE),)
    assert "/var/lib/secret" not in json.dumps(refused)
    assert "/var/lib/secret" in caplog.text
