"""What a repository delivered: its commits, merges among them, and its tags, as rows."""

import asyncio
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeAlias

from steward.model.ids import GoalId, SourceId
from steward.model.reading import ReadFailure, Row, RowStatus, SourceCode, SourceQuery, View
from steward.reading.text import clean
from steward.reading.windows import within
from steward.sources.git.command import Git
from steward.sources.git.repository import Repository

MAX_ROWS = 20_000

_COMMIT = "--format=%H%x00%ct%x00%an%x00%s"
_TAG = "%00".join(
    f"%({field})"
    for field in (
        "refname",
        "objectname",
        "*objectname",
        "creatordate:unix",
        "taggername",
        "authorname",
        "contents:subject",
    )
)
_HASH = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?", re.ASCII)
_SHORT = 12
_COMMIT_FIELDS = 4
_TAGS = "refs/tags/"


@dataclass(frozen=True, slots=True)
class Origin:
    """Whose rows they are, and where a commit can be looked at: a link with `{commit}` in it, or none."""

    source: SourceId
    goal: GoalId
    link: str | None

    def row(self, identity: str, title: str, owner: str, at: datetime, commit: str) -> Row:
        """One delivery."""
        return Row(
            view=View.DELIVERIES,
            source=self.source,
            goal=self.goal,
            id=identity,
            title=title,
            status=RowStatus.DELIVERED,
            owner=clean(owner) or None,
            at=at,
            link=self.link.replace("{commit}", commit) if self.link else None,
        )


@dataclass(frozen=True, slots=True)
class History:
    """Deliveries of a window. `gaps`: what of them is missing. `reach`: a shallow clone knows nothing older."""

    rows: Sequence[Row]
    gaps: Sequence[ReadFailure] = ()
    reach: datetime | None = None


_Parsed: TypeAlias = tuple[list[Row], int]


async def history(
    git: Git, repository: Repository, query: SourceQuery, origin: Origin, *, seconds: float
) -> History | SourceCode:
    """Everything delivered within the query's window. Damaged tags are a gap; damaged commits, a failure."""
    async with asyncio.TaskGroup() as group:
        logging = group.create_task(_commits(git, repository, query, origin, seconds))
        tagging = group.create_task(_tags(git, query, origin, seconds))
        reaching = group.create_task(_reach(git, repository, seconds))
    commits, tags, reach = logging.result(), tagging.result(), reaching.result()
    if isinstance(commits, SourceCode):
        return commits
    if isinstance(reach, SourceCode):
        return reach
    rows, undated = commits
    gaps = [ReadFailure(SourceCode.PARSE_FAILED, origin.source, count=undated)] if undated else []
    if isinstance(tags, SourceCode):
        gaps.append(ReadFailure(tags, origin.source, origin.goal, view=View.DELIVERIES))
        tags = []
    if repository.broken:
        gaps.append(ReadFailure(SourceCode.CORRUPT, origin.source))
    cut = len(rows) > MAX_ROWS
    rows = [*tags, *rows]
    if cut or len(rows) > MAX_ROWS or (reach is not None and query.since is None):
        gaps.append(ReadFailure(SourceCode.TRUNCATED, origin.source))
    return History(rows[:MAX_ROWS], tuple(gaps), reach)


async def _commits(
    git: Git, repository: Repository, query: SourceQuery, origin: Origin, seconds: float
) -> _Parsed | SourceCode:
    """All commits of the window. `--since` would stop at the first older one, whose parents may be newer."""
    if not repository.tips:
        return [], 0
    window = [] if query.since is None else [f"--since-as-filter={_instant(query.since)}"]
    window += [] if query.until is None else [f"--until={_instant(query.until)}"]
    found = await git(
        "log",
        "-z",
        _COMMIT,
        "--encoding=UTF-8",
        f"--max-count={MAX_ROWS + 1}",
        *window,
        "--no-patch",
        "--end-of-options",
        *repository.tips,
        "--",
        seconds=seconds,
    )
    if isinstance(found, SourceCode):
        return found
    return await asyncio.to_thread(_parsed, found.text, query, origin)


def _instant(at: datetime) -> str:
    return f"@{int(at.timestamp())} +0000"


def _parsed(text: bytes, query: SourceQuery, origin: Origin) -> _Parsed | SourceCode:
    """The rows, and how many commits bear no date that can be believed. No field can hold a NUL."""
    fields = text.decode(errors="replace").split("\0")
    if len(fields) % _COMMIT_FIELDS != 1:
        return SourceCode.PROVIDER_ERROR
    rows: list[Row] = []
    undated = 0
    for start in range(0, len(fields) - 1, _COMMIT_FIELDS):
        commit, seconds, author, subject = fields[start : start + _COMMIT_FIELDS]
        if not _HASH.fullmatch(commit):
            return SourceCode.PROVIDER_ERROR
        at = _dated(seconds)
        if at is None:
            undated += 1
        elif within(at, query.since, query.until):
            title = clean(subject) or commit[:_SHORT]
            rows.append(origin.row(commit, title, author, at, commit))
    return rows, undated


async def _tags(
    git: Git, query: SourceQuery, origin: Origin, seconds: float
) -> list[Row] | SourceCode:
    """All tags of the repository, whatever branch they stand on: a release need not be merged."""
    found = await git("for-each-ref", f"--format={_TAG}", _TAGS, seconds=seconds)
    if isinstance(found, SourceCode):
        return found
    tags = [line.decode(errors="replace").split("\0") for line in found.lines]
    return [row for fields in tags for row in _tag(fields, query, origin)]


def _tag(fields: Sequence[str], query: SourceQuery, origin: Origin) -> Iterator[Row]:
    """A tag without a time, one of a file for example, lies in no window and delivers nothing."""
    name, target, commit, seconds, tagger, author, subject = fields
    at = _dated(seconds)
    if at is None or not within(at, query.since, query.until):
        return
    label = clean(name.removeprefix(_TAGS))
    message = clean(subject) if tagger else ""
    title = clean(f"{label}: {message}") if message else label
    yield origin.row(clean(name), title, tagger or author, at, commit or target)


async def _reach(git: Git, repository: Repository, seconds: float) -> datetime | SourceCode | None:
    """The newest commit whose parents a shallow clone lacks: what is older may be missing."""
    if not repository.boundary:
        return None
    listed = "\n".join(repository.boundary).encode()
    found = await git(
        "log", "--no-walk=unsorted", "--format=%ct", "--stdin", seconds=seconds, stdin=listed
    )
    if isinstance(found, SourceCode):
        return found
    times = [_dated(line.decode(errors="replace")) for line in found.lines]
    return max((at for at in times if at is not None), default=None)


def _dated(seconds: str) -> datetime | None:
    """Committers write their own clocks: a year that no calendar holds is none."""
    try:
        return datetime.fromtimestamp(int(seconds), UTC)
    except (ValueError, OverflowError, OSError):
        return None
