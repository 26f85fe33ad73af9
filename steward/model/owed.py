"""Questions as lists and counts tell of them: where, when and why, never in their words. Contracts A4, T7."""

from dataclasses import dataclass
from datetime import datetime

from steward.model.audience import Audience
from steward.model.ids import ConversationId, OpenId, QuestionId
from steward.model.turn import TurnFailure


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
