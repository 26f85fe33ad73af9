"""What outlives a steward that is killed: the platform, its people, what was acknowledged, and the store's file.

`check` holds the promises of D7 against all of it, once everything has come to rest.
"""

import socket
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import bindparam, create_engine, text

from bot.simulator.model import Chat, Person, Pushed, SimulatedApp, StoredMessage
from bot.simulator.platform import Platform
from bot.simulator.pusher import Pusher
from bot.simulator.server import PlatformServer
from steward.world import RandomTokens, SystemClock
from tests.acceptance.child import Order
from tests.acceptance.house import replies, written

PATIENCE = 30.0
AGAIN = (0.1,) * 200
"""Seconds between deliveries of one event; the platform's own are longer."""

GOAL = """\
goal: {id: payments, title: Payments gateway, aliases: [支付网关], status: active, owner: Lin}
todos:
  - {id: t1, title: Callback signature, status: blocked, owner: Wei, blocked_by: no test account}
deliveries: []
handoffs: []
"""
SOURCES = """
[limits]
open_per_asker = 1000
open_per_conversation = 1000
[source.plans]
kind = "folder"
path = "evidence"
"""


@dataclass(slots=True)
class Outside:
    """A platform with some chats in which the bot is, and who has been heard by the steward."""

    platform: Platform
    pusher: Pusher
    folder: Path
    store: str
    port: int
    chats: Sequence[Chat]
    people: Sequence[Person]
    asked: list[Pushed] = field(default_factory=list)
    acknowledged: list[str] = field(default_factory=list)

    @property
    def config(self) -> Path:
        return self.folder / "steward.toml"

    def order(self, stage: str | None = None, endpoint: str = "reporter") -> Order:
        """For the nursery: a steward of this configuration."""
        return Order(str(self.config), str(self.folder / "calls.log"), stage, endpoint)

    def say(self, chat: int = 0, person: int = 0) -> Pushed:
        """A new question for the bot; no two have the same words."""
        text = f"How is the payments gateway going, no. {len(self.asked)}?"
        said = self.platform.say(self.people[person], self.chats[chat], text, mention_bot=True)
        self.asked.append(said)
        return said

    async def deliver(self, pushed: Pushed) -> None:
        """Push until it is acknowledged."""
        deliveries = await self.pusher.deliver(pushed)
        assert deliveries[-1].accepted, deliveries[-1]
        self.acknowledged.append(pushed.event_id)
        self.platform.touch()

    async def replied(self, asked: Sequence[Pushed], at_most: float = PATIENCE) -> None:
        """Wait until every one of these has a visible reply."""
        await self.platform.changed(lambda _: all(map(self.replies, asked)), at_most)

    def replies(self, pushed: Pushed) -> list[StoredMessage]:
        """What people see as the replies to a question."""
        assert pushed.message is not None
        return list(replies(self.platform, pushed.message))

    async def come_to_rest(self) -> list[Pushed]:
        """Ask once more in every chat, and wait: a chat's replies come in order, so that all before are final then."""
        last = [self.say(chat) for chat in range(len(self.chats))]
        for pushed in last:
            await self.deliver(pushed)
        await self.replied(last)
        return last

    def rows(self, statement: str, *messages: Pushed) -> list[tuple[str | int | None, ...]]:
        """What the store holds, read without touching it; `IN :messages` are the messages of these."""
        query = text(statement)
        if messages:
            ids = [_message(pushed) for pushed in messages]
            query = query.bindparams(bindparam("messages", ids, expanding=True))
        engine = create_engine(self.store)
        try:
            with engine.connect() as connection:
                return [tuple(row) for row in connection.execute(query)]
        finally:
            engine.dispose()

    def said_of(self, pushed: Pushed) -> list[tuple[str | int | None, ...]]:
        """Kind and status of every part of what was said of a question, and the question's own status."""
        return self.rows(
            "SELECT outbox.kind, outbox.status, question.status FROM outbox"
            " JOIN question ON question.id = outbox.question_id"
            " WHERE question.message_id IN :messages ORDER BY outbox.id",
            pushed,
        )

    def calls(self, *asked: Pushed) -> int:
        """How often the endpoint was called for these questions."""
        texts = self.rows("SELECT text FROM question WHERE message_id IN :messages", *asked)
        log = self.folder / "calls.log"
        lines = Counter(log.read_text(encoding="utf-8").splitlines() if log.exists() else [])
        return sum(lines[str(text)] for (text,) in texts)


@asynccontextmanager
async def open_outside(
    folder: Path,
    *,
    chats: int = 1,
    people: int = 1,
    granted: bool = True,
    postgres: str | None = None,
) -> AsyncIterator[Outside]:
    """No steward serves yet. All of them will serve the same port, so that the platform finds each.

    `postgres` is the URL of an empty store; without one it is a file in `folder`.
    """
    clock, tokens = SystemClock(), RandomTokens()
    platform = Platform(SimulatedApp(), clock, tokens)
    askers = [platform.add_person(f"Asker {n}") for n in range(people)]
    groups = [
        platform.add_chat(f"Team {n}", members=askers, chat_id=f"oc_sim_{n}") for n in range(chats)
    ]
    (folder / "evidence").mkdir()
    (folder / "evidence" / "payments.yaml").write_text(GOAL, encoding="utf-8")
    grants = "".join(map(_grant, groups)) if granted else ""
    port = free_port()
    async with PlatformServer(platform) as server:
        store = postgres or f"sqlite:///{folder}/steward.db"
        written(folder, platform, server.url, SOURCES, grants, port=port, store=store)
        url = f"http://127.0.0.1:{port}/lark/events"
        async with Pusher(platform, url, clock, retry_after=AGAIN) as pusher:
            reading = store.replace("postgresql:", "postgresql+psycopg:")
            yield Outside(platform, pusher, folder, reading, port, groups, askers)


def check(outside: Outside, last: Sequence[Pushed]) -> None:
    """D7, once it has come to rest. The `last` question of a chat may still be being written down as answered."""
    stored = Counter(event for (event,) in outside.rows("SELECT event_id FROM inbox"))
    assert set(stored.values()) <= {1}
    assert set(outside.acknowledged) <= set(stored)
    assert [len(outside.replies(pushed)) for pushed in outside.asked] == [1] * len(outside.asked)
    for statement in UNFINISHED:
        assert outside.rows(statement, *last) == []
    assert outside.rows(TWICE_SETTLED) == []
    for chat in outside.chats:
        _check_order(outside, chat)


UNFINISHED = (
    """SELECT id, status FROM question WHERE message_id NOT IN :messages
       AND status IN ('queued', 'acting', 'reviewing', 'settled')""",
    """SELECT id, status FROM outbox WHERE reply_to NOT IN :messages
       AND status IN ('pending', 'sending', 'unknown')""",
)
TWICE_SETTLED = (
    "SELECT question_id FROM turn WHERE stage = 'settled' GROUP BY question_id HAVING count(*) > 1"
)


def _message(pushed: Pushed) -> str:
    assert pushed.message is not None
    return pushed.message.message_id


def _check_order(outside: Outside, chat: Chat) -> None:
    """The chat's replies stand in the order in which their questions were recorded."""
    recorded = [
        message
        for (message,) in outside.rows("SELECT message_id FROM inbox ORDER BY id")
        if (found := outside.platform.message(str(message))) and found.chat_id == chat.chat_id
    ]
    answered = [
        message.parent_id
        for message in outside.platform.messages(chat.chat_id)
        if message.sender_type == "app"
    ]
    assert answered == recorded


def _grant(chat: Chat) -> str:
    return f"""
[grant.{chat.chat_id}]
audience = "group:{chat.chat_id}"
sources = ["plans"]
goals = ["*"]
"""


def free_port() -> int:
    with closing(socket.socket()) as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port
