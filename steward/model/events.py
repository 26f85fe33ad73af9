"""What comes in: an `Envelope` from a transport, and the `Event` that is read out of it.

An envelope is verified and decrypted but not judged; it is recorded as it came (D1, D3). The event is
parsed from the recorded bytes by intake, so a parser that is mended later reads old rows too.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias

from steward.model.ids import (
    AppId,
    ChatId,
    ConversationId,
    EventId,
    InboxId,
    MessageRef,
    OpenId,
    TenantKey,
)


class EventKind(StrEnum):
    """Kinds that intake tells apart; everything else is recorded and ignored."""

    MESSAGE = "message"
    RECALL = "recall"
    CLICK = "click"
    MEMBERSHIP = "membership"
    CHAT_CHANGE = "chat_change"
    FIRST_CONTACT = "first_contact"
    MENU = "menu"
    PERSON_DELETED = "person_deleted"
    OTHER = "other"


class Lane(StrEnum):
    """NOW never waits behind a question; ORDERED keeps each conversation's order."""

    NOW = "now"
    ORDERED = "ordered"


class Verdict(StrEnum):
    """What became of a recorded event (T7). UNPARSABLE is kept, so that nothing that came in is lost (D3)."""

    ADMITTED = "admitted"
    IGNORED = "ignored"
    DECLINED = "declined"
    COMMAND = "command"
    UNPARSABLE = "unparsable"


@dataclass(frozen=True, slots=True)
class Envelope:
    """What a transport hands over, the same for webhook, long connection and simulator.

    `body` is the decrypted JSON document as bytes. `message` is set for messages alone: it is the second
    key of uniqueness (D1). `occurred_at` is the platform's time, `received_at` ours.
    """

    app_id: AppId
    event_id: EventId
    kind: EventKind
    lane: Lane
    conversation: ConversationId | None
    message: MessageRef | None
    tenant_key: TenantKey | None
    occurred_at: datetime
    received_at: datetime
    body: bytes


@dataclass(frozen=True, slots=True)
class Recorded:
    """A durable inbox row. `duplicate`: it was there before, under this event or message id."""

    inbox: InboxId
    duplicate: bool


@dataclass(frozen=True, slots=True)
class Taken:
    """An unjudged row under this worker's lease. `attempts` counts from 1, this one included (D3)."""

    id: InboxId
    envelope: Envelope
    attempts: int


class ChatType(StrEnum):
    """As the message says; UNKNOWN is refused (A1)."""

    P2P = "p2p"
    GROUP = "group"
    UNKNOWN = "unknown"


class PrincipalKind(StrEnum):
    """Only a PERSON asks. The platform says "user", "bot" or "app"; anything else is UNKNOWN."""

    PERSON = "person"
    BOT = "bot"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Principal:
    """Who acts. `tenant_key` missing is unknown, never ours."""

    open_id: OpenId | None
    tenant_key: TenantKey | None
    kind: PrincipalKind


@dataclass(frozen=True, slots=True)
class Mention:
    """One `@` in a message: the placeholder `key`, who it is, and the name as shown (attacker's text)."""

    key: str
    open_id: OpenId | None
    name: str
    everyone: bool = False


@dataclass(frozen=True, slots=True)
class TextContent:
    """Readable words. Mentions stand in it as their placeholder keys."""

    text: str


@dataclass(frozen=True, slots=True)
class UnreadableContent:
    """A kind of content that holds no question: picture, file, sticker, card …"""

    message_type: str


Content: TypeAlias = TextContent | UnreadableContent


@dataclass(frozen=True, slots=True)
class Message:
    """A person's (or a bot's) message. `parent` is the message it replies to."""

    ref: MessageRef
    conversation: ConversationId
    chat_type: ChatType
    sender: Principal
    parent: MessageRef | None
    mentions: tuple[Mention, ...]
    content: Content
    sent_at: datetime


@dataclass(frozen=True, slots=True)
class Recall:
    """Somebody took a message back."""

    ref: MessageRef
    conversation: ConversationId | None


@dataclass(frozen=True, slots=True)
class Click:
    """A press on one of our cards. `nonce` names the stored action; without it nothing can happen."""

    message: MessageRef | None
    conversation: ConversationId | None
    operator: Principal
    nonce: str | None


@dataclass(frozen=True, slots=True)
class Membership:
    """Who is in a chat has changed: what we know of the chat is stale. `operator`: who did it."""

    conversation: ConversationId
    bot: bool
    joined: bool
    external: bool | None
    operator: Principal


@dataclass(frozen=True, slots=True)
class ChatChange:
    """A chat was changed or dissolved: what we know of it is stale."""

    conversation: ConversationId
    disbanded: bool = False


@dataclass(frozen=True, slots=True)
class PersonDeleted:
    """Somebody left the tenant (`contact.user.deleted_v3`)."""

    person: OpenId


@dataclass(frozen=True, slots=True)
class FirstContact:
    """A person opened a private chat with the bot for the first time (v1 `p2p_chat_create`)."""

    chat_id: ChatId
    operator: Principal


@dataclass(frozen=True, slots=True)
class Menu:
    """A press on the bot's menu; it names no chat."""

    operator: Principal
    key: str


@dataclass(frozen=True, slots=True)
class Other:
    """An event type that nothing here acts on; recorded, so that it is not sent again."""

    event_type: str


@dataclass(frozen=True, slots=True)
class Unparsable:
    """The bytes do not hold the event that they claim. `reason` names a field, never a value."""

    reason: str


Event: TypeAlias = (
    Message | Recall | Click | Membership | ChatChange | PersonDeleted | FirstContact | Menu | Other
)
