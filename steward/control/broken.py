"""Faults of ours before a turn begins: its question is tried again, and owed in the end. Contracts T6, W3.

Above: turns. Below: the ledger, and the endings. What is counted is lost with the process, and counted anew.
"""

import logging
from collections import Counter
from collections.abc import Awaitable

from steward.control.endings import Endings
from steward.errors import StoreUnavailableError
from steward.model.ids import QuestionId
from steward.model.turn import Lease, TurnCode, TurnFailure, Written
from steward.ports.ledger import Ledger

logger = logging.getLogger(__name__)

BROKEN = TurnFailure(TurnCode.UNCLASSIFIED)

MOST_BROKEN = 3
"""A question whose turn breaks so often before it begins is owed: what waits behind it goes on."""


class Broken:
    """Counts them by question."""

    def __init__(self, ledger: Ledger, endings: Endings) -> None:
        self._ledger = ledger
        self._endings = endings
        self._times: Counter[QuestionId] = Counter()

    async def owed(
        self, lease: Lease, question_id: QuestionId, turn: Awaitable[Written]
    ) -> Written:
        """The turn as it went, or the question owed. What breaks less often is raised: it is tried again after a pause."""
        try:
            written = await turn
        except StoreUnavailableError:
            raise
        except Exception:
            self._times[question_id] += 1
            if self._times[question_id] < MOST_BROKEN:
                raise
            logger.exception("question %d: the turn cannot begin", question_id)
            question = await self._ledger.question(question_id)
            written = await self._endings.owe(lease, question, BROKEN)
        del self._times[question_id]
        return written
