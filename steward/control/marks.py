"""Reactions on the asker's message: "received" within moments, also while the conversation is busy.

Decorations are no outbox rows: lossy, coalesced per message, dropped first.
"""

import asyncio
import logging
from collections import OrderedDict

from steward.model.delivery import Mark
from steward.model.ids import MessageRef, QuestionId
from steward.model.turn import TurnEvent
from steward.ports.sender import Sender

logger = logging.getLogger(__name__)

WAITING = 256
AT_ONCE = 8

_MARKS = {TurnEvent.QUEUED: Mark.RECEIVED, TurnEvent.OWED: Mark.FAILED}


class Marks:
    """Implements ports.watcher.Watcher. Older marks give way where too many wait."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender
        self._waiting: OrderedDict[tuple[MessageRef, Mark], None] = OrderedDict()
        self._arrived = asyncio.Event()
        self._slots = asyncio.Semaphore(AT_ONCE)

    def saw(self, question: QuestionId, message: MessageRef, event: TurnEvent) -> None:
        """Note a mark for this message; never waits, never fails."""
        mark = _MARKS.get(event)
        if mark is None:
            return
        self._waiting[message, mark] = None
        if len(self._waiting) > WAITING:
            self._waiting.popitem(last=False)
        self._arrived.set()

    async def run(self) -> None:
        """Send marks, a few at once, until cancelled."""
        async with asyncio.TaskGroup() as group:
            while True:
                await self._arrived.wait()
                self._arrived.clear()
                while self._waiting:
                    (message, mark), _ = self._waiting.popitem(last=False)
                    await self._slots.acquire()
                    group.create_task(self._mark(message, mark))

    async def _mark(self, message: MessageRef, mark: Mark) -> None:
        try:
            await self._sender.mark(message, mark)
        except Exception:  # the loop's edge: a decoration fails alone
            logger.exception("a mark failed")
        finally:
            self._slots.release()
