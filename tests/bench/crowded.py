"""Row 7: each operation on a store with a million events against the same on an empty one, in turn, on both stores.

Beside the ratios stand the plans: on the full store, with its own statistics, no statement of these may walk a table
that grows. What walks is printed, and fails the row.
"""

import re
import statistics
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, func, select

from steward.store import Store, open_store
from steward.store.schema import metadata
from steward.world import SystemClock
from tests.bench.databases import Database, databases, skipped
from tests.bench.figures import Bound, Figure, absolute, against, milliseconds, seconds
from tests.bench.filling import EVENTS, fill
from tests.bench.passage import Passage
from tests.bench.plans import planned_statements, walked

WARMING, PASSES = 20, 150
SAME = Bound(1.2, 1.5, at_least=False)
NONE = Bound(0, 0, at_least=False, unit="statements")
LARGE = 1_000
SHOWN = 700
_FIRST_ROWS = re.compile(r"FROM (audit|action|inbox)\b.* ORDER BY \1\.id( DESC)? LIMIT")
"""A walk in the order of the ids that ends with its limit: every row that it comes by is one that is wanted."""

UNFINISHED = frozenset(
    {
        *("ix_inbox_unjudged", "ix_outbox_open", "ix_question_queued", "uq_question_in_flight"),
        *("uq_turn_live", "ix_question_unanswered", "ix_conversation_owner", "ix_turn_late"),
    }
)
"""Indexes of what waits alone: walking one costs what waits, not what ever came."""


async def crowded(folder: Path) -> tuple[list[Figure], dict[str, Any]]:
    """SQLite, then PostgreSQL where there is one."""
    figures: list[Figure] = []
    raw: dict[str, Any] = {}
    with databases(folder / "crowded") as found:
        for database in found:
            measured, raw[database.name] = await _measured(database)
            figures += measured
    return [*figures, *skipped("7", found)], raw


async def _measured(database: Database) -> tuple[list[Figure], dict[str, Any]]:
    clock = SystemClock()
    async with AsyncExitStack() as stack:
        full = await stack.enter_async_context(await open_store(database.fresh("full"), clock))
        empty = await stack.enter_async_context(await open_store(database.fresh("empty"), clock))
        began = time.perf_counter()
        await fill(full)
        took = time.perf_counter() - began
        ours, control = await _interleaved(full, empty)
        walking = await _walking(full)
    figures = [absolute(f"7 {database.name}: filled with {EVENTS:,}", [took], None, seconds)]
    figures += [
        against(f"7 {database.name}: {name}", ours[name], control[name], SAME, milliseconds)
        for name in ours
    ]
    figures.append(
        Figure(
            f"7 {database.name}: statements that walk a table",
            "; ".join(walking) or "none",
            float(len(walking)),
            None,
            NONE,
        )
    )
    return figures, {"full": ours, "empty": control, "walking": walking}


async def _interleaved(
    full: Store, empty: Store
) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """Milliseconds of each operation, by rounds: the median of a round stands for it."""
    rounds: tuple[dict[str, list[float]], dict[str, list[float]]] = ({}, {})
    passages = Passage(full), Passage(empty)
    for number in range(WARMING + PASSES):
        for passage in passages if number % 2 else reversed(passages):
            await passage.once()
        if number < WARMING:
            for passage in passages:
                passage.took.clear()
    for into, passage in zip(rounds, passages, strict=True):
        into.update({name: _medians(took) for name, took in passage.took.items()})
    return rounds


def _medians(took: Sequence[float], rounds: int = 10) -> list[float]:
    size = len(took) // rounds
    return [statistics.median(took[at : at + size]) * 1000 for at in range(0, size * rounds, size)]


async def _walking(full: Store) -> list[str]:
    """The statements of a pass that walk a large table, shortened."""
    with planned_statements() as plans:
        await Passage(full).once()
    large = await full.database.read(_large)
    flat = [(" ".join(statement.split()), plan) for statement, plan in plans]
    return sorted(
        {
            f"{table}: {statement[:SHOWN]}"
            for statement, plan in flat
            for table, index in walked(plan)
            if table in large and index not in UNFINISHED and not _FIRST_ROWS.search(statement)
        }
    )


def _large(connection: Connection) -> frozenset[str]:
    """Tables of which a walk would cost something."""
    counts = {
        name: connection.execute(select(func.count()).select_from(table)).scalar_one()
        for name, table in metadata.tables.items()
    }
    return frozenset(name for name, count in counts.items() if count >= LARGE)
