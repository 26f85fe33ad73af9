"""Row 9: turns a second with one process and with three, on one PostgreSQL store, with questions waiting in 50 chats.

The questions are written into the store as intake would admit them, before the processes start; what is counted is how
many the store shows as settled from when all are ready until a tenth is left. Sending goes on beside it, at its own pace.
"""

import asyncio
import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, func, select

from bot.simulator.model import Chat
from steward.model.audience import Audience, AudienceKind
from steward.model.events import Envelope, EventKind, Lane
from steward.model.ids import AppId, ChatId, ConversationId, EventId, MessageRef, OpenId
from steward.model.turn import Language, NewQuestion
from steward.store import Store, open_store
from steward.store.schema import question
from tests.bench.databases import databases, skipped
from tests.bench.figures import Figure, absolute, against, per_second
from tests.bench.service import Town, new_town, serving_process
from tests.bench.traffic import QUESTION

CHATS = 50
EACH = 8
COUNTS = (1, 3)
PASSES = 2
PATIENCE = 120.0
LOOK_SECONDS = 0.05
UNTIL = 0.9


async def processes(folder: Path) -> tuple[list[Figure], dict[str, Any]]:
    """Each number of processes in turn, each time over a store of its own."""
    rates: dict[int, list[float]] = {count: [] for count in COUNTS}
    with databases(folder / "processes") as found:
        for one in found[1:]:
            for turn in range(PASSES):
                for count in COUNTS:
                    place = folder / f"served-{turn}-{count}"
                    rates[count].append(await _rate(place, one.fresh("processes"), count))
    if len(found) == 1:
        return skipped("9", found), {}
    alone, several = (rates[count] for count in COUNTS)
    return [
        absolute(f"9 turns/s in {CHATS} chats, 1 process", alone, None, per_second),
        absolute(f"9 turns/s in {CHATS} chats, {COUNTS[1]} processes", several, None, per_second),
        against(f"9 turns/s, {COUNTS[1]} processes / 1", several, alone, None, per_second),
    ], {"turns_per_second": {str(count): found for count, found in rates.items()}}


async def _rate(folder: Path, url: str, count: int) -> float:
    town = new_town()
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(await open_store(url, town.platform.clock))
        for chat in town.groups[:CHATS]:
            for _ in range(EACH):
                await _admit(store, town, chat)
        places = (folder.with_name(f"{folder.name}-{number}") for number in range(count))
        await asyncio.gather(
            *(
                stack.enter_async_context(serving_process(place, store=url, town=town))
                for place in places
            )
        )
        return await _watched(store)


async def _admit(store: Store, town: Town, chat: Chat) -> None:
    app = AppId(town.platform.app.app_id)
    said = town.platform.say(town.member, chat, QUESTION, mention_bot=True).message
    assert said is not None
    message = MessageRef(app, said.message_id)
    held = ConversationId(app, ChatId(chat.chat_id), None)
    now = town.platform.clock.now()
    envelope = Envelope(
        app_id=app,
        event_id=EventId(f"evt_{said.message_id}"),
        kind=EventKind.OTHER,
        lane=Lane.NOW,
        conversation=held,
        message=message,
        tenant_key=None,
        occurred_at=now,
        received_at=now,
        body=b"{}",
    )
    asked = NewQuestion(
        conversation=held,
        message=message,
        asker=OpenId(town.member.open_id),
        audience=Audience(AudienceKind.GROUP, held.chat_id),
        in_thread=False,
        text=QUESTION,
        language=Language.ZH,
        asked_at=now,
    )
    (recorded,) = await store.inbox.record([envelope])
    await store.inbox.admit(recorded.inbox, asked)


async def _watched(store: Store) -> float:
    """Settled a second, from when all processes are ready until a tenth is left."""
    began, before = time.perf_counter(), await store.database.read(_settled)
    last = int(CHATS * EACH * UNTIL)
    async with asyncio.timeout(PATIENCE):
        while True:
            now = await store.database.read(_settled)
            if now >= last:
                break
            await asyncio.sleep(LOOK_SECONDS)
    if last - before < CHATS:
        raise RuntimeError("the turns were done before every process was ready")
    return (now - before) / (time.perf_counter() - began)


def _settled(connection: Connection) -> int:
    found: int = connection.execute(
        select(func.count()).where(question.c.settled_at.is_not(None))
    ).scalar_one()
    return found
