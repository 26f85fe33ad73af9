"""Questions as lists and counts tell of them: where, when and why, never in their words. Contracts A4, T7."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from steward.model.audience import Audience
from steward.model.ids import ConversationId, OpenId, QuestionId
from steward.model.turn import QuestionStatus, TurnFailure


@dataclass(frozen=True, slots=True)
class OwedQuestion:
    """A question that its asker has no answer to. `failure` None: it was answered, and the answer never arrived."""

    id: QuestionId
    conversation: ConversationId
    audience: Audience
    asker: OpenId
    asked_at: datetime
    failure: TurnFailure | None


@dataclass(frozen=True, slots=True)
class QuestionCounts:
    """Of one conversation or of all. `asked` and `answered` are since a given moment; the rest is as it is now."""

    running: int
    queued: int
    owed: int
    asked: int
    answered: int


class Listing(StrEnum):
    """Which questions are listed. OPEN: queued or at work; OWED: without their answer, for now (T7)."""

    OWED = "owed"
    OPEN = "open"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class ListedQuestion:
    """A question as the operator sees it. `undelivered`: answered, and the answer can never arrive.

    `words` None: not asked for. Empty: forgotten.
    """

    id: QuestionId
    conversation: ConversationId
    audience: Audience
    asker: OpenId
    asked_at: datetime
    status: QuestionStatus
    attempt: int
    failure: TurnFailure | None
    undelivered: bool
    words: str | None
