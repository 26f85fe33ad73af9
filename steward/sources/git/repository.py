"""What there is in a repository before any commit of it is read: its refs, where to begin, and how old it is."""

import asyncio
import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from steward.model.reading import UNDATED, SourceCode
from steward.sources.git.command import Git, Output

_REFS = "--format=%(refname)%00%(objectname)%00%(HEAD)%00%(upstream)"
_FACTS = 4


@dataclass(frozen=True, slots=True)
class Ref:
    """A branch or tag. `checked_out`: HEAD stands on it; `upstream`: the name of what it follows, or empty."""

    name: str
    target: str
    checked_out: bool
    upstream: str


@dataclass(frozen=True, slots=True)
class Repository:
    """One look. `tips`: where its history begins; none of them where there is no commit at all.

    `boundary`: the commits at which a shallow clone ends. `broken`: some branch or tag was passed over, because it
    is damaged. `as_of`: when its content last was what its origin holds (R10).
    """

    tips: Sequence[str]
    boundary: Sequence[str]
    broken: bool
    as_of: datetime
    revision: str


async def look(
    git: Git, path: str, ref: str | None, *, everything: bool, now: datetime, seconds: float
) -> Repository | SourceCode:
    """What there is. `ref` None: HEAD, what its branch follows, and the default branch of each remote.

    A branch that follows another one stands for both of them: `git fetch` moves only the other one.
    """
    places = await _places(git, path, seconds)
    if isinstance(places, SourceCode):
        return places
    async with asyncio.TaskGroup() as group:
        listing = group.create_task(git("for-each-ref", _REFS, seconds=seconds))
        remotes = group.create_task(git("remote", seconds=seconds))
        beginning = group.create_task(git.resolved(ref or "HEAD", seconds=seconds))
        dated = group.create_task(asyncio.to_thread(_disk, places))
    listed, remote, begin = listing.result(), remotes.result(), beginning.result()
    for found in (listed, remote, begin):
        if isinstance(found, SourceCode) and found is not SourceCode.REF_NOT_FOUND:
            return found
    if not isinstance(listed, Output) or not isinstance(remote, Output):
        return SourceCode.PROVIDER_ERROR
    refs = [_ref(line) for line in listed.lines]
    start = begin.decode("ascii") if isinstance(begin, bytes) else None
    tips = _everything(refs, start) if everything else _tips(refs, ref, start)
    if not tips and (code := await _why_nothing(git, refs, listed, seconds)):
        return code
    disk = dated.result()
    digest = hashlib.sha256(listed.text + b"\n" + repr((tips, disk.boundary)).encode())
    return Repository(
        tips=tips,
        boundary=disk.boundary,
        broken=listed.broken,
        as_of=min(now, disk.fetched) if remote.text else now,
        revision=f"sha256:{digest.hexdigest()[:32]}",
    )


@dataclass(frozen=True, slots=True)
class _Places:
    git_dir: Path
    common_dir: Path
    shallow: bool


@dataclass(frozen=True, slots=True)
class _Disk:
    boundary: Sequence[str]
    fetched: datetime


async def _places(git: Git, path: str, seconds: float) -> _Places | SourceCode:
    found = await git(
        "rev-parse",
        "--is-shallow-repository",
        "--show-prefix",
        "--absolute-git-dir",
        "--git-common-dir",
        seconds=seconds,
    )
    if isinstance(found, SourceCode):
        return found
    lines = found.lines
    if len(lines) != _FACTS:
        return SourceCode.PROVIDER_ERROR
    shallow, prefix, git_dir, common_dir = lines
    if prefix:
        return SourceCode.NOT_FOUND_OR_NO_ACCESS  # a folder of some other repository, not this one
    return _Places(
        Path(os.fsdecode(git_dir)), Path(path, os.fsdecode(common_dir)), shallow == b"true"
    )


def _ref(line: bytes) -> Ref:
    name, target, head, upstream = line.decode(errors="replace").split("\0")
    return Ref(name, target, head == "*", upstream)


def _tips(refs: Sequence[Ref], asked: str | None, start: str | None) -> tuple[str, ...]:
    targets = {ref.name: ref.target for ref in refs}
    tips = [start]
    for ref in refs:
        if ref.checked_out if asked is None else ref.name in {asked, f"refs/heads/{asked}"}:
            tips.append(targets.get(ref.upstream))
        if asked is None and ref.name.startswith("refs/remotes/") and ref.name.endswith("/HEAD"):
            tips.append(ref.target)
    return tuple(dict.fromkeys(tip for tip in tips if tip is not None))


def _everything(refs: Sequence[Ref], start: str | None) -> tuple[str, ...]:
    branches = [ref.target for ref in refs if ref.name.startswith(("refs/heads/", "refs/remotes/"))]
    return tuple(dict.fromkeys([*([start] if start else []), *branches]))


async def _why_nothing(
    git: Git, refs: Sequence[Ref], listed: Output, seconds: float
) -> SourceCode | None:
    """Nowhere to begin: None only where there really is no commit, rather than no way to it."""
    if listed.broken:
        return SourceCode.CORRUPT
    if refs:
        return SourceCode.REF_NOT_FOUND
    objects = await git(
        "cat-file",
        "--batch-all-objects",
        "--unordered",
        "--batch-check=%(objecttype)",
        seconds=seconds,
    )
    if isinstance(objects, SourceCode):
        return objects
    return SourceCode.CORRUPT if b"commit" in objects.lines else None


def _disk(places: _Places) -> _Disk:
    """What is read without git: where a shallow clone ends, and the time of the last fetch."""
    return _Disk(_boundary(places), _fetched(places))


def _boundary(places: _Places) -> tuple[str, ...]:
    if not places.shallow:
        return ()
    try:
        return tuple((places.common_dir / "shallow").read_text(encoding="ascii").split())
    except (OSError, UnicodeDecodeError):
        return ()


def _fetched(places: _Places) -> datetime:
    """The last fetch that got anywhere. Without one, when the clone was made; else nobody knows.

    A fetch that fails leaves an empty FETCH_HEAD behind. Each working tree has one of its own.
    """
    heads = {
        places.git_dir / "FETCH_HEAD",
        places.common_dir / "FETCH_HEAD",
        *places.common_dir.glob("worktrees/*/FETCH_HEAD"),
    }
    made = _written(places.common_dir / "description") or UNDATED
    return max([made, *(at for head in heads if (at := _written(head)) is not None)])


def _written(file: Path) -> datetime | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return datetime.fromtimestamp(found.st_mtime, UTC) if found.st_size else None
