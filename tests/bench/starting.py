"""Row 4: how long a start takes, and what the process holds in memory, at once and after some work."""

import asyncio
from pathlib import Path
from typing import Any

from tests.bench.children import running
from tests.bench.databases import databases, skipped
from tests.bench.figures import Bound, Figure, absolute, against, mebibytes, seconds
from tests.bench.service import Service, resident, serving_process

STARTS = 5
POSTGRES_STARTS = 3
QUESTIONS = 200
AT_ONCE = 8
SOON = Bound(2.0, 3.0, at_least=False, unit="s")
SMALL = Bound(120, 160, at_least=False, unit="MiB")
SMALLER = Bound(0.7, 0.7, at_least=False)


async def starting(folder: Path) -> tuple[list[Figure], dict[str, Any]]:
    """The first start makes the store; the others find it. The last one answers questions."""
    raw: dict[str, Any] = {"seconds": [], "resident": [], "lark_oapi": []}
    for start in range(STARTS):
        raw["lark_oapi"].append(await _whole_sdk())
        async with serving_process(folder) as service:
            raw["seconds"].append(service.seconds)
            raw["resident"].append(service.resident())
            if start == STARTS - 1:
                await _answer(service)
                raw["resident_later"] = [service.resident()]
    with databases(folder) as found:
        for one in found[1:]:
            url = one.fresh("starting")
            raw["postgres"] = [await _started(folder, url) for _ in range(POSTGRES_STARTS)]
    figures = [
        absolute(f"4 start to ready, PostgreSQL, {name}", took, SOON, seconds)
        for name, took in (
            ("first start", raw.get("postgres", [])[:1]),
            ("store there", raw.get("postgres", [])[1:]),
        )
        if took
    ]
    return [
        *figures,
        *skipped("4", found),
        absolute("4 start to ready, first start", raw["seconds"][:1], SOON, seconds),
        absolute("4 start to ready, store there", raw["seconds"][1:], SOON, seconds),
        absolute("4 memory when ready", raw["resident"], SMALL, mebibytes),
        absolute(f"4 memory after {QUESTIONS} questions", raw["resident_later"], SMALL, mebibytes),
        against(
            "4 memory when ready / import lark_oapi",
            raw["resident"],
            raw["lark_oapi"],
            SMALLER,
            mebibytes,
        ),
    ], raw


async def _started(folder: Path, store: str) -> float:
    async with serving_process(folder, store=store) as service:
        return service.seconds


async def _answer(service: Service) -> None:
    """Questions in several groups at once, each group's next when it has its answer."""

    async def one_group(number: int) -> None:
        for turn in range(QUESTIONS // AT_ONCE):
            await service.ask(service.groups[number + turn % 5 * AT_ONCE])

    async with asyncio.TaskGroup() as group:
        for number in range(AT_ONCE):
            group.create_task(one_group(number))


async def _whole_sdk() -> float:
    """What a process holds that does nothing but import the official SDK."""
    async with running("tests.bench.whole_sdk") as child:
        return resident(await child.heard())
