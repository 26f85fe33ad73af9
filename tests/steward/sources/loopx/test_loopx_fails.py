"""Where LoopX says `ok` and has read nothing, or only a part: a gap with its reason, never an absence. R8, W1."""

import json
from collections.abc import Callable, Mapping
from datetime import timedelta

import pytest

from steward.model.ids import GoalId
from steward.model.json import Json
from steward.model.reading import (
    UNDATED,
    GateCode,
    Health,
    ReadFailure,
    RowStatus,
    Snapshot,
    SourceCode,
    SourceQuery,
    View,
)
from steward.model.turn import Language
from steward.reading.failures import effect, next_action
from steward.sources.loopx.kind import PACE
from steward.sources.loopx.reading import MOST_PAGES
from steward.sources.loopx.source import LoopxSource
from steward.testing.world import FakeClock
from tests.steward.sources.loopx.conftest import LOOP
from tests.steward.sources.loopx.machine import Machine, goal, todo

PAYMENTS = GoalId("payments")
SEARCH = GoalId("search")
HOUR = timedelta(hours=1)
INDEX = "index/payments.jsonl"

Damage = Callable[[Machine, FakeClock], None]


async def read(
    source: LoopxSource, clock: FakeClock, view: View, goal_id: GoalId | None = PAYMENTS
) -> Snapshot | ReadFailure:
    query = SourceQuery(view, goal=goal_id)
    return await source.read(query, deadline=clock.now() + timedelta(seconds=15))


def of_list(view: View, code: SourceCode, count: int = 1) -> ReadFailure:
    return ReadFailure(code, LOOP, PAYMENTS, count, view=view)


def _garbage(machine: Machine, clock: FakeClock) -> None:
    machine.damage(INDEX, b"not a run\n{]\n")


def _not_text(machine: Machine, clock: FakeClock) -> None:
    machine.damage(INDEX, b"\xff\xfe\x00\n")


def _cut_in_its_only_line(machine: Machine, clock: FakeClock) -> None:
    line = json.dumps(machine.run(clock.now() - HOUR))
    machine.damage(INDEX, line[: len(line) // 2].encode())


def _cut_in_its_last_line(machine: Machine, clock: FakeClock) -> None:
    line = json.dumps(machine.run(clock.now() - HOUR))
    machine.index("payments", machine.run(clock.now() - 2 * HOUR), tail=line[: len(line) // 2])


def _bad_time(machine: Machine, clock: FakeClock) -> None:
    machine.index("payments", machine.run("yesterday"))


def _never_run(machine: Machine, clock: FakeClock) -> None:
    machine.damage(INDEX, None)


def _empty(machine: Machine, clock: FakeClock) -> None:
    machine.damage(INDEX, b"")


def _lines_that_are_no_records(machine: Machine, clock: FakeClock) -> None:
    machine.index("payments", machine.run(clock.now() - HOUR), tail="[1, 2]\n3\n")


@pytest.mark.requirement("R8", "W1")
@pytest.mark.parametrize(
    ("damage", "code", "count", "left"),
    [
        (_garbage, SourceCode.CORRUPT, 2, 0),
        (_not_text, SourceCode.PROVIDER_ERROR, 1, 0),
        (_cut_in_its_only_line, SourceCode.CORRUPT, 1, 0),
        (_cut_in_its_last_line, SourceCode.PARSE_FAILED, 1, 1),
        (_lines_that_are_no_records, SourceCode.PARSE_FAILED, 2, 1),
        (_bad_time, SourceCode.PARSE_FAILED, 1, 0),
        (_never_run, SourceCode.NOT_CONFIGURED, 1, 0),
        (_empty, SourceCode.NOT_CONFIGURED, 1, 0),
    ],
)
async def test_an_index_that_loopx_could_not_read_is_a_gap_and_no_absence(
    machine: Machine,
    source: LoopxSource,
    clock: FakeClock,
    damage: Damage,
    code: SourceCode,
    count: int,
    left: int,
) -> None:
    damage(machine, clock)

    found = await read(source, clock, View.DELIVERIES)

    assert isinstance(found, Snapshot)
    assert found.gaps == (of_list(View.DELIVERIES, code, count),)
    assert not found.complete
    assert len(found.rows) == left
    for language in Language:
        assert next_action(found.gaps[0], language)
        assert effect(found.gaps[0], language)


@pytest.mark.requirement("R10", "W1")
async def test_an_index_that_was_lost_is_not_one_that_never_was(
    machine: Machine, source: LoopxSource, clock: FakeClock
) -> None:
    assert isinstance(await read(source, clock, View.DELIVERIES), Snapshot)
    machine.damage(INDEX, None)
    machine.tick(PACE.kept)

    found = await read(source, clock, View.DELIVERIES)

    assert isinstance(found, Snapshot)
    assert found.gaps == (of_list(View.DELIVERIES, SourceCode.NOT_FOUND_OR_NO_ACCESS),)


@pytest.mark.requirement("R10", "W1")
@pytest.mark.parametrize("kept", [0, 1])
async def test_an_index_that_shrank_between_two_lines_is_not_whole(
    machine: Machine, source: LoopxSource, clock: FakeClock, kept: int
) -> None:
    await read(source, clock, View.DELIVERIES)
    machine.index("payments", *[machine.run(clock.now() - HOUR) for _ in range(kept)])
    machine.tick(PACE.kept)

    found = await read(source, clock, View.DELIVERIES)

    assert isinstance(found, Snapshot)
    assert found.gaps == (of_list(View.DELIVERIES, SourceCode.TRUNCATED, 3 - kept),)


async def test_runs_that_are_no_deliveries_or_repeat_another_are_no_damage(
    machine: Machine, source: LoopxSource, clock: FakeClock
) -> None:
    once = machine.run(clock.now() - HOUR)
    machine.index("payments", once, machine.run(clock.now(), "quota", None), once)

    found = await read(source, clock, View.DELIVERIES)

    assert isinstance(found, Snapshot)
    assert found.complete
    assert len(found.rows) == 1


@pytest.mark.requirement("R8", "W1")
@pytest.mark.parametrize("content", [b"SQLite format 3\x00\xff", None])
async def test_a_todo_authority_that_loopx_could_not_read_is_a_gap_and_no_absence(
    machine: Machine, source: LoopxSource, clock: FakeClock, content: bytes | None
) -> None:
    machine.damage("todos/payments.json", content)

    found = await read(source, clock, View.TODOS, None)

    assert isinstance(found, Snapshot)
    assert found.gaps == (of_list(View.TODOS, SourceCode.PROVIDER_ERROR),)
    assert found.rows == []


@pytest.mark.requirement("R8")
async def test_todos_that_loopx_only_counts_are_not_all_there(
    machine: Machine, source: LoopxSource, clock: FakeClock
) -> None:
    machine.todos("payments", todo("t1"), todo("t2", "done"), todo("t3", "done"))

    found = await read(source, clock, View.TODOS)

    assert isinstance(found, Snapshot)
    assert [row.id for row in found.rows] == ["t1"]
    assert found.gaps == (of_list(View.TODOS, SourceCode.TRUNCATED, 2),)


@pytest.mark.requirement("R8")
async def test_a_record_without_an_id_a_title_or_a_known_status_is_told(
    machine: Machine, source: LoopxSource, clock: FakeClock
) -> None:
    machine.todos(
        "payments", todo("t1", "paused"), todo("t2", title=None), todo(""), todo("t3"), todo("t3")
    )

    found = await read(source, clock, View.TODOS)

    assert isinstance(found, Snapshot)
    assert [(row.id, row.status, row.raw_status) for row in found.rows] == [
        ("t1", RowStatus.UNKNOWN, "paused"),
        ("t3", RowStatus.OPEN, None),
    ]
    assert found.gaps == (
        of_list(View.TODOS, SourceCode.PARSE_FAILED, 3),
        of_list(View.TODOS, SourceCode.CONTRACT_CHANGED),
    )


@pytest.mark.requirement("R8", "R9")
async def test_a_list_beyond_what_is_read_is_cut(
    machine: Machine, source: LoopxSource, clock: FakeClock
) -> None:
    row = {**ROW, "goal_id": "gNUMBER"}
    page = _page({"rows": [row], "matched": 1000, "offset": "NUMBER", "next_offset": "FOLLOWING"})
    page = page.replace('"NUMBER"', "NUMBER").replace('"FOLLOWING"', "FOLLOWING")
    path = machine.home / "page"
    path.write_text(page, encoding="utf-8")
    machine.install(f'sed "s/NUMBER/$9/g; s/FOLLOWING/$(($9 + 1))/" {path}  # $9: the offset')

    found = await read(source, clock, View.PORTFOLIO, None)

    assert isinstance(found, Snapshot)
    assert len(found.rows) == MOST_PAGES
    assert found.gaps == (ReadFailure(SourceCode.TRUNCATED, LOOP, count=1000 - MOST_PAGES),)


def _page(changes: Mapping[str, Json]) -> str:
    """A portfolio page, whole and empty but for the changes."""
    page = {
        "ok": True,
        "view": "portfolio",
        "goal_id": None,
        "source": {"coverage": {"complete": True}},
        "rows": [],
        "offset": 0,
        "matched": 0,
        "next_offset": None,
        "unknown": False,
        "schema_version": "manager_evidence_page_v1",
    }
    return json.dumps(page | changes, separators=(",", ":"))


ROW: Mapping[str, Json] = {
    "goal_id": "payments",
    "activation_state": "active",
    "description": "Payments",
    "quality": "verified",
}


@pytest.mark.requirement("R8", "R9", "W1")
@pytest.mark.parametrize(
    ("changes", "gap"),
    [
        ({}, ReadFailure(SourceCode.NOT_CONFIGURED, LOOP)),
        ({"unknown": True}, ReadFailure(SourceCode.TRUNCATED, LOOP)),
        (
            {"rows": [ROW], "matched": 1, "source": {"coverage": {"complete": False}}},
            ReadFailure(SourceCode.TRUNCATED, LOOP),
        ),
        (
            {"rows": [ROW], "matched": 1, "source": {"coverage": {"omitted": 4}}},
            ReadFailure(SourceCode.TRUNCATED, LOOP, count=4),
        ),
        (
            {"rows": [ROW], "matched": 1, "source": {"coverage": {"invalid_registry_entries": 2}}},
            ReadFailure(SourceCode.PARSE_FAILED, LOOP, count=2),
        ),
        ({"rows": [ROW], "matched": 3}, ReadFailure(SourceCode.TRUNCATED, LOOP, count=2)),
        (
            {"rows": [{"status": "oversized_record", "goal_id": "payments"}], "matched": 1},
            ReadFailure(SourceCode.TOO_LARGE, LOOP),
        ),
        (
            {"rows": [{**ROW, "quality": "unreadable"}], "matched": 1},
            of_list(View.PORTFOLIO, SourceCode.PROVIDER_ERROR),
        ),
        (
            {"rows": [{**ROW, "quality": "conflicting"}], "matched": 1},
            of_list(View.PORTFOLIO, SourceCode.TRUNCATED),
        ),
        (
            {"rows": [{**ROW, "quality": None}], "matched": 1},
            of_list(View.PORTFOLIO, SourceCode.PROVIDER_ERROR),
        ),
        (
            {"rows": [{**ROW, "activation_state": "asleep"}], "matched": 1},
            of_list(View.PORTFOLIO, SourceCode.CONTRACT_CHANGED),
        ),
    ],
)
async def test_a_portfolio_page_is_believed_only_where_it_adds_up(
    machine: Machine,
    source: LoopxSource,
    clock: FakeClock,
    changes: Mapping[str, Json],
    gap: ReadFailure,
) -> None:
    path = machine.home / "page"
    path.write_text(_page(changes), encoding="utf-8")
    machine.install(f"cat {path}")

    found = await read(source, clock, View.PORTFOLIO, None)

    assert isinstance(found, Snapshot)
    assert found.gaps == (gap,)
    assert not found.complete


@pytest.mark.requirement("R10")
@pytest.mark.parametrize(
    "recorded", [None, "2026-11-20T08:00:00+00:00", "2026-11-20T08:00:00", "soon"]
)
async def test_a_goal_that_loopx_calls_stale_is_as_old_as_it_says_or_of_unknown_age(
    machine: Machine, source: LoopxSource, clock: FakeClock, recorded: str | None
) -> None:
    machine.goals(goal("payments", quality="stale", recorded=recorded), goal("search"))

    found = await read(source, clock, View.PORTFOLIO, None)

    assert isinstance(found, Snapshot)
    at = found.goal_as_of[PAYMENTS]
    assert at.isoformat() == recorded if recorded and "+" in recorded else at == UNDATED
    assert set(found.goal_as_of) == {PAYMENTS}
    assert found.as_of == at


@pytest.mark.requirement("R10")
async def test_a_goal_that_is_gone_is_told(
    machine: Machine, source: LoopxSource, clock: FakeClock
) -> None:
    await read(source, clock, View.TODOS, None)
    machine.goals(goal("payments"))
    machine.tick(PACE.kept)

    found = await read(source, clock, View.TODOS, None)

    assert isinstance(found, Snapshot)
    assert found.gaps == (ReadFailure(SourceCode.NOT_FOUND_OR_NO_ACCESS, LOOP, SEARCH),)


@pytest.mark.requirement("R4", "W1")
@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("exit 1", SourceCode.PROVIDER_ERROR),
        ("exit 3", SourceCode.PROVIDER_ERROR),
        ("exit 2", SourceCode.BAD_RESPONSE),
        ("exit 0", SourceCode.BAD_RESPONSE),
        ("echo Traceback; exit 1", SourceCode.BAD_RESPONSE),
        ("printf '{\"ok\": true'", SourceCode.BAD_RESPONSE),
        ("echo '[]'", SourceCode.BAD_RESPONSE),
        ("head -c 2000000 /dev/zero", SourceCode.TOO_LARGE),
    ],
)
async def test_a_program_that_fails_is_a_failure_of_the_whole_source(
    machine: Machine, source: LoopxSource, clock: FakeClock, script: str, code: SourceCode
) -> None:
    machine.install(script)

    assert await read(source, clock, View.TODOS) == ReadFailure(code, LOOP)
    assert await source.probe() == ReadFailure(code, LOOP)


@pytest.mark.requirement("R4")
@pytest.mark.parametrize("name", ["goals.json", "bin/loopx"])
async def test_a_registry_or_a_program_that_is_gone_has_its_code(
    machine: Machine, source: LoopxSource, clock: FakeClock, name: str
) -> None:
    machine.damage(name, None)
    code = SourceCode.TOOL_MISSING if name == "bin/loopx" else SourceCode.PROVIDER_ERROR

    assert await read(source, clock, View.TODOS, None) == ReadFailure(code, LOOP)


async def test_a_registry_without_goals_is_not_healthy(
    machine: Machine, source: LoopxSource
) -> None:
    machine.goals()

    assert await source.probe() == ReadFailure(SourceCode.NOT_CONFIGURED, LOOP)


@pytest.mark.requirement("R6")
@pytest.mark.parametrize("field", ['"view":"todos"', '"goal_id":"payments"'])
async def test_an_answer_for_something_else_is_dropped_whole(
    machine: Machine, source: LoopxSource, clock: FakeClock, field: str
) -> None:
    name = field.partition(":")[0]
    program = machine.program.read_text(encoding="utf-8").splitlines()[1].removeprefix("exec ")
    other = f'{name}:"other"'
    machine.install(
        f"""{program} | case "$*" in *todos*) sed 's/{field}/{other}/g';; *) cat;; esac"""
    )

    for asked in (PAYMENTS, None):
        found = await read(source, clock, View.TODOS, asked)
        assert found == ReadFailure(GateCode.REMOTE_SCOPE_MISMATCH, LOOP)


@pytest.mark.requirement("R8")
async def test_goals_for_which_there_was_no_time_are_gaps_and_the_next_read_gets_further(
    machine: Machine, source: LoopxSource, clock: FakeClock
) -> None:
    program = machine.program.read_text(encoding="utf-8").splitlines()[1]
    machine.install(f'case "$*" in *"--goal-id search"*) sleep 5;; esac; {program}')
    query = SourceQuery(View.TODOS)

    short = await source.read(query, deadline=clock.now() + timedelta(seconds=2))
    machine.install(program)
    longer = await source.read(query, deadline=clock.now() + timedelta(seconds=15))

    assert isinstance(short, Snapshot)
    assert [row.id for row in short.rows] == ["t1", "t2"]
    assert short.gaps == (ReadFailure(SourceCode.TIMEOUT, LOOP, SEARCH, view=View.TODOS),)
    assert isinstance(longer, Snapshot)
    assert longer.complete
    assert sum("payments" in call for call in machine.calls()) == 1


async def test_a_source_is_healthy_again_once_its_program_is(
    machine: Machine, source: LoopxSource, clock: FakeClock
) -> None:
    program = machine.program.read_text(encoding="utf-8").splitlines()[1]
    machine.install("exit 3")
    assert isinstance(await source.probe(), ReadFailure)
    machine.install(program)

    assert await source.probe() == Health(clock.now(), 2)


@pytest.mark.requirement("R8")
@pytest.mark.parametrize("changes", [1, 9])
async def test_a_list_that_changes_between_its_pages_is_begun_again_once(
    machine: Machine, source: LoopxSource, clock: FakeClock, changes: int
) -> None:
    machine.todos("payments", *[todo(f"t{number}") for number in range(13)])
    program = machine.program.read_text(encoding="utf-8").splitlines()[1]
    changing = f"""
cd {machine.home}
count=$(cat changed 2>/dev/null || echo 0)
case "$*" in *"--offset 12"*) if [ $count -lt {changes} ]; then
  count=$((count + 1)); echo $count >changed; sed -i "s/Todo t0[^\\"]*/Todo t0 $count/" todos/payments.json
fi;; esac
{program}"""
    machine.install(changing)

    found = await read(source, clock, View.TODOS)

    assert isinstance(found, Snapshot)
    if changes == 1:
        assert found.complete
        assert [row.title for row in found.rows][:2] == ["Todo t0 1", "Todo t1"]
    else:
        assert found.gaps == (of_list(View.TODOS, SourceCode.TRUNCATED),)
