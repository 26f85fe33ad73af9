"""How a store means to run the statements that are executed meanwhile, and which of them walk a table. Both stores."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, event

_VERBS = ("SELECT", "UPDATE", "DELETE", "INSERT", "WITH")
_SQLITE = re.compile(r"SCAN (\w+)(?: USING (?:COVERING )?INDEX (\w+))?")
_POSTGRES = re.compile(r"Seq Scan on \"?(\w+)\"?")

Plan = tuple[str, list[str]]


@contextmanager
def planned_statements() -> Iterator[list[Plan]]:
    """Every statement with its plan, line by line."""
    seen: list[Plan] = []

    def explain(
        connection: Connection, cursor: Any, statement: str, parameters: Any, _: Any, many: bool
    ) -> None:
        if not statement.lstrip().upper().startswith(_VERBS):
            return
        one = parameters[0] if many and isinstance(parameters, list) else parameters
        sqlite = connection.dialect.name == "sqlite"
        query = f"EXPLAIN {'QUERY PLAN ' if sqlite else ''}{statement}"
        found = cursor.connection.execute(query, one).fetchall()
        seen.append((statement, [line[3] if sqlite else line[0] for line in found]))

    event.listen(Engine, "before_cursor_execute", explain)
    try:
        yield seen
    finally:
        event.remove(Engine, "before_cursor_execute", explain)


def walked(plan: list[str]) -> list[tuple[str, str | None]]:
    """Each table that is walked from end to end, with the index by which, where there is one."""
    found: list[tuple[str, str | None]] = []
    for line in plan:
        if match := _SQLITE.search(line):
            found.append((match.group(1), match.group(2)))
        elif match := _POSTGRES.search(line):
            found.append((match.group(1), None))
    return found
