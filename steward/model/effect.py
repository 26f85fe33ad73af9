"""What commands and approvals do, who caused it, and how it ended. Contracts D2, P8, A2, A5.

Effect, audit row, reply and verdict stand in one commit (`ports.effects`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from steward.model.audience import Grant
from steward.model.command import ApplyGrants, ApplyProfile, ApproveNames, StoredButton
from steward.model.events import Click, Envelope
from steward.model.ids import AppId, ConversationId, InboxId, OpenId, QuestionId
from steward.model.machine import Applied


@dataclass(frozen=True, slots=True)
class ByMessage:
    """A command in words, under intake's lease."""

    item: InboxId


@dataclass(frozen=True, slots=True)
class ByPress:
    """A pressed button; `seen` is what the decision rests on, compared again in the commit."""

    envelope: Envelope
    click: Click
    seen: StoredButton


@dataclass(frozen=True, slots=True)
class ByOperator:
    """The command line. `app`: whose person an effect names, where it names one."""

    app: AppId | None = None


Cause: TypeAlias = ByMessage | ByPress | ByOperator


@dataclass(frozen=True, slots=True)
class RenewSession:
    """`/new`: the conversation's past is given to no endpoint again (S3)."""

    conversation: ConversationId


@dataclass(frozen=True, slots=True)
class StopQuestions:
    """`/stop`: what is open in the conversation is withdrawn; of one asker, or of everybody (`asker` None)."""

    conversation: ConversationId
    asker: OpenId | None


@dataclass(frozen=True, slots=True)
class ClaimNames:
    """`/iam`: remember the claim until the owner decides."""

    person: OpenId
    names: tuple[str, ...]


Effect: TypeAlias = (
    ApplyProfile | ApplyGrants | ApproveNames | RenewSession | StopQuestions | ClaimNames
)


@dataclass(frozen=True, slots=True)
class Stopped:
    """The questions that a stop withdrew; a turn that runs for one has lost."""

    questions: Sequence[QuestionId]


@dataclass(frozen=True, slots=True)
class GrantsSet:
    """The grants of the audience as they were read back in the same transaction."""

    grants: tuple[Grant, ...]


@dataclass(frozen=True, slots=True)
class Done:
    """Committed. `applied`: an ApplyProfile's receipt; `grants`: an ApplyGrants' readback; `stopped`: a stop's."""

    applied: Applied | None = None
    grants: GrantsSet | None = None
    stopped: Stopped | None = None


@dataclass(frozen=True, slots=True)
class Changed:
    """Nothing was written: what the decision rested on is no longer so. Decide anew; an apply: preview again.

    `present_revision`: of the profile or the grants, where one of them changed.
    """

    present_revision: str | None = None


@dataclass(frozen=True, slots=True)
class Repeated:
    """Nothing was written: this very message or press took effect before. `applied`: that plan's receipt (P8)."""

    applied: Applied | None = None


EffectOutcome: TypeAlias = Done | Changed | Repeated
