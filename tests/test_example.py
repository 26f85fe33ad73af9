"""The example evidence is what people copy: it must read whole, and show a list that is not there. Every kind is told of."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from bot.kinds import KINDS
from steward.model.ids import GoalId, SourceId
from steward.model.reading import ReadFailure, Snapshot, SourceCode, SourceQuery, View
from steward.sources.folder import FolderKind
from steward.testing.world import FakeClock
from steward.world import SystemClock

EVIDENCE = Path(__file__).parent.parent / "config/evidence"
PLANS = SourceId("plans")


async def read(view: View) -> Snapshot:
    # The real clock: a source compares it with the times of its files, which are real.
    clock = SystemClock()
    options = {"path": str(EVIDENCE), "timezone": "Asia/Shanghai"}
    source = FolderKind(clock).build(PLANS, options, {})
    query = SourceQuery(view, since=datetime(2026, 1, 1, tzinfo=UTC), until=FakeClock().now())
    found = await source.read(query, deadline=clock.now() + timedelta(seconds=10))
    await source.aclose()
    assert isinstance(found, Snapshot)
    return found


async def test_the_example_has_three_goals_that_people_name_in_both_languages() -> None:
    found = await read(View.PORTFOLIO)

    assert {goal: row.aliases[0] for goal, row in found.goals.items()} == {
        "login-rework": "登录改造",
        "payments": "支付网关",
        "release-2": "二期发布",
    }
    assert (found.complete, tuple(found.gaps)) == (True, ())


async def test_the_example_holds_every_state_of_a_todo() -> None:
    found = await read(View.TODOS)

    assert {row.status.value for row in found.rows} == {"open", "doing", "blocked", "done"}
    assert (found.complete, tuple(found.gaps)) == (True, ())


async def test_an_empty_list_of_the_example_is_read_and_a_missing_one_is_a_gap() -> None:
    deliveries, handoffs = await read(View.DELIVERIES), await read(View.HANDOFFS)

    assert (deliveries.complete, tuple(deliveries.gaps)) == (True, ())
    assert {row.goal for row in deliveries.rows} == {"payments", "release-2"}
    assert list(handoffs.gaps) == [
        ReadFailure(
            SourceCode.NOT_CONFIGURED, source=PLANS, goal=GoalId("release-2"), view=View.HANDOFFS
        )
    ]


def test_every_kind_of_source_is_explained_beside_the_example() -> None:
    lines = (EVIDENCE.parent / "sources.md").read_text(encoding="utf-8").splitlines()

    assert {line[4:-1] for line in lines if line.startswith("## `")} == set(KINDS)
