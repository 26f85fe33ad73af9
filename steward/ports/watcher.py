"""Who may watch a turn run: reactions now, the streaming card later."""

from typing import Protocol

from steward.model.ids import MessageRef, QuestionId
from steward.model.turn import TurnEvent


class Watcher(Protocol):
    """Synchronous, lossy, coalesced: never slows a turn, never fails one."""

    def saw(self, question: QuestionId, message: MessageRef, event: TurnEvent) -> None: ...
