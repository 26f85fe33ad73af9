"""YAML 1.2 text → plain text, lists and mappings. Nothing is constructed, so nothing can be made to run.

Built from the parser's events in one pass: aliases, anchors, tags, duplicate keys, further documents, and more
depth or nodes than evidence ever needs, refuse the whole text. Scalars stay text: what they mean is decided by
the field that they stand in, so that `no` is a name and 12:30 a time.
"""

import io
from collections.abc import Callable, Iterator
from typing import TypeAlias

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

Node: TypeAlias = "str | list[Node] | dict[str, Node] | None"

MAX_DEPTH = 12
MAX_NODES = 400_000
EVENTS_PER_BREATH = 128

_NULLS = frozenset({"", "~", "null", "Null", "NULL"})


class MalformedError(Exception):
    """The text is not the YAML that evidence may be written in. Raised and caught within this package."""


def tree(text: str, stopped: Callable[[], bool]) -> Node:
    """The one document of a text; None where it holds none. Raises MalformedError.

    `stopped` is asked every few milliseconds: the source is closing, and nobody waits for the result any more.
    """
    try:
        return _Builder(_events(text, stopped)).document()
    except (YAMLError, ValueError, OverflowError, RecursionError) as error:
        raise MalformedError from error


def _events(text: str, stopped: Callable[[], bool]) -> Iterator[Event]:
    for number, event in enumerate(YAML(typ="safe", pure=True).parse(io.StringIO(text))):
        if number > MAX_NODES or (number % EVENTS_PER_BREATH == 0 and stopped()):
            raise MalformedError
        yield event


class _Builder:
    """Builds the tree by recursion, which `MAX_DEPTH` bounds."""

    def __init__(self, events: Iterator[Event]) -> None:
        self._events = events

    def document(self) -> Node:
        found: Node = None
        documents = 0
        for event in self._events:
            if isinstance(event, DocumentStartEvent):
                documents += 1
            elif isinstance(event, NodeEvent):
                found = self._node(event, 0)
        if documents > 1:
            raise MalformedError
        return found

    def _node(self, event: Event, depth: int) -> Node:
        tagged = getattr(event, "tag", None) is not None
        anchored = isinstance(event, AliasEvent) or getattr(event, "anchor", None) is not None
        if depth > MAX_DEPTH or tagged or anchored:
            raise MalformedError
        match event:
            case ScalarEvent():
                return _scalar(event)
            case SequenceStartEvent():
                return [self._node(item, depth + 1) for item in self._until(SequenceEndEvent)]
            case MappingStartEvent():
                return self._mapping(depth)
            case _:
                raise MalformedError

    def _mapping(self, depth: int) -> dict[str, Node]:
        found: dict[str, Node] = {}
        for event in self._until(MappingEndEvent):
            key = self._node(event, depth + 1)
            if not isinstance(key, str) or key in found:
                raise MalformedError
            found[key] = self._node(next(self._events), depth + 1)
        return found

    def _until(self, end: type[Event]) -> Iterator[Event]:
        for event in self._events:
            if isinstance(event, end):
                return
            yield event


def _scalar(event: ScalarEvent) -> str | None:
    plain = event.style is None or event.style == ""
    return None if plain and event.value in _NULLS else str(event.value)
