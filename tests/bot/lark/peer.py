"""Our client and the simulated platform, joined on loopback, on one clock."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import cache

from aiohttp import ClientSession

from bot.lark import sdk
from bot.lark.client import LarkClient, open_session
from bot.simulator.model import Chat, Person, SimulatedApp
from bot.simulator.platform import Platform
from bot.simulator.server import PlatformServer
from steward.model.delivery import Part, Place
from steward.model.ids import AppId, ChatId, ConversationId, MessageRef, ThreadId
from steward.testing.world import CountedTokens, FakeClock

load_sdk = cache(sdk.load)


class HastyClock(FakeClock):
    """Whoever sleeps has slept: time moves on by itself, for waits that are not the test's subject."""

    async def sleep(self, seconds: float) -> None:
        self.advance(timedelta(seconds=seconds))
        await asyncio.sleep(0)


@dataclass(frozen=True, slots=True)
class Peer:
    """`lin` is in `group`. `url` and `session` are what `client` was made with."""

    platform: Platform
    url: str
    session: ClientSession
    client: LarkClient
    clock: FakeClock
    group: Chat
    lin: Person

    @property
    def app_id(self) -> AppId:
        return AppId(self.platform.app.app_id)

    def place(
        self, chat: Chat | None = None, *, reply_to: str | None = None, thread: str | None = None
    ) -> Place:
        """Into `chat` (the group), answering a message where one is named."""
        conversation = ConversationId(
            self.app_id,
            ChatId((chat or self.group).chat_id),
            ThreadId(thread) if thread else None,
        )
        ref = MessageRef(self.app_id, reply_to) if reply_to else None
        return Place(conversation, ref, in_thread=thread is not None)

    def asked(self, text: str = "How is it going?", *, in_thread: bool = False) -> Place:
        """The place of an answer to a message that Lin writes now, in a thread of its own if asked for."""
        root = self._say(text)
        if not in_thread:
            return self.place(reply_to=root)
        inside = self._say(text, reply_to=root)
        thread = self.platform.message(inside)
        assert thread is not None
        return self.place(reply_to=inside, thread=thread.thread_id)

    def standing(self) -> list[str]:
        """The contents of our messages that stand in the group, oldest first."""
        return [
            one.content
            for one in self.platform.messages(self.group.chat_id)
            if one.sender_type == "app" and not one.deleted
        ]

    def _say(self, text: str, reply_to: str | None = None) -> str:
        pushed = self.platform.say(
            self.lin, self.group, text, reply_to=reply_to, in_thread=reply_to is not None
        )
        assert pushed.message is not None
        return pushed.message.message_id


@asynccontextmanager
async def open_peer(clock: FakeClock | None = None) -> AsyncIterator[Peer]:
    """A platform that serves, and a client that signs in there."""
    clock = clock or HastyClock()
    app = SimulatedApp()
    platform = Platform(app, clock, CountedTokens("sim"))
    lin = platform.add_person("Lin")
    group = platform.add_chat("Payments", members=[lin])
    async with PlatformServer(platform) as server, open_session() as session:
        client = LarkClient(
            server.url, AppId(app.app_id), app.app_secret, clock, load_sdk(), session
        )
        yield Peer(platform, server.url, session, client, clock, group, lin)


def text_part(words: str, uuid: str = "uuid-1") -> Part:
    return Part("text", 1, 1, f'{{"text":"{words}"}}'.encode(), uuid)
