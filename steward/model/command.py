"""Commands: what people tell the steward itself, in words or by a button. Contracts A4, A5, P7.

Both ways end in the same value. A command never reaches an endpoint.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias

from steward.model.audience import Grant
from steward.model.ids import ChatId, GoalId, OpenId, SourceId
from steward.model.profile import RuntimeProfile


class CommandName(StrEnum):
    """HELP to OWED: whoever may ask there. IAM: any person of the tenant. The rest: the owner in private alone."""

    HELP = "help"
    STATUS = "status"
    SOURCES = "sources"
    WHOAMI = "whoami"
    NEW = "new"
    STOP = "stop"
    OWED = "owed"
    IAM = "iam"
    CHATS = "chats"
    GRANT = "grant"
    REVOKE = "revoke"
    PROFILE = "profile"
    AUDIT = "audit"


@dataclass(frozen=True, slots=True)
class Command:
    """A known command and the words behind it."""

    name: CommandName
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UnknownCommand:
    """Something that looks like a command and is none. `word` is the sender's text."""

    word: str


@dataclass(frozen=True, slots=True)
class SetGrant:
    """The owner's grant to one audience: it replaces the owner's earlier one. `goals` None = all."""

    audience: str
    sources: tuple[SourceId, ...]
    goals: tuple[GoalId, ...] | None


@dataclass(frozen=True, slots=True)
class RevokeGrants:
    """Nothing is granted to this audience any more; rows of the configuration are tombstoned (A2)."""

    audience: str


GrantChange: TypeAlias = SetGrant | RevokeGrants


@dataclass(frozen=True, slots=True)
class GrantPlan:
    """A preview: what holds, what would hold, and the revision that an apply must name."""

    change: GrantChange
    before: tuple[Grant, ...]
    after: tuple[Grant, ...]
    current_revision: str
    plan_revision: str
    writes_required: bool


@dataclass(frozen=True, slots=True)
class ApplyGrants:
    """Approve a previewed change of grants."""

    change: GrantChange
    plan_revision: str


@dataclass(frozen=True, slots=True)
class ApplyProfile:
    """Approve a previewed profile."""

    desired: RuntimeProfile
    plan_revision: str


@dataclass(frozen=True, slots=True)
class ApproveNames:
    """Approve that evidence means this person by these names."""

    person: OpenId
    names: tuple[str, ...]


Approval: TypeAlias = ApplyGrants | ApplyProfile | ApproveNames
ButtonMeaning: TypeAlias = Command | Approval


@dataclass(frozen=True, slots=True)
class NewButton:
    """A command button as a commit writes it. `subject`: the outbox subject of the message that carries it.

    `operator` and `owner`: for an approval, who alone may press it, as the owner of that record (P8); a plain command
    has neither, and whoever may ask in its chat may press it.
    """

    nonce: str
    meaning: ButtonMeaning
    subject: str
    expires_at: datetime
    operator: OpenId | None = None
    owner: int | None = None


@dataclass(frozen=True, slots=True)
class StoredButton:
    """All that is stored about a pressed command button, at one instant.

    `carried`: the pressed message is the one that carries it. `sending`: that one is on its way, and its id not known
    yet. `pressed`: by this operator, before. `used_at`: an approval takes effect once at all.
    """

    button: NewButton
    chat: ChatId
    carried: bool
    sending: bool
    pressed: bool
    used_at: datetime | None
