"""A whole steward beside a simulated platform, both on loopback: what acceptance tests and benchmarks run against.

The steward is composed by `bot.app.serving` from a configuration file, as in service. `ask` says something in a
chat, pushes it through the webhook, and waits for the reply as a person would see it.
"""

import json
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from bot.app import serving
from bot.parts import World
from bot.settings import load
from bot.simulator.limits import Limits
from bot.simulator.model import Chat, Person, Pushed, SimulatedApp, StoredMessage
from bot.simulator.platform import Platform
from bot.simulator.pusher import Pusher
from bot.simulator.server import PlatformServer
from bot.simulator.transcript import as_read
from bot.web.listeners import Ports
from steward.model.json import Json
from steward.ports.endpoint import Endpoint
from steward.ports.world import Clock
from steward.world import RandomTokens, SystemClock

PATIENCE = 10.0
OWNER = "ou_sim_owner"
TEAM = "oc_sim_team"


@dataclass(frozen=True, slots=True)
class Reply:
    """What a person reads in the chat."""

    message: StoredMessage
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


@dataclass(frozen=True, slots=True)
class House:
    """The platform, its people, and the steward's doors."""

    platform: Platform
    pusher: Pusher
    ports: Ports
    config: Path
    team: Chat
    member: Person
    owner: Person

    async def ask(
        self, chat: Chat, person: Person, text: str, *, at_most: float = PATIENCE
    ) -> Reply:
        """Say `text` (to the bot, in a group), and the reply to it; TimeoutError where none comes."""
        pushed = self.platform.say(person, chat, text, mention_bot=chat.mode != "p2p")
        delivery = await self.pusher.push(pushed)
        assert delivery.accepted, delivery
        return await self.reply(pushed, at_most=at_most)

    async def reply(self, pushed: Pushed, *, at_most: float = PATIENCE) -> Reply:
        """The first message of the bot that answers a pushed one."""
        asked = pushed.message
        assert asked is not None
        found = await self.platform.changed(lambda now: next(replies(now, asked), None), at_most)
        assert found is not None
        return Reply(found, tuple(as_read(found.msg_type, found.content)))


def replies(platform: Platform, asked: StoredMessage) -> Iterator[StoredMessage]:
    """Every message of the bot that answers `asked`, oldest first. In a topic all hang from its root."""
    history = platform.messages(asked.chat_id)
    for one in history[history.index(asked) + 1 :]:
        in_topic = asked.thread_id is not None and one.thread_id == asked.thread_id
        if one.sender_type == "app" and (one.parent_id == asked.message_id or in_topic):
            yield one


def buttons(message: StoredMessage) -> dict[str, Json]:
    """The buttons of a card by their labels, each with what a press on it sends, in the order in which they stand."""
    return dict(_buttons(json.loads(message.content)))


def _buttons(node: Json) -> Iterator[tuple[str, Json]]:
    if isinstance(node, list):
        for one in node:
            yield from _buttons(one)
    elif isinstance(node, dict):
        if node.get("tag") == "button":
            text, behaviors = node["text"], node["behaviors"]
            assert isinstance(text, dict)
            assert isinstance(behaviors, list)
            (behavior,) = behaviors
            assert isinstance(behavior, dict)
            yield str(text["content"]), behavior["value"]
        for one in node.values():
            yield from _buttons(one)


def written(
    folder: Path,
    platform: Platform,
    domain: str,
    sources: str,
    grants: str,
    access: str = "",
    port: int = 0,
    store: str = "sqlite:///steward.db",
) -> Path:
    """A configuration file in `folder`; paths in `sources` and `store` are relative to it. Port 0: any free one."""
    app = platform.app
    config = folder / "steward.toml"
    config.write_text(
        f"""\
[server]
port = {port}
admin_port = 0
admin_token_file = "admin.token"
[lark]
simulated = true
domain = "{domain}"
app_id = "{app.app_id}"
app_secret = "{app.app_secret}"
encrypt_key = "{app.encrypt_key}"
verification_token = "{app.verification_token}"
[owner]
open_id = "{OWNER}"
[access]
{access}
[store]
url = "{store}"
{sources}
{grants}
""",
        encoding="utf-8",
    )
    return config


@asynccontextmanager
async def open_house(
    folder: Path,
    *,
    sources: str = "",
    grants: str = "",
    access: str = "",
    clock: Clock | None = None,
    limits: Limits | None = None,
    endpoint: Endpoint | None = None,
    store: str = "sqlite:///steward.db",
    variables: Mapping[str, str] = MappingProxyType({}),
) -> AsyncIterator[House]:
    """A running house; everything ends with the block. `sources` and `grants` are TOML.

    `endpoint` stands in for the configured one; `variables` of the environment win over the file.
    """
    clock, tokens = clock or SystemClock(), RandomTokens()
    platform = Platform(SimulatedApp(), clock, tokens, limits)
    member = platform.add_person("Wei", open_id="ou_sim_wei")
    owner = platform.add_person("Mei", open_id=OWNER)
    team = platform.add_chat("Team", members=[member, owner], chat_id=TEAM)
    async with PlatformServer(platform) as server:
        config = written(folder, platform, server.url, sources, grants, access, store=store)
        async with (
            serving(load(config, variables), World(clock, tokens), endpoint=endpoint) as ports,
            Pusher(platform, f"http://127.0.0.1:{ports.public}/lark/events", clock) as pusher,
        ):
            yield House(platform, pusher, ports, config, team, member, owner)
