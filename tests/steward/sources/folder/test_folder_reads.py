"""What a sound folder gives: rows of every view, by goal and window, with the time of each file. Design §6."""

import json
from datetime import UTC, date, datetime, timedelta

import pytest

from steward.model.ids import GoalId, SourceId
from steward.model.reading import Health, Row, RowStatus, SourceQuery, View
from steward.testing.world import FakeClock
from tests.steward.sources.folder.conftest import PAYMENTS, EvidenceFolder

PLANS, GOAL = SourceId("plans"), GoalId("payments")


async def test_a_goals_file_gives_its_row(folder: EvidenceFolder) -> None:
    folder.write("payments.yaml", PAYMENTS)

    found = await folder.snapshot(View.PORTFOLIO)

    expected = Row(
        View.PORTFOLIO,
        PLANS,
        GOAL,
        "payments",
        "Payment gateway",
        RowStatus.ACTIVE,
        owner="Lin",
        target=date(2026, 12, 20),
        aliases=("支付网关",),
    )
    assert (found.rows, found.goals, found.complete, found.gaps) == (
        [expected],
        {GOAL: expected},
        True,
        (),
    )


async def test_todos_keep_every_field_in_the_order_of_the_file(folder: EvidenceFolder) -> None:
    folder.write("payments.yaml", PAYMENTS)

    assert (await folder.snapshot(View.TODOS)).rows == [
        Row(
            View.TODOS,
            PLANS,
            GOAL,
            "todo_1",
            "Callback signature",
            RowStatus.BLOCKED,
            owner="Wei",
            priority="P1",
            due=date(2026, 12, 5),
            blocked_by="waiting for the bank's test account",
            waiting_on="Lin",
            updated=datetime(2026, 11, 27, 16, tzinfo=UTC),
        ),
        Row(View.TODOS, PLANS, GOAL, "todo_2", "回调重试", RowStatus.OPEN),
    ]


@pytest.mark.requirement("R11")
async def test_deliveries_lie_in_the_window_and_naive_times_in_the_sources_zone(
    folder: EvidenceFolder,
) -> None:
    folder.write("payments.yaml", PAYMENTS)
    first = Row(
        View.DELIVERIES,
        PLANS,
        GOAL,
        "d_1",
        "Refund flow merged",
        RowStatus.DELIVERED,
        owner="Wei",
        at=datetime(2026, 11, 29, 8, 20, tzinfo=UTC),
        link="https://example.com/pr/12",
    )
    second = Row(
        View.DELIVERIES,
        PLANS,
        GOAL,
        "d_2",
        "Test account",
        RowStatus.DELIVERED,
        owner="Lin",
        at=datetime(2026, 11, 20, 1, 0, tzinfo=UTC),
    )

    windowed = await folder.read(View.DELIVERIES, since=datetime(2026, 11, 21, tzinfo=UTC))

    assert (await folder.snapshot(View.DELIVERIES)).rows == [first, second]
    assert getattr(windowed, "rows", None) == [first]
    assert getattr(windowed, "complete", None) is True


async def test_handoffs_are_found_by_their_request(folder: EvidenceFolder) -> None:
    folder.write("payments.yaml", PAYMENTS)
    expected = Row(
        View.HANDOFFS,
        PLANS,
        GOAL,
        "ab" * 32,
        "Test plan",
        RowStatus.OPEN,
        owner="Wei",
        to="QA",
        at=datetime(2026, 11, 26, 2, 0, tzinfo=UTC),
    )

    assert (await folder.snapshot(View.HANDOFFS)).rows == [expected]
    for request, rows in (("ab" * 32, [expected]), ("cd" * 32, [])):
        found = await folder.read(View.HANDOFFS, request_id=request)
        assert getattr(found, "rows", None) == rows


async def test_a_read_of_one_goal_still_knows_the_others(folder: EvidenceFolder) -> None:
    folder.write("payments.yaml", PAYMENTS)
    folder.goal("search", "todos: [{title: Index}]\n")

    found = await folder.snapshot(View.TODOS, "search")

    assert [row.title for row in found.rows] == ["Index"]
    assert set(found.goals) == {"payments", "search"}


@pytest.mark.requirement("R9")
async def test_an_empty_list_is_whole_and_a_list_that_is_missing_is_a_gap(
    folder: EvidenceFolder,
) -> None:
    folder.write("a.yaml", "goal: {id: a, title: A}\ntodos: []\ndeliveries:\n")

    todos = await folder.snapshot(View.TODOS)
    deliveries = await folder.snapshot(View.DELIVERIES)
    handoffs = await folder.snapshot(View.HANDOFFS)

    assert (todos.rows, todos.complete) == ([], True)
    for found in (deliveries, handoffs):
        assert (found.rows, found.complete) == ([], False)
        assert [(gap.code, gap.goal) for gap in found.gaps] == [("not_configured", "a")]


@pytest.mark.requirement("R10")
async def test_each_goal_has_the_time_of_its_file_and_the_source_the_oldest(
    folder: EvidenceFolder, clock: FakeClock
) -> None:
    folder.goal("a", age=timedelta(hours=3))
    folder.goal("b", age=timedelta(days=3))

    found = await folder.snapshot()

    assert found.goal_as_of == {
        "a": clock.now() - timedelta(hours=3),
        "b": clock.now() - timedelta(days=3),
    }
    assert found.as_of == clock.now() - timedelta(days=3)
    assert (await folder.snapshot(goal="a")).as_of == clock.now() - timedelta(hours=3)


async def test_markdown_checkboxes_are_todos_and_those_in_code_are_not(
    folder: EvidenceFolder,
) -> None:
    folder.write(
        "docs.md",
        "# Writing docs 文档\n\n- [ ] Outline\n  - [x] Chapter **one**\n* [X] Outline\n\n"
        "```\n- [ ] not this\n```\n<!--\n- [ ] nor this\n-->\n- [link](https://example.com)\n1. [ ] Numbered\n",
    )

    found = await folder.snapshot()

    assert [(row.title, row.status) for row in found.rows] == [
        ("Outline", RowStatus.OPEN),
        ("Chapter **one**", RowStatus.DONE),
        ("Outline", RowStatus.DONE),
        ("Numbered", RowStatus.OPEN),
    ]
    assert len({row.id for row in found.rows}) == 4
    assert {goal: row.title for goal, row in found.goals.items()} == {
        "writing-docs-文档": "Writing docs 文档"
    }
    assert found.complete


async def test_front_matter_names_the_goal_and_may_hold_the_other_lists(
    folder: EvidenceFolder,
) -> None:
    folder.write(
        "docs.md",
        "---\ngoal: {id: docs, title: Docs, status: stopped}\ndeliveries: []\n---\n# Another\n- [ ] Outline\n",
    )

    assert [row.status for row in (await folder.snapshot(View.PORTFOLIO)).rows] == [
        RowStatus.STOPPED
    ]
    assert [row.goal for row in (await folder.snapshot(View.TODOS)).rows] == ["docs"]
    assert (await folder.snapshot(View.DELIVERIES)).complete


@pytest.mark.requirement("R9")
async def test_markdown_without_a_checkbox_has_no_list(folder: EvidenceFolder) -> None:
    folder.write("docs.md", "# Docs\n\nNothing yet.\n")

    found = await folder.snapshot()

    assert [(gap.code, gap.goal) for gap in found.gaps] == [("not_configured", "docs")]


async def test_what_explains_the_folder_or_is_hidden_is_no_evidence(folder: EvidenceFolder) -> None:
    folder.goal("a")
    for name in ("README.md", ".b.yaml", "notes.txt", "a.yaml~", ".#a.yaml"):
        folder.write(name, "goal: [broken")

    found = await folder.snapshot()

    assert (set(found.goals), found.complete) == ({"a"}, True)


async def test_text_values_stay_as_they_are_written(folder: EvidenceFolder) -> None:
    folder.goal(
        "a", "todos:\n  - {id: 007, title: no, owner: 12:30, priority: 1.0, status: Open}\n"
    )

    (row,) = (await folder.snapshot()).rows

    assert (row.id, row.title, row.owner, row.priority, row.status) == (
        "007",
        "no",
        "12:30",
        "1.0",
        RowStatus.OPEN,
    )


async def test_a_record_without_id_or_status_is_open_under_an_id_that_stays(
    folder: EvidenceFolder,
) -> None:
    folder.goal("a", "todos: [{title: Index}, {id: t2}]\n")

    first, second = (await folder.snapshot()).rows
    again = (await folder.snapshot()).rows[0]

    assert (first.id, first.status) == (again.id, RowStatus.OPEN)
    assert (second.id, second.title) == ("t2", "t2")


async def test_a_change_is_seen_even_where_the_file_keeps_its_size_and_time(
    folder: EvidenceFolder,
) -> None:
    folder.goal("a", "todos: [{title: One}]\n")
    async with folder.source() as source:
        first = await folder.snapshot(source=source)
        again = await folder.snapshot(source=source)
        folder.goal("a", "todos: [{title: Two}]\n")
        changed = await folder.snapshot(source=source)

    assert first.revision == again.revision != changed.revision
    assert [row.title for row in changed.rows] == ["Two"]


async def test_a_change_within_one_tick_of_the_files_clock_is_seen(folder: EvidenceFolder) -> None:
    file = folder.goal("a", "todos: [{title: One}]\n", age=timedelta(seconds=1))
    inode = file.stat().st_ino
    async with folder.source() as source:
        await folder.snapshot(source=source)
        folder.goal("a", "todos: [{title: Two}]\n", age=timedelta(seconds=1))
        changed = await folder.snapshot(source=source)

    assert file.stat().st_ino == inode
    assert [row.title for row in changed.rows] == ["Two"]


async def test_a_byte_order_mark_is_no_part_of_the_text(folder: EvidenceFolder) -> None:
    folder.write("a.yaml", b"\xef\xbb\xbfgoal: {id: a, title: A}\ntodos: []\n")

    assert (await folder.snapshot()).complete


async def test_links_within_the_folder_are_followed(folder: EvidenceFolder) -> None:
    data = folder.path / "..data"
    data.mkdir()
    (data / "a.yaml").write_text("goal: {id: a, title: A}\ntodos: []\n", encoding="utf-8")
    (folder.path / "a.yaml").symlink_to("..data/a.yaml")

    assert set((await folder.snapshot()).goals) == {"a"}


async def test_a_probe_tells_how_many_goals_and_from_when(
    folder: EvidenceFolder, clock: FakeClock
) -> None:
    folder.goal("a", age=timedelta(hours=2))
    folder.goal("b", age=timedelta(hours=1))
    async with folder.source() as source:
        assert await source.probe() == Health(clock.now() - timedelta(hours=2), 2)


async def test_ten_thousand_rows_are_read_and_read_again_from_memory(
    folder: EvidenceFolder, clock: FakeClock
) -> None:
    rows = [{"id": f"t{number}", "title": f"Todo {number}"} for number in range(2000)]
    for goal in ("a", "b", "c", "d", "e"):
        folder.goal(goal, f"todos: {json.dumps(rows)}\n")
    async with folder.source() as source:
        first = await folder.snapshot(source=source)
        again = await source.read(
            SourceQuery(View.TODOS), deadline=clock.now() + timedelta(seconds=0.5)
        )

    assert (len(first.rows), first.complete) == (10_000, True)
    assert again == first
