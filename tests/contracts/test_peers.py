"""Several processes on one store: who lives, what a start takes from whom, and what they tell each other. D5, D7."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest
from sqlalchemy import Connection, text

from steward.model.delivery import PartStatus
from steward.model.events import Lane
from steward.model.hint import Hint
from steward.model.turn import Written
from steward.store import Store, open_store
from steward.store.recording import record_batch
from steward.testing.world import FakeClock
from tests.contracts.given import (
    OTHER,
    TTL,
    WORKER,
    admitted,
    begun,
    claimed,
    envelope,
    leased,
    recorded,
    rows,
    settled,
)

PATIENCE = 5.0

_HELD = """
SELECT owner FROM conversation WHERE owner IS NOT NULL
UNION ALL SELECT lease_owner FROM inbox WHERE lease_owner IS NOT NULL AND verdict IS NULL
UNION ALL SELECT lease_owner FROM outbox WHERE lease_owner IS NOT NULL
"""


class Ear:
    """What a listening process has heard."""

    def __init__(self) -> None:
        self.heard: list[Hint] = []
        self._news = asyncio.Event()

    def __call__(self, hint: Hint) -> None:
        self.heard.append(hint)
        self._news.set()

    async def hears(self, *wanted: Hint) -> list[Hint]:
        """Until all of these were heard: everything that was, which is forgotten then."""
        async with asyncio.timeout(PATIENCE):
            while not set(wanted) <= set(self.heard):
                self._news.clear()
                await self._news.wait()
        heard, self.heard = self.heard, []
        return heard


@pytest.fixture
async def other(store: Store, store_url: str, clock: FakeClock) -> AsyncIterator[Store]:
    """Another process's way into the same store."""
    if store_url.startswith("sqlite"):
        yield store
        return
    async with await open_store(store_url, clock) as opened:
        yield opened


@asynccontextmanager
async def listening(store: Store, ear: Ear) -> AsyncIterator[None]:
    async with store.peers.joined(WORKER):
        task = asyncio.ensure_future(store.peers.listen(ear))
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


async def busy(store: Store, worker: str) -> None:
    """A worker with a conversation, an unjudged row, and a part that it is sending."""
    await settled(store, "sent", chat="oc_x")
    await claimed(store)
    await admitted(store, "asked", chat="oc_y")
    await leased(store)
    await recorded(store, envelope("waiting", chat="oc_z"))
    await store.inbox.take(WORKER, lane=Lane.ORDERED, limit=9, ttl=TTL)
    assert await rows(store, _HELD) == [(worker,)] * 3


@pytest.mark.requirement("D5", "D7")
async def test_a_start_takes_nothing_from_a_process_that_lives(
    store: Store, other: Store, store_url: str
) -> None:
    await busy(store, WORKER)
    async with store.peers.joined(WORKER):
        await other.leases.break_all()
        alone = store_url.startswith("sqlite")
        assert await rows(store, _HELD) == ([] if alone else [(WORKER,)] * 3)


@pytest.mark.requirement("D4", "D5", "D7")
async def test_a_start_takes_over_from_a_process_that_is_gone(store: Store, other: Store) -> None:
    await busy(store, WORKER)
    async with store.peers.joined(OTHER):
        await other.leases.break_all()
    assert await rows(store, _HELD) == []
    assert await rows(store, "SELECT status FROM outbox") == [(PartStatus.UNKNOWN.value,)]


@pytest.mark.requirement("D5", "D7")
async def test_a_process_that_is_gone_is_missed_twice_before_others_take_over(
    store: Store, other: Store, store_url: str
) -> None:
    """One that only lost its session has the time between to come back."""
    await busy(store, WORKER)
    await other.leases.break_gone()
    async with store.peers.joined(WORKER):
        await other.leases.break_gone()
    await other.leases.break_gone()
    assert await rows(store, _HELD) == [(WORKER,)] * 3
    await other.leases.break_gone()
    alone = store_url.startswith("sqlite")
    assert await rows(store, _HELD) == ([(WORKER,)] * 3 if alone else [])


@pytest.mark.requirement("D5")
async def test_a_silent_process_loses_its_turn_when_its_lease_is_over(
    store: Store, other: Store, clock: FakeClock
) -> None:
    _, token = await begun(store, 1)
    async with store.peers.joined(WORKER):
        await other.leases.break_gone()
        assert await other.ledger.orphans() == []
        clock.advance(TTL)
        assert [orphan.attempt for orphan in await other.ledger.orphans()] == [token]


ON_POSTGRES = pytest.mark.parametrize(
    "store_url", [pytest.param("postgres", marks=pytest.mark.needs("postgres"))], indirect=True
)
"""One process serves an SQLite store: there is nobody to tell."""


@ON_POSTGRES
async def test_each_commit_that_leaves_work_tells_every_process(store: Store, other: Store) -> None:
    ear = Ear()
    async with listening(store, ear):
        await recorded(other, envelope(1))
        await ear.hears(Hint.INBOX_ORDERED)
        await settled(other, 2)
        await ear.hears(Hint.QUESTIONS, Hint.DELIVERIES)
        _, token = await begun(other, 3)
        await ear.hears(Hint.QUESTIONS)
        assert await other.ledger.requeue(token) is Written.DONE
        await ear.hears(Hint.QUESTIONS)


@ON_POSTGRES
async def test_what_was_recorded_before_or_undone_tells_nobody(store: Store, other: Store) -> None:
    await recorded(other, envelope(1))
    ear = Ear()

    def undone(connection: Connection) -> None:
        record_batch(connection, [envelope(2)])
        raise LookupError

    async with listening(store, ear):
        await recorded(other, envelope(1))
        with pytest.raises(LookupError):
            await other.database.write(undone)
        await other.database.write(lambda c: c.execute(text("SELECT pg_notify('steward', 'what')")))
        await recorded(other, envelope("last", lane=Lane.NOW))
        assert await ear.hears(Hint.INBOX_NOW) == [Hint.INBOX_NOW]


@ON_POSTGRES
@pytest.mark.requirement("D7")
async def test_a_listener_whose_session_was_cut_joins_again_and_looks_at_everything(
    store: Store, other: Store, clock: FakeClock
) -> None:
    cut = text("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN %'")
    ear = Ear()
    async with listening(store, ear):
        await busy(other, WORKER)
        await ear.hears(Hint.INBOX_ORDERED)
        assert await other.database.write(lambda c: c.execute(cut).rowcount) == 1
        again = asyncio.ensure_future(ear.hears(*Hint))
        async with asyncio.timeout(PATIENCE):
            while not again.done():
                clock.advance(timedelta(seconds=1))
                await asyncio.wait([again], timeout=0.02)
        await other.leases.break_all()
        assert len(await rows(store, _HELD)) == 3
