"""Every way in which a repository cannot be read, from the real git: each has its code, and none is an empty answer."""

import os
import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from steward.errors import SettingsError
from steward.model.ids import GoalId
from steward.model.json import Json
from steward.model.reading import ReadFailure, SourceCode, SourceQuery, View
from steward.sources.git.kind import GitKind
from steward.testing.world import FakeClock
from tests.needs import require
from tests.steward.sources.git.repo import CODE, ENV, Repo, read, titles, whole

HOUR = timedelta(hours=1)
NOBODY = 65534

pytestmark = pytest.mark.requirement("R5", "W1")


def failed(code: SourceCode) -> ReadFailure:
    return ReadFailure(code, CODE)


async def unreadable(repo: Repo, clock: FakeClock, **options: Json) -> ReadFailure:
    """The failure of all views and of the probe, which must be the same."""
    source = repo.source(**options)
    found = await read(source, clock)
    assert isinstance(found, ReadFailure), found
    assert await read(source, clock, view=View.PORTFOLIO) == found
    assert await source.probe() == found
    return found


async def test_a_place_without_a_repository_is_not_found(
    repo: Repo, clock: FakeClock, tmp_path: Path
) -> None:
    repo.commit("One")
    (repo.path / "folder").mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "empty").mkdir()

    for place in ("nowhere", "file", "empty", "repo/folder"):
        expected = failed(SourceCode.NOT_FOUND_OR_NO_ACCESS)
        assert await unreadable(Repo(tmp_path / place, clock), clock) == expected


async def test_a_branch_that_is_not_there_is_not_found(repo: Repo, clock: FakeClock) -> None:
    repo.commit("One")

    for ref in ("nowhere", "main:README", "HEAD~7"):
        expected = failed(SourceCode.REF_NOT_FOUND)
        assert await unreadable(repo, clock, ref=ref) == expected


async def test_a_head_that_leads_nowhere_is_no_empty_repository(
    repo: Repo, clock: FakeClock
) -> None:
    repo.commit("One")
    repo.git("symbolic-ref", "HEAD", "refs/heads/elsewhere")

    assert await unreadable(repo, clock) == failed(SourceCode.REF_NOT_FOUND)


@pytest.mark.parametrize("length", [0, 20])
async def test_a_damaged_commit_is_corrupt(repo: Repo, clock: FakeClock, length: int) -> None:
    for number in range(3):
        repo.commit(f"Number {number}", HOUR)
    os.truncate(repo.object("HEAD~1"), length)

    assert await read(repo.source(), clock) == failed(SourceCode.CORRUPT)


async def test_a_commit_that_is_gone_is_corrupt(repo: Repo, clock: FakeClock) -> None:
    for number in range(3):
        repo.commit(f"Number {number}", HOUR)
    repo.object("HEAD~1").unlink()

    assert await read(repo.source(), clock) == failed(SourceCode.CORRUPT)


async def test_a_branch_file_that_was_cut_is_corrupt(repo: Repo, clock: FakeClock) -> None:
    repo.commit("One")
    os.truncate(repo.path / ".git/refs/heads/main", 0)

    assert await unreadable(repo, clock) == failed(SourceCode.CORRUPT)


async def test_refs_that_were_lost_are_corrupt_and_no_empty_repository(
    repo: Repo, clock: FakeClock, tmp_path: Path
) -> None:
    repo.commit("One")
    mirror = repo.clone(tmp_path / "mirror.git", "--mirror")
    os.truncate(mirror.path / "packed-refs", 0)

    assert await unreadable(mirror, clock) == failed(SourceCode.CORRUPT)


async def test_a_damaged_side_branch_leaves_a_gap_beside_the_rest(
    repo: Repo, clock: FakeClock
) -> None:
    repo.commit("One")
    repo.git("branch", "side")
    os.truncate(repo.path / ".git/refs/heads/side", 0)

    found = await whole(repo.source(), clock)

    assert [row.title for row in found.rows] == ["One"]
    assert (found.gaps, found.complete) == ((failed(SourceCode.CORRUPT),), False)


async def test_a_damaged_tag_leaves_a_gap_beside_the_commits(repo: Repo, clock: FakeClock) -> None:
    repo.commit("One")
    repo.git("tag", "-a", "v1", "-m", "Release")
    repo.object("v1").unlink()

    found = await whole(repo.source(), clock)

    gap = ReadFailure(SourceCode.CORRUPT, CODE, GoalId("code"), view=View.DELIVERIES)
    assert [row.title for row in found.rows] == ["One"]
    assert (found.gaps, found.complete) == ((gap,), False)


async def test_settings_that_cannot_be_read_are_corrupt(repo: Repo, clock: FakeClock) -> None:
    repo.commit("One")
    with (repo.path / ".git/config").open("a", encoding="utf-8") as config:
        config.write("[[[\n")

    assert await unreadable(repo, clock) == failed(SourceCode.CORRUPT)


async def test_a_format_that_git_does_not_know_is_its_own_error(
    repo: Repo, clock: FakeClock
) -> None:
    repo.commit("One")
    repo.git("config", "core.repositoryFormatVersion", "99")

    assert await unreadable(repo, clock) == failed(SourceCode.PROVIDER_ERROR)


@pytest.mark.parametrize("bare", [False, True])
async def test_another_users_repository_is_read_only_where_that_user_is_trusted(
    repo: Repo, clock: FakeClock, tmp_path: Path, bare: bool
) -> None:
    require("git", os.geteuid() == 0, "run as root, to give a repository to somebody else")
    repo.commit("One")
    theirs = repo.clone(tmp_path / "theirs", *["--bare"] * bare)
    for file in (theirs.path, *theirs.path.rglob("*")):
        os.chown(file, NOBODY, NOBODY)
    (tmp_path / "link").symlink_to(theirs.path)

    assert await unreadable(theirs, clock) == failed(SourceCode.OWNERSHIP_REFUSED)
    assert await titles(theirs.source(trust_owner=True), clock) == ["One"]
    linked = Repo(tmp_path / "link", clock)
    assert await titles(linked.source(trust_owner=True), clock) == ["One"]


async def test_what_this_user_may_not_read_is_forbidden(
    repo: Repo, clock: FakeClock, tmp_path: Path
) -> None:
    require("git", os.geteuid() == 0 and bool(shutil.which("setpriv")), "run as root, with setpriv")
    repo.commit("One")
    for folder in (tmp_path, *tmp_path.parents):
        if not folder.stat().st_mode & 0o001:
            folder.chmod(folder.stat().st_mode | 0o011)
    (repo.path / ".git/config").chmod(0o600)
    fake = tmp_path / "bin/git"
    fake.parent.mkdir()
    drop = f"setpriv --reuid={NOBODY} --clear-groups"
    fake.write_text(f'#!/bin/sh\nexec {drop} /usr/bin/git "$@"\n', encoding="utf-8")
    fake.chmod(0o755)
    env = {"PATH": f"{fake.parent}:{os.defpath}"}

    found = await read(repo.source_with(env, trust_owner=True), clock)

    assert found == failed(SourceCode.FORBIDDEN)


async def test_a_machine_without_git_says_so(repo: Repo, clock: FakeClock, tmp_path: Path) -> None:
    source = repo.source_with({"PATH": str(tmp_path)})

    assert await read(source, clock) == failed(SourceCode.TOOL_MISSING)
    assert await source.probe() == failed(SourceCode.TOOL_MISSING)


async def test_a_git_that_hangs_is_a_timeout(repo: Repo, clock: FakeClock, tmp_path: Path) -> None:
    (tmp_path / "git").write_text("#!/bin/sh\nexec sleep 60\n", encoding="utf-8")
    (tmp_path / "git").chmod(0o755)
    source = repo.source_with({"PATH": f"{tmp_path}:{os.defpath}"})

    found = await source.read(
        SourceQuery(View.DELIVERIES), deadline=clock.now() + timedelta(seconds=0.3)
    )

    assert found == failed(SourceCode.TIMEOUT)


async def test_more_output_than_any_history_is_too_large(
    repo: Repo, clock: FakeClock, tmp_path: Path
) -> None:
    (tmp_path / "git").write_text("#!/bin/sh\nexec cat /dev/zero\n", encoding="utf-8")
    (tmp_path / "git").chmod(0o755)
    source = repo.source_with({"PATH": f"{tmp_path}:{os.defpath}"})

    assert await read(source, clock) == failed(SourceCode.TOO_LARGE)


async def test_a_repository_that_recovers_is_read_again(repo: Repo, clock: FakeClock) -> None:
    repo.commit("One")
    source = repo.source()
    (repo.path / ".git").rename(repo.path / "away")
    assert await read(source, clock) == failed(SourceCode.NOT_FOUND_OR_NO_ACCESS)
    (repo.path / "away").rename(repo.path / ".git")

    assert await titles(source, clock) == ["One"]


@pytest.mark.parametrize(
    ("options", "key"),
    [
        ({}, "path"),
        ({"path": ""}, "path"),
        ({"path": "/r\0"}, "path"),
        ({"path": "/r", "branch": "main"}, "branch"),
        ({"path": "/r", "ref": "--all"}, "ref"),
        ({"path": "/r", "ref": "v1", "all": True}, "ref"),
        ({"path": "/r", "all": "yes"}, "all"),
        ({"path": "/r", "goal": "a\u200bb"}, "goal"),
        ({"path": "/r", "goal_title": "\u200b"}, "goal_title"),
        ({"path": "/r", "aliases": "pay"}, "aliases"),
        ({"path": "/r", "trust_owner": 1}, "trust_owner"),
        ({"path": "/r", "link": "javascript:{commit}"}, "link"),
        ({"path": "/r", "link": "https://example.org/r"}, "link"),
    ],
)
def test_an_option_that_cannot_be_used_is_named_and_not_repeated(
    clock: FakeClock, options: dict[str, Json], key: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        GitKind(clock).build(CODE, options, ENV)

    assert caught.value.key == f"source.code.{key}"
    assert caught.value.repair
    assert str(options.get(key) or "\0") not in caught.value.repair
