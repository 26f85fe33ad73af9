"""The clock around upkeep: jobs run while the part does, end with it, and none keeps another. Contracts D6, W4."""

import asyncio
import logging
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from bot.upkeep import Upkeep, _cautiously
from steward.errors import StoreUnavailableError
from steward.world import SystemClock
from tests.steward.control.test_upkeep import keeper_of
from tests.steward.control.workshop import APP, Workshop, open_workshop

ZONE = ZoneInfo("Asia/Shanghai")
OFTEN = timedelta(milliseconds=20)


def upkeep(shop: Workshop) -> Upkeep:
    """By the wall clock, over a store that stands still."""
    keeper = keeper_of(shop)
    return Upkeep(keeper, ZONE, SystemClock(), OFTEN)


async def seen(shop: Workshop, after: datetime | None) -> datetime:
    """Wait until it is said that we serve, later than `after`."""
    async with asyncio.timeout(5):
        while True:
            at = await shop.store.upkeep.seen(APP)
            if at is not None and (after is None or at > after):
                return at


@pytest.mark.requirement("W4")
async def test_it_is_said_at_once_and_again_that_we_serve_until_the_part_ends() -> None:
    async with open_workshop() as shop:
        part = asyncio.get_running_loop().create_task(upkeep(shop).run())
        first = await seen(shop, None)
        shop.clock.advance(timedelta(seconds=30))
        assert await seen(shop, first) == shop.clock.now()
        part.cancel()
        with suppress(asyncio.CancelledError):
            await part
        rest = asyncio.all_tasks() - {asyncio.current_task()}
        await asyncio.gather(*rest, return_exceptions=True)
        assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_jobs_have_times_of_their_own_and_the_owner_is_told_by_the_display_zone() -> None:
    async with open_workshop() as shop:
        jobs = {work.__name__: trigger for work, trigger in upkeep(shop)._jobs()}
    now = datetime(2026, 11, 30, 0, 59, tzinfo=UTC)
    assert set(jobs) == {"be_seen", "tidy", "forget", "remind"}
    assert jobs["remind"].get_next_fire_time(None, now) == datetime(2026, 11, 30, 9, tzinfo=ZONE)


async def test_a_job_that_fails_is_the_logs_and_nobody_elses(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def away() -> None:
        raise StoreUnavailableError("away")

    async def broken() -> None:
        raise ValueError("a bug")

    with caplog.at_level(logging.WARNING):
        await _cautiously(away)
        await _cautiously(broken)
    assert [record.levelname for record in caplog.records] == ["WARNING", "ERROR"]
