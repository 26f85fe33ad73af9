"""Who will see an answer, what that audience may see, and what a decision about a message was.

The audience follows from facts of the platform alone (A1); no flag, grant or name widens it.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from steward.model.ids import ChatId, GoalId, OpenId, SourceId, TenantKey


class AudienceKind(StrEnum):
    """Who will see a reply (A1). UNKNOWN is refused in silence."""

    OWNER_PRIVATE = "owner_private"
    MEMBER_PRIVATE = "member_private"
    GROUP = "group"
    EXTERNAL = "external"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Audience:
    """Everyone who will see the reply. `chat_id` is the chat it is shown in."""

    kind: AudienceKind
    chat_id: ChatId

    @property
    def grant_key(self) -> str:
        """The audience as a grant names it: owner, members, group:ID or external:ID (A2)."""
        match self.kind:
            case AudienceKind.OWNER_PRIVATE:
                return "owner"
            case AudienceKind.MEMBER_PRIVATE:
                return "members"
            case AudienceKind.GROUP:
                return f"group:{self.chat_id}"
            case AudienceKind.EXTERNAL:
                return f"external:{self.chat_id}"
            case AudienceKind.UNKNOWN:
                return "unknown"


class ChatMode(StrEnum):
    """As the directory says; a topic group is a group (A1)."""

    P2P = "p2p"
    GROUP = "group"
    TOPIC = "topic"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ChatFacts:
    """What the platform says of a chat, at `as_of`. `external` None: it did not say."""

    chat_id: ChatId
    mode: ChatMode
    external: bool | None
    tenant_key: TenantKey | None
    title: str
    as_of: datetime


@dataclass(frozen=True, slots=True)
class DirectoryFailure:
    """A look-up that failed is not an audience (A1). `retry`: it may succeed later.

    `whole_app`: the platform answers nothing of this app at the moment, whatever is asked.
    """

    retry: bool
    reason: str
    whole_app: bool = False


@dataclass(frozen=True, slots=True)
class BotIdentity:
    """Ourselves as this app's platform names us; a mention is ours by `open_id` alone."""

    open_id: OpenId
    name: str
    tenant_key: TenantKey | None


@dataclass(frozen=True, slots=True)
class ScopeEntry:
    """One grant: these sources × these goals. `goals` None means every goal of those sources."""

    sources: frozenset[SourceId]
    goals: frozenset[GoalId] | None


@dataclass(frozen=True, slots=True)
class Scope:
    """What one audience may read: the union of its grants' products, never a product of unions (A2).

    `sources` keeps the configured order and holds every source of any entry. `revision` changes whenever
    a grant of this audience does.
    """

    sources: tuple[SourceId, ...]
    entries: tuple[ScopeEntry, ...]
    revision: str

    def allows(self, source: SourceId, goal: GoalId) -> bool:
        """Whether rows of this goal in this source may be shown."""
        return any(
            source in entry.sources and (entry.goals is None or goal in entry.goals)
            for entry in self.entries
        )

    @property
    def empty(self) -> bool:
        """Nothing is granted: the audience is declined before a turn begins."""
        return not self.sources


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody by the platform's id, and of which tenant; None where it does not say."""

    open_id: OpenId
    tenant_key: TenantKey | None


@dataclass(frozen=True, slots=True)
class Members:
    """Who is in a chat, at `as_of`. `complete` False: there are more than were listed."""

    chat_id: ChatId
    people: tuple[Person, ...]
    complete: bool
    as_of: datetime


@dataclass(frozen=True, slots=True)
class MessageFacts:
    """The platform's own copy of a message: the proof of who said what, where (P7). `text` None: it holds no words."""

    chat_id: ChatId
    sender: OpenId | None
    text: str | None


@dataclass(frozen=True, slots=True)
class KnownChat:
    """A chat that we are or were in, as last seen. `left_at`: since when we are not."""

    chat_id: ChatId
    title: str
    external: bool | None
    as_of: datetime
    left_at: datetime | None


@dataclass(frozen=True, slots=True)
class Limits:
    """How many questions may be open at once (A6): received, queued, acting, reviewing; owed is not open."""

    open_per_asker: int = 3
    open_per_conversation: int = 20


DEFAULT_LIMITS = Limits()


class IgnoreReason(StrEnum):
    """Why an event led to nothing, in silence. Stored."""

    NOT_ADDRESSED = "not_addressed"
    NOT_A_PERSON = "not_a_person"
    OWN_MESSAGE = "own_message"
    AUDIENCE_UNKNOWN = "audience_unknown"
    NO_ACTION = "no_action"
    APPLIED = "applied"
    NOT_PROVEN = "not_proven"
    """It claims to be the owner's private chat, and the platform does not bear that out (P7)."""


class DeclineReason(StrEnum):
    """Why a message was refused in sight of its sender. Stored."""

    NOT_GRANTED = "not_granted"
    CONTENT_UNREADABLE = "content_unreadable"
    EMPTY_QUESTION = "empty_question"
    ASKER_LIMIT = "asker_limit"
    CONVERSATION_LIMIT = "conversation_limit"


@dataclass(frozen=True, slots=True)
class Ignored:
    """No answer, on purpose."""

    reason: IgnoreReason


@dataclass(frozen=True, slots=True)
class Declined:
    """A visible no: one line says why and who can change it."""

    reason: DeclineReason


class GrantOrigin(StrEnum):
    """Where a grant comes from; config rows follow the file, the owner's stay (A2)."""

    CONFIG = "config"
    OWNER = "owner"


@dataclass(frozen=True, slots=True)
class Grant:
    """A named permission: this audience may read these sources × these goals. `goals` None = all."""

    name: str
    audience: str
    sources: tuple[SourceId, ...]
    goals: tuple[GoalId, ...] | None
    origin: GrantOrigin
