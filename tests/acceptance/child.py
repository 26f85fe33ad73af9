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
from datetime import datetime
from pathlib import Path
from typing import Any

from bot.app import serving
from bot.cli.process import DONE, run_loop, start_log
from bot.lark.sdk import load as load_sdk
from bot.parts import World
from bot.settings import Settings, load
from steward.endpoints.reporter.reporter import Reporter
from steward.model.reading import ScanQuery, View
from steward.model.turn import Candidate, Rerun, Thread, TurnCode, TurnFailure, TurnInput
from steward.ports.endpoint import Endpoint, Reader
from steward.store import open_store
from steward.testing.endpoint import Fails, Says, Scans, Script, ScriptedEndpoint
from steward.world import RandomTokens, SystemClock
from tests.acceptance.dying import Stage, dying

GOOD = json.dumps(
    {
        "classification": "overview",
        "claims": [{"text": "x", "cites": [], "kind": "absence", "scope": {"view": "handoffs"}}],
    }
).encode()


@dataclass(frozen=True, slots=True)
class Order:
    """What a fork serves: `stage` as dying.py reads it, `endpoint` a name of ENDPOINTS.

    Each call of the endpoint is noted in `calls`, a file, before it is made.
    """

    config: str
    calls: str
    stage: str | None = None
    endpoint: str = "reporter"

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

    def __init__(self, endpoint: Endpoint, calls: Path) -> None:
        self._endpoint = endpoint
        self._calls = calls

    def __getattr__(self, name: str) -> Any:
        return getattr(self._endpoint, name)

    async def answer(
        self, thread: Thread, turn: TurnInput, reader: Reader, *, deadline: datetime
    ) -> Candidate | TurnFailure:
        with self._calls.open("a", encoding="utf-8") as file:
            file.write(f"{turn.question}\n")
        return await self._endpoint.answer(thread, turn, reader, deadline=deadline)


def _scripted(*script: Any) -> ScriptedEndpoint:
    return ScriptedEndpoint(Always(script), rerun=Rerun.NEVER)


def endpoint_of(name: str, settings: Settings) -> Endpoint:
    """`reporter` may run again; `once` must not, and `failing` fails besides."""
    match name:
        case "reporter":
            return Reporter(settings.display.timezone)
        case "once":
            return _scripted(Scans(ScanQuery(View.HANDOFFS)), Says(GOOD))
        case "failing":
            return _scripted(Fails(TurnFailure(TurnCode.UNCLASSIFIED)))
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
    endpoint = Noted(endpoint_of(order.endpoint, settings), Path(order.calls))
    world = World(SystemClock(), RandomTokens())
    async with serving(settings, world, opener=opener, endpoint=endpoint):
        _say("ready")
        await stop.wait()
    return DONE


def _say(line: str) -> None:
    with suppress(BrokenPipeError):
        os.write(sys.stdout.fileno(), f"{line}\n".encode())


if __name__ == "__main__":
    main()
