"""What was in flight when its worker went, and what it becomes. Contracts D5, D7, T5, T8, A1.

before the call was committed → run; called, no candidate → run again where the endpoint is harmless, else
notice and owed; candidate stored → judge and settle, no call; parts found in SENDING may have arrived (D4).
Who would see an answer is asked before it is settled: the start does not wait for that, the loop behind it does.
What goes with its process again and again is owed in the end. A worker that was thought dead may bring its answer late.
"""

import logging
from collections.abc import Sequence
from datetime import timedelta

from steward.control.endpoints import Endpoints
from steward.control.standing import Standing, again_at, failure_of
from steward.control.turns import Turns
from steward.errors import StoreUnavailableError
from steward.model.audience import DirectoryFailure
from steward.model.turn import Candidate, Late, Orphan, TurnStage
from steward.ports.ledger import Ledger
from steward.ports.recovery import Leases
from steward.ports.world import Clock

logger = logging.getLogger(__name__)

TAKEOVER = timedelta(seconds=15)
"""Between two looks for turns that nobody holds; a process that is missed at two is gone."""

MOST_LOST = 3
"""So many turns of one attempt may go with their process: what takes it down each time would do so for ever."""


class Recovery:
    """`run` once at start, under the store's lock, before any lane; `watch` beside them."""

    def __init__(
        self,
        *,
        leases: Leases,
        ledger: Ledger,
        turns: Turns,
        endpoints: Endpoints,
        standing: Standing,
        clock: Clock,
        pause: timedelta = TAKEOVER,
    ) -> None:
        self._leases = leases
        self._ledger = ledger
        self._turns = turns
        self._endpoints = endpoints
        self._standing = standing
        self._clock = clock
        self._pause = pause

    async def run(self) -> int:
        """End the leases of processes that are gone, and deal with every orphan that asks nothing of the platform."""
        await self._leases.break_all()
        return await self._take_over(
            [orphan for orphan in await self._ledger.orphans() if orphan.candidate is None]
        )

    async def watch(self) -> None:
        """Until cancelled, take over what the start left, and turns whose worker lost the store, or died alone."""
        while True:
            try:
                await self.take_over()
            except StoreUnavailableError:
                logger.warning("takeover: the store is unavailable")
            await self._clock.sleep(self._pause.total_seconds())

    async def take_over(self) -> int:
        """Deal with every turn that nobody holds; how many were dealt with."""
        await self._leases.break_gone()
        recovered = await self._take_over(await self._ledger.orphans())
        await self._settle_late()
        return recovered

    async def _settle_late(self) -> None:
        """Answers of workers that were thought dead (T8); one that cannot be looked at waits alone."""
        for found in await self._ledger.late():
            try:
                if await self._stands(found):
                    await self._turns.late(found)
            except StoreUnavailableError:
                raise
            except Exception:  # the loop's edge: one answer does not keep the others
                logger.exception("question %d: its late answer waits", found.turn.question.id)

    async def _stands(self, found: Late) -> bool:
        """Whether it can be said now who would see the answer; after 10 minutes nobody waits for that (A1)."""
        asked = found.turn.question
        stand = await self._standing.now(asked.audience, asked.asker, asked.conversation)
        if not isinstance(stand, DirectoryFailure):
            return True
        if again_at(stand, found.came_at, self._clock.now()) is None:
            await self._ledger.dismiss(found.turn.attempt)
        return False

    async def _take_over(self, orphans: Sequence[Orphan]) -> int:
        """One that cannot be dealt with waits alone."""
        recovered = 0
        for orphan in orphans:
            try:
                recovered += await self._recover(orphan)
            except StoreUnavailableError:
                raise
            except Exception:  # the loop's edge: one turn keeps neither the others nor the start
                logger.exception("question %d cannot be recovered", orphan.question.id)
        if recovered:
            logger.info("recovered %d turns", recovered)
        return recovered

    async def _recover(self, orphan: Orphan) -> bool:
        """False: it is left as it is, to be looked at again."""
        if orphan.candidate is not None:
            return await self._conclude(orphan, orphan.candidate)
        harmless = orphan.stage is TurnStage.BEGUN or self._endpoints.harmless(orphan.endpoint)
        if harmless and orphan.lost + 1 < MOST_LOST:
            await self._ledger.requeue(orphan.attempt)
        else:
            await self._turns.interrupted(orphan.question, orphan.attempt)
        return True

    async def _conclude(self, orphan: Orphan, candidate: Candidate) -> bool:
        """A look-up that fails leaves the candidate where it is, until 10 minutes after the turn began (A1)."""
        asked = orphan.question
        stand = await self._standing.now(asked.audience, asked.asker, asked.conversation)
        if isinstance(stand, DirectoryFailure):
            if again_at(stand, orphan.started_at, self._clock.now()) is not None:
                return False
            await self._turns.interrupted(asked, orphan.attempt, failure_of(stand))
        else:
            await self._turns.conclude(orphan, candidate)
        return True
