"""Structured values as JSON text, and back, by the model's own types.

A column is read by the types that wrote it; text that does not fit them is corrupt and raises StoreError. JSON
escapes NUL, which PostgreSQL's text cannot hold; a lone surrogate is replaced (columns.printable).
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any, Generic, TypeVar

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from steward.errors import StoreError
from steward.model.answer import Answer
from steward.model.command import ButtonMeaning
from steward.model.delivery import Guard, Part
from steward.model.machine import Receipt
from steward.model.profile import Readback
from steward.model.reading import Cited, Coverage, Reading
from steward.model.topic import Topic
from steward.model.turn import TurnFailure
from steward.store.columns import printable

T = TypeVar("T")

_ROWS_PER_LINE = 500


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    """Made at the first use: building one takes longer than reading a row."""
    return TypeAdapter(kind)


class Codec(Generic[T]):
    """One type's way into a text column and out of it."""

    def __init__(self, kind: Any) -> None:
        self._kind = kind

    def dump(self, value: T) -> str:
        """JSON without line breaks."""
        adapter = self._adapter()
        try:
            return adapter.dump_json(value).decode()
        except PydanticSerializationError:
            # No UTF-8 can say a lone surrogate; only this slower way gets to see it.
            plain = adapter.dump_python(value, mode="json")
            return printable(json.dumps(plain, ensure_ascii=False))

    def load(self, text: str) -> T:
        """Raises StoreError where the text does not fit the type."""
        try:
            value: T = self._adapter().validate_json(text)
        except ValidationError:
            # Not chained: pydantic quotes what it read, and that is what people wrote.
            raise StoreError("a stored value does not fit its type") from None
        return value

    def _adapter(self) -> TypeAdapter[Any]:
        return _adapter(self._kind)


class _RungsCodec(Codec[tuple[tuple[Part, ...], ...]]):
    """Parts hold bytes, which JSON can only carry as base64."""

    def _adapter(self) -> TypeAdapter[Any]:
        return _rungs_adapter()


@cache
def _rungs_adapter() -> TypeAdapter[Any]:
    return TypeAdapter(
        tuple[tuple[Part, ...], ...],
        config=ConfigDict(ser_json_bytes="base64", val_json_bytes="base64"),
    )


class _MeaningCodec(Codec[ButtonMeaning]):
    """No kind of meaning can be read as another: each names its fields, and none may have more."""

    def _adapter(self) -> TypeAdapter[Any]:
        return _meaning_adapter()


@cache
def _meaning_adapter() -> TypeAdapter[Any]:
    return TypeAdapter(ButtonMeaning, config=ConfigDict(extra="forbid"))


READBACK: Codec[Readback] = Codec(Readback)
FAILURE: Codec[TurnFailure] = Codec(TurnFailure)
TOPIC: Codec[Topic] = Codec(Topic)
GUARD: Codec[Guard] = Codec(Guard)
USAGE: Codec[Mapping[str, int]] = Codec(dict[str, int])
NAMES: Codec[tuple[str, ...]] = Codec(tuple[str, ...])
RUNGS = _RungsCodec(None)
RECEIPT: Codec[Receipt] = Codec(Receipt)
MEANING = _MeaningCodec(None)

_ANSWER: Codec[Answer] = Codec(Answer)
_READING: Codec[Reading] = Codec(Reading)
_ROWS: Codec[tuple[Cited, ...]] = Codec(tuple[Cited, ...])


def dump_answer(answer: Answer) -> str:
    """An answer with its claims, citations and coverage."""
    return _ANSWER.dump(answer)


def load_answer(text: str) -> Answer:
    """Raises StoreError where the text is no answer."""
    answer = _ANSWER.load(text)
    return replace(
        answer,
        coverage=_frozen(answer.coverage),
        failures=tuple(answer.failures),
    )


def dump_reading(reading: Reading) -> str:
    """One line for the reading, then its rows in bounded lines: no single call holds up the event loop for long."""
    rows = tuple(reading.rows)
    starts = range(0, len(rows), _ROWS_PER_LINE)
    lines = (_ROWS.dump(rows[start : start + _ROWS_PER_LINE]) for start in starts)
    return "\n".join([_READING.dump(replace(reading, rows=())), *lines])


def load_reading(text: str) -> Reading:
    """Raises StoreError where the text is no reading."""
    head, *lines = text.split("\n")
    reading = _READING.load(head)
    return replace(
        reading,
        rows=tuple(cited for line in lines for cited in _ROWS.load(line)),
        coverage=_frozen(reading.coverage),
        failures=tuple(reading.failures),
        unknown_reasons=tuple(reading.unknown_reasons),
    )


def _frozen(coverage: Coverage) -> Coverage:
    """Lists come out of JSON where the model says "sequence"; stored values are compared as wholes."""
    return replace(coverage, pairs=tuple(coverage.pairs), sources=tuple(coverage.sources))
