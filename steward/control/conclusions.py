"""From a candidate to its end: judged, and settled or refused; in time, or late. Contracts T1, T3, T8.

Above: turns and recovery. Below: the judge, grounds, endings, the ledger. No endpoint is called here.
"""

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from steward.control.endings import Endings
from steward.control.grounds import Grounds, Settling
from steward.errors import StoreUnavailableError
from steward.model.ids import AttemptToken
from steward.model.reading import Reading
from steward.model.turn import Candidate, Late, Question, TurnFailure, Written
from steward.policy.judge import judge
from steward.ports.ledger import Ledger

logger = logging.getLogger(__name__)

Ran: TypeAlias = Callable[[], Awaitable[Sequence[str]]]
"""What the host had run, asked for where a candidate is refused (T3): Call.ran."""


async def nothing_known() -> Sequence[str]:
    """Of a turn whose call is not ours to ask about."""
    return ()


@dataclass(frozen=True, slots=True)
class Conclusions:
    """Keeps nothing itself."""

    ledger: Ledger
    grounds: Grounds
    endings: Endings

    async def concluded(
        self,
        question: Question,
        attempt: AttemptToken,
        candidate: Candidate,
        readings: Sequence[Reading],
        settling: Settling | TurnFailure,
        ran: Ran = nothing_known,
    ) -> Written:
        """A refusal comes before the settle, and undoes nothing that a host has done (T3)."""
        if isinstance(settling, TurnFailure):
            return await self.endings.fail(question, attempt, settling, host=await ran())
        judged = judge(candidate.raw)
        if isinstance(judged, TurnFailure):
            host = await ran()
            return await self.endings.fail(
                question, attempt, judged, settling.scope, readings, host
            )
        return await self.endings.settle(question, attempt, judged, readings, settling)

    async def late(self, found: Late) -> Written:
        """Settle an owed question from what its turn brought after all (T8). What cannot be used is let go of, once.

        Its failure was told already: it gets no second notice.
        """
        attempt = found.turn.attempt
        try:
            written = await self._settled(found)
        except StoreUnavailableError:
            raise
        except Exception:  # the turn's edge: what broke once would break at every look
            logger.exception("question %d: its late candidate broke", found.turn.question.id)
            written = None
        if written is None or written is Written.CHANGED:
            return await self.ledger.dismiss(attempt)
        return written

    async def _settled(self, found: Late) -> Written | None:
        turn, begun = found.turn, found.turn.readback.profile
        settling = await self.grounds.settling(turn.question, turn.scope_revision, begun)
        judged = judge(found.candidate.raw)
        if isinstance(settling, TurnFailure) or isinstance(judged, TurnFailure):
            return None
        return await self.endings.settle_late(
            turn.question, turn.attempt, judged, turn.readings, settling
        )
