"""The inbox: what came in is kept once, judged once, and in order. Contracts D1, D2, D3."""

import asyncio
from datetime import timedelta

import pytest

from steward.errors import StoreUnavailableError
from steward.model.answer import OutgoingKind
from steward.model.audience import Declined, DeclineReason, Ignored, IgnoreReason
from steward.model.delivery import Arrived, SentRef
from steward.model.events import EventKind, Lane, Recorded, Taken
from steward.model.ids import EventId, InboxId, MessageRef, WorkerId
from steward.model.turn import (
    Candidate,
    Question,
    QuestionStatus,
    TurnCode,
    TurnFailure,
    Written,
)
from steward.store import Store
from steward.testing.world import EPOCH, FakeClock
from tests.contracts.given import (
    APP,
    OTHER,
    TTL,
    WORKER,
    admitted,
    answer,
    asked,
    begun,
    claimed,
    closed,
    envelope,
    leased,
    message,
    notice,
    part,
    recall,
    recorded,
    rows,
    settled,
)

NO_ACTION = Ignored(IgnoreReason.NO_ACTION)


async def take(store: Store, lane: Lane = Lane.ORDERED, worker: WorkerId = WORKER) -> list[Taken]:
    return list(await store.inbox.take(worker, lane=lane, limit=16, ttl=TTL))


async def taken_events(store: Store, lane: Lane = Lane.ORDERED) -> list[str]:
    return [item.envelope.event_id for item in await take(store, lane)]


@pytest.mark.requirement("D1")
async def test_an_event_is_recorded_once_and_found_again(store: Store) -> None:
    first = await store.inbox.record([envelope(1)])
    again = await store.inbox.record([envelope(1)])
    assert first == [Recorded(InboxId(1), duplicate=False)]
    assert again == [Recorded(InboxId(1), duplicate=True)]


@pytest.mark.requirement("D1")
async def test_a_message_under_a_new_event_id_is_the_same_message(store: Store) -> None:
    (first,) = await store.inbox.record([envelope(1)])
    (again,) = await store.inbox.record([envelope("other", message="om_1")])
    assert again == Recorded(first.inbox, duplicate=True)


async def test_duplicates_within_a_batch_keep_the_batch_in_order(store: Store) -> None:
    batch = [envelope(1), envelope(2), envelope(1), envelope("x", message="om_2"), envelope(3)]
    results = await store.inbox.record(batch)
    ids = [result.inbox for result in results]
    assert [result.duplicate for result in results] == [False, False, True, True, False]
    assert ids[2] == ids[0]
    assert ids[3] == ids[1]
    assert ids[0] < ids[1] < ids[4]


async def test_the_recall_of_a_message_is_no_duplicate_of_it(store: Store) -> None:
    event = envelope("r", kind=EventKind.RECALL, lane=Lane.NOW, message="om_1")
    results = await store.inbox.record([envelope(1), event])
    assert [result.duplicate for result in results] == [False, False]


async def test_an_empty_batch_records_nothing(store: Store) -> None:
    assert await store.inbox.record([]) == []


async def test_a_full_group_is_recorded_in_its_order(store: Store) -> None:
    batch = [envelope(n, chat=f"oc_{n % 7}") for n in range(256)]
    results = await store.inbox.record(batch)
    ids = [result.inbox for result in results]
    assert ids == sorted(set(ids))
    assert not any(result.duplicate for result in results)


@pytest.mark.requirement("D3")
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\x00",
        b'{"text": "\x00\\ud800"}',
        "\ud800".encode("utf-8", "surrogatepass"),
        b"\xff" * (1 << 20),
    ],
    ids=["empty", "nul", "escaped surrogate", "surrogate", "1 MiB"],
)
async def test_a_body_is_kept_as_the_bytes_that_came(store: Store, body: bytes) -> None:
    event = envelope(1, body=body)
    (item,) = await recorded(store, event)
    assert await take(store) == [Taken(item, event, attempts=1)]


@pytest.mark.requirement("D3")
@pytest.mark.parametrize(
    "bad", ["evt_\x00", "evt_\ud800", "evt_" + "x" * 10_000], ids=["nul", "surrogate", "long"]
)
async def test_one_row_that_cannot_be_stored_does_not_stop_the_others(
    store: Store, bad: str
) -> None:
    batch = [envelope(n, chat=f"oc_{n}") for n in range(256)]
    spoilt = envelope("bad", body=b"kept")
    batch[100] = type(spoilt)(**{**_fields(spoilt), "event_id": EventId(bad)})
    results = await store.inbox.record(batch)
    assert not any(result.duplicate for result in results)
    assert len({result.inbox for result in results}) == 256
    kept = await rows(store, "SELECT id, verdict, body FROM inbox WHERE verdict IS NOT NULL")
    assert [(id_, verdict, bytes(body)) for id_, verdict, body in kept] == [
        (results[100].inbox, "unparsable", b"kept")
    ]
    (again,) = await store.inbox.record([batch[100]])
    assert again == Recorded(results[100].inbox, duplicate=True)


def _fields(of: object) -> dict[str, object]:
    return {name: getattr(of, name) for name in of.__dataclass_fields__}  # type: ignore[attr-defined] # a dataclass


async def test_an_id_that_could_be_mistaken_for_another_conversation_is_unparsable(
    store: Store,
) -> None:
    await recorded(store, envelope(1, chat="oc_a/oc_b"))
    assert await rows(store, "SELECT verdict, conversation FROM inbox") == [("unparsable", None)]


async def test_the_oldest_unjudged_row_of_each_conversation_is_taken(store: Store) -> None:
    await recorded(
        store,
        envelope("a1"),
        envelope("a2"),
        envelope("b1", chat="oc_b"),
        envelope("t1", thread="omt_1"),
        envelope("b2", chat="oc_b"),
    )
    assert await taken_events(store) == ["evt_a1", "evt_b1", "evt_t1"]
    assert await taken_events(store) == []


async def test_a_judged_row_makes_way_for_the_next(store: Store) -> None:
    first, _ = await recorded(store, envelope(1), envelope(2))
    await take(store)
    assert await store.inbox.ignore(first, NO_ACTION) is Written.DONE
    assert await taken_events(store) == ["evt_2"]


async def test_rows_without_a_conversation_do_not_wait_for_each_other(store: Store) -> None:
    menu = [envelope(n, chat=None, kind=EventKind.MENU) for n in range(3)]
    await recorded(store, *menu)
    assert await taken_events(store) == ["evt_0", "evt_1", "evt_2"]


async def test_the_now_lane_does_not_wait_behind_a_question(store: Store) -> None:
    await recorded(store, envelope(1), recall(1), recall(2))
    assert await taken_events(store, Lane.ORDERED) == ["evt_1"]
    assert await taken_events(store, Lane.NOW) == ["evt_recall_1", "evt_recall_2"]


async def test_a_limit_is_kept_and_the_oldest_go_first(store: Store) -> None:
    await recorded(store, *[envelope(n, chat=f"oc_{n}") for n in range(5)])
    taken = await store.inbox.take(WORKER, lane=Lane.ORDERED, limit=2, ttl=TTL)
    assert [item.envelope.event_id for item in taken] == ["evt_0", "evt_1"]


async def test_a_lease_that_ran_out_lets_another_worker_try(store: Store, clock: FakeClock) -> None:
    event = envelope(1)
    (item,) = await recorded(store, event)
    await take(store)
    clock.advance(TTL - timedelta(microseconds=1))
    assert await take(store, worker=OTHER) == []
    clock.advance(timedelta(microseconds=1))
    assert await take(store, worker=OTHER) == [Taken(item, event, attempts=2)]


async def test_a_released_row_waits_as_long_as_it_was_told_and_its_attempt_counts(
    store: Store, clock: FakeClock
) -> None:
    event = envelope(1)
    (item,) = await recorded(store, event)
    await take(store)
    later = clock.now() + timedelta(seconds=2)
    assert await store.inbox.release(item, until=later) is Written.DONE
    assert await take(store) == []
    clock.advance(timedelta(seconds=2))
    assert await take(store) == [Taken(item, event, attempts=2)]


@pytest.mark.requirement("A1")
async def test_a_deferred_row_holds_its_conversation_back_and_costs_no_attempt(
    store: Store, clock: FakeClock
) -> None:
    event = envelope(1)
    item, _, _ = await recorded(store, event, envelope(2), envelope(3, chat="oc_b"))
    await take(store)
    until = clock.now() + timedelta(minutes=1)
    assert await store.inbox.defer(item, until=until) is Written.DONE
    assert await take(store) == []
    clock.advance(timedelta(minutes=1))
    assert [(t.envelope.event_id, t.attempts) for t in await take(store)] == [
        ("evt_1", 1),
        ("evt_3", 2),
    ]


async def test_a_row_is_judged_once(store: Store) -> None:
    event = envelope(1)
    (item,) = await recorded(store, event)
    assert await store.inbox.ignore(item, NO_ACTION) is Written.DONE
    assert await store.inbox.admit(item, asked(event)) is Written.LOST
    assert await store.inbox.ignore(item, NO_ACTION) is Written.LOST
    assert await store.inbox.decline(item, Declined(DeclineReason.NOT_GRANTED), ()) is Written.LOST
    assert await store.inbox.unparsable(item, "event", ()) is Written.LOST
    assert await store.inbox.defer(item, until=event.received_at) is Written.LOST
    assert await store.inbox.release(item, until=EPOCH) is Written.LOST
    failure = TurnFailure(TurnCode.DIRECTORY_UNAVAILABLE)
    assert await store.inbox.owe(item, asked(event), failure, [notice()]) is Written.LOST
    assert await store.inbox.withdraw(item, message(1)) is Written.LOST


@pytest.mark.requirement("T7")
async def test_an_admitted_row_becomes_a_queued_question(store: Store) -> None:
    event = envelope(1, thread="omt_1")
    (item,) = await recorded(store, event)
    new = asked(event, "进展如何？")
    question = await store.inbox.admit(item, new)
    assert isinstance(question, int)
    assert await store.ledger.question(question) == Question(
        id=question,
        inbox=item,
        conversation=new.conversation,
        message=new.message,
        asker=new.asker,
        audience=new.audience,
        in_thread=True,
        text="进展如何？",
        language=new.language,
        asked_at=new.asked_at,
        status=QuestionStatus.QUEUED,
        attempt=1,
    )


async def test_words_that_no_store_can_hold_are_replaced(store: Store) -> None:
    event = envelope(1)
    (item,) = await recorded(store, event)
    question = await store.inbox.admit(item, asked(event, "a\x00b\ud800c😀"))
    assert isinstance(question, int)
    assert (await store.ledger.question(question)).text == "a\ufffdb\ufffdc😀"


@pytest.mark.requirement("D2")
async def test_a_recall_that_comes_first_withdraws_its_message(store: Store) -> None:
    event = envelope(1)
    (back,) = await recorded(store, recall(1))
    assert await store.inbox.withdraw(back, message(1)) is Written.DONE
    (item,) = await recorded(store, event)
    question = await store.inbox.admit(item, asked(event))
    assert isinstance(question, int)
    assert (await store.ledger.question(question)).status is QuestionStatus.WITHDRAWN
    assert await closed(store, question)
    assert await store.conversations.claim(WORKER, limit=1, ttl=TTL) == []


@pytest.mark.requirement("D2")
async def test_a_recalled_message_is_neither_owed_nor_declined_aloud(store: Store) -> None:
    for name in (1, 2):
        (back,) = await recorded(store, recall(name))
        await store.inbox.withdraw(back, message(name))
    first, second = envelope(1), envelope(2)
    items = await recorded(store, first, second)
    failure = TurnFailure(TurnCode.DIRECTORY_UNAVAILABLE)
    assert await store.inbox.owe(items[0], asked(first), failure, [notice()]) is Written.DONE
    told = notice("inbox:2")  # a reply to om_1, which was recalled
    assert (
        await store.inbox.decline(items[1], Declined(DeclineReason.NOT_GRANTED), [told])
        is Written.DONE
    )
    assert await claimed(store) == []
    unclosed = await rows(store, "SELECT id FROM inbox WHERE closed_at IS NULL")
    assert unclosed == []


@pytest.mark.requirement("D2")
async def test_a_recalled_queued_question_is_never_begun(store: Store) -> None:
    question = await admitted(store, 1)
    (back,) = await recorded(store, recall(1))
    assert await store.inbox.withdraw(back, message(1)) is Written.DONE
    assert (await store.ledger.question(question)).status is QuestionStatus.WITHDRAWN
    assert await store.conversations.claim(WORKER, limit=1, ttl=TTL) == []
    assert await closed(store, question)


@pytest.mark.requirement("D2")
async def test_a_recall_during_a_turn_makes_every_later_write_lose(store: Store) -> None:
    question, token = await begun(store, 1)
    await store.ledger.calling(token)
    (back,) = await recorded(store, recall(1))
    await store.inbox.withdraw(back, message(1))
    failure = TurnFailure(TurnCode.INTERRUPTED)
    assert await store.ledger.candidate(token, Candidate(b"{}")) is Written.LOST
    assert await store.ledger.settle(token, answer(), [part()]) is Written.LOST
    assert await store.ledger.fail(token, failure, [notice()]) is Written.LOST
    assert await store.ledger.requeue(token) is Written.LOST
    assert (await store.ledger.question(question)).status is QuestionStatus.WITHDRAWN
    assert await claimed(store) == []
    assert await rows(store, "SELECT stage FROM turn") == [("failed",)]


@pytest.mark.requirement("D2", "D4")
async def test_a_recall_drops_unsent_parts_and_leaves_what_is_being_sent(store: Store) -> None:
    two = [part(number=n, of=2, rung="post") for n in (1, 2)]
    question = await settled(store, 1, *two)
    (sending,) = await claimed(store)
    (back,) = await recorded(store, recall(1))
    await store.inbox.withdraw(back, message(1))
    sent = Arrived(SentRef(MessageRef(APP, "om_reply")))
    assert await store.outbox.finish(sending, sent) is Written.DONE
    assert await claimed(store) == []
    assert (await store.ledger.question(question)).status is QuestionStatus.WITHDRAWN
    assert await rows(store, "SELECT part_no, status FROM outbox ORDER BY id") == [
        (1, "sent"),
        (2, "dead"),
    ]


@pytest.mark.requirement("A1", "W3")
async def test_a_question_may_be_owed_from_the_start_with_its_notice(store: Store) -> None:
    event = envelope(1)
    (item,) = await recorded(store, event)
    failure = TurnFailure(TurnCode.DIRECTORY_UNAVAILABLE)
    assert await store.inbox.owe(item, asked(event), failure, [notice()]) is Written.DONE
    (delivery,) = await claimed(store)
    assert delivery.question is not None
    assert (await store.ledger.question(delivery.question)).status is QuestionStatus.OWED
    assert not await closed(store, delivery.question)
    await store.outbox.finish(delivery, Arrived(SentRef(MessageRef(APP, "om_reply"))))
    assert await closed(store, delivery.question)
    assert (await store.ledger.question(delivery.question)).status is QuestionStatus.OWED


async def test_a_line_that_was_said_before_is_not_said_again(store: Store) -> None:
    first, second = await recorded(store, envelope(1), envelope(2))
    why = Declined(DeclineReason.NOT_GRANTED)
    once = notice("ungranted:oc_a:2026-11-30")
    assert await store.inbox.decline(first, why, [once]) is Written.DONE
    assert await store.inbox.decline(second, why, [once]) is Written.DONE
    assert [delivery.subject for delivery in await claimed(store)] == [once.subject]
    states = await rows(store, "SELECT verdict, reason, closed_at IS NULL FROM inbox ORDER BY id")
    assert [tuple(state) for state in states] == [
        ("declined", "not_granted", True),
        ("declined", "not_granted", False),
    ]


@pytest.mark.requirement("D3")
async def test_an_unparsable_row_is_told_to_its_chat_and_the_next_goes_on(store: Store) -> None:
    first, _ = await recorded(store, envelope(1), envelope(2))
    await take(store)
    assert await store.inbox.unparsable(first, "content", [notice("inbox:1")]) is Written.DONE
    assert [d.kind for d in await claimed(store)] == [OutgoingKind.NOTICE]
    assert await taken_events(store) == ["evt_2"]


async def test_many_takers_never_get_the_same_row(store: Store) -> None:
    await recorded(store, *[envelope(n, chat=f"oc_{n}") for n in range(60)])

    async def taker(name: int) -> list[InboxId]:
        found: list[InboxId] = []
        while taken := await store.inbox.take(
            WorkerId(f"w{name}"), lane=Lane.ORDERED, limit=3, ttl=TTL
        ):
            found += [item.id for item in taken]
        return found

    async with asyncio.timeout(10):
        shares = await asyncio.gather(*(taker(n) for n in range(8)))
    taken = [item for share in shares for item in share]
    assert sorted(taken) == list(range(1, 61))


async def test_many_recorders_of_the_same_events_keep_one_of_each(store: Store) -> None:
    events = [envelope(n, chat=f"oc_{n % 5}") for n in range(20)]
    orders = [events[n:] + events[:n] for n in range(12)]
    async with asyncio.timeout(15):
        results = await asyncio.gather(*(store.inbox.record(order) for order in orders))
    fresh = [r.inbox for batch in results for r in batch if not r.duplicate]
    assert len(fresh) == len(set(fresh)) == 20


@pytest.mark.requirement("D2")
async def test_a_recall_beside_an_admission_never_leaves_a_question_open(store: Store) -> None:
    names = range(40)
    events = [envelope(n, chat=f"oc_{n}") for n in names]
    items = await recorded(store, *events)
    backs = await recorded(store, *[recall(n) for n in names])
    async with asyncio.timeout(15):
        await asyncio.gather(
            *(store.inbox.admit(i, asked(e)) for i, e in zip(items, events, strict=True)),
            *(store.inbox.withdraw(b, message(n)) for b, n in zip(backs, names, strict=True)),
        )
    assert await rows(store, "SELECT DISTINCT status FROM question") == [("withdrawn",)]


async def test_a_closed_store_says_that_it_is_unavailable(store: Store) -> None:
    await store.aclose()
    with pytest.raises(StoreUnavailableError):
        await store.inbox.record([envelope(1)])
    await store.aclose()


async def test_a_question_of_a_leased_conversation_waits_for_its_turn(store: Store) -> None:
    first = await admitted(store, 1)
    second = await admitted(store, 2)
    lease = await leased(store)
    assert await store.conversations.next(lease) == first != second


@pytest.mark.requirement("A1")
async def test_a_row_that_was_deferred_before_the_clock_was_set_back_is_taken_now(
    store: Store, clock: FakeClock
) -> None:
    (item,) = await recorded(store, envelope(1))
    await take(store)
    await store.inbox.defer(item, until=clock.now() + timedelta(seconds=30))
    assert await take(store) == []
    clock.advance(timedelta(hours=-8))
    assert [taken.id for taken in await take(store)] == [item]
