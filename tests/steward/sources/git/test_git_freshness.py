"""How old a repository's content is: a clone is as old as its last fetch, and unknown is never fresh (R10)."""

import shutil
import subprocess
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest

from steward.model.reading import UNDATED, Health
from steward.testing.world import FakeClock
from tests.steward.sources.git.repo import Repo, whole

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)

pytestmark = pytest.mark.requirement("R10")


@pytest.fixture(params=["worktree", "mirror"])
def clone(repo: Repo, tmp_path: Path, request: pytest.FixtureRequest) -> Repo:
    """Made nine days ago."""
    repo.commit("One")
    mirror = ["--mirror"] if request.param == "mirror" else []
    made = repo.clone(tmp_path / "clone", *mirror)
    made.aged("description", 9 * DAY)
    return made


async def test_a_repository_without_an_origin_is_its_own_and_always_current(
    repo: Repo, clock: FakeClock
) -> None:
    repo.commit("One", 30 * DAY)

    assert (await whole(repo.source(), clock)).as_of == clock.now()
    assert await repo.source().probe() == Health(clock.now(), 1)


async def test_a_clone_is_as_old_as_its_last_fetch(clone: Repo, clock: FakeClock) -> None:
    clone.git("fetch", "-q")
    clone.aged("FETCH_HEAD", 3 * HOUR)

    assert (await whole(clone.source(), clock)).as_of == clock.now() - 3 * HOUR
    assert await clone.source().probe() == Health(clock.now() - 3 * HOUR, 1)


async def test_a_clone_that_was_never_fetched_is_as_old_as_itself(
    clone: Repo, clock: FakeClock
) -> None:
    assert (await whole(clone.source(), clock)).as_of == clock.now() - 9 * DAY


async def test_a_fetch_that_failed_makes_nothing_fresh(
    clone: Repo, repo: Repo, clock: FakeClock, tmp_path: Path
) -> None:
    clone.git("fetch", "-q")
    repo.path.rename(tmp_path / "away")
    with suppress(subprocess.CalledProcessError):
        clone.git("fetch", "-q")

    assert (await whole(clone.source(), clock)).as_of == clock.now() - 9 * DAY


async def test_a_clone_of_unknown_age_is_never_fresh(clone: Repo, clock: FakeClock) -> None:
    (clone.path / clone.git("rev-parse", "--git-path", "description")).unlink()

    assert (await whole(clone.source(), clock)).as_of == UNDATED


async def test_a_fetch_from_another_working_tree_counts(
    repo: Repo, clock: FakeClock, tmp_path: Path
) -> None:
    repo.commit("One")
    clone = repo.clone(tmp_path / "clone")
    clone.aged("description", 9 * DAY)
    clone.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "tree"))
    tree = Repo(tmp_path / "tree", clock)
    tree.git("fetch", "-q")
    tree.aged("FETCH_HEAD", HOUR)

    assert (await whole(clone.source(), clock)).as_of == clock.now() - HOUR
    assert (await whole(tree.source(), clock)).as_of == clock.now() - HOUR


async def test_a_fetch_ahead_of_our_clock_is_not_ahead_of_the_read(
    clone: Repo, clock: FakeClock
) -> None:
    clone.git("fetch", "-q")
    clone.aged("FETCH_HEAD", -HOUR)

    assert (await whole(clone.source(), clock)).as_of == clock.now()


async def test_a_new_fetch_without_news_keeps_the_revision(clone: Repo, clock: FakeClock) -> None:
    clone.git("fetch", "-q")
    clone.aged("FETCH_HEAD", DAY)
    source = clone.source()
    before = await whole(source, clock)
    clone.aged("FETCH_HEAD", HOUR)
    after = await whole(source, clock)

    assert (before.rows, before.revision) == (after.rows, after.revision)
    assert after.as_of - before.as_of == DAY - HOUR
    shutil.rmtree(clone.path)
