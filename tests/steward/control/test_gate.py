"""The gate lets out what the audience may see, and names every reason for what it does not. Contract R."""

import asyncio
import json
import logging
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from steward.control.gate import Gate
from steward.control.registry import ConfiguredSource, Sources
from steward.model.audience import Scope, ScopeEntry
from steward.model.ids import GoalId, SourceId
from steward.model.json import Json
from steward.model.reading import (
    ContextCode,
    Coverage,
    CoverageStatus,
    GateCode,
    ReadFailure,
    Reading,
    RowStatus,
    ScanQuery,
    SourceCode,
    SourceQuery,
    ToolCall,
    View,
)
from steward.model.turn import Written
from steward.reading.schema import CONTEXT_TOOL, MANAGER_TOOL
from steward.testing.source import ALL_VIEWS, Hang, Raise, Scene, ScriptedSource
from steward.testing.world import CountedTokens, FakeClock
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

TWO_GOALS = (goal(PAYMENTS), goal(SEARCH))


@dataclass
class Turn:
    """One turn's gate over scripted sources, and what it stored. `scopes` are given out in order."""

    clock: FakeClock
    scenes: dict[SourceId, Iterable[Scene]]
    scopes: list[Scope | ReadFailure]
    tool: str = CONTEXT_TOOL
    written: Written = Written.DONE
    views: frozenset[View] = ALL_VIEWS
    max_page_chars: int = 24_000
    deadline: timedelta = timedelta(seconds=60)
    also: tuple[ConfiguredSource, ...] = ()
    kept: list[Reading] = field(default_factory=list)
    fault: Exception | None = None

    def __post_init__(self) -> None:
        self.asked = 0
        self.sources = {
            source: ScriptedSource(source, scenes, clock=self.clock, views=self.views)
            for source, scenes in self.scenes.items()
        }
        entries = [ConfiguredSource(one.id, one.id.title(), one) for one in self.sources.values()]
        self.gate = Gate(
            tool=self.tool,
            sources=Sources([*entries, *self.also]),
            scope=self._scope,
            keep=self._keep,
            clock=self.clock,
            tokens=CountedTokens(),
            zone=ZoneInfo("Asia/Shanghai"),
            max_page_chars=self.max_page_chars,
            deadline=self.clock.now() + self.deadline,
        )

    async def _scope(self) -> Scope | ReadFailure:
        self.asked += 1
        if self.fault is not None:
            raise self.fault
        return self.scopes[0] if len(self.scopes) == 1 else self.scopes.pop(0)

    async def _keep(self, reading: Reading) -> Written:
        self.kept.append(reading)
        return self.written

    async def call(self, tool: str | None = None, **arguments: Json) -> dict[str, Json]:
        result = await self.gate.call(ToolCall(tool or self.tool, "call-1", arguments))
        shown: dict[str, Json] = json.loads(result.text)
        assert shown["ok"] is result.ok
        return shown

    def queries(self) -> list[SourceQuery]:
        return [query for source in self.sources.values() for query in source.queries]


def turn(clock: FakeClock, *scenes: Scene, within: Scope | None = None) -> Turn:
    return Turn(clock, {PLANS: scenes or (snapshot(todo()),)}, [within or scope()])


def rows(shown: dict[str, Json]) -> list[tuple[str, str]]:
    found = shown["rows"]
    assert isinstance(found, list)
    return [(row["source_id"], row["id"]) for row in found]


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


def coverage(shown: dict[str, Json]) -> dict[str, Json]:
    counted = shown["coverage"]
    assert isinstance(counted, dict)
    return {name: count for name, count in counted.items() if count or name == "complete"}


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
        also=(
            ConfiguredSource(
                unset, "Unset", None, fault=ReadFailure(SourceCode.NOT_CONFIGURED, unset)
            ),
        ),
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

    assert first.citations == ("E1-token-1",)
    assert [cited.citation for cited in scanned.rows] == ["E1-token-1"]
    assert changed.citations == ("E2-token-2",)


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
