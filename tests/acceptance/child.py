"""The steward's process in tests that kill it: `python -m tests.acceptance.child`, told what to serve line by line.

Importing takes a second, so it is done once: for each line of JSON this process forks, and the fork serves as
`steward serve` does. It says `started PID`, the fork `ready`, and once the fork is gone it says `ended CODE`.
"""

import asyncio
import importlib
import json
import os
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from bot.app import serving
from bot.cli.process import DONE, run_loop, start_log
from bot.lark.sdk import load as load_sdk
from bot.parts import Paces, World
from bot.settings import Settings, load
from steward.endpoints.reporter.reporter import Reporter
from steward.model.reading import ScanQuery, View
from steward.model.turn import (
    Candidate,
    Kept,
    Observed,
    Rerun,
    Thread,
    TurnCode,
    TurnFailure,
    TurnInput,
)
from steward.ports.endpoint import Endpoint, Reader
from steward.store import open_store
from steward.testing.endpoint import (
    Fails,
    Hangs,
    Meanwhile,
    Says,
    Scans,
    Script,
    ScriptedEndpoint,
)
from steward.world import RandomTokens, SystemClock
from tests.acceptance.dying import Stage, dying

GOOD = json.dumps(
    {
        "classification": "overview",
        "claims": [{"text": "x", "cites": [], "kind": "absence", "scope": {"view": "handoffs"}}],
    }
).encode()


REVIEWED = "REVIEW "
"""Before the words of a question whose review was called, in the file of calls."""


@dataclass(frozen=True, slots=True)
class Order:
    """What a fork serves: `stage` as dying.py reads it, `endpoint` a name of ENDPOINTS.

    Each call of the endpoint is noted in `calls`, a file, before it is made; in `runs` its begin and its end are, with
    the process that made it. `lease` and `takeover`: the paces, in seconds.
    """

    config: str
    calls: str
    stage: str | None = None
    endpoint: str = "reporter"
    runs: str | None = None
    lease: float = 60.0
    takeover: float = 15.0

    def line(self) -> str:
        return json.dumps(asdict(self))


class Always(Mapping[str, Script]):
    """The same script for every question."""

    def __init__(self, script: Script) -> None:
        self._script = script

    def __getitem__(self, question: str) -> Script:
        return self._script

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


class Noted:
    """An endpoint that notes each call where a kill does not reach it."""

    def __init__(self, endpoint: Endpoint, calls: Path, runs: Path | None) -> None:
        self._endpoint = endpoint
        self._calls = calls
        self._runs = runs

    def __getattr__(self, name: str) -> Any:
        return getattr(self._endpoint, name)

    async def answer(
        self, thread: Thread, turn: TurnInput, reader: Reader, *, deadline: datetime
    ) -> Candidate | TurnFailure:
        appended(self._calls, turn.question)
        if self._runs is None:
            return await self._endpoint.answer(thread, turn, reader, deadline=deadline)
        appended(self._runs, f"RUN {os.getpid()} {turn.question}")
        try:
            return await self._endpoint.answer(thread, turn, reader, deadline=deadline)
        finally:
            appended(self._runs, f"END {os.getpid()} {turn.question}")

    async def review(
        self, thread: Thread, turn: TurnInput, kept: Kept, reader: Reader, *, deadline: datetime
    ) -> Candidate | TurnFailure:
        appended(self._calls, f"{REVIEWED}{turn.question}")
        return await self._endpoint.review(thread, turn, kept, reader, deadline=deadline)


class BrokenOff(ScriptedEndpoint):
    """Reads, and loses its way; what it shows of its turns is what a review may speak for. `review` is its script."""

    def __init__(self, *review: Any) -> None:
        reads = Scans(ScanQuery(View.HANDOFFS))
        lost = Fails(TurnFailure(TurnCode.TRANSPORT_LOST))
        super().__init__(Always([reads, lost]), reviews=Always([reads, *review]))

    async def observe(self, thread: Thread, turn: TurnInput) -> Observed | TurnFailure:
        return Observed(closed=True, final=None, error=TurnCode.TRANSPORT_LOST)


def appended(file: Path, line: str) -> None:
    """One line more, whole and in its place whoever else writes there."""
    descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(descriptor, f"{line}\n".encode())
    finally:
        os.close(descriptor)


def _scripted(*script: Any) -> ScriptedEndpoint:
    return ScriptedEndpoint(Always(script), rerun=Rerun.NEVER)


async def _a_while() -> None:
    await asyncio.sleep(0.05)


def endpoint_of(name: str, settings: Settings) -> Endpoint:
    """`reporter` may run again; the others must not. `failing` fails, `hanging` never ends, `slow` takes a while."""
    match name:
        case "reporter":
            return Reporter(settings.display.timezone)
        case "once":
            return _scripted(Scans(ScanQuery(View.HANDOFFS)), Says(GOOD))
        case "slow":
            return _scripted(Meanwhile(_a_while), Scans(ScanQuery(View.HANDOFFS)), Says(GOOD))
        case "hanging":
            return _scripted(Hangs())
        case "interrupted":
            return BrokenOff(Says(GOOD))
        case "only a gate":
            return BrokenOff(Says(b'{"classification": "x", "claims": [], "gate": "May I?"}'))
        case "only an action":
            acts = json.loads(GOOD) | {"actions": [{"merge": 1}]}
            return BrokenOff(Says(json.dumps(acts).encode()))
        case "failing":
            return _scripted(Fails(TurnFailure(TurnCode.UNCLASSIFIED)))
        case "weary":
            fails = Fails(TurnFailure(TurnCode.UNCLASSIFIED))
            return ScriptedEndpoint(Always([fails]), rerun=Rerun.HARMLESS)
    raise ValueError(name)


def main() -> None:
    """Serve orders until there are no more, one after another; what serving imports late is imported before."""
    load_sdk()
    for needed in ("steward.sources.folder", "uvloop"):
        importlib.import_module(needed)
    for line in iter(sys.stdin.readline, ""):
        order = Order(**json.loads(line))
        child = os.fork()
        if not child:
            os._exit(run_loop(lambda: _serve(order)))  # noqa: B023 -- this fork has no next round
        _say(f"started {child}")
        _, status = os.waitpid(child, 0)
        os.set_blocking(sys.stdin.fileno(), True)  # the fork's loop left it otherwise for both
        _say(f"ended {os.waitstatus_to_exitcode(status)}")


async def _serve(order: Order) -> int:
    settings = load(Path(order.config), {})
    start_log(settings)
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, stop.set)
    loop.add_reader(sys.stdin.fileno(), stop.set)  # whoever ordered us is gone
    opener = open_store if order.stage is None else dying(Stage.parse(order.stage))
    runs = None if order.runs is None else Path(order.runs)
    endpoint = Noted(endpoint_of(order.endpoint, settings), Path(order.calls), runs)
    world = World(SystemClock(), RandomTokens())
    paces = Paces(timedelta(seconds=order.lease), timedelta(seconds=order.takeover))
    async with serving(settings, world, opener=opener, endpoint=endpoint, paces=paces):
        _say("ready")
        await stop.wait()
    return DONE


def _say(line: str) -> None:
    with suppress(BrokenPipeError):
        os.write(sys.stdout.fileno(), f"{line}\n".encode())


if __name__ == "__main__":
    main()
