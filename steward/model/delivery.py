"""Outbox parts and what happened to them. Contract D4."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TypeAlias

from steward.model.answer import OutgoingKind
from steward.model.audience import Audience
from steward.model.ids import (
    AppId,
    ChatId,
    ConversationId,
    MessageRef,
    OpenId,
    PartId,
    QuestionId,
)
from steward.model.turn import Language

REPEAT = "+repeat"
"""Ends the rung's name of a part that is sent once more, so that no other part has its key."""


class PartStatus(StrEnum):
    """SENDING is committed before the call. UNKNOWN: it may have arrived.

    REPLACED: another part stands for it, a lower rung or a marked repeat. DEAD: given up, the owner is told.
    """

    PENDING = "pending"
    SENDING = "sending"
    UNKNOWN = "unknown"
    SENT = "sent"
    REPLACED = "replaced"
    DEAD = "dead"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a part goes: an answer to `reply_to` where there is one, else into the chat.

    A person whose private chat we do not know stands as the chat id: an open_id, `ou_…` (see `to_person`).
    """

    conversation: ConversationId
    reply_to: MessageRef | None
    in_thread: bool

    @classmethod
    def to_person(cls, app_id: AppId, person: OpenId, chat: ChatId | None = None) -> "Place":
        """The private chat with a person: `chat` where it is known, else whichever the platform finds or opens."""
        return cls(ConversationId(app_id, chat or ChatId(person)), None, in_thread=False)


@dataclass(frozen=True, slots=True)
class PlannedPart:
    """One message as it will stand on the wire: `body` is the final content, measured; number i of N (1-based)."""

    rung: str
    number: int
    of: int
    body: bytes


@dataclass(frozen=True, slots=True)
class Part:
    """A planned part with its idempotency key, the same for every try of it."""

    rung: str
    number: int
    of: int
    body: bytes
    uuid: str

    @property
    def form(self) -> str:
        """The rung's form: what says how it is sent, whether or not it is a repeat."""
        return self.rung.removesuffix(REPEAT)

    @property
    def is_repeat(self) -> bool:
        """It is sent although the same words may stand in the chat already, and says so (D4)."""
        return self.rung.endswith(REPEAT)


@dataclass(frozen=True, slots=True)
class Guard:
    """Under which permission a part was written: compared again each time that it is about to be sent (A3)."""

    audience: Audience
    asker: OpenId
    scope_revision: str


@dataclass(frozen=True, slots=True)
class NewPart:
    """What a commit writes into the outbox: unique by (subject, attempt, kind, part, rung), never null.

    `subject` names what it answers, such as `question:12` or `inbox:9`. `lower` holds the lower rungs' parts,
    best first, so that a definite refusal needs no second rendering. They replace this part alone: a message that
    was split into several parts has none. `guard` None: it shows nothing of any evidence.
    """

    subject: str
    attempt: int
    kind: OutgoingKind
    question: QuestionId | None
    place: Place
    part: Part
    lower: tuple[tuple[Part, ...], ...] = ()
    guard: Guard | None = None


@dataclass(frozen=True, slots=True)
class SentRef:
    """It arrived: the platform's ids of the message, and of its card entity where it has one."""

    message: MessageRef
    card: str | None = None


class Disposition(StrEnum):
    """What a definite refusal allows: RETRY the same later, STEP_DOWN to a lower rung, or give up.

    HOLD: the platform takes nothing of this app at the moment, whatever the part. LATER: our own pace, nothing was
    tried. Neither is this part's fault, and neither ever gives it up.
    """

    RETRY = "retry"
    HOLD = "hold"
    LATER = "later"
    STEP_DOWN = "step_down"
    GIVE_UP = "give_up"


@dataclass(frozen=True, slots=True)
class Refused:
    """Definitely not sent. `failure` is our name of the reason, safe to log."""

    failure: str
    disposition: Disposition
    retry_after: timedelta | None = None


@dataclass(frozen=True, slots=True)
class Unknown:
    """It may have arrived: only the same bytes under the same uuid may be tried, for 50 minutes (D4).

    `lasting`: said of a look-up, that it will never be able to tell.
    """

    reason: str
    lasting: bool = False


SendOutcome: TypeAlias = SentRef | Refused | Unknown


@dataclass(frozen=True, slots=True)
class Delivery:
    """A claimed part. `tries` counts from 1; `first_unknown_at` is when its fate was first unknown.

    `spared`: how many of the earlier tries were not the part's own: they count towards nothing.
    """

    id: PartId
    subject: str
    attempt: int
    kind: OutgoingKind
    question: QuestionId | None
    place: Place
    part: Part
    lower: tuple[tuple[Part, ...], ...]
    tries: int
    first_unknown_at: datetime | None
    guard: Guard | None = None
    spared: int = 0

    @property
    def counted(self) -> int:
        """Which try this is of those that count, from 1."""
        return self.tries - self.spared


class Mark(StrEnum):
    """A decoration on the asker's message; lossy."""

    RECEIVED = "received"
    DONE = "done"
    FAILED = "failed"


class ReplyKind(StrEnum):
    """The tone of a toast."""

    INFO = "info"
    SUCCESS = "success"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class ClickReply:
    """What a person who pressed a button sees at once.

    `translations`: where nobody knows the reader's language, the same in each, for the client to pick.
    """

    toast: str
    kind: ReplyKind
    translations: Mapping[Language, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Arrived:
    """The part is sent; nothing more is due for it."""

    sent: SentRef


@dataclass(frozen=True, slots=True)
class TryAgain:
    """The same bytes and uuid again, not before `at`. `unknown`: this try may have arrived.

    `counted` False: the try counts towards nothing, as where the platform took nothing of anybody.
    """

    at: datetime
    unknown: bool
    counted: bool = True


@dataclass(frozen=True, slots=True)
class Repeated:
    """Too late for the same uuid, and not found: `part` takes its place, marked as a possible duplicate (D4)."""

    part: Part


@dataclass(frozen=True, slots=True)
class SteppedDown:
    """Refused for its form: the next lower rung takes its place, in the same commit."""

    failure: str


@dataclass(frozen=True, slots=True)
class GivenUp:
    """No try is left, or none is allowed. The subject is closed as undeliverable."""

    failure: str


Fate: TypeAlias = Arrived | TryAgain | Repeated | SteppedDown | GivenUp


@dataclass(frozen=True, slots=True)
class LostMessage:
    """A message that somebody waited for and that was given up, for the owner's eyes (W3): no word of it.

    `parts`: those that were given up. `asked_at` None: it answered no question. `private`: asked in a private chat.
    """

    parts: tuple[PartId, ...]
    kind: OutgoingKind
    chat: ChatId
    asked_at: datetime | None
    failure: str
    private: bool = False


@dataclass(frozen=True, slots=True)
class LostMessages:
    """What the owner was not told of yet, oldest first, and when something of the kind was told last."""

    messages: tuple[LostMessage, ...]
    told_at: datetime | None


@dataclass(frozen=True, slots=True)
class OutboxDepth:
    """How many parts wait or were given up, by status, and since when the longest of them could be tried."""

    parts: Mapping[PartStatus, int]
    oldest_due: datetime | None
