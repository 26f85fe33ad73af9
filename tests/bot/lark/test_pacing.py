import asyncio
from datetime import timedelta

import pytest

from bot.lark.pacing import PER_KEY, PER_MINUTE, PER_SECOND, Pacing
from steward.testing.world import FakeClock
from tests.bot.lark.peer import HastyClock


async def test_no_second_holds_more_than_four_messages_of_a_chat() -> None:
    clock = HastyClock()
    pacing = Pacing(clock)
    times = []
    for _ in range(20):
        assert await pacing.acquire("oc_1") is None
        times.append(clock.monotonic())
        clock.advance(timedelta(milliseconds=30))
    assert all(
        later - earlier >= 1 - 1e-6 for earlier, later in zip(times, times[4:], strict=False)
    )
    assert times[-1] < 5


async def test_a_busy_chat_does_not_hold_up_another(clock: FakeClock) -> None:
    pacing = Pacing(clock)
    for _ in range(PER_KEY):
        await pacing.acquire("oc_busy")
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        waiting = group.create_task(pacing.acquire("oc_busy"))
        await asyncio.sleep(0)
        assert await pacing.acquire("oc_quiet") is None
        assert not waiting.done()
        clock.advance(timedelta(seconds=1))


async def test_who_waits_is_served_in_order(clock: FakeClock) -> None:
    pacing = Pacing(clock)
    order: list[int] = []

    async def send(number: int) -> None:
        await pacing.acquire("oc_1")
        order.append(number)

    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        for number in range(12):
            group.create_task(send(number))
        for _ in range(3):
            for _ in range(20):
                await asyncio.sleep(0)
            clock.advance(timedelta(seconds=1))
    assert order == list(range(12))


async def test_a_decoration_never_takes_the_last_place(clock: FakeClock) -> None:
    pacing = Pacing(clock)
    taken = [pacing.try_acquire("om_1") for _ in range(5)]
    assert taken == [True, True, True, False, False]
    assert await pacing.acquire("om_1") is None


async def test_a_decoration_is_dropped_while_an_answer_waits(clock: FakeClock) -> None:
    pacing = Pacing(clock)
    for _ in range(PER_KEY):
        await pacing.acquire("oc_1")
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        group.create_task(pacing.acquire("oc_1"))
        await asyncio.sleep(0)
        assert not pacing.try_acquire("oc_1")
        clock.advance(timedelta(seconds=1))


async def test_the_app_sends_forty_a_second_over_all_chats() -> None:
    clock = HastyClock()
    pacing = Pacing(clock)
    times = []
    for number in range(PER_SECOND * 3):
        await pacing.acquire(f"oc_{number}")
        times.append(clock.monotonic())
    assert times[PER_SECOND - 1] == 0
    assert times[PER_SECOND] >= 1 - 1e-6
    assert times[2 * PER_SECOND] >= 2 - 1e-6


async def test_a_chat_keeps_its_pace_also_while_the_app_has_to_wait(clock: FakeClock) -> None:
    pacing = Pacing(clock)
    for number in range(PER_SECOND):
        await pacing.acquire(f"oc_{number}")
    times: list[float] = []

    async def send() -> None:
        await pacing.acquire("oc_busy")
        times.append(clock.monotonic())

    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        for _ in range(PER_KEY + 2):
            group.create_task(send())
        for _ in range(4):
            for _ in range(20):
                await asyncio.sleep(0)
            clock.advance(timedelta(seconds=0.6))
    assert len(times) == PER_KEY + 2
    assert times[PER_KEY] - times[0] >= 1 - 1e-6


async def test_a_wait_that_outlives_a_lease_is_refused_and_takes_no_place() -> None:
    clock = HastyClock()
    pacing = Pacing(clock)
    for number in range(PER_MINUTE):
        assert await pacing.acquire(f"oc_{number}") is None
    wait = await pacing.acquire("oc_next")
    assert wait is not None
    assert timedelta(seconds=30) < wait <= timedelta(seconds=60)
    clock.advance(wait)
    assert await pacing.acquire("oc_next") is None


async def test_chats_that_fell_silent_are_forgotten() -> None:
    clock = HastyClock()
    pacing = Pacing(clock)
    for number in range(20_000):
        while (wait := await pacing.acquire(f"oc_{number}")) is not None:
            clock.advance(wait)
    assert pacing.busy <= 2 * PER_SECOND


async def served(clock: FakeClock, pacing: Pacing, ranks: dict[str, int]) -> list[str]:
    """In which order these keys get their place, where the app's limit is used up and all wait."""
    order: list[str] = []

    async def send(key: str, rank: int) -> None:
        assert await pacing.acquire(key, rank) is None
        order.append(key)

    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        for key, rank in ranks.items():
            group.create_task(send(key, rank))
            await asyncio.sleep(0)
        for _ in range(3):
            for _ in range(40):
                await asyncio.sleep(0)
            clock.advance(timedelta(seconds=1))
    return order


@pytest.mark.requirement("D4")
async def test_where_the_app_has_to_wait_answers_go_before_notices_and_evidence(
    clock: FakeClock,
) -> None:
    pacing = Pacing(clock)
    for number in range(PER_SECOND):
        await pacing.acquire(f"oc_{number}")
    ranks = {"first": 2, "evidence": 2, "notice": 1, "answer": 0, "answer too": 0}
    order = await served(clock, pacing, ranks)
    # Who waits for the very next place keeps it.
    assert order == ["first", "answer", "answer too", "notice", "evidence"]


@pytest.mark.requirement("D4")
async def test_a_busy_chat_has_one_place_in_the_apps_queue(clock: FakeClock) -> None:
    pacing = Pacing(clock)
    for number in range(PER_SECOND):
        await pacing.acquire(f"oc_{number}")
    order: list[str] = []

    async def send(key: str) -> None:
        await pacing.acquire(key)
        order.append(key)

    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        for key in ("busy", "busy", "busy", "quiet", "calm"):
            group.create_task(send(key))
        for _ in range(3):
            for _ in range(40):
                await asyncio.sleep(0)
            clock.advance(timedelta(seconds=1))
    assert order == ["busy", "quiet", "calm", "busy", "busy"]


async def test_who_gives_up_waiting_leaves_the_queue_whole(clock: FakeClock) -> None:
    pacing = Pacing(clock)
    for number in range(PER_SECOND):
        await pacing.acquire(f"oc_{number}")
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        waiting = [group.create_task(pacing.acquire(f"oc_x{number}")) for number in range(4)]
        for _ in range(10):
            await asyncio.sleep(0)
        for gone in (0, 2):
            waiting[gone].cancel()
        for _ in range(10):
            await asyncio.sleep(0)
        assert not pacing.try_acquire("om_1")
        clock.advance(timedelta(seconds=1))
    assert [task.cancelled() for task in waiting] == [True, False, True, False]
    clock.advance(timedelta(seconds=1))
    assert pacing.try_acquire("om_1")


@pytest.mark.requirement("D4")
@pytest.mark.parametrize("processes", [1, 3, 20])
async def test_several_processes_share_the_apps_limit(processes: int) -> None:
    clock = HastyClock()
    sent = 0
    for _ in range(processes):
        pacing = Pacing(clock, processes)
        began = clock.monotonic()
        while await pacing.acquire(f"oc_{sent}") is None and clock.monotonic() - began < 1:
            sent += 1
    assert PER_SECOND / 2 <= sent <= PER_SECOND
