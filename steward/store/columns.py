"""Column types, so that both stores hold the same values, order them alike, and refuse the same ones."""

from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Dialect,
    Integer,
    String,
    Text,
    TypeDecorator,
    literal_column,
)

from steward.errors import ContractError

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

Sequence = BigInteger().with_variant(Integer(), "sqlite")
"""A sequence id: SQLite counts up by itself only in a column declared INTEGER."""


def printable(text: str) -> str:
    """The text as both stores can hold it: NUL and lone surrogates, which are no characters, become U+FFFD."""
    if text.isascii() and "\x00" not in text:  # nearly every id: hot in the group commit
        return text
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return whole.replace("\x00", "\ufffd")


class Instant(TypeDecorator[datetime]):
    """An aware instant as whole microseconds since 1970 UTC: compared and ordered as a number in both stores."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ContractError("the store takes aware times alone")
        return (value - _EPOCH) // _MICROSECOND

    def process_result_value(self, value: int | None, dialect: Dialect) -> datetime | None:
        return None if value is None else _EPOCH + value * _MICROSECOND


class Words(TypeDecorator[str]):
    """Text that people or programs wrote; what no store can hold is replaced (see `printable`)."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else printable(value)


class Member(TypeDecorator[StrEnum]):
    """A member of a closed enum, stored as its value; the schema adds the CHECK."""

    impl = String
    cache_ok = True

    def __init__(self, enum: type[StrEnum]) -> None:
        super().__init__()
        self.enum = enum

    def process_bind_param(self, value: StrEnum | None, dialect: Dialect) -> str | None:
        return None if value is None else self.enum(value).value

    def process_result_value(self, value: str | None, dialect: Dialect) -> StrEnum | None:
        return None if value is None else self.enum(value)


def is_one_of(column: ColumnElement[Any], *members: StrEnum) -> ColumnElement[bool]:
    """`column` IN these, written as literals: a partial index is used only where its own words stand."""
    literals: list[ColumnElement[str]] = [literal_column(f"'{member.value}'") for member in members]
    return column == literals[0] if len(literals) == 1 else column.in_(literals)
