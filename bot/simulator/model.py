"""The nouns of the simulated platform: its app, people, chats, messages, and what it pushes.

Below are ids and JSON; above, platform.py keeps these and api.py shows them. Secrets and ids begin with
`sim_` and `cli_sim_`, which live mode refuses.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeAlias

from steward.model.json import Json

Document: TypeAlias = dict[str, Json]
"""A JSON object as it stands on the wire."""

ChatMode: TypeAlias = Literal["p2p", "group", "topic"]
EVERYONE = "all"
"""What a message notifies that holds `@all`."""


@dataclass(frozen=True, slots=True)
class SimulatedApp:
    """The one self-built app of this platform, as its developer console would show it."""

    app_id: str = "cli_sim_steward"
    app_secret: str = "sim_app_secret"  # noqa: S105 -- made up, valid on this platform alone
    encrypt_key: str = "sim_encrypt_key"
    verification_token: str = "sim_verification_token"  # noqa: S105 -- made up, as above
    tenant_key: str = "tenant_sim"
    bot_open_id: str = "ou_sim_bot"
    bot_name: str = "Steward"


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody with an account. `open_id` is theirs for this app; `tenant_key` is their own tenant's.

    `app_id` makes it another app's bot, which can write as people do.
    """

    open_id: str
    name: str
    tenant_key: str
    app_id: str | None = None

    @property
    def union_id(self) -> str:
        return f"on_{self.open_id.removeprefix('ou_')}"


@dataclass(slots=True)
class Chat:
    """A private chat, a group, or a topic group. `members` are people's open ids; the bot is `bot_present`."""

    chat_id: str
    title: str
    mode: ChatMode
    external: bool
    tenant_key: str
    members: list[str]
    bot_present: bool = True
    dissolved: bool = False

    @property
    def chat_type(self) -> Literal["p2p", "group"]:
        """As events say it: a topic group is a group."""
        return "p2p" if self.mode == "p2p" else "group"


@dataclass(frozen=True, slots=True)
class Reaction:
    """An emoji under a message. `operator_id` is an open id, or the app id where the app reacted."""

    reaction_id: str
    emoji_type: str
    operator_type: Literal["app", "user"]
    operator_id: str


@dataclass(frozen=True, slots=True)
class Mentioned:
    """Somebody whom a message names: the placeholder in its text, and who that is."""

    key: str
    open_id: str
    name: str
    tenant_key: str
    bot: bool = False


@dataclass(slots=True)
class StoredMessage:
    """A message as the platform keeps it. `content` is the JSON text as it was sent; times are milliseconds.

    `mentions` are those of a text message; `notifies` are the open ids, or `all`, that it pings in any form.
    """

    message_id: str
    chat_id: str
    root_id: str | None
    parent_id: str | None
    thread_id: str | None
    msg_type: str
    content: str
    sender_id: str
    sender_type: Literal["user", "app"]
    sender_tenant: str
    create_time: int
    update_time: int
    uuid: str | None = None
    deleted: bool = False
    updated: bool = False
    edits: int = 0
    mentions: tuple[Mentioned, ...] = ()
    notifies: tuple[str, ...] = ()
    reactions: list[Reaction] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Pushed:
    """An event that is due: the document of every delivery of it, and the message it speaks of, if it is one."""

    event_id: str
    document: Document
    message: StoredMessage | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """A finished call of the app. `status` and `code` are None where the connection was cut instead."""

    op: str | None
    method: str
    path: str
    query: Mapping[str, str]
    body: Json
    at: datetime
    status: int | None
    code: int | None
