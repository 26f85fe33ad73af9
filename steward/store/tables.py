"""How this store's tables are declared: one registry, closed enums, ids that are never given out twice."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Any

from sqlalchemy import (
    CheckConstraint,
    Column,
    ColumnElement,
    Index,
    MetaData,
    Table,
    UniqueConstraint,
)

from steward.store.columns import Member, Sequence

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def id_column() -> Column[Any]:
    """A sequence id."""
    return Column("id", Sequence, primary_key=True, autoincrement=True)


def _closed(name: str, enum: type[StrEnum]) -> CheckConstraint:
    members = ", ".join(f"'{member.value}'" for member in enum)
    return CheckConstraint(f"{name} IN ({members})", name=name)


def table(name: str, *items: Column[Any] | CheckConstraint | UniqueConstraint) -> Table:
    """A table whose enum columns are closed, and whose ids SQLite never gives out twice."""
    checks = _closing(item for item in items if isinstance(item, Column))
    return Table(name, metadata, *items, *checks, sqlite_autoincrement=True)


def _closing(columns: Iterable[Column[Any]]) -> list[CheckConstraint]:
    return [_closed(c.name, c.type.enum) for c in columns if isinstance(c.type, Member)]


def index_where(name: str, where: ColumnElement[bool], *columns: Column[Any]) -> Index:
    """An index of the rows alone for which `where` holds, in both stores."""
    return Index(name, *columns, sqlite_where=where, postgresql_where=where)
