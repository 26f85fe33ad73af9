"""What was in flight when its worker went, and what it becomes. Contracts D5, D7, T5.

before the call was committed → run; called, no candidate → run again where the endpoint is harmless, else
notice and owed; candidate stored → judge and settle, no call; parts found in SENDING may have arrived (D4).
"""

import logging

from steward.control.turns import Turns
from steward.errors import StoreUnavailableError
from steward.model.turn import Orphan, Rerun, TurnStage
from steward.ports.endpoint import Endpoint
from steward.ports.ledger import Ledger
from steward.ports.recovery import Leases
from steward.ports.world import Clock

logger = logging.getLogger(__name__)

TAKEOVER_SECONDS = 15.0


class Recovery:
    """`run` once at start, under the store's lock, before any lane; `watch` beside them."""

    def __init__(self, *, leases: Leases, ledger: Ledger, turns: Turns, endpoint: Endpoint) -> None:
        self._leases = leases
        self._ledger = ledger
        self._turns = turns
        self._endpoint = endpoint

    async def run(self) -> int:
        """Break the leases of processes that are gone, and deal with every orphan; how many there were."""
        await self._leases.break_all()
        return await self.take_over()

    async def watch(self, clock: Clock) -> None:
        """Until cancelled, take over turns whose lease ran out: their worker lost the store, or died alone."""
        while True:
            await clock.sleep(TAKEOVER_SECONDS)
            try:
                await self.take_over()
            except StoreUnavailableError:
                logger.warning("takeover: the store is unavailable")

    async def take_over(self) -> int:
        """Deal with every turn that nobody holds; how many there were. One that cannot be dealt with waits alone."""
        orphans = await self._ledger.orphans()
        for orphan in orphans:
            try:
                await self._recover(orphan)
            except StoreUnavailableError:
                raise
            except Exception:  # the loop's edge: one turn keeps neither the others nor the start
                logger.exception("question %d cannot be recovered", orphan.question.id)
        if orphans:
            logger.info("recovered %d turns", len(orphans))
        return len(orphans)

    async def _recover(self, orphan: Orphan) -> None:
        candidate = orphan.candidate
        if candidate is not None:
            await self._turns.conclude(
                orphan.question, orphan.attempt, candidate, orphan.readings, orphan.scope_revision
            )
        elif orphan.stage is TurnStage.BEGUN or self._harmless(orphan):
            await self._ledger.requeue(orphan.attempt)
        else:
            await self._turns.interrupted(orphan.question, orphan.attempt)

    def _harmless(self, orphan: Orphan) -> bool:
        """Known to be harmless: the same endpoint as now, which says so of itself (T5)."""
        return orphan.endpoint == self._endpoint.name and self._endpoint.rerun is Rerun.HARMLESS
