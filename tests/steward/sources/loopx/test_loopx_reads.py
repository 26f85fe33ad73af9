"""What LoopX records, as rows: whole lists, every page of them, and each thing asked for once."""

import os
from datetime import UTC, datetime, timedelta

import pytest

from steward.errors import SettingsError
from steward.model.ids import GoalId, SourceId
from steward.model.reading import (
    Health,
    ReadFailure,
    Row,
    RowStatus,
    Snapshot,
    SourceCode,
    SourceQuery,
    View,
)
from steward.sources.loopx.kind import PACE, LoopxKind
from steward.sources.loopx.source import LoopxSource
from steward.testing.world import FakeClock
from tests.steward.sources.loopx.conftest import LOOP
from tests.steward.sources.loopx.machine import Machine, goal, todo

PAYMENTS = GoalId("payments")
PATIENCE = timedelta(seconds=15)


async def whole(source: LoopxSource, clock: FakeClock, query: SourceQuery) -> Snapshot:
    found = await source.read(query, deadline=clock.now() + PATIENCE)
    assert isinstance(found, Snapshot), found
    return found


async def test_a_goal_is_a_row_with_the_state_that_loopx_gives_it(
    machine: Machine, source: LoopxSource, clock: FakeClock
) -> None:
    machine.goals(goal("a"), goal("b", state="stopped"), goal("c", phase="closed"))

    found = await whole(source, clock, SourceQuery(View.PORTFOLIO))

    assert [(row.id, row.title, row.status) for row in found.rows] == [
        ("a", "A", RowStatus.ACTIVE),
        ("b", "B", RowStatus.STOPPED),
        ("c", "C", RowStatus.DONE),
    ]
    assert found.complete


async def test_todos_say_who_has_them_and_which_wait_for_the_goals_owner(
    machine: Machine, source: LoopxSource, clock: FakeClock
) -> None:
    gate = todo("t2", role="user", claimed_by=None, bound_agent="agent-two", priority=None)
    machine.todos("payments", todo("t1", "deferred"), gate)

    found = await whole(source, clock, SourceQuery(View.TODOS, goal=PAYMENTS))

    common = (View.TODOS, LOOP, PAYMENTS)
    assert list(found.rows) == [
        Row(*common, "t1", "Todo t1", RowStatus.STOPPED, owner="agent-one", priority="P1"),
        Row(*common, "t2", "Todo t2", RowStatus.OPEN, owner="agent-two", waiting_on="user"),
    ]


@pytest.mark.requirement("R11")
async def test_deliveries_carry_their_time_and_the_window_reaches_as_far_as_was_looked(
    source: LoopxSource, clock: FakeClock
) -> None:
    since = clock.now() - timedelta(days=3)

    found = await whole(source, clock, SourceQuery(View.DELIVERIES, goal=PAYMENTS, since=since))

    assert [(row.title, row.owner, row.at, row.status) for row in found.rows] == [
        ("parser_written", "agent-one", clock.now() - timedelta(hours=1), RowStatus.DELIVERED)
    ]
    assert found.reaches_back_to == datetime(2026, 11, 27, tzinfo=UTC)
    assert found.complete


@pytest.mark.requirement("R10")
async def test_a_window_beyond_loopxs_ninety_days_is_not_reached(
    source: LoopxSource, clock: FakeClock
) -> None:
    since = clock.now() - timedelta(days=200)

    found = await whole(source, clock, SourceQuery(View.DELIVERIES, since=since))

    assert found.reaches_back_to is not None
    assert found.reaches_back_to > since + timedelta(days=100)


async def test_a_list_is_read_to_its_last_page(
    machine: Machine, source: LoopxSource, clock: FakeClock
) -> None:
    machine.todos("payments", *[todo(f"t{number}") for number in range(31)])

    found = await whole(source, clock, SourceQuery(View.TODOS, goal=PAYMENTS))

    assert [row.id for row in found.rows] == [f"t{number}" for number in range(31)]
    assert found.complete


async def test_pages_that_loopx_shortens_are_read_on_from_where_they_end(
    machine: Machine, source: LoopxSource, clock: FakeClock
) -> None:
    machine.todos("payments", *[todo(f"t{number}", title="x" * 5000) for number in range(13)])

    found = await whole(source, clock, SourceQuery(View.TODOS, goal=PAYMENTS))

    assert len(found.rows) == 13
    assert found.complete


async def test_the_reads_of_one_turn_ask_for_each_page_once(
    machine: Machine, source: LoopxSource, clock: FakeClock
) -> None:
    for _ in range(2):
        for view in (View.PORTFOLIO, View.TODOS):
            await whole(source, clock, SourceQuery(view))
    assert len(machine.calls()) == 3

    machine.tick(PACE.kept)
    await whole(source, clock, SourceQuery(View.TODOS))
    assert len(machine.calls()) == 6


async def test_a_probe_counts_the_goals(source: LoopxSource, clock: FakeClock) -> None:
    assert await source.probe() == Health(clock.now(), 2)


@pytest.mark.requirement("R10")
async def test_a_clock_that_is_ahead_there_makes_nothing_newer_than_now(
    machine: Machine, source: LoopxSource, clock: FakeClock
) -> None:
    ahead = clock.now() + timedelta(hours=1)
    (machine.home / "now").write_text(ahead.isoformat(), encoding="utf-8")

    found = await whole(source, clock, SourceQuery(View.TODOS))

    assert found.as_of == clock.now()


async def test_nothing_but_read_commands_with_checked_values_is_ever_run(
    machine: Machine, source: LoopxSource, clock: FakeClock
) -> None:
    machine.goals(goal("payments"), goal("--execute"), goal("a; b"), goal("$(c)"))

    found = await whole(source, clock, SourceQuery(View.DELIVERIES))

    assert set(found.goals) == {"payments"}
    assert ReadFailure(SourceCode.PARSE_FAILED, LOOP, count=3) in found.gaps
    asked = {word for call in machine.calls() for word in call}
    assert not asked & {"--execute", "a; b", "$(c)"}
    assert {call[4] for call in machine.calls()} == {"goal-portfolio", "history"}


@pytest.mark.parametrize(
    ("options", "key"),
    [
        ({"comand": "loopx"}, "source.loop.comand"),
        ({"command": 1}, "source.loop.command"),
        ({"command": "loopx\n"}, "source.loop.command"),
        ({"command": "bin/loopx"}, "source.loop.command"),
        ({"registry": ""}, "source.loop.registry"),
    ],
)
def test_an_option_that_cannot_be_used_is_named(
    clock: FakeClock, options: dict[str, str | int], key: str
) -> None:
    with pytest.raises(SettingsError) as refused:
        LoopxKind(clock).build(SourceId("loop"), options, {"PATH": os.defpath})
    assert refused.value.key == key
