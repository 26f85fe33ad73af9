"""Row 3: verify, decrypt and parse one event, against the dispatcher of the official SDK.

As a program it is either side, `ours` or `theirs`: they share no process, for the SDK's import alone changes memory
and the collector's work. Ours includes what intake reads later: only then both end with a typed message.
"""

import importlib
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

from bot.lark.envelopes import envelope
from bot.lark.events import LarkWire
from bot.lark.verification import Verified, Verifier
from bot.simulator.model import SimulatedApp
from bot.simulator.pusher import Signed
from steward.model.events import Message
from steward.model.ids import AppId, TenantKey
from steward.world import SystemClock
from tests.bench.children import questions, running
from tests.bench.figures import Bound, Figure, against, microseconds
from tests.bench.traffic import load, of_some_platform, save

PASSES = 7
EVENTS = 2000
FASTER = Bound(4, 2, at_least=True)


async def parsing(folder: Path) -> tuple[list[Figure], dict[str, Any]]:
    """Microseconds for each event, in turn."""
    file = str(save(folder / "parsed.json", of_some_platform(EVENTS)))
    ours, theirs = [], []
    async with (
        running("tests.bench.parsing", "ours", file) as mine,
        running("tests.bench.parsing", "theirs", file) as official,
    ):
        for turn in range(PASSES + 1):
            pair = await mine.ask(), await official.ask()
            if turn:
                ours.append(pair[0])
                theirs.append(pair[1])
    raw = {"ours_us": ours, "lark_oapi_us": theirs}
    return [_faster(ours, theirs)], raw


def _faster(ours: list[float], theirs: list[float]) -> Figure:
    """Times are turned around: the ratio says how many times faster ours is."""
    shown = against("", ours, theirs, None, microseconds).text
    rates = [1 / one for one in ours], [1 / one for one in theirs]
    ratio = against("3 verify, decrypt, parse an event / lark-oapi", *rates, FASTER, microseconds)
    return Figure(ratio.name, shown, ratio.value, ratio.spread, ratio.bound)


def ours() -> Callable[[Signed], bool]:
    """As bot/lark/webhook.py and intake do it."""
    app = SimulatedApp()
    app_id, tenant, clock = AppId(app.app_id), TenantKey(app.tenant_key), SystemClock()
    verifier = Verifier(app_id, (app.encrypt_key,), (app.verification_token,), timedelta(hours=8))
    wire = LarkWire()

    def read(one: Signed) -> bool:
        now = clock.now()
        lowered = {name.lower(): value for name, value in one.headers.items()}
        verdict = verifier.verdict(lowered, one.body, now, tenant)
        if not isinstance(verdict, Verified):
            return False
        event = wire.event(envelope(verdict.plain, verdict.opening, app_id, now))
        return isinstance(event, Message)

    return read


def theirs() -> Callable[[Signed], bool]:
    """As the SDK's documentation has it: a dispatcher with a handler of messages."""
    lark = importlib.import_module("lark_oapi")
    core = importlib.import_module("lark_oapi.core.model")
    app = SimulatedApp()
    heard: list[Any] = []
    handler = (
        lark.EventDispatcherHandler.builder(
            app.encrypt_key, app.verification_token, lark.LogLevel.ERROR
        )
        .register_p2_im_message_receive_v1(heard.append)
        .build()
    )

    def read(one: Signed) -> bool:
        request = core.RawRequest()
        request.uri, request.headers, request.body = "/lark/events", one.headers, one.body
        answer = handler.do(request)
        return answer.status_code == 200 and heard.pop().event.message.message_id is not None

    return read


def _timed(read: Callable[[Signed], bool], traffic: list[Signed]) -> float:
    began = time.perf_counter()
    good = sum(map(read, traffic))
    took = time.perf_counter() - began
    if good != len(traffic):
        raise RuntimeError("not every event was read: nothing was measured")
    return took / len(traffic) * 1e6


if __name__ == "__main__":
    side = {"ours": ours, "theirs": theirs}[sys.argv[1]]()
    events = load(Path(sys.argv[2]))
    questions(lambda _: _timed(side, events))
