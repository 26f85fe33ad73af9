"""The configured sources, in the order of the configuration. bot/app.py builds it, once."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta

from steward.control.lastgood import LastGood
from steward.model.ids import SourceId
from steward.model.reading import ReadFailure, SourceCode
from steward.ports.source import Source

DAY = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class ConfiguredSource:
    """One entry of the configuration.

    `source` None: it could not be built, and every read of it fails. `max_age`: how old its content may be and
    still be fresh (R10).
    """

    id: SourceId
    title: str
    source: Source | None
    max_age: timedelta = DAY

    @property
    def failure(self) -> ReadFailure:
        """Why an entry without a source cannot be read."""
        return ReadFailure(SourceCode.NOT_CONFIGURED, self.id)


class Sources:
    """Every source, readable or not, by id, and what each of them last gave."""

    def __init__(self, entries: Iterable[ConfiguredSource]) -> None:
        self._entries = {entry.id: entry for entry in entries}
        self.last_good = LastGood()
        self._titles = {entry.id: entry.title for entry in self._entries.values()}

    def __iter__(self) -> Iterator[ConfiguredSource]:
        return iter(self._entries.values())

    @property
    def ids(self) -> tuple[SourceId, ...]:
        """In the configured order."""
        return tuple(self._entries)

    @property
    def titles(self) -> Mapping[SourceId, str]:
        """What people call each source."""
        return self._titles

    def of(self, source: SourceId) -> ConfiguredSource:
        """The entry; a granted source that nobody configured is one that cannot be read."""
        return self._entries.get(source) or ConfiguredSource(source, source, None)

    async def aclose(self) -> None:
        """Close every source, in order."""
        for entry in self:
            if entry.source is not None:
                await entry.source.aclose()
