"""Sending, reading back, and decorating messages on the platform."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from steward.model.answer import Outgoing, OutgoingKind
from steward.model.delivery import Mark, Part, Place, PlannedPart, SendOutcome, SentRef, Unknown
from steward.model.ids import MessageRef
from steward.model.turn import Language


class Sender(Protocol):
    """Expected refusals are values; nothing of the provider's text travels in them (W2)."""

    def plan(self, message: Outgoing, place: Place) -> Sequence[Sequence[PlannedPart]]:
        """Rungs, best first, each a list of parts measured on their final envelope. Pure; the last always fits."""
        ...

    def repeated(self, part: Part, language: Language) -> PlannedPart:
        """The part as it is sent once more: marked "may be a duplicate", under a rung's name of its own (D4). Pure."""
        ...

    async def send(
        self, part: Part, place: Place, kind: OutgoingKind = OutgoingKind.ANSWER
    ) -> SendOutcome:
        """`kind` says what goes first where the app's budget is short."""
        ...

    async def revise(self, sent: SentRef, part: Part, *, sequence: int) -> SendOutcome: ...

    async def find(self, part: Part, place: Place, since: datetime) -> SentRef | Unknown | None:
        """Look for a part that may have arrived. None proves nothing (D4); Unknown: it could not be looked for."""
        ...

    async def mark(self, message: MessageRef, mark: Mark) -> bool:
        """A decoration: False where it was dropped or refused."""
        ...
