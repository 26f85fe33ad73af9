"""What the gate itself takes for a read: scope twice, checks, cleaning, citations and the reading, but no source and no store.

A source answers at once from memory with 2,000 rows, and nothing is stored. A `scan` hands out all of them, a `call` a page.
"""

import json
import time
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from steward.control.gate import Gate
from steward.control.registry import ConfiguredSource, Sources
from steward.model.audience import Scope, ScopeEntry
from steward.model.ids import GoalId, SourceId
from steward.model.reading import (
    ReadFailure,
    Reading,
    Row,
    RowStatus,
    ScanQuery,
    Snapshot,
    ToolCall,
    View,
)
from steward.model.turn import Written
from steward.reading.schema import CONTEXT_TOOL
from steward.testing.source import ScriptedSource
from steward.world import RandomTokens, SystemClock
from tests.bench.figures import Figure, absolute, microseconds, milliseconds

ROWS = 2_000
PAGE = 8
PASSES = 15
PLANS = SourceId("plans")
GOAL = GoalId("payments")
SCOPE = Scope((PLANS,), (ScopeEntry(frozenset({PLANS}), None),), "1")


async def gating(folder: Path) -> tuple[list[Figure], dict[str, Any]]:
    """A new gate for each pass, as each turn has one; the first pass warms up."""
    del folder
    sources = Sources([ConfiguredSource(PLANS, "Plans", _source())])
    scans, calls = [], []
    for _ in range(PASSES + 1):
        scans.append(await _timed(_scan, _gate(sources)))
        calls.append(await _timed(_call, _gate(sources)))
    per_row = [seconds * 1e6 / ROWS for seconds in scans[1:]]
    per_call = [seconds * 1e3 for seconds in calls[1:]]
    return [
        absolute(f"gate: scan of {ROWS:,} rows, each row", per_row, None, microseconds),
        absolute(f"gate: page of {PAGE} out of {ROWS:,} rows", per_call, None, milliseconds),
    ], {"scan_us_per_row": per_row, "page_ms": per_call}


async def _timed(read: Callable[[Gate], Awaitable[int]], gate: Gate) -> float:
    began = time.perf_counter()
    found = await read(gate)
    took = time.perf_counter() - began
    if found not in {ROWS, PAGE}:
        raise RuntimeError("not every row was read: nothing was measured")
    return took


async def _scan(gate: Gate) -> int:
    return len((await gate.scan(ScanQuery(View.TODOS))).rows)


async def _call(gate: Gate) -> int:
    found = await gate.call(ToolCall(CONTEXT_TOOL, "1", {"view": "todos", "limit": PAGE}))
    rows: list[Any] = json.loads(found.text)["rows"]
    return len(rows)


def _gate(sources: Sources) -> Gate:
    async def scope() -> Scope | ReadFailure:
        return SCOPE

    async def keep(_reading: Reading) -> Written:
        return Written.DONE

    clock = SystemClock()
    return Gate(
        tool=CONTEXT_TOOL,
        sources=sources,
        scope=scope,
        keep=keep,
        clock=clock,
        tokens=RandomTokens(),
        zone=ZoneInfo("Asia/Shanghai"),
        max_page_chars=24_000,
        deadline=clock.now() + timedelta(minutes=1),
    )


def _source() -> ScriptedSource:
    clock = SystemClock()
    now = clock.now()
    goal = Row(View.PORTFOLIO, PLANS, GOAL, GOAL, "Payment gateway", RowStatus.ACTIVE)
    todos = [
        Row(
            View.TODOS,
            PLANS,
            GOAL,
            f"t{number}",
            f"Callback signature {number}",
            RowStatus.OPEN,
            owner="Wei",
            updated=now,
        )
        for number in range(ROWS)
    ]
    return ScriptedSource(
        PLANS, [Snapshot(todos, {GOAL: goal}, now, "1", complete=True)], clock=clock
    )
