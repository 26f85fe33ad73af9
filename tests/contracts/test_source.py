"""What every source kind must do, whatever it reads (design §6). A new kind adds its world to `WORLDS`.

A world holds two goals, `payments` and `search`. Payments has two todos (one open, one blocked), a delivery an hour
ago and one ten days ago, and one handoff; search has none of these, and the lists to show it.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from pathlib import Path
from typing import Protocol
from zoneinfo import ZoneInfo

import pytest

from steward.model.ids import GoalId, SourceId
from steward.model.reading import (
    Health,
    ReadFailure,
    RowStatus,
    Snapshot,
    SourceCode,
    SourceQuery,
    View,
)
from steward.ports.source import Source
from steward.reading.text import clean_row, is_clean
from steward.sources.folder.source import FolderSource
from steward.testing.source import ScriptedSource
from steward.testing.world import FakeClock
from tests.steward.evidence import delivery, goal, handoff, snapshot, todo

PLANS = SourceId("plans")
PAYMENTS, SEARCH = GoalId("payments"), GoalId("search")
VIEWS = [View.PORTFOLIO, View.TODOS, View.DELIVERIES, View.HANDOFFS]


class World(Protocol):
    """A source and what it reads, which the test can change."""

    @property
    def source(self) -> Source: ...

    def fill(self) -> None:
        """As the module says."""

    def change(self) -> None:
        """The open todo is done."""

    def damage_search(self) -> None:
        """The records of search can no longer be read; those of payments can."""

    def empty(self) -> None:
        """Nothing is there that could be read."""

    def take_away(self) -> None:
        """The place itself is gone."""


class ScriptedWorld:
    def __init__(self, clock: FakeClock) -> None:
        self._clock = clock
        self.source = ScriptedSource(PLANS, [ReadFailure(SourceCode.TIMEOUT, PLANS)], clock=clock)
        self._goals = [goal(PAYMENTS), goal(SEARCH)]

    def fill(self) -> None:
        self._play(RowStatus.OPEN, "1")

    def change(self) -> None:
        self._play(RowStatus.DONE, "2")

    def _play(self, first: RowStatus, revision: str) -> None:
        now = self._clock.now()
        rows = [
            *self._goals,
            todo(1, first),
            todo(2, RowStatus.BLOCKED),
            delivery(1, now - timedelta(hours=1)),
            delivery(2, now - timedelta(days=10)),
            handoff("a"),
        ]
        self.source.play(snapshot(*rows, goals=self._goals, revision=revision, as_of=now))

    def damage_search(self) -> None:
        kept = [goal(PAYMENTS), todo(1), todo(2, RowStatus.BLOCKED)]
        gap = ReadFailure(SourceCode.PARSE_FAILED, PLANS, SEARCH)
        self.source.play(snapshot(*kept, gaps=[gap], revision="3"))

    def empty(self) -> None:
        unset = ReadFailure(SourceCode.NOT_CONFIGURED, PLANS)
        self.source.play(snapshot(goals=[], gaps=[unset], revision="4"))

    def take_away(self) -> None:
        self.source.play(ReadFailure(SourceCode.NOT_FOUND_OR_NO_ACCESS, PLANS))


class FolderWorld:
    def __init__(self, clock: FakeClock, path: Path) -> None:
        self._clock = clock
        self._path = path / "evidence"
        self._path.mkdir()
        zone = ZoneInfo("Asia/Shanghai")
        self.source = FolderSource(PLANS, str(self._path), zone, clock, pause=bool)

    def fill(self) -> None:
        self._write_payments("open")
        self._write("search", "todos: []\ndeliveries: []\nhandoffs: []\n")

    def change(self) -> None:
        self._write_payments("done")

    def _write_payments(self, status: str) -> None:
        now = self._clock.now()
        hour, long = (now - timedelta(hours=1)).isoformat(), (now - timedelta(days=10)).isoformat()
        self._write(
            "payments",
            f"todos: [{{id: t1, title: One, status: {status}}}, {{id: t2, title: Two, status: blocked}}]\n"
            f"deliveries: [{{id: d1, title: One, at: {hour}}}, {{id: d2, title: Two, at: {long}}}]\n"
            f"handoffs: [{{request_id: {'a' * 64}, title: One}}]\n",
        )

    def _write(self, name: str, lists: str) -> None:
        file = self._path / f"{name}.yaml"
        file.write_text(f"goal: {{id: {name}, title: {name.title()}}}\n{lists}", encoding="utf-8")
        at = (self._clock.now() - timedelta(minutes=1)).timestamp()
        os.utime(file, (at, at))

    def damage_search(self) -> None:
        self._write("search", "todos: [\n")

    def empty(self) -> None:
        for file in self._path.iterdir():
            file.unlink()

    def take_away(self) -> None:
        self.empty()
        self._path.rmdir()


WORLDS: dict[str, Callable[[FakeClock, Path], World]] = {
    "scripted": lambda clock, _path: ScriptedWorld(clock),
    "folder": FolderWorld,
}


@pytest.fixture(params=WORLDS)
async def world(
    request: pytest.FixtureRequest, clock: FakeClock, tmp_path: Path
) -> AsyncIterator[World]:
    made = WORLDS[request.param](clock, tmp_path)
    yield made
    await made.source.aclose()


@pytest.fixture
def read(world: World, clock: FakeClock) -> "Read":
    return Read(world.source, clock)


class Read:
    """Reads within ten seconds."""

    def __init__(self, source: Source, clock: FakeClock) -> None:
        self._source = source
        self._clock = clock

    async def __call__(self, query: SourceQuery) -> Snapshot | ReadFailure:
        return await self._source.read(query, deadline=self._clock.now() + timedelta(seconds=10))

    async def whole(self, query: SourceQuery) -> Snapshot:
        found = await self(query)
        assert isinstance(found, Snapshot), found
        return found


def test_it_names_itself_and_the_views_that_it_records(world: World) -> None:
    assert world.source.id == PLANS
    assert world.source.views
    assert View.SOURCES not in world.source.views


@pytest.mark.parametrize("view", VIEWS)
async def test_rows_are_of_the_asked_view_and_the_source_and_fit_to_be_shown(
    world: World, read: Read, view: View
) -> None:
    world.fill()

    found = await read.whole(SourceQuery(view))

    assert found.rows
    assert found.complete
    assert found.gaps == ()
    for row in found.rows:
        assert (row.view, row.source) == (view, PLANS)
        assert row.goal in found.goals
        assert is_clean(row.goal)
        assert clean_row(row) == row
        assert row.at is None or row.at.tzinfo is not None
        assert row.updated is None or row.updated.tzinfo is not None


@pytest.mark.parametrize("view", VIEWS)
async def test_the_inventory_of_goals_is_whole_in_every_view(
    world: World, read: Read, view: View
) -> None:
    world.fill()

    for query in (SourceQuery(view), SourceQuery(view, goal=PAYMENTS)):
        found = await read.whole(query)
        assert set(found.goals) == {PAYMENTS, SEARCH}
        assert {row.view for row in found.goals.values()} == {View.PORTFOLIO}


@pytest.mark.parametrize("view", VIEWS)
async def test_a_read_of_one_goal_holds_nothing_of_another(
    world: World, read: Read, view: View
) -> None:
    world.fill()

    search = await read.whole(SourceQuery(view, goal=SEARCH))
    nowhere = await read.whole(SourceQuery(view, goal=GoalId("nowhere")))

    assert {row.goal for row in search.rows} == ({SEARCH} if view is View.PORTFOLIO else set())
    assert search.complete
    assert not nowhere.rows


@pytest.mark.requirement("R11")
async def test_a_window_holds_its_deliveries_alone(
    world: World, read: Read, clock: FakeClock
) -> None:
    world.fill()
    day = clock.now() - timedelta(days=1)

    recent = await read.whole(SourceQuery(View.DELIVERIES, since=day))
    earlier = await read.whole(SourceQuery(View.DELIVERIES, until=day))

    assert [row.id for row in recent.rows] == ["d1"]
    assert [row.id for row in earlier.rows] == ["d2"]
    assert len((await read.whole(SourceQuery(View.DELIVERIES))).rows) == 2


async def test_a_handoff_is_found_by_its_request_alone(world: World, read: Read) -> None:
    world.fill()

    for request, found in (("a" * 64, 1), ("b" * 64, 0)):
        rows = (await read.whole(SourceQuery(View.HANDOFFS, request_id=request))).rows
        assert len(rows) == found


async def test_a_revision_moves_with_the_content_and_only_with_it(world: World, read: Read) -> None:
    world.fill()
    query = SourceQuery(View.TODOS)

    first, again = await read.whole(query), await read.whole(query)
    world.change()
    changed = await read.whole(query)

    assert first == again
    assert first.revision != changed.revision
    assert [row.status for row in changed.rows] == [RowStatus.DONE, RowStatus.BLOCKED]


@pytest.mark.requirement("R10")
async def test_content_has_a_time_that_is_not_ahead(
    world: World, read: Read, clock: FakeClock
) -> None:
    world.fill()

    found = await read.whole(SourceQuery(View.TODOS))
    health = await world.source.probe()

    assert isinstance(health, Health)
    assert health.goals == 2
    for at in (found.as_of, health.as_of, *found.goal_as_of.values()):
        assert at.tzinfo is not None
        assert at <= clock.now()


@pytest.mark.requirement("R8", "W1")
async def test_a_part_that_cannot_be_read_is_a_gap_beside_the_rest(
    world: World, read: Read
) -> None:
    world.fill()
    await read(SourceQuery(View.TODOS))
    world.damage_search()

    found = await read.whole(SourceQuery(View.TODOS))

    assert [row.id for row in found.rows] == ["t1", "t2"]
    assert not found.complete
    assert found.gaps
    for gap in found.gaps:
        assert (gap.source, gap.goal) == (PLANS, SEARCH)


@pytest.mark.requirement("R9", "W1")
async def test_nothing_to_read_is_never_a_complete_answer(world: World, read: Read) -> None:
    world.empty()

    found = await read(SourceQuery(View.TODOS))

    assert isinstance(found, ReadFailure) or (not found.complete and found.gaps)


@pytest.mark.requirement("R4", "W1")
async def test_a_place_that_is_gone_is_a_failure_and_no_exception(world: World, read: Read) -> None:
    world.fill()
    world.take_away()

    expected = ReadFailure(SourceCode.NOT_FOUND_OR_NO_ACCESS, PLANS)
    assert await read(SourceQuery(View.TODOS)) == expected
    assert await world.source.probe() == expected


async def test_a_source_recovers_without_a_restart(world: World, read: Read) -> None:
    world.damage_search()
    await read(SourceQuery(View.TODOS))
    world.fill()

    assert (await read.whole(SourceQuery(View.TODOS))).complete


async def test_a_deadline_that_has_passed_is_a_timeout(world: World, clock: FakeClock) -> None:
    world.fill()

    late = await world.source.read(SourceQuery(View.TODOS), deadline=clock.now())

    assert late == ReadFailure(SourceCode.TIMEOUT, PLANS)


async def test_reads_at_the_same_time_do_not_disturb_each_other(world: World, read: Read) -> None:
    world.fill()
    queries = [SourceQuery(view) for view in VIEWS] * 5

    together = await asyncio.gather(*[read(query) for query in queries])

    assert together == [await read(query) for query in queries]


async def test_a_cancelled_read_leaves_the_source_usable(world: World, read: Read) -> None:
    world.fill()
    async with asyncio.TaskGroup() as group:
        reading = group.create_task(read(SourceQuery(View.TODOS)))
        await asyncio.sleep(0)  # it has begun
        reading.cancel()

    assert (await read.whole(SourceQuery(View.TODOS))).complete


async def test_closing_twice_is_closing_once(world: World) -> None:
    await world.source.aclose()
    await world.source.aclose()
