"""Parts of the process are restarted, and seen to be down meanwhile."""

import asyncio
from datetime import timedelta

from bot.jobs import supervise
from steward.testing.world import FakeClock


class Seen:
    """Collects what a health page would show."""

    def __init__(self) -> None:
        self.events: list[str] = []
        self.changed = asyncio.Event()

    def part_up(self, name: str) -> None:
        self._note(f"{name} up")

    def part_down(self, name: str, reason: str) -> None:
        self._note(f"{name} down: {reason}")

    def _note(self, event: str) -> None:
        self.events.append(event)
        self.changed.set()

    async def until(self, count: int) -> list[str]:
        async with asyncio.timeout(5):
            while len(self.events) < count:
                self.changed.clear()
                await self.changed.wait()
        return self.events


async def test_a_part_that_dies_is_shown_as_down_and_started_again(clock: FakeClock) -> None:
    seen = Seen()
    runs = 0

    async def part() -> None:
        nonlocal runs
        runs += 1
        if runs == 1:
            raise RuntimeError("broken world")
        await asyncio.Event().wait()

    async with asyncio.TaskGroup() as group:
        task = group.create_task(supervise({"part": part}, seen, clock))
        await seen.until(2)
        await asyncio.sleep(0)
        clock.advance(timedelta(seconds=1))
        events = await seen.until(3)
        task.cancel()
    assert events == ["part up", "part down: restarting", "part up"]


async def test_the_pause_grows_while_a_part_keeps_dying(clock: FakeClock) -> None:
    seen = Seen()

    async def part() -> None:
        raise RuntimeError("broken world")

    async with asyncio.TaskGroup() as group:
        task = group.create_task(supervise({"part": part}, seen, clock))
        await seen.until(2)
        await asyncio.sleep(0)
        clock.advance(timedelta(seconds=0.5))
        await seen.until(4)
        await asyncio.sleep(0)
        clock.advance(timedelta(seconds=0.5))
        await asyncio.sleep(0)
        still_down = len(seen.events)
        clock.advance(timedelta(seconds=0.5))
        await seen.until(6)
        task.cancel()
    assert still_down == 4


async def test_one_part_that_dies_leaves_the_others_running(clock: FakeClock) -> None:
    seen = Seen()
    alive = asyncio.Event()

    async def good() -> None:
        await asyncio.Event().wait()
        alive.set()

    async def bad() -> None:
        raise RuntimeError("broken world")

    async with asyncio.TaskGroup() as group:
        task = group.create_task(supervise({"good": good, "bad": bad}, seen, clock))
        events = await seen.until(3)
        task.cancel()
    assert "good down: restarting" not in events
