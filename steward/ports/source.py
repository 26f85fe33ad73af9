"""Evidence sources, and the kinds that build them."""

from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

from steward.model.ids import SourceId
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


class SourceKind(Protocol):
    """One per `kind`, registered in bot/app.py. `build` raises SettingsError that names the key."""

    @property
    def kind(self) -> str: ...

    @property
    def views(self) -> frozenset[View]: ...

    def build(
        self, source: SourceId, options: Mapping[str, Json], env: Mapping[str, str]
    ) -> Source: ...
