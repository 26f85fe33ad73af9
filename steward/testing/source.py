"""A source that plays a script: snapshots, failures, hangs and faults, in order."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeAlias

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
from steward.reading.windows import within

ALL_VIEWS = frozenset(view for view in View if view is not View.SOURCES)


@dataclass(frozen=True, slots=True)
class Hang:
    """Never answers, whatever the deadline."""


@dataclass(frozen=True, slots=True)
class Raise:
    """A fault of the source's own."""

    error: Exception


Scene: TypeAlias = Snapshot | ReadFailure | Hang | Raise
"""One read. A snapshot holds rows of every view; the source answers with those that the query asks for."""


class ScriptedSource:
    """Plays one scene per read, the last one again and again. `queries` are what it was asked."""

    def __init__(
        self,
        source: SourceId,
        scenes: Iterable[Scene],
        *,
        clock: Clock,
        views: frozenset[View] = ALL_VIEWS,
    ) -> None:
        self._id = source
        self._scenes = list(scenes)
        self._clock = clock
        self._views = views
        self.queries: list[SourceQuery] = []
        self.closed = False

    @property
    def id(self) -> SourceId:
        return self._id

    @property
    def views(self) -> frozenset[View]:
        return self._views

    def play(self, *scenes: Scene) -> None:
        """Replace what is left of the script."""
        self._scenes = list(scenes)

    async def probe(self) -> Health | ReadFailure:
        """As a read of the scene that is next, without using it up."""
        found = await self._played(self._scenes[0])
        return found if isinstance(found, ReadFailure) else Health(found.as_of, len(found.goals))

    async def read(self, query: SourceQuery, *, deadline: datetime) -> Snapshot | ReadFailure:
        """Play the next scene."""
        self.queries.append(query)
        if self._clock.now() >= deadline:
            return ReadFailure(SourceCode.TIMEOUT, self._id)
        scene = self._scenes[0] if len(self._scenes) == 1 else self._scenes.pop(0)
        found = await self._played(scene)
        return found if isinstance(found, ReadFailure) else _answer(found, query)

    async def aclose(self) -> None:
        """Remembered, for tests that ask."""
        self.closed = True

    async def _played(self, scene: Scene) -> Snapshot | ReadFailure:
        match scene:
            case Hang():
                await asyncio.Event().wait()
                raise AssertionError
            case Raise():
                raise scene.error
            case Snapshot() | ReadFailure():
                return scene


def _answer(found: Snapshot, query: SourceQuery) -> Snapshot:
    """The rows of the view, and the gaps that concern the goal."""
    return replace(
        found,
        rows=[row for row in found.rows if _asked(row, query)],
        gaps=tuple(gap for gap in found.gaps if gap.goal is None or query.goal in {None, gap.goal}),
    )


def _asked(row: Row, query: SourceQuery) -> bool:
    return (
        row.view is query.view
        and query.goal in {None, row.goal}
        and query.request_id in {None, row.id}
        and (
            row.view is not View.DELIVERIES
            or (row.at is not None and within(row.at, query.since, query.until))
        )
    )
