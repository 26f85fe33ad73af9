"""What a repository delivered, whatever its shape and however its commits are dated."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from steward.model.ids import GoalId
from steward.model.reading import (
    ReadFailure,
    Row,
    RowStatus,
    Snapshot,
    SourceCode,
    SourceQuery,
    View,
)
from steward.testing.world import FakeClock
from tests.steward.sources.git.repo import CODE, Repo, read, titles, whole

DAY = timedelta(days=1)
HOUR = timedelta(hours=1)
GOAL = Row(View.PORTFOLIO, CODE, GoalId("code"), "code", "code", RowStatus.ACTIVE)


def delivered(identity: str, title: str, owner: str, at: datetime, link: str | None = None) -> Row:
    return Row(
        View.DELIVERIES,
        CODE,
        GoalId("code"),
        identity,
        title,
        RowStatus.DELIVERED,
        owner=owner,
        at=at,
        link=link,
    )


async def test_commits_merges_and_tags_are_deliveries(repo: Repo, clock: FakeClock) -> None:
    first = repo.commit("Callback signature", 5 * HOUR)
    repo.git("switch", "-q", "-c", "side")
    side = repo.commit("退款流程", 4 * HOUR, "小林")
    repo.git("switch", "-q", "main")
    merge = ("merge", "-q", "--no-ff", "-m", "Merge the refund flow", "side")
    repo.git(*merge, ago=3 * HOUR, by="Wei")
    merged = repo.git("rev-parse", "HEAD")
    repo.git("tag", "-a", "v1.0", "-m", "First release", ago=2 * HOUR, by="QA")
    repo.git("tag", "nightly")
    link = "https://example.com/r/commit/"

    found = await whole(repo.source(link=f"{link}{{commit}}"), clock, 1)

    now = clock.now().astimezone(UTC)
    assert found == Snapshot(
        rows=[
            delivered("refs/tags/nightly", "nightly", "Wei", now - 3 * HOUR, link + merged),
            delivered("refs/tags/v1.0", "v1.0: First release", "QA", now - 2 * HOUR, link + merged),
            delivered(merged, "Merge the refund flow", "Wei", now - 3 * HOUR, link + merged),
            delivered(side, "退款流程", "小林", now - 4 * HOUR, link + side),
            delivered(first, "Callback signature", "Lin", now - 5 * HOUR, link + first),
        ],
        goals={GoalId("code"): GOAL},
        as_of=now,
        revision=found.revision,
        complete=True,
    )


async def test_the_repository_is_one_goal(repo: Repo, clock: FakeClock) -> None:
    repo.commit("One")
    source = repo.source(goal="payments", goal_title="Payment gateway", aliases=["支付网关"])

    found = await whole(source, clock, view=View.PORTFOLIO)

    goal = Row(
        View.PORTFOLIO,
        CODE,
        GoalId("payments"),
        "payments",
        "Payment gateway",
        RowStatus.ACTIVE,
        aliases=("支付网关",),
    )
    assert (found.rows, found.goals, found.complete) == ((goal,), {GoalId("payments"): goal}, True)
    rows = (await whole(source, clock)).rows
    assert [row.goal for row in rows] == [GoalId("payments")]


async def test_a_view_that_git_does_not_record_is_never_a_whole_answer(
    repo: Repo, clock: FakeClock
) -> None:
    repo.commit("One")

    found = await whole(repo.source(), clock, view=View.TODOS)

    assert (found.rows, found.complete) == ((), False)


async def test_an_old_date_on_top_does_not_hide_what_lies_below(
    repo: Repo, clock: FakeClock
) -> None:
    """`--since` ends at a run of older commits; clocks of people's machines are wrong, and rebases keep dates."""
    repo.commit("Below", HOUR)
    for number in range(10):
        repo.commit(f"Old {number}", 400 * DAY)

    assert await titles(repo.source(), clock, 7) == ["Below"]


async def test_a_window_has_two_ends(repo: Repo, clock: FakeClock) -> None:
    for days in (1, 2, 3, 4):
        repo.commit(f"{days} days ago", days * DAY)
    now = clock.now()
    query = SourceQuery(View.DELIVERIES, since=now - 3 * DAY, until=now - 2 * DAY)

    found = await repo.source().read(query, deadline=now + timedelta(seconds=10))

    assert isinstance(found, Snapshot)
    assert [row.title for row in found.rows] == ["3 days ago"]


async def test_what_was_fetched_counts_although_nobody_merged_it_here(
    repo: Repo, clock: FakeClock, tmp_path: Path
) -> None:
    repo.commit("One", 2 * HOUR)
    clone = repo.clone(tmp_path / "clone")
    repo.commit("Two")
    clone.git("fetch", "-q")

    assert await titles(clone.source(), clock) == ["Two", "One"]
    assert await titles(clone.source(ref="main"), clock) == ["Two", "One"]
    clone.git("checkout", "-q", "--detach")
    assert await titles(clone.source(), clock) == ["Two", "One"]


async def test_a_ref_narrows_commits_and_all_reads_every_branch(
    repo: Repo, clock: FakeClock
) -> None:
    repo.commit("On main", 3 * HOUR)
    repo.git("switch", "-q", "-c", "side")
    repo.commit("On the side", 2 * HOUR)
    repo.git("tag", "-a", "v9", "-m", "From the side", ago=HOUR)
    repo.git("switch", "-q", "main")

    assert await titles(repo.source(), clock) == ["v9: From the side", "On main"]
    assert await titles(repo.source(ref="v9"), clock) == [
        "v9: From the side",
        "On the side",
        "On main",
    ]
    assert await titles(repo.source(all=True), clock) == [
        "v9: From the side",
        "On the side",
        "On main",
    ]


async def test_mirrors_worktrees_and_other_hashes_are_read_alike(
    repo: Repo, clock: FakeClock, tmp_path: Path
) -> None:
    repo.commit("One")
    mirror = repo.clone(tmp_path / "mirror.git", "--mirror")
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "tree"))
    tree = Repo(tmp_path / "tree", clock)
    tree.commit("Two")
    long = Repo.new(tmp_path / "long", clock, "--object-format=sha256")
    long.commit("Three")

    assert await titles(mirror.source(), clock) == ["One"]
    assert await titles(tree.source(), clock) == ["Two", "One"]
    assert await titles(long.source(), clock) == ["Three"]


async def test_a_clone_without_its_files_needs_none_of_them(
    repo: Repo, clock: FakeClock, tmp_path: Path
) -> None:
    (repo.path / "a").write_text("text", encoding="utf-8")
    repo.git("add", "a")
    repo.commit("One")
    repo.git("config", "uploadpack.allowFilter", "true")
    partial = repo.clone(tmp_path / "partial", "--filter=tree:0", "--no-checkout")
    repo.path.rename(tmp_path / "gone")

    assert await titles(partial.source(), clock) == ["One"]


async def test_an_empty_repository_is_whole_and_empty_until_a_commit_comes(
    repo: Repo, clock: FakeClock
) -> None:
    source = repo.source()
    (repo.path / "a").write_text("text", encoding="utf-8")
    repo.git("add", "a")

    for view in (View.PORTFOLIO, View.DELIVERIES):
        found = await whole(source, clock, view=view)
        assert (found.complete, found.gaps, set(found.goals)) == (True, (), {GoalId("code")})
    assert await titles(source, clock) == []
    repo.commit("One")
    assert await titles(source, clock) == ["One"]


@pytest.mark.requirement("R9", "R10")
async def test_a_shallow_clone_says_where_its_history_begins(
    repo: Repo, clock: FakeClock, tmp_path: Path
) -> None:
    for days in (30, 10, 1):
        repo.commit(f"{days} days ago", days * DAY)
    shallow = repo.clone(tmp_path / "shallow", "--depth", "2")
    source = shallow.source()

    month, whenever = await whole(source, clock, 31), await whole(source, clock)

    assert [row.title for row in month.rows] == ["1 days ago", "10 days ago"]
    assert month.reaches_back_to == (clock.now() - 10 * DAY).astimezone(UTC)
    assert whenever.gaps == (ReadFailure(SourceCode.TRUNCATED, CODE),)
    assert not whenever.complete


async def test_names_and_titles_are_fit_to_be_shown(repo: Repo, clock: FakeClock) -> None:
    repo.commit("a\u202eb\u200bc  \n\nthe body is not read", 3 * HOUR, "W\u2066ei")
    at = int((clock.now() - 2 * HOUR).timestamp())
    repo.raw(b"author X\xff <x@example.com> 1 +0000\n", at, b"caf\xe9 \xff")
    blank = repo.commit("", HOUR, "Lin", "--allow-empty-message")

    rows = (await whole(repo.source(), clock)).rows

    assert [(row.title, row.owner) for row in rows] == [
        (blank[:12], "Lin"),
        ("caf\ufffd \ufffd", "X\ufffd"),
        ("abc", "Wei"),
    ]


async def test_a_date_that_no_calendar_holds_is_a_gap(repo: Repo, clock: FakeClock) -> None:
    repo.commit("Sound")
    repo.raw(b"author X <x@example.com> 1 +0000\n", 999999999999999, b"Far ahead")

    found = await whole(repo.source(), clock)

    assert [row.title for row in found.rows] == ["Sound"]
    assert found.gaps == (ReadFailure(SourceCode.PARSE_FAILED, CODE),)
    assert not found.complete


@pytest.mark.requirement("R8")
async def test_a_history_beyond_the_limit_is_cut_and_says_so(repo: Repo, clock: FakeClock) -> None:
    at = int((clock.now() - HOUR).timestamp())
    one = f"commit refs/heads/main\ncommitter Lin <x@example.com> {at} +0000\ndata 3\nOne\n"
    (repo.path / "stream").write_text(one * 20_001, encoding="utf-8")
    with (repo.path / "stream").open("rb") as stream:
        repo.feed(stream, "fast-import", "--quiet")

    found = await whole(repo.source(), clock)

    assert len(found.rows) == 20_000
    assert found.gaps == (ReadFailure(SourceCode.TRUNCATED, CODE),)


async def test_nothing_of_the_repository_is_run(
    repo: Repo, clock: FakeClock, tmp_path: Path
) -> None:
    trace = tmp_path / "ran"
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\ntouch {trace}\n", encoding="utf-8")
    script.chmod(0o755)
    (repo.path / ".git/hooks/post-index-change").write_text(
        script.read_text(encoding="utf-8"), encoding="utf-8"
    )
    for setting in ("core.fsmonitor", "core.pager", "gpg.program", "diff.external"):
        repo.git("config", setting, str(script))
    for setting in ("log.showSignature", "log.mailmap"):
        repo.git("config", setting, "true")
    repo.git("config", "color.ui", "always")
    repo.git("config", "format.pretty", "raw")
    repo.commit("One", 2 * HOUR)
    signature = b"gpgsig -----BEGIN PGP SIGNATURE-----\n \n -----END PGP SIGNATURE-----\n"
    at = int((clock.now() - HOUR).timestamp())
    repo.raw(b"author X <x@example.com> 1 +0000\n", at, b"Signed", signature)
    trace.unlink(missing_ok=True)

    assert await titles(repo.source(), clock) == ["Signed", "One"]
    assert not trace.exists()


async def test_git_gets_nothing_of_our_environment_but_the_path(
    repo: Repo, clock: FakeClock, tmp_path: Path
) -> None:
    written = tmp_path / "environment"
    fake = tmp_path / "bin/git"
    fake.parent.mkdir()
    fake.write_text(f"#!/bin/sh\nenv >{written}\nexit 1\n", encoding="utf-8")
    fake.chmod(0o755)
    env = {"PATH": f"{fake.parent}:/usr/bin:/bin", "HOME": "/root", "APP_SECRET": "sim_hush"}

    await read(repo.source_with(env), clock)

    lines = written.read_text(encoding="utf-8").splitlines()
    names = {line.partition("=")[0] for line in lines}
    assert names - {"PWD", "SHLVL", "_", "OLDPWD"} == {
        "PATH",
        "LC_ALL",
        "GIT_CONFIG_NOSYSTEM",
        "GIT_CONFIG_GLOBAL",
        "GIT_NO_LAZY_FETCH",
        "GIT_OPTIONAL_LOCKS",
        "GIT_TERMINAL_PROMPT",
    }


async def test_a_gap_that_was_mended_is_gone_and_a_whole_history_is_kept(
    repo: Repo, clock: FakeClock, tmp_path: Path
) -> None:
    repo.commit("One")
    repo.git("tag", "-a", "v1", "-m", "Release")
    source = repo.source()
    tag = repo.object("v1").rename(tmp_path / "tag")
    assert not (await whole(source, clock)).complete
    place = repo.path / ".git/objects" / repo.git("rev-parse", "v1")[:2]
    tag.rename(place / repo.git("rev-parse", "v1")[2:])

    mended = await whole(source, clock)

    assert (mended.complete, len(mended.rows)) == (True, 2)
    assert (await whole(source, clock)).rows is mended.rows
