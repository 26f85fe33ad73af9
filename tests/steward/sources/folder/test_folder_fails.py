"""Whatever keeps a folder from being read whole shows as a failure or a gap, never as nothing to tell. R8, W1."""

import ctypes
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from zoneinfo import ZoneInfo

import pytest

from steward.model.ids import GoalId, SourceId
from steward.model.reading import ReadFailure, RowStatus, Snapshot, SourceCode, View
from steward.sources.folder import files
from steward.sources.folder.loader import Folder, Loader
from steward.sources.folder.records import FileFailure
from steward.testing.world import FakeClock
from tests.steward.sources.folder.conftest import EMPTY_LISTS, PAYMENTS, EvidenceFolder

PLANS = SourceId("plans")
SOUND = f"goal: {{id: sound, title: Sound}}\n{EMPTY_LISTS}"


def gaps(found: Snapshot | ReadFailure) -> list[tuple[str, str | None, int]]:
    assert isinstance(found, Snapshot), found
    assert found.complete is (not found.gaps)
    return [(gap.code.value, gap.goal, gap.count) for gap in found.gaps]


@pytest.mark.requirement("R9", "W1")
async def test_a_missing_folder_is_a_failure(folder: EvidenceFolder) -> None:
    folder.path.rmdir()

    assert await folder.read() == ReadFailure(SourceCode.NOT_FOUND_OR_NO_ACCESS, PLANS)
    async with folder.source() as source:
        assert await source.probe() == ReadFailure(SourceCode.NOT_FOUND_OR_NO_ACCESS, PLANS)


async def test_a_file_in_the_folders_place_is_a_failure(folder: EvidenceFolder) -> None:
    folder.path.rmdir()
    folder.path.write_text("goal: {}", encoding="utf-8")

    assert await folder.read() == ReadFailure(SourceCode.NOT_FOUND_OR_NO_ACCESS, PLANS)


@pytest.mark.requirement("R9")
async def test_an_empty_folder_was_read_but_says_nothing(folder: EvidenceFolder) -> None:
    found = await folder.read()

    assert gaps(found) == [("not_configured", None, 1)]
    async with folder.source() as source:
        assert await source.probe() == ReadFailure(SourceCode.NOT_CONFIGURED, PLANS)


@pytest.fixture
def open_place() -> Iterator[Path]:
    """A folder that everyone may reach; pytest's own are its user's alone."""
    with TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        yield Path(place)


def loaded_without_privilege(path: Path, clock: FakeClock) -> Folder | SourceCode:
    """Load in a thread that may do what a stranger may: root itself is never refused a file."""
    loader = Loader(str(path), PLANS, ZoneInfo("UTC"), pause=bool)
    if os.geteuid() != 0:
        return loader.load(clock.now())
    with ThreadPoolExecutor(1) as thread:
        nobody = 65534
        thread.submit(ctypes.CDLL(None).setfsuid, nobody).result()
        return thread.submit(loader.load, clock.now()).result()


def test_a_folder_without_permission_is_forbidden(open_place: Path, clock: FakeClock) -> None:
    folder = EvidenceFolder(open_place / "evidence", clock)
    folder.goal("a")
    folder.path.chmod(0)

    assert loaded_without_privilege(folder.path, clock) is SourceCode.FORBIDDEN
    folder.path.chmod(0o700)


def test_a_file_without_permission_is_forbidden_and_the_rest_is_used(
    open_place: Path, clock: FakeClock
) -> None:
    folder = EvidenceFolder(open_place / "evidence", clock)
    folder.path.chmod(0o755)
    folder.write("sound.yaml", SOUND).chmod(0o644)
    folder.goal("secret").chmod(0)

    found = loaded_without_privilege(folder.path, clock)

    assert isinstance(found, Folder)
    assert (set(found.goals), found.failures) == ({"sound"}, (FileFailure(SourceCode.FORBIDDEN),))


def make_directory(path: Path) -> None:
    path.mkdir()


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def link_outside(path: Path) -> None:
    outside = path.parent.parent / "outside.yaml"
    outside.write_text("goal: {id: secret, title: Secret}\n", encoding="utf-8")
    path.symlink_to(outside)


def link_outside_by_folder(path: Path) -> None:
    (path.parent / "up").symlink_to(path.parent.parent)
    (path.parent.parent / "b.yaml").write_text("goal: {id: b, title: B}\n", encoding="utf-8")
    path.symlink_to("up/b.yaml")


def link_in_a_circle(path: Path) -> None:
    path.symlink_to(path.name)


def link_to_nothing(path: Path) -> None:
    path.symlink_to("gone.yaml")


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (make_directory, "forbidden"),
        (make_pipe, "forbidden"),
        (link_outside, "forbidden"),
        (link_outside_by_folder, "forbidden"),
        (link_in_a_circle, "not_found_or_no_access"),
        (link_to_nothing, "not_found_or_no_access"),
    ],
)
async def test_only_ordinary_files_of_the_folder_are_opened(
    folder: EvidenceFolder, make: Callable[[Path], None], code: str
) -> None:
    folder.write("sound.yaml", SOUND)
    make(folder.path / "b.yaml")

    found = await folder.read(View.PORTFOLIO)

    assert gaps(found) == [(code, None, 1)]
    assert isinstance(found, Snapshot)
    assert set(found.goals) == {"sound"}


DAMAGED = {
    "empty": ("", "parse_failed"),
    "blank": (" \n\n", "parse_failed"),
    "comment": ("# later\n", "parse_failed"),
    "binary": (b"goal: \x00", "corrupt"),
    "not utf-8": ("goal: {id: a, title: 支付}\n".encode("gb18030"), "corrupt"),
    "utf-16": ("goal: {id: a, title: A}\n".encode("utf-16"), "corrupt"),
    "control": ("goal: {id: a, title: \x07}\n", "parse_failed"),
    "syntax": ("goal: {id: a, title: A\n", "parse_failed"),
    "tab": ("goal:\n\tid: a\n", "parse_failed"),
    "list": ("- a\n", "parse_failed"),
    "scalar": ("goal\n", "parse_failed"),
    "no goal": ("todos: []\n", "parse_failed"),
    "goal is text": ("goal: payments\n", "parse_failed"),
    "no id": ("goal: {title: A}\n", "parse_failed"),
    "blank id": ('goal: {id: "", title: A}\n', "parse_failed"),
    "hidden id": ('goal: {id: "a\\u200b", title: A}\n', "parse_failed"),
    "long id": (f"goal: {{id: {'a' * 129}, title: A}}\n", "parse_failed"),
    "duplicate key": ("goal: {id: a, title: A}\ntodos: []\ntodos: []\n", "parse_failed"),
    "duplicate inner key": ("goal: {id: a, id: b, title: A}\n", "parse_failed"),
    "alias": ("goal: &g {id: a, title: A}\ntodos: [*g]\n", "parse_failed"),
    "anchor": ("goal: &g {id: a, title: A}\n", "parse_failed"),
    "merge": ("x: &x {title: A}\ngoal: {id: a, <<: *x}\n", "parse_failed"),
    "tag": ("goal: !!python/object/apply:os.system [ls]\n", "parse_failed"),
    "own tag": ("goal: {id: !secret a, title: A}\n", "parse_failed"),
    "two documents": ("goal: {id: a, title: A}\n---\ngoal: {id: b, title: B}\n", "parse_failed"),
    "list as key": ("goal: {id: a, title: A}\n? [a]\n: b\n", "parse_failed"),
    "deep": (f"goal: {{id: a, title: A}}\nx: {'[' * 200}{']' * 200}\n", "parse_failed"),
    "bad escape": ('goal: {id: a, title: "\\U99999999"}\n', "parse_failed"),
    "half a surrogate in an id": ('goal: {id: "\\ud800", title: A}\n', "parse_failed"),
}


@pytest.mark.requirement("R8", "R9", "W1")
@pytest.mark.parametrize(("text", "code"), DAMAGED.values(), ids=DAMAGED)
async def test_a_damaged_file_is_named_and_the_rest_is_used(
    folder: EvidenceFolder, text: str | bytes, code: str
) -> None:
    folder.write("a.yaml", text)
    alone = await folder.read()
    assert isinstance(alone, ReadFailure)
    assert (alone.code, alone.source) == (code, PLANS)

    folder.write("sound.yaml", SOUND)
    folder.goal("third", "todos: [{title: Index}]\n")
    found = await folder.read()

    assert [gap[0] for gap in gaps(found)] == [code]
    assert isinstance(found, Snapshot)
    assert [row.title for row in found.rows] == ["Index"]


async def test_an_alias_bomb_is_refused_before_it_grows(folder: EvidenceFolder) -> None:
    levels = "".join(
        f"l{level}: &l{level} [{', '.join([f'*l{level - 1}'] * 9)}]\n" for level in range(1, 9)
    )
    folder.write("bomb.yaml", f"goal: {{id: a, title: A}}\nl0: &l0 [x]\n{levels}")

    assert await folder.read() == ReadFailure(SourceCode.PARSE_FAILED, PLANS)


async def test_a_file_beyond_the_size_limit_is_not_read(folder: EvidenceFolder) -> None:
    folder.write("sound.yaml", SOUND)
    folder.write("big.yaml", SOUND + "#" * files.MAX_BYTES)

    assert gaps(await folder.read()) == [("too_large", None, 1)]


async def test_files_beyond_the_limit_are_counted_as_not_read(folder: EvidenceFolder) -> None:
    for number in range(files.MAX_FILES + 3):
        folder.goal(f"goal-{number:04}")

    found = await folder.read()

    assert gaps(found) == [("truncated", None, 3)]
    assert isinstance(found, Snapshot)
    assert len(found.goals) == files.MAX_FILES


@pytest.mark.requirement("R8")
async def test_records_that_are_not_sound_are_counted_and_the_others_kept(
    folder: EvidenceFolder,
) -> None:
    folder.goal(
        "a",
        """\
todos:
  - {id: ok, title: Sound}
  - {id: t1, titel: Misspelt key}
  - {id: t2, title: Bad date, due: soon}
  - {id: t3, title: No such day, due: 2026-02-30}
  - {id: t4, title: [not, text]}
  - {id: ok, title: Repeated id}
  - just text
  - {owner: Wei}
  - {id: t5, title: Paused, status: paused, colour: red}
deliveries:
  - {id: d1, title: Without a time}
  - {id: d2, title: Far away, at: 0001-01-01T00:00:00+14:00}
  - {id: d3, title: Odd hour, at: 2026-11-29 25:00}
handoffs:
  - {request_id: short, title: Test plan}
  - {request_id: AB, title: Test plan}
""",
    )

    todos = await folder.snapshot(View.TODOS)

    assert [(row.id, row.status, row.raw_status) for row in todos.rows] == [
        ("ok", RowStatus.OPEN, None),
        ("t5", RowStatus.UNKNOWN, "paused"),
    ]
    assert gaps(todos) == [("parse_failed", "a", 7), ("contract_changed", "a", 1)]
    assert gaps(await folder.read(View.DELIVERIES)) == [("parse_failed", "a", 3)]
    assert gaps(await folder.read(View.HANDOFFS)) == [("parse_failed", "a", 2)]
    assert gaps(await folder.read(View.PORTFOLIO)) == []


@pytest.mark.requirement("R8")
@pytest.mark.parametrize(
    ("text", "view", "expected"),
    [
        ("deliverys: []\ntodos: []\n", View.DELIVERIES, ["parse_failed", "not_configured"]),
        ("todo: []\nhandoffs: []\n", View.TODOS, ["parse_failed", "not_configured"]),
        ("todos: {id: a}\n", View.TODOS, ["parse_failed"]),
        ("todos: none\n", View.TODOS, ["parse_failed"]),
        ("notes: x\ntodos: []\n", View.TODOS, []),
    ],
)
async def test_a_list_that_is_none_or_misspelt_is_a_gap(
    folder: EvidenceFolder, text: str, view: View, expected: list[str]
) -> None:
    folder.goal("a", text)

    assert [gap[0] for gap in gaps(await folder.read(view))] == expected


async def test_a_goal_whose_status_has_no_meaning_is_shown_and_counted_apart(
    folder: EvidenceFolder,
) -> None:
    folder.write("a.yaml", "goal: {id: a, title: A, status: paused}\n")

    found = await folder.snapshot(View.PORTFOLIO)

    assert [(row.status, row.raw_status) for row in found.rows] == [(RowStatus.UNKNOWN, "paused")]
    assert gaps(found) == [("contract_changed", "a", 1)]


async def test_a_goal_that_is_not_sound_fails_its_file_by_name(folder: EvidenceFolder) -> None:
    folder.write("sound.yaml", SOUND)
    folder.write("a.yaml", "goal: {id: a, title: A, target: someday}\ntodos: []\n")

    assert gaps(await folder.read()) == [("parse_failed", "a", 1)]


async def test_two_files_of_one_goal_both_fail(folder: EvidenceFolder) -> None:
    folder.write("sound.yaml", SOUND)
    folder.write("a.yaml", "goal: {id: a, title: A}\ntodos: [{title: One}]\n")
    folder.write("b.yaml", "goal: {id: a, title: B}\ntodos: [{title: Two}]\n")

    found = await folder.read()

    assert gaps(found) == [("parse_failed", "a", 1)]
    assert isinstance(found, Snapshot)
    assert (found.rows, set(found.goals)) == ([], {"sound"})


async def test_a_gap_of_another_goal_is_no_gap_of_this_one(folder: EvidenceFolder) -> None:
    folder.write("sound.yaml", SOUND)
    folder.goal("a", "todos: [{id: t1}, {id: t1}]\n")

    assert gaps(await folder.read(goal="sound")) == []
    assert gaps(await folder.read(goal="a")) == [("parse_failed", "a", 1)]


@pytest.mark.requirement("R10")
async def test_a_file_that_breaks_fails_under_the_goal_that_it_held(
    folder: EvidenceFolder,
) -> None:
    folder.write("sound.yaml", SOUND)
    folder.write("payments.yaml", PAYMENTS)
    async with folder.source() as source:
        await folder.read(source=source)
        folder.write("payments.yaml", b"\x00")

        assert gaps(await folder.read(source=source)) == [("corrupt", "payments", 1)]


@pytest.mark.requirement("R10")
async def test_a_goal_that_was_there_and_is_gone_is_a_gap(folder: EvidenceFolder) -> None:
    folder.write("sound.yaml", SOUND)
    file = folder.write("payments.yaml", PAYMENTS)
    async with folder.source() as source:
        await folder.read(source=source)
        file.unlink()
        gone = await folder.read(source=source)
        folder.write("moved.yaml", PAYMENTS)
        back = await folder.read(source=source)

    assert gaps(gone) == [("not_found_or_no_access", "payments", 1)]
    assert gaps(back) == []


@pytest.mark.requirement("R10")
async def test_a_folder_emptied_under_us_is_a_failure(folder: EvidenceFolder) -> None:
    file = folder.write("payments.yaml", PAYMENTS)
    async with folder.source() as source:
        await folder.read(source=source)
        file.unlink()

        assert await folder.read(source=source) == ReadFailure(
            SourceCode.NOT_FOUND_OR_NO_ACCESS, PLANS
        )


async def test_no_path_or_file_name_leaves_the_source(folder: EvidenceFolder) -> None:
    folder.write("sound.yaml", SOUND)
    folder.write("very-secret-name.yaml", "goal: [\n")
    (folder.path / "other-secret-name.yaml").mkdir()

    found = await folder.read()

    assert len(gaps(found)) == 2
    assert "secret" not in str(found)
    assert str(folder.path) not in str(found)


@pytest.mark.requirement("R10")
@pytest.mark.parametrize("goal", [GoalId("payments"), GoalId("sound")])
async def test_one_bad_file_of_three_leaves_the_good_ones_whole(
    folder: EvidenceFolder, goal: GoalId
) -> None:
    folder.write("payments.yaml", PAYMENTS)
    folder.write("sound.yaml", SOUND)
    folder.write("bad.yaml", "goal: {id: bad\n")

    found = await folder.read(goal=goal)

    assert gaps(found) == [("parse_failed", None, 1)]
    assert isinstance(found, Snapshot)
    assert len(found.rows) == (2 if goal == "payments" else 0)
