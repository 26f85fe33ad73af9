"""Rows 1 and 2: what the durable record costs an acknowledgement, in events a second and in waiting.

Every pass with the record is followed by the same pass without it, against a second server of the same kind. The
waiting is measured on a whole service with a busy conversation: intake, turns and sending work meanwhile.
"""

from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from tests.bench.children import Child, running
from tests.bench.figures import Bound, Figure, absolute, against, milliseconds, per_second
from tests.bench.service import serving_process
from tests.bench.traffic import of_some_platform, questions, save

PASSES = 5
MANY, ONE = 32, 1
EVENTS = {MANY: 3000, ONE: 500}
RATES = {300: Bound(4, 6, at_least=False), 1000: Bound(8, 10, at_least=False)}
OPEN_PASSES = 3
OPEN_SECONDS = 4
OPEN_CONNECTIONS = 64
RATIO = Bound(0.5, 0.3, at_least=True)
GAIN = Bound(3, 3, at_least=True)

Pass = Mapping[str, Any]


async def throughput(folder: Path) -> tuple[list[Figure], dict[str, Any]]:
    """Acknowledged events a second, with the record and without, over many connections and over one."""
    raw: dict[str, list[Pass]] = {}
    commits: list[Pass] = []
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(running("tests.bench.client"))
        durable = await stack.enter_async_context(running("tests.bench.receiver", str(folder)))
        control = await stack.enter_async_context(running("tests.bench.receiver"))
        ports = {"durable": await durable.heard(), "control": await control.heard()}
        for turn in range(PASSES + 1):
            for connections, count in EVENTS.items():
                for name, heard in ports.items():
                    file = save(folder / "traffic.json", of_some_platform(count))
                    played = await client.ask(
                        file=str(file), port=heard["port"], connections=connections
                    )
                    _all_accepted(played)
                    if turn:  # the first one warms up
                        raw.setdefault(f"{name}_{connections}", []).append(played)
                counted = await durable.ask()
                if turn and connections == MANY:
                    commits.append(counted)
    return _throughput_figures(raw, commits), raw


def _throughput_figures(raw: Mapping[str, Sequence[Pass]], commits: Sequence[Pass]) -> list[Figure]:
    rates = {name: [one["per_second"] for one in passes] for name, passes in raw.items()}
    durable, control = rates[f"durable_{MANY}"], rates[f"control_{MANY}"]
    durable_one, control_one = rates[f"durable_{ONE}"], rates[f"control_{ONE}"]
    return [
        against("1 durable acks, 32 connections", durable, control, RATIO, per_second),
        against("1 durable acks, 32 connections / 1", durable, durable_one, GAIN, per_second),
        against("1 durable acks, 1 connection", durable_one, control_one, None, per_second),
        absolute(
            "1 events in a commit, 32 connections",
            [one["events"] / one["commits"] for one in commits],
            None,
            lambda value: f"{value:.1f}",
        ),
    ]


async def waiting(folder: Path) -> tuple[list[Figure], dict[str, Any]]:
    """Acknowledgement latency at constant rates: a whole service with one busy conversation against the control.

    The record with nothing behind it is measured too: what it waits for is its own commit alone.
    """
    raw: dict[str, list[Pass]] = {}
    async with (
        running("tests.bench.client") as client,
        running("tests.bench.receiver") as control,
        running("tests.bench.receiver", str(folder)) as idle,
    ):
        ports = {"control": await control.heard(), "idle": await idle.heard()}
        for turn in range(OPEN_PASSES):
            for rate in RATES:
                count = rate * OPEN_SECONDS
                for name, heard in ports.items():
                    file = save(folder / "traffic.json", of_some_platform(count))
                    played = await _open_loop(client, file, heard["port"], rate)
                    raw.setdefault(f"{name}_{rate}", []).append(played)
                played = await _busy(folder / f"busy-{rate}-{turn}", client, rate, count)
                raw.setdefault(f"busy_{rate}", []).append(played)
    return [figure for rate, bound in RATES.items() for figure in _waits(raw, rate, bound)], raw


async def _busy(folder: Path, client: Child, rate: int, count: int) -> Pass:
    """A fresh service, and every event a question in the one granted group."""
    async with serving_process(folder) as service:
        team = service.groups[0]
        traffic = questions(service.platform, team, service.member, count)
        await service.ask(team)
        file = save(folder / "traffic.json", traffic)
        return await _open_loop(client, file, service.ports.public, rate)


async def _open_loop(client: Child, file: Path, port: int, rate: int) -> Pass:
    played = await client.ask(file=str(file), port=port, connections=OPEN_CONNECTIONS, rate=rate)
    _all_accepted(played)
    return played


def _waits(raw: Mapping[str, Sequence[Pass]], rate: int, bound: Bound) -> list[Figure]:
    def figure(state: str, name: str, limit: Bound | None) -> Figure:
        return against(
            f"2 ack {name} at {rate}/s, conversation {state}",
            [one[f"{name}_ms"] for one in raw[f"{state}_{rate}"]],
            [one[f"{name}_ms"] for one in raw[f"control_{rate}"]],
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
