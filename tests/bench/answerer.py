"""A steward's turns in a process of their own, over folders that hold thousands of records, without a platform.

As a program: `answerer FOLDER`. It answers one question with nothing read before, then others with all of it read, and
watches its own event loop meanwhile. One line of JSON comes of it.
"""

import asyncio
import os
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import uvloop

from bot.cli.ask import Unsent, Unwatched
from bot.cli.process import freeze_heap
from bot.kinds import build_sources
from bot.parts import World, assumed_grounds, build_endpoints, build_turns
from bot.settings import load
from steward.control.turns import Turns
from steward.dispatch.local import EventWake
from steward.model.audience import Audience, AudienceKind
from steward.model.events import Envelope, EventKind, Lane
from steward.model.ids import (
    AppId,
    ChatId,
    ConversationId,
    EventId,
    MessageRef,
    OpenId,
    ThreadId,
    WorkerId,
)
from steward.model.turn import NewQuestion
from steward.policy.language import language_of
from steward.store import Store, open_store
from steward.world import RandomTokens, SystemClock
from tests.bench.children import say
from tests.bench.stalling import watched

SOURCES = 5
GOALS = 10
ROWS = 200
"""Of each goal: 10,000 in all."""

QUESTIONS = (
    "How is everything going?",
    "What was delivered last week?",
    "Is anything blocked?",
    "有什么逾期了？",
    "现在整体情况怎么样？",
)
WARM = 30
QUIET_SECONDS = 1.0
APP = AppId("cli_sim_bench")
CHAT = ChatId("oc_bench")
WORKER = WorkerId("bench")
LEASE = timedelta(minutes=10)


def lay(folder: Path) -> Path:
    """Five folders of evidence, an hour old, and the configuration that opens them to one group."""
    folder.mkdir()
    now = SystemClock().now()
    config = f'[display]\ntimezone = "Asia/Shanghai"\n[store]\nurl = "sqlite:///{folder}/a.db"\n'
    for source in range(SOURCES):
        place = folder / f"s{source}"
        place.mkdir()
        for goal in range(GOALS):
            file = place / f"g{goal}.yaml"
            file.write_text(_goal(f"g{source}-{goal}", goal), encoding="utf-8")
            os.utime(file, ((now - timedelta(hours=1)).timestamp(),) * 2)
        config += f'[source.s{source}]\nkind = "folder"\npath = "s{source}"\ntitle = "P{source}"\n'
    names = ", ".join(f'"s{source}"' for source in range(SOURCES))
    config += f'[grant.team]\naudience = "group:{CHAT}"\nsources = [{names}]\ngoals = ["*"]\n'
    path = folder / "steward.toml"
    path.write_text(config, encoding="utf-8")
    return path


def _goal(name: str, number: int) -> str:
    today = SystemClock().now().date()
    lines = [f"goal: {{id: {name}, title: Goal {name}, owner: Lin, target: 2030-12-20}}", "todos:"]
    for row in range(ROWS * 3 // 5):
        status = ("open", "doing", "blocked", "done")[row % 4]
        due = today + timedelta(days=row % 60 - 20)
        lines.append(
            f"  - {{id: {name}_t{row}, title: Todo {row} of goal {number}, status: {status}, owner: Wei,"
            f" priority: P{row % 3}, due: {due}, updated: {today - timedelta(days=row % 30)}}}"
        )
    lines.append("deliveries:")
    for row in range(ROWS * 2 // 5):
        at = today - timedelta(days=row % 30)
        lines.append(
            f"  - {{id: {name}_d{row}, title: Delivery {row}, by: Wei, at: {at}T16:20:00+08:00,"
            f" link: 'https://example.com/pull/{row}'}}"
        )
    return "\n".join([*lines, "handoffs: []", ""])


@dataclass(frozen=True, slots=True)
class Desk:
    """Where questions are put as if intake had admitted them."""

    store: Store
    turns: Turns

    async def ask(self, number: int, text: str) -> float:
        """Milliseconds from the claim of a question, in a topic of its own, to its answer in the outbox."""
        clock = SystemClock()
        message = MessageRef(APP, f"om_{number}")
        conversation = ConversationId(APP, CHAT, ThreadId(f"omt_{number}"))
        now = clock.now()
        envelope = Envelope(
            app_id=APP,
            event_id=EventId(message.message_id),
            kind=EventKind.MESSAGE,
            lane=Lane.ORDERED,
            conversation=conversation,
            message=message,
            tenant_key=None,
            occurred_at=now,
            received_at=now,
            body=b"{}",
        )
        (recorded,) = await self.store.inbox.record([envelope])
        question = NewQuestion(
            conversation=conversation,
            message=message,
            asker=OpenId("ou_wei"),
            audience=Audience(AudienceKind.GROUP, CHAT),
            in_thread=True,
            text=text,
            language=language_of(text),
            asked_at=now,
        )
        asked = await self.store.inbox.admit(recorded.inbox, question)
        began = time.perf_counter()
        (lease,) = await self.store.conversations.claim(WORKER, limit=1, ttl=LEASE)
        await self.turns.work(lease)
        took = (time.perf_counter() - began) * 1000
        assert isinstance(asked, int)
        answer = await self.store.ledger.answer(asked)
        if answer is None or not answer.coverage.complete:
            raise RuntimeError(f"{text} was not answered from all of the evidence")
        return took


async def measured(config: Path) -> Mapping[str, Any]:
    """Every pass of this process; times and stalls in milliseconds."""
    settings, world = load(config, {}), World(SystemClock(), RandomTokens())
    store = await open_store(settings.store.url.get_secret_value(), world.clock)
    await store.grants.sync(settings.grants)
    sources, _ = build_sources(settings, world.clock)
    turns = build_turns(
        settings,
        store,
        sources,
        assumed_grounds(settings, store, build_endpoints(settings)),
        sender=Unsent(),
        watcher=Unwatched(),
        deliveries=EventWake(),
        world=world,
    )
    desk = Desk(store, turns)
    freeze_heap()
    try:
        async with watched() as quiet:
            await asyncio.sleep(QUIET_SECONDS)
        async with watched() as cold:
            first = await desk.ask(0, QUESTIONS[0])
        async with watched() as warm:
            later = [
                await desk.ask(number, QUESTIONS[number % len(QUESTIONS)])
                for number in range(1, WARM + 1)
            ]
    finally:
        await sources.aclose()
        await store.aclose()
    return {
        "cold_ms": first,
        "warm_ms": later,
        "quiet_stall_ms": quiet.worst,
        "cold_stall_ms": cold.worst,
        "warm_stall_ms": warm.worst,
    }


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        say(runner.run(measured(lay(Path(sys.argv[1])))))
