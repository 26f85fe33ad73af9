"""What a conversation was last about: structure alone, no text of anyone's. A follow-up inherits it and says so."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from steward.model.ids import GoalId


class TopicPart(StrEnum):
    """What of a topic a follow-up can take over."""

    INTENT = "intent"
    GOALS = "goals"
    PERSON = "person"
    WINDOW = "window"


@dataclass(frozen=True, slots=True)
class Topic:
    """`intent` is an endpoint's own word, `person` a name as evidence has it. The window is [since, until)."""

    intent: str
    goals: tuple[GoalId, ...] = ()
    person: str | None = None
    since: datetime | None = None
    until: datetime | None = None
