"""What was given up is shown to its owner once, without a word of it; what nobody misses is not. Contract W3."""

from dataclasses import replace
from datetime import timedelta

import pytest

from steward.model.answer import OutgoingKind
from steward.model.delivery import Arrived, GivenUp, LostMessage, PartStatus, SentRef, TryAgain
from steward.model.ids import AppId, ChatId, MessageRef
from steward.model.turn import TurnCode, TurnFailure, Written
from steward.store import Store
from steward.testing.world import EPOCH, FakeClock
from tests.contracts.given import (
    APP,
    claimed,
    message,
    notice,
    part,
    recall,
    recorded,
    rows,
    settled,
)

SENT = Arrived(SentRef(MessageRef(APP, "om_reply")))
TOLD = replace(notice("owner:lost:1", chat="oc_owner"), question=None)


async def given_up(store: Store, failure: str = "chat_gone") -> None:
    while found := await claimed(store):
        for delivery in found:
            await store.outbox.finish(delivery, GivenUp(failure))


async def lost(store: Store, most: int = 20) -> tuple[LostMessage, ...]:
    return (await store.outbox.lost(APP, most=most)).messages


@pytest.mark.requirement("W3")
async def test_what_was_given_up_is_listed_by_message_and_told_once(
    store: Store, clock: FakeClock
) -> None:
    await settled(store, 1, part(number=1, of=2), part(number=2, of=2))
    await settled(store, 2, part("message:om_2", chat="oc_b"), chat="oc_b")
    await given_up(store)
    first, second = await lost(store)
    assert [len(first.parts), len(second.parts)] == [2, 1]
    assert (first.kind, first.chat, first.asked_at) == (OutgoingKind.ANSWER, ChatId("oc_a"), EPOCH)
    assert (second.chat, second.failure, second.private) == (ChatId("oc_b"), "chat_gone", False)
    assert await lost(store, most=1) == (first,)
    assert (await store.outbox.lost(APP, most=1)).told_at is None
    assert await store.outbox.tell([TOLD], [first]) is Written.DONE
    found = await store.outbox.lost(APP, most=20)
    assert (found.messages, found.told_at) == ((second,), clock.now())
    assert [one.subject for one in await claimed(store)] == ["owner:lost:1"]


@pytest.mark.requirement("W3")
async def test_of_two_that_tell_the_same_one_does(store: Store) -> None:
    await settled(store, 1)
    await settled(store, 2, part("message:om_2", chat="oc_b"), chat="oc_b")
    await given_up(store)
    first, second = await lost(store)
    assert await store.outbox.tell([TOLD], [first]) is Written.DONE
    other = replace(TOLD, subject="owner:lost:2")
    assert await store.outbox.tell([other], [first, second]) is Written.REPLAY
    assert await store.outbox.tell([TOLD], [second]) is Written.REPLAY
    assert await lost(store) == (second,)
    assert len(await claimed(store)) == 1


@pytest.mark.requirement("W3")
async def test_where_there_is_nobody_to_tell_it_is_told_to_nobody_once(store: Store) -> None:
    await settled(store, 1)
    await given_up(store)
    assert await store.outbox.tell([], await lost(store)) is Written.DONE
    assert await lost(store) == ()
    assert await claimed(store) == []


@pytest.mark.requirement("W3")
async def test_the_loss_of_such_a_message_is_told_to_nobody(store: Store) -> None:
    await settled(store, 1)
    await given_up(store)
    await store.outbox.tell([TOLD], await lost(store))
    await given_up(store)
    assert await lost(store) == ()


@pytest.mark.requirement("W3", "A3")
async def test_what_was_withheld_or_taken_back_is_known_to_its_reader(store: Store) -> None:
    await settled(store, 1)
    (held,) = await claimed(store)
    failure = TurnFailure(TurnCode.AUTHORIZATION_CHANGED)
    await store.outbox.revoke(held, failure, [notice("message:om_1:withheld")])
    (told,) = await claimed(store)
    await store.outbox.finish(told, SENT)
    await settled(store, 2)
    (back,) = await recorded(store, recall(2))
    await store.inbox.withdraw(back, message(2))
    assert [row[0] for row in await rows(store, "SELECT status FROM outbox ORDER BY id")] == [
        "dead",
        "sent",
        "dead",
    ]
    assert await lost(store) == ()


async def test_what_another_app_lost_is_not_ours(store: Store) -> None:
    await settled(store, 1)
    await given_up(store)
    assert (await store.outbox.lost(AppId("cli_other"), most=20)).messages == ()


async def test_the_depth_counts_what_waits_and_since_when(store: Store, clock: FakeClock) -> None:
    for number in range(4):
        chat = f"oc_{number}"
        await settled(store, number, part(f"message:om_{number}", chat=chat), chat=chat)
    dead, unknown, sent, *_ = await claimed(store, limit=3)
    await store.outbox.finish(dead, GivenUp("chat_gone"))
    await store.outbox.finish(unknown, TryAgain(clock.now() + timedelta(hours=1), unknown=True))
    await store.outbox.finish(sent, SENT)
    depth = await store.outbox.depth(APP)
    assert depth.parts == {
        PartStatus.PENDING: 1,
        PartStatus.SENDING: 0,
        PartStatus.UNKNOWN: 1,
        PartStatus.DEAD: 1,
    }
    assert depth.oldest_due == clock.now()
    assert (await store.outbox.depth(AppId("cli_other"))).oldest_due is None
