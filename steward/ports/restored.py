"""What is done to a restored store before anybody serves it. Contracts D4, D5, S3."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from steward.model.delivery import NewPart
from steward.model.ids import QuestionId
from steward.model.turn import Question
from steward.model.upkeep import MadeSafe


class Restored(Protocol):
    """Of a store that nobody serves."""

    async def unfinished(self) -> Sequence[Question]:
        """Queued and at work: each may have been answered after the backup was taken."""
        ...

    async def make_safe(self, notices: Mapping[QuestionId, Sequence[NewPart]]) -> MadeSafe:
        """In one commit: nothing is sent, run or allowed again that may have been so, or taken back, since the backup.

        The profile is restricted; unsent messages may have arrived, and are past the time in which the platform knows
        their key; what is unfinished is owed with its notice, and never run; messages that nobody has read stay as they
        came, and lead to nothing; buttons that change something are void; nothing before now is given to an endpoint.
        """
        ...
