"""Real repositories, made by the real git, whose times follow the test's clock."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import BinaryIO

from steward.model.ids import SourceId
from steward.model.json import Json
from steward.model.reading import ReadFailure, Snapshot, SourceQuery, View
from steward.sources.git.kind import GitKind
from steward.sources.git.source import GitSource
from steward.testing.world import FakeClock
from tests.needs import require

CODE = SourceId("code")
ENV = {
    "PATH": os.defpath,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "LC_ALL": "C",
}


def need_git() -> None:
    """Skip where there is no git."""
    require("git", shutil.which("git", path=os.defpath) is not None, "install git")


class Repo:
    """A repository at `path`. Commits are made at the clock's time less `ago`."""

    def __init__(self, path: Path, clock: FakeClock, *make: str) -> None:
        self.path = path
        self.clock = clock
        if make:
            self._run(list(make), path.parent, clock.now())

    @classmethod
    def new(cls, path: Path, clock: FakeClock, *options: str) -> "Repo":
        """An empty repository on `main`."""
        return cls(path, clock, "init", "-q", "-b", "main", *options, str(path))

    def clone(self, path: Path, *options: str) -> "Repo":
        """A clone of this one, through the transport that real clones use."""
        return Repo(path, self.clock, "clone", "-q", *options, f"file://{self.path}", str(path))

    def git(self, *arguments: str, ago: timedelta = timedelta(), by: str = "Lin") -> str:
        return self._run(list(arguments), self.path, self.clock.now() - ago, by)

    def commit(
        self, title: str, ago: timedelta = timedelta(hours=1), by: str = "Lin", *options: str
    ) -> str:
        """The id of a new commit, which changes no file."""
        self.git("commit", "-q", "--allow-empty", "-m", title, *options, ago=ago, by=by)
        return self.git("rev-parse", "HEAD")

    def object(self, name: str) -> Path:
        """Where a loose object lies; it may be written to."""
        found = self.git("rev-parse", name)
        file = self.path / self.git("rev-parse", "--git-path", f"objects/{found[:2]}/{found[2:]}")
        file.chmod(0o644)
        return file

    def aged(self, name: str, ago: timedelta) -> None:
        """Set a file of the git directory to so long ago."""
        at = (self.clock.now() - ago).timestamp()
        os.utime(self.path / self.git("rev-parse", "--git-path", name), (at, at))

    def source(self, **options: Json) -> GitSource:
        """The repository as a source."""
        return self.source_with(ENV, **options)

    def source_with(self, env: Mapping[str, str], **options: Json) -> GitSource:
        """The same, where the environment differs."""
        return GitKind(self.clock).build(CODE, {"path": str(self.path), **options}, env)

    def raw(self, author: bytes, at: int, message: bytes, more: bytes = b"") -> None:
        """A commit on top that git itself would not make."""
        tree, parent = self.git("rev-parse", "HEAD^{tree}"), self.git("rev-parse", "HEAD")
        head = f"tree {tree}\nparent {parent}\n".encode()
        tail = f"committer X <x@example.com> {at} +0000\n".encode() + more + b"\n"
        (self.path / "raw").write_bytes(head + author + tail + message)
        made = self.git("hash-object", "-t", "commit", "-w", "--literally", "raw")
        self.git("reset", "-q", "--soft", made)

    def feed(self, stream: BinaryIO, *arguments: str) -> None:
        """Run git with a file as its input."""
        subprocess.run(
            ["git", *arguments], cwd=self.path, env=ENV, check=True, stdin=stream, timeout=15
        )

    def _run(self, arguments: list[str], cwd: Path, at: datetime, by: str = "Lin") -> str:
        stamp = f"{int(at.timestamp())} +0800"
        who = {
            f"GIT_{role}_{what}": value
            for role in ("AUTHOR", "COMMITTER")
            for what, value in (("NAME", by), ("EMAIL", "x@example.com"), ("DATE", stamp))
        }
        found = subprocess.run(
            ["git", *arguments], cwd=cwd, env=ENV | who, check=True, capture_output=True, timeout=15
        )
        return found.stdout.decode().strip()


async def read(
    source: GitSource,
    clock: FakeClock,
    days: int | None = None,
    view: View = View.DELIVERIES,
) -> Snapshot | ReadFailure:
    """One view, over the last `days`."""
    now = clock.now()
    since = None if days is None else now - timedelta(days=days)
    return await source.read(SourceQuery(view, since=since), deadline=now + timedelta(seconds=15))


async def whole(
    source: GitSource, clock: FakeClock, days: int | None = None, view: View = View.DELIVERIES
) -> Snapshot:
    """As `read`, where something must come of it."""
    found = await read(source, clock, days, view)
    assert isinstance(found, Snapshot), found
    return found


async def titles(source: GitSource, clock: FakeClock, days: int | None = None) -> list[str]:
    """What was delivered, newest first as git has it."""
    return [row.title for row in (await whole(source, clock, days)).rows]
