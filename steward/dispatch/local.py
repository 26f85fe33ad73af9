"""Leased conversations, each worked on by a task of this dispatcher, woken by an event.

Other processes of the store have dispatchers of their own. Safety is the store's (leases, fences); this only decides who works when.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import timedelta

from steward.errors import StoreUnavailableError
from steward.model.ids import ConversationId, WorkerId
from steward.model.turn import Lease
from steward.ports.conversations import Conversations, Wake
from steward.ports.world import Clock

logger = logging.getLogger(__name__)

POLL = timedelta(seconds=1)
LEASE = timedelta(seconds=60)
REST = timedelta(seconds=1)
MOST_DOUBLED = 6
"""A conversation whose work fails again and again rests 1, 2, 4 … seconds between two tries, at most 64."""


class EventWake:
    """Implements ports.conversations.Wake inside one process. Hints coalesce."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def wake(self, conversation: ConversationId | None = None) -> None:
        """Something is due somewhere."""
        self._event.set()

    async def wait(self, at_most: timedelta) -> None:
        """Until a hint came since the last wait, or `at_most` is over."""
        try:
            async with asyncio.timeout(at_most.total_seconds()):
                await self._event.wait()
        except TimeoutError:
            return
        self._event.clear()


class LocalDispatcher:
    """Runs until cancelled and owns its tasks. `slots` conversations are worked on at once."""

    def __init__(
        self,
        *,
        worker: WorkerId,
        conversations: Conversations,
        wake: Wake,
        clock: Clock,
        slots: int = 16,
        lease: timedelta = LEASE,
    ) -> None:
        self._worker = worker
        self._conversations = conversations
        self._wake = wake
        self._clock = clock
        self._slots = slots
        self._lease = lease
        self._working: dict[ConversationId, tuple[Lease, asyncio.Task[None]]] = {}
        self._failures: dict[ConversationId, int] = {}
        self._draining = False

    async def run(self, work: Callable[[Lease], Awaitable[None]]) -> None:
        """Claim and work until cancelled; the tasks end with it."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._renewals())
            while True:
                free = 0 if self._draining else self._slots - len(self._working)
                leases = await self._claim(free) if free else ()
                for lease in leases:
                    task = group.create_task(self._guarded(lease, work))
                    self._working[lease.conversation] = (lease, task)
                if not leases:
                    await self._wake.wait(POLL)

    async def drain(self, at_most: timedelta) -> None:
        """Claim nothing more, and wait for what is worked on to end; what is not over by then is left as it is (D7)."""
        self._draining = True
        tasks = [task for _, task in self._working.values()]
        if tasks:
            await asyncio.wait(tasks, timeout=at_most.total_seconds())

    async def _claim(self, limit: int) -> tuple[Lease, ...]:
        try:
            return tuple(
                await self._conversations.claim(self._worker, limit=limit, ttl=self._lease)
            )
        except StoreUnavailableError:
            logger.warning("dispatch: the store is unavailable")
            return ()

    async def _guarded(self, lease: Lease, work: Callable[[Lease], Awaitable[None]]) -> None:
        rest: timedelta | None = None
        try:
            await work(lease)
        except StoreUnavailableError:
            logger.warning("dispatch: a turn waits for the store")
            rest = REST
        except Exception:  # the loop's edge: one conversation never stops the others
            logger.exception("dispatch: a turn failed")
            rest = self._longer(lease.conversation)
        finally:
            del self._working[lease.conversation]
        await (self._released(lease) if rest is None else self._rests(lease, rest))

    def _longer(self, conversation: ConversationId) -> timedelta:
        failed = self._failures.get(conversation, 0)
        self._failures[conversation] = min(failed + 1, MOST_DOUBLED)
        return REST * (1 << failed)

    async def _released(self, lease: Lease) -> None:
        self._failures.pop(lease.conversation, None)
        try:
            await self._conversations.release(lease)
        except StoreUnavailableError:
            logger.warning("dispatch: a lease will run out by itself")
        self._wake.wake(lease.conversation)

    async def _rests(self, lease: Lease, rest: timedelta) -> None:
        """Its lease is not given back, but runs out after a pause: until then nobody takes it up, in any process."""
        try:
            await self._conversations.renew([lease], rest)
        except StoreUnavailableError:
            logger.warning("dispatch: a lease will run out by itself")
        self._wake.wake(lease.conversation)

    async def _renewals(self) -> None:
        """Prolong the leases of running work; work whose lease is lost is cancelled."""
        while True:
            await self._clock.sleep(self._lease.total_seconds() / 3)
            held = list(self._working.values())
            try:
                kept = await self._conversations.renew([lease for lease, _ in held], self._lease)
            except StoreUnavailableError:
                logger.warning("dispatch: leases could not be renewed")
                continue
            ours = {lease.conversation for lease in kept}
            for lease, task in held:
                if lease.conversation not in ours:
                    task.cancel()
