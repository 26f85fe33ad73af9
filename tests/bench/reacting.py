"""Row 5: how soon a person sees that the question has arrived, as a reaction under the message.

From the push of the event to the reaction in the platform's state, over the webhook, the record, intake, a look-up of
the chat and the call.
"""

import asyncio
import time
from pathlib import Path
from typing import Any

from bot.simulator.model import Chat
from tests.bench.figures import Bound, Figure, milliseconds, quantile
from tests.bench.service import PATIENCE, Service, serving_process

MESSAGES = 60
BUSY = 20
BEFORE = 2
APART_SECONDS = 0.2
"""From one measurement to the next: a faster talk would run into the app's own pace, which drops reactions first."""
PROMPT = Bound(300, 300, at_least=False, unit="ms")


async def reacting(folder: Path) -> tuple[list[Figure], dict[str, Any]]:
    """One message at a time, each in a chat of its own; then in chats where questions wait."""
    async with serving_process(folder) as service:
        alone = [await _reaction(service, chat) for chat in service.groups[:MESSAGES]]
        busy = [
            await _reaction(service, chat, before=BEFORE)
            for chat in service.groups[MESSAGES : MESSAGES + BUSY]
        ]
    raw = {"alone_ms": alone, "busy_ms": busy}
    return [
        _figure("5 reaction p95, nothing else in the chat", alone, PROMPT),
        _figure(f"5 reaction p95, {BEFORE} questions before it", busy, None),
    ], raw


def _figure(name: str, values: list[float], bound: Bound | None) -> Figure:
    median, late = quantile(values, 0.5), quantile(values, 0.95)
    text = f"{milliseconds(late)} (p50 {milliseconds(median)})"
    return Figure(name, text, late, (min(values), max(values)), bound)


async def _reaction(service: Service, chat: Chat, before: int = 0) -> float:
    """Milliseconds until the last of `before + 1` messages has a reaction; the chat is quiet again afterwards."""
    earlier = [service.say(chat) for _ in range(before)]
    for pushed in earlier:
        assert (await service.pusher.push(pushed)).accepted
    pushed = service.say(chat)
    asked = pushed.message
    assert asked is not None
    began = time.perf_counter()
    assert (await service.pusher.push(pushed)).accepted
    await service.platform.changed(lambda _: bool(asked.reactions), PATIENCE)
    took = (time.perf_counter() - began) * 1000
    for one in (*earlier, pushed):
        await service.answered(one)
    await asyncio.sleep(APART_SECONDS)
    return took
