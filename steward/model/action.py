"""What a button stands for, and what becomes of a press. Contract A5.

A card carries a nonce and nothing else; everything that a press may do is stored here when the answer is settled,
and is checked against the presser, the message and the present permissions when the press takes effect.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias

from steward.model.audience import Grant
from steward.model.delivery import NewPart
from steward.model.ids import ChatId, ConversationId, GoalId, OpenId, QuestionId
from steward.model.turn import NewQuestion, Question


class ActionKind(StrEnum):
    """EVIDENCE: show the rows behind an answer whole. CHOOSE: ask about a goal that may have been meant.

    ASK_AGAIN: an owed question is to be tried once more. ASK_AGAIN_ANYWAY: the same, after a word about what that may
    repeat (T4).
    """

    EVIDENCE = "evidence"
    CHOOSE = "choose"
    ASK_AGAIN = "ask_again"
    ASK_AGAIN_ANYWAY = "ask_again_anyway"


ASKING_AGAIN = frozenset({ActionKind.ASK_AGAIN, ActionKind.ASK_AGAIN_ANYWAY})
ONCE = ASKING_AGAIN | {ActionKind.CHOOSE}
"""What happens once at all, whoever presses."""


@dataclass(frozen=True, slots=True)
class NewAction:
    """A button's meaning as a turn's end writes it. `nonce`: 128 bits, never shown; `goal` is set for CHOOSE alone."""

    nonce: str
    kind: ActionKind
    expires_at: datetime
    goal: GoalId | None = None


@dataclass(frozen=True, slots=True)
class Action:
    """A stored one. `used_at` and `used_by` are set for what happens ONCE."""

    nonce: str
    kind: ActionKind
    question: QuestionId
    conversation: ConversationId
    chat: ChatId
    goal: GoalId | None
    expires_at: datetime
    used_at: datetime | None = None
    used_by: OpenId | None = None


@dataclass(frozen=True, slots=True)
class Offer:
    """All that is stored about a pressed button, at one instant: what a press is judged on.

    `carried`: the pressed message is one that we sent for this question. `sending`: one of them is on its way, and
    its id not known yet. `recalled`: the asker's message was taken back. `pressed`: by this operator, before.
    `forgotten`: it was last tried before its conversation's past was hidden (S3). `grants` are those of the question's
    audience. `called`: the endpoints that were called for it, in any attempt.
    """

    action: Action
    question: Question
    grants: tuple[Grant, ...]
    carried: bool
    sending: bool
    recalled: bool
    pressed: bool
    forgotten: bool = False
    called: tuple[str, ...] = ()


class ClickRefusal(StrEnum):
    """Why a press does nothing. Stored as the reason of its inbox row; only an effect uses a button up."""

    UNKNOWN = "unknown_button"
    EXPIRED = "button_expired"
    USED = "button_used"
    FOREIGN_CARD = "foreign_card"
    NOT_PERMITTED = "not_permitted"
    WITHDRAWN = "question_withdrawn"
    AUTHORIZATION_CHANGED = "click_authorization_changed"
    TOO_MANY = "too_many_questions"
    NOT_NOW = "not_now"


@dataclass(frozen=True, slots=True)
class AskedAgain:
    """CHOOSE takes effect: the question is asked once more, about the chosen goal."""

    question: NewQuestion


@dataclass(frozen=True, slots=True)
class Shown:
    """EVIDENCE takes effect: these parts go to the question's audience."""

    parts: Sequence[NewPart]


@dataclass(frozen=True, slots=True)
class Requeued:
    """ASK_AGAIN takes effect: the owed question waits for its next attempt (T4)."""


@dataclass(frozen=True, slots=True)
class Warned:
    """ASK_AGAIN takes effect where the host may have acted: these parts say so, and carry `action`, which asks."""

    parts: Sequence[NewPart]
    action: NewAction


PressEffect: TypeAlias = AskedAgain | Shown | Requeued | Warned
