"""The folder as a Source: everything slow happens in a worker thread of its own, under the caller's deadline.

A read that ran out of time goes on in the worker and leaves its parsed files behind for the next one.
"""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from datetime import datetime, timedelta, tzinfo
from typing import TypeVar

from steward.model.ids import GoalId, SourceId
from steward.model.reading import Health, ReadFailure, Snapshot, SourceCode, SourceQuery, View
from steward.ports.world import Clock
from steward.sources.folder.loader import Loader
from steward.sources.folder.snapshot import snapshot

VIEWS = frozenset({View.PORTFOLIO, View.TODOS, View.DELIVERIES, View.HANDOFFS})

PROBE_TIMEOUT = timedelta(seconds=10)

_Found = TypeVar("_Found", Snapshot, Health, Sequence[tuple[GoalId, str]])


class FolderSource:
    """One configured folder. `zone`: where naive times in its files belong. `pause`, `parsing`: the loader's."""

    def __init__(
        self,
        source: SourceId,
        path: str,
        zone: tzinfo,
        clock: Clock,
        *,
        pause: Callable[[], object] | None = None,
        parsing: AbstractContextManager[object] | None = None,
    ) -> None:
        self._id = source
        self._clock = clock
        self._loader = Loader(path, source, zone, pause, parsing)
        self._worker = ThreadPoolExecutor(1, thread_name_prefix=f"folder-{source}")

    @property
    def id(self) -> SourceId:
        return self._id

    @property
    def views(self) -> frozenset[View]:
        return VIEWS

    async def probe(self) -> Health | ReadFailure:
        """Whether some goal can be read now."""
        return await self._within(self._clock.now() + PROBE_TIMEOUT, self._health)

    async def read(self, query: SourceQuery, *, deadline: datetime) -> Snapshot | ReadFailure:
        """The whole answer to one query, from files as they are now."""

        def answer(now: datetime) -> Snapshot | ReadFailure:
            folder = self._loader.load(now)
            if isinstance(folder, SourceCode):
                return ReadFailure(folder, self._id)
            return snapshot(folder, query, self._id)

        return await self._within(deadline, answer)

    async def ignored(self, deadline: datetime) -> Sequence[tuple[GoalId, str]] | ReadFailure:
        """Each key that nothing reads, with the goal whose file holds it."""

        def listed(now: datetime) -> Sequence[tuple[GoalId, str]] | ReadFailure:
            folder = self._loader.load(now)
            if isinstance(folder, SourceCode):
                return ReadFailure(folder, self._id)
            return [(goal, key) for goal, file in folder.goals.items() for key in file.ignored]

        return await self._within(deadline, listed)

    async def aclose(self) -> None:
        """End the worker; a parse in progress is given up."""
        self._loader.stop()
        await asyncio.to_thread(self._worker.shutdown, wait=True, cancel_futures=True)

    def _health(self, now: datetime) -> Health | ReadFailure:
        folder = self._loader.load(now)
        if isinstance(folder, SourceCode):
            return ReadFailure(folder, self._id)
        if folder.goals:
            return Health(min(folder.times.values()), len(folder.goals))
        codes = [failure.code for failure in folder.failures] or [SourceCode.NOT_CONFIGURED]
        return ReadFailure(codes[0], self._id, count=len(codes))

    async def _within(
        self, deadline: datetime, work: Callable[[datetime], _Found | ReadFailure]
    ) -> _Found | ReadFailure:
        now = self._clock.now()
        remaining = (deadline - now).total_seconds()
        if remaining <= 0:
            return ReadFailure(SourceCode.TIMEOUT, self._id)
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(remaining):
                return await loop.run_in_executor(self._worker, work, now)
        except TimeoutError:
            return ReadFailure(SourceCode.TIMEOUT, self._id)
