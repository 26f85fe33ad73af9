"""Conversations are worked on beside each other, each by one task; what fails fails alone."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta

import pytest

from steward.dispatch.local import EventWake, LocalDispatcher
from steward.model.turn import Lease
from steward.ports.conversations import Conversations
from steward.store import Store, open_store
from steward.store.conversations import SqlConversations
from steward.store.engine import Database
from steward.testing.world import FakeClock
from tests.contracts.given import WORKER, admitted


@pytest.fixture
async def store(clock: FakeClock) -> AsyncIterator[Store]:
    async with await open_store("sqlite://", clock) as opened:
        yield opened


@asynccontextmanager
async def dispatching(
    store: Store,
    clock: FakeClock,
    work: Callable[[Lease], Awaitable[None]],
    slots: int = 16,
    conversations: Conversations | None = None,
) -> AsyncIterator[EventWake]:
    wake = EventWake()
    dispatcher = LocalDispatcher(
        worker=WORKER,
        conversations=conversations or store.conversations,
        wake=wake,
        clock=clock,
        slots=slots,
    )
    async with asyncio.timeout(10), asyncio.TaskGroup() as group:
        running = group.create_task(dispatcher.run(work))
        yield wake
        running.cancel()


async def test_every_conversation_with_a_question_is_worked_on(
    store: Store, clock: FakeClock
) -> None:
    for chat in ("oc_a", "oc_b", "oc_c"):
        await admitted(store, chat, chat=chat)
    seen: set[str] = set()
    done = asyncio.Event()

    async def work(lease: Lease) -> None:
        seen.add(lease.conversation.chat_id)
        if len(seen) == 3:
            done.set()
        await asyncio.Event().wait()

    async with dispatching(store, clock, work):
        await done.wait()
    assert seen == {"oc_a", "oc_b", "oc_c"}


async def test_no_more_conversations_are_claimed_than_there_are_slots(
    store: Store, clock: FakeClock
) -> None:
    for chat in ("oc_a", "oc_b", "oc_c"):
        await admitted(store, chat, chat=chat)
    started: list[str] = []
    two = asyncio.Event()

    async def work(lease: Lease) -> None:
        started.append(lease.conversation.chat_id)
        if len(started) == 2:
            two.set()
        await asyncio.Event().wait()

    async with dispatching(store, clock, work, slots=2):
        await two.wait()
        left = await store.conversations.claim(WORKER, limit=9, ttl=timedelta(seconds=1))
    assert started == ["oc_a", "oc_b"]
    assert [lease.conversation.chat_id for lease in left] == ["oc_c"]


@pytest.mark.requirement("D7")
async def test_work_that_fails_rests_longer_each_time_and_leaves_the_others_running(
    store: Store, clock: FakeClock
) -> None:
    for chat in ("oc_a", "oc_b"):
        await admitted(store, chat, chat=chat)
    other = asyncio.Event()

    async def work(lease: Lease) -> None:
        if lease.conversation.chat_id == "oc_b":
            other.set()
            await asyncio.Event().wait()
        raise RuntimeError("a fault of ours")

    held = Held(store.database, clock)
    async with dispatching(store, clock, work, conversations=held) as wake:
        await other.wait()
        for seconds in (1, 2, 4, 8):
            assert await held.until.get() == clock.now() + timedelta(seconds=seconds)
            clock.advance(timedelta(seconds=seconds))
            wake.wake()


@pytest.mark.requirement("D7")
async def test_after_work_that_succeeds_a_fault_rests_shortly_again(
    store: Store, clock: FakeClock
) -> None:
    await admitted(store, 1)
    tries = 0

    async def work(lease: Lease) -> None:
        nonlocal tries
        tries += 1
        if tries != 3:
            raise RuntimeError("a fault of ours")

    held = Held(store.database, clock)
    async with dispatching(store, clock, work, conversations=held) as wake:
        for seconds in (1, 2, 1):
            assert await held.until.get() == clock.now() + timedelta(seconds=seconds)
            clock.advance(timedelta(seconds=seconds))
            wake.wake()


class Held(SqlConversations):
    """Tells until when each lease was held on."""

    def __init__(self, database: Database, clock: FakeClock) -> None:
        super().__init__(database, clock)
        self.until: asyncio.Queue[datetime] = asyncio.Queue()

    async def renew(self, leases: Sequence[Lease], ttl: timedelta) -> Sequence[Lease]:
        kept = await super().renew(leases, ttl)
        for lease in kept:
            self.until.put_nowait(lease.until)
        return kept


@pytest.mark.requirement("T8")
async def test_work_whose_lease_was_lost_is_cancelled(store: Store, clock: FakeClock) -> None:
    await admitted(store, 1)
    started, cancelled = asyncio.Event(), asyncio.Event()

    async def work(lease: Lease) -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise

    async with dispatching(store, clock, work):
        await started.wait()
        await store.leases.break_all()
        await store.conversations.claim(WORKER, limit=1, ttl=timedelta(hours=1))
        clock.advance(timedelta(seconds=20))
        await cancelled.wait()


async def test_a_hint_that_came_before_the_wait_is_not_lost() -> None:
    wake = EventWake()
    wake.wake()
    async with asyncio.timeout(1):
        await wake.wait(timedelta(hours=1))


async def test_without_a_hint_a_wait_ends_by_itself() -> None:
    async with asyncio.timeout(5):
        await EventWake().wait(timedelta(milliseconds=1))


@pytest.mark.requirement("D7")
async def test_what_is_worked_on_at_a_stop_may_end_and_nothing_more_is_begun(
    store: Store, clock: FakeClock
) -> None:
    for chat in ("oc_a", "oc_b"):
        await admitted(store, chat, chat=chat)
    begun, go_on = asyncio.Event(), asyncio.Event()
    ended: list[str] = []

    async def work(lease: Lease) -> None:
        begun.set()
        await go_on.wait()
        ended.append(lease.conversation.chat_id)

    dispatcher = LocalDispatcher(
        worker=WORKER,
        conversations=store.conversations,
        wake=EventWake(),
        clock=clock,
        slots=1,
    )
    async with asyncio.timeout(10), asyncio.TaskGroup() as group:
        running = group.create_task(dispatcher.run(work))
        await begun.wait()
        await dispatcher.drain(timedelta(milliseconds=1))
        assert ended == []
        draining = group.create_task(dispatcher.drain(timedelta(seconds=9)))
        go_on.set()
        await draining
        running.cancel()
    assert ended == ["oc_a"]
