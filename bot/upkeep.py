"""When upkeep is done: APScheduler's clock around what steward.control.upkeep does. Contracts D6, W4.

Above: bot.app, which supervises `run`. Jobs live in memory: what a process missed the next run makes up for, and what
must be done once by several processes is claimed in the store.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import timedelta, tzinfo
from typing import Any

from apscheduler.schedulers.asyncio import AsyncIOScheduler
from apscheduler.triggers.cron import CronTrigger
from apscheduler.triggers.interval import IntervalTrigger

from bot.settings import Settings
from steward.control.authorities import Authorities
from steward.control.upkeep import Keeper
from steward.errors import StoreUnavailableError
from steward.ports.conversations import Wake
from steward.ports.sender import Sender
from steward.ports.world import Clock
from steward.store import Store

logger = logging.getLogger(__name__)

SEEN_EVERY = timedelta(seconds=30)
TIDIED_EVERY = timedelta(minutes=10)
FORGOTTEN_EVERY = timedelta(hours=1)
AFTER_THE_START = timedelta(minutes=1)
"""Nothing that can wait makes a start longer."""
REMINDED_WITHIN = "*/15"
"""Minutes: a question may become old at any time of the day."""


class Upkeep:
    """The jobs of one process. `seen_every`: how often it says that it serves."""

    def __init__(
        self, keeper: Keeper, zone: tzinfo, clock: Clock, seen_every: timedelta = SEEN_EVERY
    ) -> None:
        self._keeper = keeper
        self._zone = zone
        self._clock = clock
        self._seen_every = seen_every

    async def run(self) -> None:
        """Until cancelled. That we serve again is said first, before anybody hears from us otherwise."""
        await _cautiously(self._keeper.be_seen)
        scheduler = AsyncIOScheduler(
            timezone=self._zone,
            job_defaults={"coalesce": True, "misfire_grace_time": None, "max_instances": 1},
        )
        for work, trigger in self._jobs():
            scheduler.add_job(_cautiously, trigger, [work], name=work.__name__)
        scheduler.start()
        try:
            await asyncio.Event().wait()
        finally:
            scheduler.shutdown(wait=False)

    def _jobs(self) -> list[tuple[Callable[[], Awaitable[None]], Any]]:
        keeper, soon = self._keeper, self._clock.now() + AFTER_THE_START

        def every(pause: timedelta) -> Any:
            seconds = pause.total_seconds()
            return IntervalTrigger(seconds=seconds, start_date=soon, timezone=self._zone)

        return [
            (keeper.be_seen, IntervalTrigger(seconds=self._seen_every.total_seconds())),
            (keeper.tidy, every(TIDIED_EVERY)),
            (keeper.forget, every(FORGOTTEN_EVERY)),
            (keeper.remind, CronTrigger(minute=REMINDED_WITHIN, timezone=self._zone)),
        ]


def build_upkeep(
    settings: Settings,
    store: Store,
    authorities: Authorities,
    *,
    sender: Sender,
    deliveries: Wake,
    clock: Clock,
) -> Upkeep:
    """The upkeep of the configured app."""
    zone = settings.display.timezone
    keeper = Keeper(
        upkeep=store.upkeep,
        ledger=store.ledger,
        grants=store.grants,
        chats=store.chats,
        authorities=authorities,
        sender=sender,
        deliveries=deliveries,
        clock=clock,
        zone=zone,
    )
    return Upkeep(keeper, zone, clock)


async def _cautiously(work: Callable[[], Awaitable[None]]) -> None:
    """The loop's edge: a job that fails is tried again at its next time, and keeps no other."""
    try:
        await work()
    except StoreUnavailableError:
        logger.warning("upkeep: the store is unavailable")
    except Exception:
        logger.exception("upkeep failed")
