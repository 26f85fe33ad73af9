"""One repository as a Source: one goal, and what was delivered to it."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeAlias, TypeVar

from steward.model.ids import SourceId
from steward.model.reading import (
    Health,
    ReadFailure,
    Row,
    Snapshot,
    SourceCode,
    SourceQuery,
    View,
)
from steward.ports.world import Clock
from steward.sources.git.command import Git
from steward.sources.git.history import History, Origin, history
from steward.sources.git.repository import Repository, look

VIEWS = frozenset({View.PORTFOLIO, View.DELIVERIES})

PROBE_TIMEOUT = timedelta(seconds=10)

_KEPT = 4
"""Whole histories of so many windows are kept, each up to 20,000 rows: a commit that was read does not change."""

_Window: TypeAlias = tuple[str, datetime | None, datetime | None]
_Found = TypeVar("_Found", Snapshot, Health)


@dataclass(frozen=True, slots=True)
class Place:
    """Where the repository is and where to begin in it: `ref` None is HEAD with what it follows."""

    path: str
    ref: str | None = None
    everything: bool = False


class GitSource:
    """`goal`: the portfolio row that stands for the repository."""

    def __init__(self, git: Git, place: Place, goal: Row, link: str | None, clock: Clock) -> None:
        self._git = git
        self._place = place
        self._goal = goal
        self._origin = Origin(goal.source, goal.goal, link)
        self._clock = clock
        self._turn = asyncio.Lock()
        self._kept: OrderedDict[_Window, History] = OrderedDict()

    @property
    def id(self) -> SourceId:
        return self._goal.source

    @property
    def views(self) -> frozenset[View]:
        return VIEWS

    async def probe(self) -> Health | ReadFailure:
        """Whether there is a repository to read, and how old it is."""

        async def health(repository: Repository, _seconds: float) -> Health:
            return Health(repository.as_of, goals=1)

        return await self._within(self._clock.now() + PROBE_TIMEOUT, health)

    async def read(self, query: SourceQuery, *, deadline: datetime) -> Snapshot | ReadFailure:
        """The whole answer to one query, from the repository as it is now."""

        async def answer(repository: Repository, seconds: float) -> Snapshot | SourceCode:
            found = await self._answer(repository, query, seconds)
            return found if isinstance(found, SourceCode) else self._snapshot(repository, found)

        return await self._within(deadline, answer)

    async def aclose(self) -> None:
        """Nothing is open between reads."""

    async def _answer(
        self, repository: Repository, query: SourceQuery, seconds: float
    ) -> History | SourceCode:
        if query.goal not in {None, self._goal.goal}:
            return History(())
        if query.view is View.PORTFOLIO:
            return History((self._goal,))
        if query.view is not View.DELIVERIES:
            unset = ReadFailure(
                SourceCode.NOT_CONFIGURED, self.id, self._goal.goal, view=query.view
            )
            return History((), (unset,))
        window = (repository.revision, query.since, query.until)
        if window in self._kept:
            self._kept.move_to_end(window)
            return self._kept[window]
        found = await history(self._git, repository, query, self._origin, seconds=seconds)
        if isinstance(found, History) and not found.gaps:
            self._kept[window] = found
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return found

    def _snapshot(self, repository: Repository, found: History) -> Snapshot:
        return Snapshot(
            rows=found.rows,
            goals={self._goal.goal: self._goal},
            as_of=repository.as_of,
            revision=repository.revision,
            complete=not found.gaps,
            gaps=found.gaps,
            reaches_back_to=found.reach,
        )

    async def _within(
        self,
        deadline: datetime,
        use: Callable[[Repository, float], Awaitable[_Found | SourceCode]],
    ) -> _Found | ReadFailure:
        """One read at a time: what it needs is a few processes, and the next one finds its history kept."""
        now = self._clock.now()
        seconds = (deadline - now).total_seconds()
        if seconds <= 0:
            return ReadFailure(SourceCode.TIMEOUT, self.id)
        place = self._place
        try:
            async with asyncio.timeout(seconds), self._turn:
                repository = await look(
                    self._git,
                    place.path,
                    place.ref,
                    everything=place.everything,
                    now=now,
                    seconds=seconds,
                )
                found = (
                    repository
                    if isinstance(repository, SourceCode)
                    else await use(repository, seconds)
                )
        except TimeoutError:
            found = SourceCode.TIMEOUT
        return ReadFailure(found, self.id) if isinstance(found, SourceCode) else found
