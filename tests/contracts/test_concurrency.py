"""Two transactions at once, each stopped where it hurts: neither store may let them miss each other."""

import asyncio
from collections.abc import Callable
from threading import Barrier, BrokenBarrierError, Event

import pytest
from sqlalchemy import Connection, text

from steward.errors import ContractError, StoreUnavailableError
from steward.model.events import Recorded
from steward.model.turn import QuestionStatus
from steward.store import Store, open_store
from steward.store.recording import record_batch
from steward.store.withdrawal import withdraw
from steward.testing.world import EPOCH, FakeClock
from tests.contracts.given import asked, envelope, message, recall, recorded

PATIENCE = 0.3
"""Seconds in which a transaction that does not wait would long be done."""


class Paused:
    """A transaction that has done its work, and waits before it commits."""

    def __init__(self, store: Store, work: Callable[[Connection], object]) -> None:
        self._reached, self._go_on = Event(), Event()
        self._store = store
        self._work = work

    async def __aenter__(self) -> None:
        self._running = asyncio.ensure_future(self._store.database.write(self._run))
        assert await asyncio.to_thread(self._reached.wait, 5)

    async def __aexit__(self, *_: object) -> None:
        self._go_on.set()
        await self._running

    def _run(self, connection: Connection) -> None:
        self._work(connection)
        self._reached.set()
        assert self._go_on.wait(5)


@pytest.mark.requirement("D2")
async def test_an_admission_waits_for_a_recall_of_its_message(store: Store) -> None:
    event = envelope(1)
    item, back = await recorded(store, event, recall(1))
    async with Paused(store, lambda connection: withdraw(connection, back, message(1), EPOCH)):
        admitting = asyncio.ensure_future(store.inbox.admit(item, asked(event)))
        done, _ = await asyncio.wait([admitting], timeout=PATIENCE)
        assert not done
    question = await admitting
    assert isinstance(question, int)
    assert (await store.ledger.question(question)).status is QuestionStatus.WITHDRAWN


@pytest.mark.requirement("D7")
async def test_recorders_of_one_conversation_commit_in_the_order_of_their_ids(store: Store) -> None:
    await recorded(store, envelope(0))
    first: list[Recorded] = []
    async with Paused(store, lambda c: first.extend(record_batch(c, [envelope(1)]))):
        recording = asyncio.ensure_future(store.inbox.record([envelope(2)]))
        done, _ = await asyncio.wait([recording], timeout=PATIENCE)
        assert not done
    (second,) = await recording
    assert first[0].inbox < second.inbox


async def test_two_transactions_that_lock_each_other_out_both_end_well(store: Store) -> None:
    """On PostgreSQL one of them is undone and run again; on SQLite they never meet."""
    await recorded(store, envelope(1, chat="oc_a"), envelope(2, chat="oc_b"))
    both = Barrier(2)

    def locking(*chats: str) -> Callable[[Connection], None]:
        def work(connection: Connection) -> None:
            for chat in chats:
                connection.execute(
                    text("UPDATE conversation SET fence = fence + 1 WHERE chat_id = :chat"),
                    {"chat": chat},
                )
                meet(both)

        return work

    async with asyncio.timeout(10):
        await asyncio.gather(
            store.database.write(locking("oc_a", "oc_b")),
            store.database.write(locking("oc_b", "oc_a")),
        )
    fences = await store.database.read(
        lambda connection: (
            connection.execute(text("SELECT fence FROM conversation")).scalars().all()
        )
    )
    assert fences == [2, 2]


@pytest.mark.needs("postgres")
async def test_a_server_that_cut_every_connection_is_served_again(
    postgres: str, clock: FakeClock
) -> None:
    cut = text(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE pid <> pg_backend_pid() AND datname = current_database()"
    )
    async with (
        await open_store(postgres, clock) as store,
        await open_store(postgres, clock) as other,
    ):
        await asyncio.gather(*(store.outbox.due() for _ in range(8)))
        await other.database.write(lambda connection: connection.execute(cut).rowcount)
        with pytest.raises(StoreUnavailableError):
            await store.outbox.due()
        await asyncio.gather(*(store.outbox.due() for _ in range(8)))


async def test_a_wrong_statement_is_a_bug_and_no_outage(store: Store) -> None:
    wrong = text("SELECT nothing FROM inbox")
    with pytest.raises(ContractError):
        await store.database.read(lambda connection: connection.execute(wrong).all())


def meet(barrier: Barrier) -> None:
    """Wait until the other is here too, once; nobody waits for one who cannot come."""
    try:
        barrier.wait(timeout=PATIENCE)
    except BrokenBarrierError:
        return
