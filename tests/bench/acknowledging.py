"""Rows 1 and 2: what the durable record costs an acknowledgement, in events a second and in waiting.

Every pass with the record is followed by the same pass without it, against a second server of the same kind. The
waiting is measured on a whole service with a busy conversation: intake, turns and sending work meanwhile.
"""

from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from tests.bench.children import Child, running
from tests.bench.databases import databases, skipped
from tests.bench.figures import Bound, Figure, absolute, against, milliseconds, per_second
from tests.bench.service import serving_process
from tests.bench.traffic import of_some_platform, questions, save

PASSES = 4
MANY, ONE = 32, 1
EVENTS = {MANY: 3000, ONE: 500}
RATES = {300: Bound(4, 6, at_least=False), 1000: Bound(8, 10, at_least=False)}
OPEN_PASSES = 3
OPEN_SECONDS = 3
OPEN_CONNECTIONS = 64
RATIOS = {
    "SQLite": Bound(0.5, 0.3, at_least=True),
    "PostgreSQL": Bound(0.5, 0.4, at_least=True),
}
GAIN = Bound(3, 3, at_least=True)

Pass = Mapping[str, Any]


async def throughput(folder: Path) -> tuple[list[Figure], dict[str, Any]]:
    """Acknowledged events a second, with the record and without, over many connections and over one; on both stores."""
    raw: dict[str, list[Pass]] = {}
    commits: dict[str, list[Pass]] = {}
    with databases(folder / "throughput") as found:
        async with AsyncExitStack() as stack:
            client = await stack.enter_async_context(running("tests.bench.client"))
            served = {
                one.name: await stack.enter_async_context(
                    running("tests.bench.receiver", one.fresh("acknowledged"))
                )
                for one in found
            }
            served["control"] = await stack.enter_async_context(running("tests.bench.receiver"))
            ports = {name: (await child.heard())["port"] for name, child in served.items()}
            for turn in range(PASSES + 1):
                for name, port in ports.items():
                    for connections, count in EVENTS.items():
                        file = save(folder / "traffic.json", of_some_platform(count))
                        played = await client.ask(
                            file=str(file), port=port, connections=connections
                        )
                        _all_accepted(played)
                        counted = await served[name].ask()
                        if turn:  # the first one warms up
                            raw.setdefault(f"{name}_{connections}", []).append(played)
                        if turn and connections == MANY:
                            commits.setdefault(name, []).append(counted)
        figures = [
            figure for one in found for figure in _throughput(one.name, raw, commits[one.name])
        ]
    return [*figures, *skipped("1", found)], raw


def _throughput(
    name: str, raw: Mapping[str, Sequence[Pass]], commits: Sequence[Pass]
) -> list[Figure]:
    rates = {key: [one["per_second"] for one in passes] for key, passes in raw.items()}
    durable, control = rates[f"{name}_{MANY}"], rates[f"control_{MANY}"]
    durable_one, control_one = rates[f"{name}_{ONE}"], rates[f"control_{ONE}"]
    row = f"1 {name}: durable acks"
    return [
        against(f"{row}, 32 connections", durable, control, RATIOS[name], per_second),
        against(f"{row}, 32 connections / 1", durable, durable_one, GAIN, per_second),
        against(f"{row}, 1 connection", durable_one, control_one, None, per_second),
        absolute(
            f"1 {name}: events in a commit, 32 connections",
            [one["events"] / one["commits"] for one in commits],
            None,
            lambda value: f"{value:.1f}",
        ),
    ]


async def waiting(folder: Path) -> tuple[list[Figure], dict[str, Any]]:
    """Acknowledgement latency at constant rates: a whole service with one busy conversation against the control.

    The record with nothing behind it is measured too: what it waits for is its own commit alone. Both stores.
    """
    raw: dict[str, list[Pass]] = {}
    with databases(folder / "waiting") as found:
        async with AsyncExitStack() as stack:
            client = await stack.enter_async_context(running("tests.bench.client"))
            idle = {
                f"idle_{one.name}": await stack.enter_async_context(
                    running("tests.bench.receiver", one.fresh("idle"))
                )
                for one in found
            }
            idle["control"] = await stack.enter_async_context(running("tests.bench.receiver"))
            ports = {name: (await child.heard())["port"] for name, child in idle.items()}
            for turn in range(OPEN_PASSES):
                for rate in RATES:
                    count = rate * OPEN_SECONDS
                    for name, port in ports.items():
                        file = save(folder / "traffic.json", of_some_platform(count))
                        played = await _open_loop(client, file, port, rate)
                        raw.setdefault(f"{name}_{rate}", []).append(played)
                    for one in found:
                        busy = folder / f"busy-{one.name}-{rate}-{turn}"
                        played = await _busy(busy, one.fresh("busy"), client, rate, count)
                        raw.setdefault(f"busy_{one.name}_{rate}", []).append(played)
        figures = [
            figure
            for one in found
            for rate, bound in RATES.items()
            for figure in _waits(one.name, raw, rate, bound)
        ]
    return [*figures, *skipped("2", found)], raw


async def _busy(folder: Path, store: str, client: Child, rate: int, count: int) -> Pass:
    """A fresh service, and every event a question in the one granted group."""
    async with serving_process(folder, store=store) as service:
        team = service.groups[0]
        traffic = questions(service.platform, team, service.member, count)
        await service.ask(team)
        file = save(folder / "traffic.json", traffic)
        return await _open_loop(client, file, service.ports.public, rate)


async def _open_loop(client: Child, file: Path, port: int, rate: int) -> Pass:
    played = await client.ask(file=str(file), port=port, connections=OPEN_CONNECTIONS, rate=rate)
    _all_accepted(played)
    return played


def _waits(name: str, raw: Mapping[str, Sequence[Pass]], rate: int, bound: Bound) -> list[Figure]:
    def figure(state: str, share: str, limit: Bound | None) -> Figure:
        return against(
            f"2 {name}: ack {share} at {rate}/s, conversation {state}",
            [one[f"{share}_ms"] for one in raw[f"{state}_{name}_{rate}"]],
            [one[f"{share}_ms"] for one in raw[f"control_{rate}"]],
            limit,
            milliseconds,
        )

    return [
        figure("idle", "p50", None),
        figure("idle", "p99", None),
        figure("busy", "p50", None),
        figure("busy", "p99", bound),
    ]


def _all_accepted(played: Pass) -> None:
    if played["refused"]:
        raise RuntimeError(f"{played['refused']} events were refused: nothing was measured")
