"""Why a request that needs the owner's approval leads to none, and what rides along with an approval's card. Contracts A5, P7.

The card's outbox subject carries what a press must know again later: the language of whoever reads the card, and for a
claim of names the message that made it, so that its sender is answered where they asked.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from steward.model.ids import ConversationId
from steward.model.turn import Language


class ApprovalRefusal(StrEnum):
    """Why nothing is offered. Stored as the reason of the audit row."""

    NOT_PROVEN = "not_proven"
    NOT_VERIFIED = "not_verified"
    NOT_PERMITTED = "not_permitted"
    AUDIENCE_MISSING = "audience_missing"
    AUDIENCE_UNKNOWN = "audience_unknown"
    AUDIENCE_AMBIGUOUS = "audience_ambiguous"
    AUDIENCE_BY_TITLE = "audience_by_title"
    CHAT_FAILED = "chat_failed"
    CHAT_UNCLEAR = "chat_unclear"
    NO_SOURCE = "no_source"
    SOURCE_UNKNOWN = "source_unknown"
    GOAL_UNKNOWN = "goal_unknown"
    SOURCE_AS_GOAL = "source_as_goal"
    PROFILE_UNKNOWN = "profile_unknown"
    NAMES_UNUSABLE = "names_unusable"
    CLAIMED_OFTEN = "claimed_often"
    NO_OWNER = "no_owner"


@dataclass(frozen=True, slots=True)
class Carrier:
    """The outbox subject of a card with approvals, as `approval:LANGUAGE:APP/CHAT/THREAD:KEY`.

    `key`: a message id, or another name of ours that is unique. `asked_in`: the conversation that caused the card.
    """

    language: Language
    asked_in: ConversationId
    key: str

    def __str__(self) -> str:
        return f"approval:{self.language}:{self.asked_in}:{self.key}"

    @classmethod
    def parse(cls, subject: str) -> Self:
        """Undo `str`; raises ValueError where it is no such subject."""
        kind, language, asked_in, key = subject.split(":", 3)
        if kind != "approval":
            raise ValueError("not the subject of an approval")
        return cls(Language(language), ConversationId.parse(asked_in), key)
