"""Evidence sources, and the kinds that build them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol, runtime_checkable

from steward.model.ids import GoalId, SourceId
from steward.model.json import Json
from steward.model.reading import Health, ReadFailure, Snapshot, SourceQuery, View


class Source(Protocol):
    """Reads one place. Every expected failure is a ReadFailure; scope, pages and limits are the gate's."""

    @property
    def id(self) -> SourceId: ...

    @property
    def views(self) -> frozenset[View]: ...

    async def probe(self) -> Health | ReadFailure: ...

    async def read(self, query: SourceQuery, *, deadline: datetime) -> Snapshot | ReadFailure: ...

    async def aclose(self) -> None: ...


@runtime_checkable
class Overlooking(Protocol):
    """A source that can tell which keys of its records nothing reads, for `steward sources check`."""

    async def ignored(self, deadline: datetime) -> Sequence[tuple[GoalId, str]] | ReadFailure: ...


class SourceKind(Protocol):
    """One per `kind`, registered in bot/app.py. `build` raises SettingsError that names the key."""

    @property
    def kind(self) -> str: ...

    @property
    def views(self) -> frozenset[View]: ...

    def build(
        self, source: SourceId, options: Mapping[str, Json], env: Mapping[str, str]
    ) -> Source: ...
