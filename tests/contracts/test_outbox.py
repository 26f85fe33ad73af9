"""The outbox: order per chat, one try at a time, and what may have arrived is never forgotten. Contracts D4, W3."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from steward.errors import ContractError
from steward.model.delivery import (
    Arrived,
    Delivery,
    GivenUp,
    Place,
    SentRef,
    SteppedDown,
    TryAgain,
)
from steward.model.ids import MessageRef, PartId, QuestionId, WorkerId
from steward.model.turn import QuestionStatus, Written
from steward.store import Store
from steward.testing.world import FakeClock
from tests.contracts.given import (
    APP,
    TTL,
    WORKER,
    claimed,
    closed,
    conversation,
    message,
    part,
    planned,
    recall,
    recorded,
    rows,
    settled,
)
from tests.contracts.test_grants import execute

REPLY = MessageRef(APP, "om_reply")
SENT = Arrived(SentRef(REPLY, card="card_1"))

MINUTE = timedelta(minutes=1)


async def status(store: Store, question: QuestionId) -> QuestionStatus:
    return (await store.ledger.question(question)).status


async def rungs(store: Store) -> list[tuple[str, str]]:
    found = await rows(store, "SELECT rung, status FROM outbox ORDER BY id")
    return [(rung, state) for rung, state in found]


async def test_a_due_part_is_claimed_whole_and_once(store: Store) -> None:
    lower = ((planned("post", 1, 2), planned("post", 2, 2)), (planned("text"),))
    question = await settled(store, 1, part(lower=lower))
    assert await claimed(store) == [
        Delivery(
            id=PartId(1),
            subject="message:om_1",
            attempt=1,
            kind=part().kind,
            question=question,
            place=Place(conversation(), message(1), in_thread=False),
            part=planned("card"),
            lower=lower,
            tries=1,
            first_unknown_at=None,
        )
    ]
    assert await claimed(store) == []


async def test_a_chat_gets_its_parts_in_order_and_chats_do_not_wait_for_each_other(
    store: Store,
) -> None:
    two = [part(number=n, of=2) for n in (1, 2)]
    await settled(store, 1, *two)
    await settled(store, 2, part("message:om_2"))
    await settled(store, 3, part("message:om_3", chat="oc_b"), chat="oc_b")
    first, other = await claimed(store)
    assert (first.part.number, other.subject) == (1, "message:om_3")
    assert await claimed(store) == []
    await store.outbox.finish(first, SENT)
    (second,) = await claimed(store)
    assert (second.subject, second.part.number) == ("message:om_1", 2)
    await store.outbox.finish(second, SENT)
    assert [delivery.subject for delivery in await claimed(store)] == ["message:om_2"]


@pytest.mark.requirement("W3", "T7")
async def test_the_last_part_that_arrives_answers_the_question(store: Store) -> None:
    question = await settled(store, 1, *(part(number=n, of=2) for n in (1, 2)))
    (first,) = await claimed(store)
    assert await store.outbox.finish(first, SENT) is Written.DONE
    assert await status(store, question) is QuestionStatus.SETTLED
    assert not await closed(store, question)
    (second,) = await claimed(store)
    assert await store.outbox.finish(second, SENT) is Written.DONE
    assert await status(store, question) is QuestionStatus.ANSWERED
    assert await closed(store, question)


@pytest.mark.requirement("W3", "T7")
async def test_an_undeliverable_answer_is_closed_and_never_counts_as_answered(
    store: Store,
) -> None:
    question = await settled(store, 1, *(part(number=n, of=2) for n in (1, 2)))
    (first,) = await claimed(store)
    assert await store.outbox.finish(first, GivenUp("chat_gone")) is Written.DONE
    assert not await closed(store, question)
    (second,) = await claimed(store)
    assert await store.outbox.finish(second, SENT) is Written.DONE
    assert await status(store, question) is QuestionStatus.SETTLED
    assert await closed(store, question)


async def test_a_part_that_was_refused_for_now_waits_and_holds_its_chat_back(
    store: Store, clock: FakeClock
) -> None:
    await settled(store, 1)
    await settled(store, 2)
    (first,) = await claimed(store)
    again = TryAgain(clock.now() + MINUTE, unknown=False)
    assert await store.outbox.finish(first, again) is Written.DONE
    assert await claimed(store) == []
    assert await store.outbox.due() == clock.now() + MINUTE
    clock.advance(MINUTE)
    (second,) = await claimed(store)
    assert second == replace(first, tries=2)


@pytest.mark.requirement("D4")
async def test_an_unknown_fate_is_remembered_from_the_first_try(
    store: Store, clock: FakeClock
) -> None:
    await settled(store, 1)
    tried_at = clock.now()
    (first,) = await claimed(store)
    clock.advance(timedelta(seconds=20))
    await store.outbox.finish(first, TryAgain(clock.now() + MINUTE, unknown=True))
    clock.advance(MINUTE)
    (second,) = await claimed(store)
    assert (second.tries, second.first_unknown_at) == (2, tried_at)
    await store.outbox.finish(second, TryAgain(clock.now() + MINUTE, unknown=False))
    clock.advance(MINUTE)
    (third,) = await claimed(store)
    assert (third.tries, third.first_unknown_at) == (3, tried_at)
    assert third.part == first.part


@pytest.mark.requirement("D4", "D7")
async def test_a_part_found_in_sending_may_have_arrived(store: Store, clock: FakeClock) -> None:
    await settled(store, 1)
    tried_at = clock.now()
    await claimed(store)
    assert await store.outbox.due() == tried_at + TTL
    clock.advance(TTL - timedelta(microseconds=1))
    assert await claimed(store) == []
    clock.advance(timedelta(microseconds=1))
    (again,) = await claimed(store)
    assert (again.tries, again.first_unknown_at) == (2, tried_at)


@pytest.mark.requirement("D4", "D7")
async def test_after_a_restart_what_was_being_sent_is_unknown_and_due(
    store: Store, clock: FakeClock
) -> None:
    await settled(store, 1)
    tried_at = clock.now()
    await claimed(store)
    clock.advance(timedelta(seconds=1))
    await store.leases.break_all()
    (again,) = await claimed(store)
    assert (again.tries, again.first_unknown_at) == (2, tried_at)


async def test_a_try_that_is_no_longer_the_newest_decides_nothing(
    store: Store, clock: FakeClock
) -> None:
    await settled(store, 1)
    (old,) = await claimed(store)
    clock.advance(TTL)
    (new,) = await claimed(store)
    assert await store.outbox.finish(old, GivenUp("too_late")) is Written.LOST
    assert await store.outbox.finish(old, TryAgain(clock.now(), unknown=True)) is Written.LOST
    assert await store.outbox.finish(new, SENT) is Written.DONE
    assert await store.outbox.finish(new, GivenUp("too_late")) is Written.LOST


async def test_an_arrival_is_true_whoever_reports_it_and_once(
    store: Store, clock: FakeClock
) -> None:
    question = await settled(store, 1)
    (old,) = await claimed(store)
    clock.advance(TTL)
    (new,) = await claimed(store)
    assert await store.outbox.finish(old, SENT) is Written.DONE
    assert await store.outbox.finish(new, SENT) is Written.REPLAY
    assert await status(store, question) is QuestionStatus.ANSWERED


@pytest.mark.requirement("D4")
async def test_a_refusal_for_form_takes_the_next_rung_in_the_same_place(store: Store) -> None:
    lower = ((planned("post", 1, 2), planned("post", 2, 2)), (planned("text"),))
    question = await settled(store, 1, part(lower=lower))
    await settled(store, 2)
    (card,) = await claimed(store)
    assert await store.outbox.finish(card, SteppedDown("card_too_large")) is Written.DONE
    sent = []
    while found := await claimed(store):
        (delivery,) = found
        sent.append((delivery.subject, delivery.part.rung, delivery.part.number, delivery.lower))
        await store.outbox.finish(delivery, SENT)
    assert sent == [
        ("message:om_1", "post", 1, ()),
        ("message:om_1", "post", 2, ()),
        ("message:om_2", "card", 1, ()),
    ]
    assert await status(store, question) is QuestionStatus.ANSWERED


@pytest.mark.requirement("D4")
async def test_rungs_are_taken_down_to_the_last_and_then_given_up(store: Store) -> None:
    question = await settled(store, 1, part(lower=((planned("post"),), (planned("text"),))))
    for failure in ("a", "b", "c"):
        (delivery,) = await claimed(store)
        assert await store.outbox.finish(delivery, SteppedDown(failure)) is Written.DONE
    assert await rungs(store) == [("card", "replaced"), ("post", "replaced"), ("text", "dead")]
    assert await claimed(store) == []
    assert await closed(store, question)
    assert await status(store, question) is QuestionStatus.SETTLED


@pytest.mark.requirement("D4")
async def test_no_lower_rung_while_a_try_may_have_arrived(store: Store, clock: FakeClock) -> None:
    await settled(store, 1, part(lower=((planned("text"),),)))
    (first,) = await claimed(store)
    await store.outbox.finish(first, TryAgain(clock.now(), unknown=True))
    (second,) = await claimed(store)
    with pytest.raises(ContractError):
        await store.outbox.finish(second, SteppedDown("card_too_large"))
    assert await rungs(store) == [("card", "sending")]


@pytest.mark.requirement("D2")
@pytest.mark.parametrize("lower", [(), ((planned("text"),),)], ids=["no rung", "lower rung"])
async def test_a_recalled_question_is_not_tried_again(
    store: Store, clock: FakeClock, lower: tuple[tuple[object, ...], ...]
) -> None:
    question = await settled(store, 1, part(lower=lower))  # type: ignore[arg-type] # parts, as parametrised
    (delivery,) = await claimed(store)
    (back,) = await recorded(store, recall(1))
    await store.inbox.withdraw(back, message(1))
    fate = SteppedDown("form") if lower else TryAgain(clock.now(), unknown=False)
    assert await store.outbox.finish(delivery, fate) is Written.DONE
    assert await claimed(store) == []
    assert await rungs(store) == [("card", "dead")]
    assert await status(store, question) is QuestionStatus.WITHDRAWN


async def test_our_own_messages_are_known(store: Store) -> None:
    await settled(store, 1)
    assert not await store.outbox.ours(REPLY)
    (delivery,) = await claimed(store)
    await store.outbox.finish(delivery, SENT)
    assert await store.outbox.ours(REPLY)
    assert not await store.outbox.ours(message(1))
    assert not await store.outbox.ours(replace(REPLY, app_id="cli_sim_b"))


async def test_nothing_is_due_where_nothing_waits(store: Store, clock: FakeClock) -> None:
    assert await store.outbox.due() is None
    await settled(store, 1)
    assert await store.outbox.due() == clock.now()
    (delivery,) = await claimed(store)
    await store.outbox.finish(delivery, SENT)
    assert await store.outbox.due() is None


async def test_a_part_that_is_not_there_is_a_bug(store: Store) -> None:
    await settled(store, 1)
    (delivery,) = await claimed(store)
    with pytest.raises(ContractError):
        await store.outbox.finish(replace(delivery, id=PartId(99)), SENT)


async def test_the_limit_is_kept_and_the_oldest_go_first(store: Store) -> None:
    for n in range(4):
        await settled(store, n, part(f"message:om_{n}", chat=f"oc_{n}"), chat=f"oc_{n}")
    assert [d.subject for d in await claimed(store, limit=3)] == [
        "message:om_0",
        "message:om_1",
        "message:om_2",
    ]


@pytest.mark.requirement("D7")
async def test_many_couriers_send_every_part_once_and_in_order(store: Store) -> None:
    chats = [f"oc_{n}" for n in range(5)]
    for n in range(20):
        chat = chats[n % 5]
        await settled(store, n, part(f"message:om_{n}", chat=chat), chat=chat)
    sent: list[tuple[str, int]] = []

    async def courier(name: int) -> None:
        while await store.outbox.due() is not None:
            worker = WorkerId(f"{WORKER}-{name}")
            for delivery in await store.outbox.claim(worker, limit=2, ttl=TTL):
                number = int(delivery.subject.removeprefix("message:om_"))
                sent.append((delivery.place.conversation.chat_id, number))
                await store.outbox.finish(delivery, SENT)

    async with asyncio.timeout(15):
        await asyncio.gather(*(courier(n) for n in range(6)))
    assert sorted(number for _, number in sent) == list(range(20))
    for chat in chats:
        numbers = [number for where, number in sent if where == chat]
        assert numbers == sorted(numbers)


@pytest.mark.requirement("D4")
async def test_a_part_whose_time_is_hours_ahead_since_the_clock_was_set_back_is_tried_now(
    store: Store, clock: FakeClock
) -> None:
    await settled(store, 1)
    clock.advance(timedelta(hours=-8))
    (delivery,) = await claimed(store)
    await store.outbox.finish(delivery, TryAgain(clock.now() + MINUTE, unknown=False))
    assert await claimed(store) == []


@pytest.mark.requirement("D4", "W3")
@pytest.mark.parametrize("column", ["lower", "guard"])
async def test_a_part_that_is_corrupt_is_given_up_and_keeps_no_other_back(
    store: Store, column: str
) -> None:
    await settled(store, 1)
    await settled(store, 2, chat="oc_b")
    await execute(store, f"UPDATE outbox SET {column} = 'nonsense' WHERE question_id = 1")  # noqa: S608 - our own words
    (other,) = await claimed(store)
    assert other.question == QuestionId(2)
    dead = await rows(store, "SELECT status, failure FROM outbox WHERE question_id = 1")
    assert dead == [("dead", "corrupt")]
    assert await claimed(store) == []
