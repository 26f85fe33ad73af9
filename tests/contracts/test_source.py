"""What every source kind must do, whatever it reads. A new kind adds its world to `WORLDS`.

A world holds the goal `payments` and, where its kind can have several, `search`. Payments has two todos (one open, one
blocked), a delivery an hour ago and one ten days ago, and one handoff, each where the kind records it; search has none
of these, and the lists to show it.
"""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace
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
from steward.sources.git import GitKind
from steward.sources.loopx import LoopxKind
from steward.sources.ssh import SshKind
from steward.sources.ssh.kind import PACE as SSH_PACE
from steward.testing.source import ScriptedSource
from steward.testing.world import FakeClock
from tests.sshd import HOST, Sshd
from tests.steward.evidence import delivery, goal, handoff, snapshot, todo
from tests.steward.sources.git.repo import ENV, Repo, need_git
from tests.steward.sources.loopx.machine import Machine, filled
from tests.steward.sources.loopx.machine import todo as loopx_todo

PLANS = SourceId("plans")
PAYMENTS, SEARCH = GoalId("payments"), GoalId("search")
VIEWS = (View.PORTFOLIO, View.TODOS, View.DELIVERIES, View.HANDOFFS)


@dataclass(frozen=True, slots=True)
class Facts:
    """What a kind's world holds. `view`: where `change` and `damage` show. `recent`, `old`: ids of its deliveries.

    `damaged`: the goal that `damage` concerns. `kept`: the ids of the rows of `view` that it leaves. `changed`: the
    first todo's status after `change`. `gone`: what a place is called that was taken away.
    """

    views: Sequence[View] = VIEWS
    goals: frozenset[GoalId] = frozenset({PAYMENTS, SEARCH})
    view: View = View.TODOS
    recent: str = "d1"
    old: str = "d2"
    damaged: GoalId = SEARCH
    kept: tuple[str, ...] = ("t1", "t2")
    changed: RowStatus = RowStatus.DONE
    gone: SourceCode = SourceCode.NOT_FOUND_OR_NO_ACCESS


class World(Protocol):
    """A source and what it reads, which the test can change."""

    facts: Facts

    @property
    def source(self) -> Source: ...

    def fill(self) -> None:
        """As the module says."""

    def change(self) -> None:
        """The open todo is done, or as the facts say; where there are no todos, one more delivery."""

    def damage(self) -> None:
        """Some records can no longer be read: those of search, where there are several goals. The others can."""

    def empty(self) -> None:
        """Nothing is there that could be read."""

    def take_away(self) -> None:
        """The place itself is gone."""


class ScriptedWorld:
    facts = Facts()

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

    def damage(self) -> None:
        kept = [goal(PAYMENTS), todo(1), todo(2, RowStatus.BLOCKED)]
        gap = ReadFailure(SourceCode.PARSE_FAILED, PLANS, SEARCH)
        self.source.play(snapshot(*kept, gaps=[gap], revision="3"))

    def empty(self) -> None:
        unset = ReadFailure(SourceCode.NOT_CONFIGURED, PLANS)
        self.source.play(snapshot(goals=[], gaps=[unset], revision="4"))

    def take_away(self) -> None:
        self.source.play(ReadFailure(SourceCode.NOT_FOUND_OR_NO_ACCESS, PLANS))


class FolderWorld:
    facts = Facts()

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

    def damage(self) -> None:
        self._write("search", "todos: [\n")

    def empty(self) -> None:
        for file in self._path.iterdir():
            file.unlink()

    def take_away(self) -> None:
        self.empty()
        self._path.rmdir()


class GitWorld:
    """Its deliveries are tags, whose ids can be foretold; a tag that is damaged leaves the commits."""

    facts = Facts(
        views=(View.PORTFOLIO, View.DELIVERIES),
        goals=frozenset({PAYMENTS}),
        view=View.DELIVERIES,
        recent="refs/tags/d1",
        old="refs/tags/d2",
        damaged=PAYMENTS,
        kept=("0" * 40,),
    )

    def __init__(self, clock: FakeClock, path: Path) -> None:
        need_git()
        self._clock = clock
        self._path = path / "repo"
        options = {"path": str(self._path), "goal": PAYMENTS}
        self.source = GitKind(clock).build(PLANS, options, ENV)

    def fill(self) -> None:
        self.take_away()
        repo = Repo.new(self._path, self._clock)
        repo.commit("Long ago", timedelta(days=100))
        self.facts = replace(self.facts, kept=(repo.git("rev-parse", "HEAD"),))
        repo.git("tag", "-a", "d1", "-m", "One", ago=timedelta(hours=1))
        repo.git("tag", "-a", "d2", "-m", "Two", ago=timedelta(days=10))

    def change(self) -> None:
        Repo(self._path, self._clock).commit("One more")

    def damage(self) -> None:
        self.fill()
        repo = Repo(self._path, self._clock)
        repo.git("tag", "-a", "d3", "-m", "Three")
        repo.object("d3").unlink()

    def empty(self) -> None:
        self.take_away()
        self._path.mkdir()

    def take_away(self) -> None:
        shutil.rmtree(self._path, ignore_errors=True)


class LoopxWorld:
    """A LoopX of this machine, which no longer shows a todo that is done. Its place is its program."""

    facts = Facts(
        views=(View.PORTFOLIO, View.TODOS, View.DELIVERIES),
        changed=RowStatus.BLOCKED,
        gone=SourceCode.TOOL_MISSING,
    )

    def __init__(self, clock: FakeClock, path: Path) -> None:
        self._clock = clock
        self._machine = Machine(path, clock)
        self.source: Source = self._built(clock)

    def _built(self, clock: FakeClock) -> Source:
        options = {"command": str(self._machine.program)}
        return LoopxKind(clock).build(PLANS, options, {"PATH": os.defpath})

    def fill(self) -> None:
        filled(self._machine, self._clock.now())
        by_age = self._machine.delivery_ids("payments")
        self.facts = replace(self.facts, recent=by_age[0], old=by_age[1])
        self._pass_by()

    def change(self) -> None:
        self._machine.todos("payments", loopx_todo("t1", "blocked"), loopx_todo("t2", "blocked"))
        self._pass_by()

    def damage(self) -> None:
        self._machine.damage("todos/search.json", b"{")
        self._pass_by()

    def empty(self) -> None:
        self._machine.goals()
        self._pass_by()

    def take_away(self) -> None:
        self._machine.damage("bin/loopx", None)
        self._pass_by()

    def _pass_by(self) -> None:
        """What was kept of earlier answers is too old by then."""
        self._machine.tick(SSH_PACE.kept)


class SshWorld(LoopxWorld):
    """The same behind a real sshd."""

    facts = replace(LoopxWorld.facts, gone=SourceCode.REMOTE_CLI_MISSING)

    def __init__(self, clock: FakeClock, path: Path, sshd: Sshd) -> None:
        self._sshd = sshd
        super().__init__(clock, path)

    def _built(self, clock: FakeClock) -> Source:
        options = {
            "host": HOST,
            "config": str(self._sshd.client(self._machine.home)),
            "command": f"{self._machine.program} --registry @host-global --format json",
        }
        return SshKind(clock).build(PLANS, options, {"PATH": os.defpath})


WORLDS: dict[str, Callable[..., World]] = {
    "scripted": lambda clock, _path: ScriptedWorld(clock),
    "folder": FolderWorld,
    "git": GitWorld,
    "loopx": LoopxWorld,
    "ssh": SshWorld,
}
FACTS = {
    "scripted": ScriptedWorld.facts,
    "folder": FolderWorld.facts,
    "git": GitWorld.facts,
    "loopx": LoopxWorld.facts,
    "ssh": SshWorld.facts,
}
RECORDED = [(kind, view) for kind, facts in FACTS.items() for view in facts.views]
WITH_HANDOFFS = [kind for kind, view in RECORDED if view is View.HANDOFFS]
WITH_TODOS = [kind for kind, view in RECORDED if view is View.TODOS]
SEVERAL_GOALS = [(kind, view) for kind, view in RECORDED if SEARCH in FACTS[kind].goals]

every_view = pytest.mark.parametrize(("world", "view"), RECORDED, indirect=["world"])


@pytest.fixture(params=WORLDS)
async def world(
    request: pytest.FixtureRequest, clock: FakeClock, tmp_path: Path
) -> AsyncIterator[World]:
    needs = [request.getfixturevalue("sshd")] if request.param == "ssh" else []
    made = WORLDS[request.param](clock, tmp_path, *needs)
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


@every_view
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


@every_view
async def test_the_inventory_of_goals_is_whole_in_every_view(
    world: World, read: Read, view: View
) -> None:
    world.fill()

    for query in (SourceQuery(view), SourceQuery(view, goal=PAYMENTS)):
        found = await read.whole(query)
        assert set(found.goals) == world.facts.goals
        assert {row.view for row in found.goals.values()} == {View.PORTFOLIO}


@every_view
async def test_a_read_of_one_goal_holds_nothing_of_another(
    world: World, read: Read, view: View
) -> None:
    world.fill()

    payments = await read.whole(SourceQuery(view, goal=PAYMENTS))
    nowhere = await read.whole(SourceQuery(view, goal=GoalId("nowhere")))

    assert {row.goal for row in payments.rows} == {PAYMENTS}
    assert payments.complete
    assert not nowhere.rows


@pytest.mark.parametrize(("world", "view"), SEVERAL_GOALS, indirect=["world"])
async def test_a_goal_without_records_is_whole_and_empty(
    world: World, read: Read, view: View
) -> None:
    world.fill()

    search = await read.whole(SourceQuery(view, goal=SEARCH))

    assert {row.goal for row in search.rows} == ({SEARCH} if view is View.PORTFOLIO else set())
    assert search.complete


@pytest.mark.requirement("R11")
async def test_a_window_holds_its_deliveries_alone(
    world: World, read: Read, clock: FakeClock
) -> None:
    world.fill()
    day = clock.now() - timedelta(days=1)

    recent = await read.whole(SourceQuery(View.DELIVERIES, since=day))
    earlier = await read.whole(SourceQuery(View.DELIVERIES, until=day))

    both = (await read.whole(SourceQuery(View.DELIVERIES))).rows
    named = {world.facts.recent, world.facts.old}

    assert [row.id for row in recent.rows] == [world.facts.recent]
    assert [row.id for row in earlier.rows if row.id in named] == [world.facts.old]
    assert {row.id for row in both} >= named


@pytest.mark.parametrize("world", WITH_HANDOFFS, indirect=True)
async def test_a_handoff_is_found_by_its_request_alone(world: World, read: Read) -> None:
    world.fill()

    for request, found in (("a" * 64, 1), ("b" * 64, 0)):
        rows = (await read.whole(SourceQuery(View.HANDOFFS, request_id=request))).rows
        assert len(rows) == found


async def test_a_revision_moves_with_the_content_and_only_with_it(world: World, read: Read) -> None:
    world.fill()
    query = SourceQuery(world.facts.view)

    first, again = await read.whole(query), await read.whole(query)
    world.change()
    changed = await read.whole(query)

    assert first == again
    assert first.revision != changed.revision
    assert first.rows != changed.rows


@pytest.mark.parametrize("world", WITH_TODOS, indirect=True)
async def test_a_todo_has_the_status_that_it_has_now(world: World, read: Read) -> None:
    world.fill()
    before = (await read.whole(SourceQuery(View.TODOS))).rows
    world.change()
    after = (await read.whole(SourceQuery(View.TODOS))).rows

    assert [row.status for row in before] == [RowStatus.OPEN, RowStatus.BLOCKED]
    assert [row.status for row in after] == [world.facts.changed, RowStatus.BLOCKED]


@pytest.mark.requirement("R10")
async def test_content_has_a_time_that_is_not_ahead(
    world: World, read: Read, clock: FakeClock
) -> None:
    world.fill()

    found = await read.whole(SourceQuery(world.facts.view))
    health = await world.source.probe()

    assert isinstance(health, Health)
    assert health.goals == len(world.facts.goals)
    for at in (found.as_of, health.as_of, *found.goal_as_of.values()):
        assert at.tzinfo is not None
        assert at <= clock.now()


@pytest.mark.requirement("R8", "W1")
async def test_a_part_that_cannot_be_read_is_a_gap_beside_the_rest(
    world: World, read: Read
) -> None:
    world.fill()
    await read(SourceQuery(world.facts.view))
    world.damage()

    found = await read.whole(SourceQuery(world.facts.view))

    assert tuple(row.id for row in found.rows if row.id in world.facts.kept) == world.facts.kept
    assert not found.complete
    assert found.gaps
    for gap in found.gaps:
        assert (gap.source, gap.goal) == (PLANS, world.facts.damaged)


@pytest.mark.requirement("R9", "W1")
async def test_nothing_to_read_is_never_a_complete_answer(world: World, read: Read) -> None:
    world.empty()

    found = await read(SourceQuery(world.facts.view))

    assert isinstance(found, ReadFailure) or (not found.complete and found.gaps)


@pytest.mark.requirement("R4", "W1")
async def test_a_place_that_is_gone_is_a_failure_and_no_exception(world: World, read: Read) -> None:
    world.fill()
    world.take_away()

    expected = ReadFailure(world.facts.gone, PLANS)
    assert await read(SourceQuery(world.facts.view)) == expected
    assert await world.source.probe() == expected


async def test_a_source_recovers_without_a_restart(world: World, read: Read) -> None:
    world.damage()
    await read(SourceQuery(world.facts.view))
    world.fill()

    assert (await read.whole(SourceQuery(world.facts.view))).complete


async def test_a_deadline_that_has_passed_is_a_timeout(world: World, clock: FakeClock) -> None:
    world.fill()

    late = await world.source.read(SourceQuery(world.facts.view), deadline=clock.now())

    assert late == ReadFailure(SourceCode.TIMEOUT, PLANS)


async def test_reads_at_the_same_time_do_not_disturb_each_other(world: World, read: Read) -> None:
    world.fill()
    queries = [SourceQuery(view) for view in world.facts.views] * 5

    together = await asyncio.gather(*[read(query) for query in queries])

    assert together == [await read(query) for query in queries]


async def test_a_cancelled_read_leaves_the_source_usable(world: World, read: Read) -> None:
    world.fill()
    async with asyncio.TaskGroup() as group:
        reading = group.create_task(read(SourceQuery(world.facts.view)))
        await asyncio.sleep(0)  # it has begun
        reading.cancel()

    assert (await read.whole(SourceQuery(world.facts.view))).complete


async def test_closing_twice_is_closing_once(world: World) -> None:
    await world.source.aclose()
    await world.source.aclose()
