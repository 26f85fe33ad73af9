"""Row 8: what a process holds in memory while 20,000 messages go through it, and how much more with each thousand.

One message of many is a question, each of another person, so that neither limits nor the pace of sending keep anything
waiting; the others were not addressed to the bot. Samples are taken when a thousand have been acknowledged and the
questions among them answered. The first thousands warm up: caches fill, those of the store's connections too, and the
allocator finds its size.
"""

import asyncio
import statistics
from pathlib import Path
from typing import Any

from bot.simulator.model import Pushed
from bot.simulator.pusher import Pusher
from tests.bench.children import Child, running
from tests.bench.figures import Bound, Figure, absolute, mebibytes
from tests.bench.service import Service, serving_process
from tests.bench.traffic import QUESTION, save

THOUSANDS = 20
WARMING = 10
EVERY = 25
RATE = 400
CONNECTIONS = 16
FLAT = Bound(0.1, 0.3, at_least=False, unit="MiB")
"""For each thousand messages: a gigabyte would take ten million of them."""


async def soaking(folder: Path) -> tuple[list[Figure], dict[str, Any]]:
    """The memory after each thousand, and the slope of the line through what follows the warming."""
    async with (
        running("tests.bench.client") as client,
        serving_process(folder / "soaking") as service,
    ):
        held = [service.resident()]
        for number in range(THOUSANDS):
            await _thousand(service, client, folder / "soaked.json", number)
            held.append(service.resident())
    line = statistics.linear_regression(range(len(held) - WARMING), held[WARMING:])
    return [
        absolute("8 memory after 1,000 messages", held[1:2], None, mebibytes),
        absolute(f"8 memory after {THOUSANDS},000 messages", held[-1:], None, mebibytes),
        Figure(
            f"8 growth with 1,000 messages, after {WARMING},000",
            f"{line.slope:.3f} MiB",
            line.slope,
            None,
            FLAT,
        ),
    ], {"held_mib": held}


async def _thousand(service: Service, client: Child, file: Path, number: int) -> None:
    asked: list[Pushed] = []
    signer = Pusher(service.platform, "", service.platform.clock)
    traffic = []
    for place in range(1000):
        chat = service.groups[place % len(service.groups)]
        pushed = service.platform.say(
            service.member
            if place % EVERY
            else service.platform.add_person("Li", open_id=f"ou_sim_{number}_{place}"),
            chat,
            QUESTION,
            mention_bot=place % EVERY == 0,
        )
        traffic.append(signer.signed(pushed.document))
        if place % EVERY == 0:
            asked.append(pushed)
    saved = str(save(file, traffic))
    played = await client.ask(
        file=saved, port=service.ports.public, connections=CONNECTIONS, rate=RATE
    )
    if played["refused"]:
        raise RuntimeError("events were refused: nothing was measured")
    await asyncio.gather(*map(service.answered, asked))
