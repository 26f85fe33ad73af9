"""Hints that a commit gives to whoever listens (peers.py). On SQLite nobody does: one process serves it."""

from collections.abc import Iterable
from functools import cache
from typing import Any

from sqlalchemy import Connection, Select, bindparam, func, select

from steward.model.events import Lane
from steward.model.hint import Hint

CHANNEL = "steward"
OF_LANE = {Lane.NOW: Hint.INBOX_NOW, Lane.ORDERED: Hint.INBOX_ORDERED}


def hint(connection: Connection, *hints: Hint) -> None:
    """Told with the commit, once however often it is asked for; a transaction that is undone tells nothing."""
    if connection.dialect.name == "postgresql":
        for one in hints:
            connection.execute(_notify(), {"hint": one.value})


def hint_lanes(connection: Connection, lanes: Iterable[Lane]) -> None:
    """Something was recorded in these lanes."""
    hint(connection, *(OF_LANE[lane] for lane in sorted(set(lanes))))


@cache
def _notify() -> Select[Any]:
    return select(func.pg_notify(CHANNEL, bindparam("hint")))
