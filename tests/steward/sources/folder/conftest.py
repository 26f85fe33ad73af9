"""A folder of evidence on disk, whose file times follow the test's clock."""

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from steward.model.ids import GoalId, SourceId
from steward.model.reading import ReadFailure, Snapshot, SourceQuery, View
from steward.sources.folder.source import FolderSource
from steward.testing.world import FakeClock

PAYMENTS = """\
goal: {id: payments, title: Payment gateway, aliases: [支付网关], status: active, owner: Lin, target: 2026-12-20}
todos:
  - {id: todo_1, title: Callback signature, status: blocked, owner: Wei, priority: P1, due: 2026-12-05,
     blocked_by: waiting for the bank's test account, waiting_on: Lin, updated: 2026-11-28}
  - {id: todo_2, title: 回调重试, status: open}
deliveries:
  - {id: d_1, title: Refund flow merged, by: Wei, at: 2026-11-29T16:20:00+08:00, link: https://example.com/pr/12}
  - {id: d_2, title: Test account, by: Lin, at: 2026-11-20 09:00}
handoffs:
  - {request_id: %s, title: Test plan, from: Wei, to: QA, status: open, at: 2026-11-26T10:00:00+08:00}
""" % ("ab" * 32)

EMPTY_LISTS = "todos: []\ndeliveries: []\nhandoffs: []\n"


class EvidenceFolder:
    """Writes files that are an hour old unless told otherwise, and reads them as the source does."""

    def __init__(self, path: Path, clock: FakeClock) -> None:
        self.path = path
        self.clock = clock
        path.mkdir()

    def write(self, name: str, text: str | bytes, age: timedelta = timedelta(hours=1)) -> Path:
        file = self.path / name
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        self.touch(name, age)
        return file

    def goal(self, goal: str, more: str = EMPTY_LISTS, age: timedelta = timedelta(hours=1)) -> Path:
        """A file of one goal that has all lists, empty."""
        return self.write(
            f"{goal}.yaml", f"goal: {{id: {goal}, title: {goal.title()}}}\n{more}", age
        )

    def touch(self, name: str, age: timedelta) -> None:
        at = (self.clock.now() - age).timestamp()
        os.utime(self.path / name, (at, at))

    @asynccontextmanager
    async def source(self, pause: Callable[[], object] = bool) -> AsyncIterator[FolderSource]:
        """The source, which does not wait for writers: what `pause` does happens instead."""
        zone = ZoneInfo("Asia/Shanghai")
        source = FolderSource(SourceId("plans"), str(self.path), zone, self.clock, pause=pause)
        try:
            yield source
        finally:
            await source.aclose()

    async def read(
        self,
        view: View = View.TODOS,
        goal: str | None = None,
        since: datetime | None = None,
        request_id: str | None = None,
        source: FolderSource | None = None,
    ) -> Snapshot | ReadFailure:
        """One read, by a process that has never read before unless a source is given."""
        query = SourceQuery(
            view, GoalId(goal) if goal else None, since=since, request_id=request_id
        )
        deadline = self.clock.now() + timedelta(seconds=10)
        if source is not None:
            return await source.read(query, deadline=deadline)
        async with self.source() as fresh:
            return await fresh.read(query, deadline=deadline)

    async def snapshot(
        self, view: View = View.TODOS, goal: str | None = None, source: FolderSource | None = None
    ) -> Snapshot:
        """A read that must succeed."""
        found = await self.read(view, goal, source=source)
        assert isinstance(found, Snapshot), found
        return found


@pytest.fixture
def folder(tmp_path: Path, clock: FakeClock) -> EvidenceFolder:
    """An empty folder."""
    return EvidenceFolder(tmp_path / "evidence", clock)
