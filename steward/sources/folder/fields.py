"""One record's values, read by name and checked: what a record may say, and how it must say it."""

import hashlib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, tzinfo
from typing import TypeVar

from steward.model.ids import GoalId, SourceId
from steward.model.reading import RowStatus
from steward.reading.text import clean, is_clean
from steward.sources.folder.instants import parse_date, parse_instant
from steward.sources.folder.words import misspelt
from steward.sources.folder.yaml_text import Node

ID_LIMIT = 128

_Value = TypeVar("_Value")


class InvalidRecordError(Exception):
    """A record, or the goal itself, is not sound. Raised and caught within this package."""


@dataclass(slots=True)
class Context:
    """What every record of a file shares: where it belongs, the zone of naive times, ignored keys so far.

    `goal` is empty until the file's goal id has been read.
    """

    source: SourceId
    zone: tzinfo
    goal: GoalId
    ignored: list[str] = field(default_factory=list)


class Fields:
    """The readers raise InvalidRecordError where a value is not what it must be; absent and null are None."""

    def __init__(self, node: Node, context: Context) -> None:
        if not isinstance(node, dict):
            raise InvalidRecordError
        self._values = node
        self._context = context

    def check(self, known: Collection[str]) -> "Fields":
        """Refuse slips for a known key; note the keys that nothing reads."""
        if misspelt(self._values, known):
            raise InvalidRecordError
        self._context.ignored += [name for name in self._values if name not in known]
        return self

    def text(self, name: str) -> str | None:
        """One clean line; blank is None."""
        value = self._scalar(name)
        return (clean(value) or None) if value else None

    def required(self, name: str) -> str:
        """Text that must be there."""
        value = self.text(name)
        if value is None:
            raise InvalidRecordError
        return value

    def title(self) -> str:
        """What it is about; a record with an id alone is called by that."""
        return self.text("title") or self.required("id")

    def id(self) -> str:
        """The id as written, or one made of the title, which stays the same while the title does."""
        return self.identifier("id") if self._scalar("id") else made_id(self.required("title"))

    def identifier(self, name: str) -> str:
        """Ids are compared and passed back, so nothing unseen may hide in one, and none is cut."""
        value = self._scalar(name)
        if value is None or len(value) > ID_LIMIT or not is_clean(value):
            raise InvalidRecordError
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts."""
        values = self._values.get(name)
        if values is None:
            return ()
        if not isinstance(values, list):
            raise InvalidRecordError
        found = [clean(value) for value in values if isinstance(value, str)]
        if len(found) != len(values):
            raise InvalidRecordError
        return tuple(found)

    def status(
        self, mapping: Mapping[str, RowStatus], default: RowStatus
    ) -> tuple[RowStatus, str | None]:
        """The status, and the written word where it has no meaning here."""
        written = self.text("status")
        if written is None:
            return default, None
        status = mapping.get(written.lower(), RowStatus.UNKNOWN)
        return status, written if status is RowStatus.UNKNOWN else None

    def date(self, name: str) -> date | None:
        """A calendar date."""
        return self._parsed(name, parse_date)

    def instant(self, name: str) -> datetime | None:
        """An instant, in UTC; naive ones are in the source's zone (R11)."""
        return self._parsed(name, lambda text: parse_instant(text, self._context.zone))

    def _parsed(self, name: str, parse: Callable[[str], _Value]) -> _Value | None:
        written = self.text(name)
        if written is None:
            return None
        try:
            return parse(written)
        except ValueError as error:
            raise InvalidRecordError from error

    def _scalar(self, name: str) -> str | None:
        value = self._values.get(name)
        if value is not None and not isinstance(value, str):
            raise InvalidRecordError
        return value


def made_id(title: str) -> str:
    """An id for a record without one."""
    return f"t_{hashlib.sha256(title.encode()).hexdigest()[:12]}"
