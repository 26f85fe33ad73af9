"""Leases on conversations: one worker at a time, fenced against one that was thought dead."""

import asyncio

import pytest

from steward.model.events import Lane
from steward.model.ids import AttemptToken, ConversationId, WorkerId
from steward.model.turn import Lease, Written
from steward.store import Store
from steward.testing.world import FakeClock
from tests.contracts.given import (
    OTHER,
    TTL,
    WORKER,
    admitted,
    answer,
    begin,
    begun,
    conversation,
    envelope,
    leased,
    part,
    recorded,
)


async def claim(store: Store, worker: WorkerId = WORKER, limit: int = 16) -> list[Lease]:
    return list(await store.conversations.claim(worker, limit=limit, ttl=TTL))


async def test_only_a_conversation_with_a_queued_question_is_claimed(
    store: Store, clock: FakeClock
) -> None:
    assert await claim(store) == []
    await admitted(store, 1)
    assert await claim(store) == [Lease(conversation(), WORKER, 1, clock.now() + TTL)]
    assert await claim(store, OTHER) == []


async def test_the_conversation_that_waited_longest_goes_first(store: Store) -> None:
    for name, chat in enumerate(["oc_c", "oc_a", "oc_b", "oc_a"]):
        await admitted(store, name, chat=chat)
    assert [lease.conversation.chat_id for lease in await claim(store, limit=2)] == [
        "oc_c",
        "oc_a",
    ]


async def test_threads_of_one_chat_are_conversations_of_their_own(store: Store) -> None:
    parsed = ConversationId.parse(str(conversation("oc_a", "omt_1")))
    assert parsed == conversation("oc_a", "omt_1") != conversation("oc_a")


async def test_a_lease_that_ran_out_is_claimed_under_a_higher_fence(
    store: Store, clock: FakeClock
) -> None:
    await admitted(store, 1)
    first = await leased(store)
    clock.advance(TTL)
    (second,) = await claim(store, OTHER)
    assert (second.worker, second.fence) == (OTHER, first.fence + 1)


@pytest.mark.requirement("D7")
async def test_a_worker_whose_fence_is_old_can_write_nothing(
    store: Store, clock: FakeClock
) -> None:
    question = await admitted(store, 1)
    old = await leased(store)
    clock.advance(TTL)
    new = await leased(store, OTHER)
    assert await store.conversations.next(old) is None
    assert await store.conversations.renew([old], TTL) == []
    assert await begin(store, old, question, AttemptToken("old")) is Written.LOST
    await store.conversations.release(old)
    assert await store.conversations.next(new) == question
    assert await claim(store) == []


@pytest.mark.requirement("D7")
async def test_a_worker_that_claims_again_has_lost_its_first_lease(
    store: Store, clock: FakeClock
) -> None:
    question = await admitted(store, 1)
    old = await leased(store)
    clock.advance(TTL)
    await leased(store)
    assert await begin(store, old, question, AttemptToken("old")) is Written.LOST


async def test_a_lease_that_ran_out_unnoticed_still_works(store: Store, clock: FakeClock) -> None:
    question = await admitted(store, 1)
    lease = await leased(store)
    clock.advance(TTL * 2)
    assert await begin(store, lease, question, AttemptToken("late")) is Written.DONE


async def test_a_renewed_lease_keeps_others_out(store: Store, clock: FakeClock) -> None:
    await admitted(store, 1, chat="oc_a")
    await admitted(store, 2, chat="oc_b")
    leases = await claim(store)
    clock.advance(TTL / 2)
    kept = await store.conversations.renew(leases, TTL)
    until = clock.now() + TTL
    assert kept == [Lease(old.conversation, WORKER, old.fence, until) for old in leases]
    clock.advance(TTL / 2)
    assert await claim(store, OTHER) == []
    clock.advance(TTL / 2)
    assert len(await claim(store, OTHER)) == 2


async def test_a_released_conversation_is_free_at_once(store: Store) -> None:
    await admitted(store, 1)
    await store.conversations.release(await leased(store))
    assert [lease.fence for lease in await claim(store, OTHER)] == [2]


@pytest.mark.requirement("T4")
async def test_questions_come_oldest_first_and_one_at_a_time(store: Store) -> None:
    first = await admitted(store, 1)
    second = await admitted(store, 2)
    lease = await leased(store)
    assert await store.conversations.next(lease) == first
    assert await begin(store, lease, second, AttemptToken("t2")) is Written.LOST
    assert await begin(store, lease, first, AttemptToken("t1")) is Written.DONE
    assert await store.conversations.next(lease) is None
    assert await begin(store, lease, second, AttemptToken("t2")) is Written.LOST
    await store.ledger.settle(AttemptToken("t1"), answer(), [part()])
    assert await store.conversations.next(lease) == second


async def test_a_conversation_with_an_abandoned_turn_waits_for_recovery(
    store: Store, clock: FakeClock
) -> None:
    _, token = await begun(store, 1)
    await admitted(store, 2)
    clock.advance(TTL * 2)
    assert await claim(store, OTHER) == []
    assert await store.ledger.requeue(token) is Written.DONE
    assert len(await claim(store, OTHER)) == 1


async def test_a_lease_of_another_worker_under_the_same_fence_is_none(store: Store) -> None:
    await admitted(store, 1)
    lease = await leased(store)
    forged = Lease(lease.conversation, OTHER, lease.fence, lease.until)
    assert await store.conversations.next(forged) is None


async def test_many_workers_never_hold_the_same_conversation(store: Store) -> None:
    for name in range(40):
        await admitted(store, name, chat=f"oc_{name}")

    async def worker(name: int) -> list[ConversationId]:
        held: list[ConversationId] = []
        while leases := await claim(store, WorkerId(f"w{name}"), limit=3):
            held += [lease.conversation for lease in leases]
        return held

    async with asyncio.timeout(10):
        shares = await asyncio.gather(*(worker(n) for n in range(8)))
    held = [item for share in shares for item in share]
    assert sorted(held) == sorted(conversation(f"oc_{n}") for n in range(40))


@pytest.mark.requirement("D7")
async def test_breaking_leases_frees_what_a_dead_process_held(store: Store) -> None:
    await admitted(store, 1)
    await leased(store)
    (item,) = await recorded(store, envelope(2, chat="oc_b"))
    await store.inbox.take(WORKER, lane=Lane.ORDERED, limit=1, ttl=TTL)
    await store.leases.break_all()
    (taken,) = await store.inbox.take(OTHER, lane=Lane.ORDERED, limit=1, ttl=TTL)
    assert taken.id == item
    assert [lease.fence for lease in await claim(store, OTHER)] == [2]
