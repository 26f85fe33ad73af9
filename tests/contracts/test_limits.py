"""How many questions may be open at once: per asker, per conversation, and for whoever presses a button. Contract A6."""

import asyncio
from dataclasses import replace

import pytest
from sqlalchemy import text

from steward.model.action import AskedAgain, ClickRefusal, Offer
from steward.model.audience import Declined, DeclineReason, Limits
from steward.model.delivery import Arrived, SentRef
from steward.model.events import Envelope
from steward.model.ids import AppId, AttemptToken, InboxId, MessageRef, OpenId, QuestionId
from steward.model.turn import (
    NewQuestion,
    QuestionStatus,
    TurnCode,
    TurnFailure,
    Written,
)
from steward.policy.clicking import asked_again
from steward.store import Store, questions
from steward.testing.world import EPOCH
from tests.contracts.given import (
    APP,
    TTL,
    WORKER,
    admitted,
    answer,
    asked,
    begin,
    begun,
    claimed,
    closed,
    envelope,
    message,
    notice,
    part,
    recall,
    recorded,
    rows,
)
from tests.contracts.test_clicks import click, press, shown
from tests.contracts.test_concurrency import PATIENCE, Paused

TWO = Limits(open_per_asker=2, open_per_conversation=100)
ROOM = Limits(open_per_asker=100, open_per_conversation=2)
ASKER_LIMIT = Declined(DeclineReason.ASKER_LIMIT)
CONVERSATION_LIMIT = Declined(DeclineReason.CONVERSATION_LIMIT)


async def admit(
    store: Store, event: Envelope, limits: Limits, asker: str | None = None
) -> QuestionId | Declined | Written:
    (item,) = await recorded(store, event)
    return await store.inbox.admit(item, question(event, asker), limits)


def question(event: Envelope, asker: str | None = None) -> NewQuestion:
    """Each event's asker is somebody else, unless one is named."""
    return replace(asked(event), asker=OpenId(asker or f"ou_{event.event_id}"))


async def fill(store: Store, *names: object, chat: str = "oc_a") -> list[QuestionId]:
    """Queued questions of the one asker."""
    return [await admitted(store, name, chat=chat) for name in names]


def is_in(outcome: QuestionId | Declined | Written) -> bool:
    return isinstance(outcome, int)


@pytest.mark.requirement("A6")
async def test_one_asker_has_so_many_open_questions_over_all_conversations(store: Store) -> None:
    for n, chat in enumerate(("oc_a", "oc_b")):
        assert is_in(await admit(store, envelope(n, chat=chat), TWO, "ou_one"))
    assert await admit(store, envelope(2, chat="oc_c"), TWO, "ou_one") == ASKER_LIMIT
    assert is_in(await admit(store, envelope(3, chat="oc_a"), TWO, "ou_two"))


async def test_the_same_person_under_another_app_is_another_asker(store: Store) -> None:
    for n in range(2):
        assert is_in(await admit(store, envelope(n), TWO, "ou_one"))
    event = envelope(3)
    other = AppId("cli_sim_b")
    assert event.conversation is not None
    there = replace(
        event,
        app_id=other,
        message=MessageRef(other, "om_there"),
        conversation=replace(event.conversation, app_id=other),
    )
    assert is_in(await admit(store, there, TWO, "ou_one"))


@pytest.mark.requirement("A6")
async def test_one_conversation_has_so_many_open_questions_of_all_askers(store: Store) -> None:
    for n in range(2):
        assert is_in(await admit(store, envelope(n), ROOM))
    assert await admit(store, envelope(2), ROOM) == CONVERSATION_LIMIT
    assert is_in(await admit(store, envelope(3, thread="omt_1"), ROOM))
    assert is_in(await admit(store, envelope(4, chat="oc_b"), ROOM))


@pytest.mark.requirement("A6")
async def test_a_question_at_work_is_open_and_so_is_one_under_review(store: Store) -> None:
    first, _ = await begun(store, 1)
    await fill(store, 2)
    assert await admit(store, envelope(3), ROOM) == CONVERSATION_LIMIT
    assert await admit(store, envelope(4), TWO, "ou_asker") == ASKER_LIMIT
    await set_status(store, first, QuestionStatus.REVIEWING)
    assert await admit(store, envelope(5), ROOM) == CONVERSATION_LIMIT
    assert await admit(store, envelope(6), TWO, "ou_asker") == ASKER_LIMIT


@pytest.mark.requirement("A6")
@pytest.mark.parametrize("end", ["owed", "settled", "answered", "withdrawn"])
async def test_what_is_not_open_does_not_count(store: Store, end: str) -> None:
    await fill(store, 1, chat="oc_b")
    match end:
        case "owed":
            _, token = await begun_in(store, 2)
            failure = TurnFailure(TurnCode.INTERRUPTED)
            await store.ledger.fail(token, failure, [notice("message:om_2")])
        case "settled" | "answered":
            await settled_in(store, 2)
            if end == "answered":
                (delivery,) = await claimed(store)
                await store.outbox.finish(delivery, Arrived(SentRef(MessageRef(APP, "om_reply"))))
        case _:
            await fill(store, 2)
            (item,) = await recorded(store, recall(2))
            await store.inbox.withdraw(item, message(2))
    assert await rows(store, "SELECT status FROM question WHERE message_id = 'om_2'") == [(end,)]
    assert is_in(await admit(store, envelope(3), TWO, "ou_asker"))
    assert await admit(store, envelope(4), TWO, "ou_asker") == ASKER_LIMIT


async def begun_in(store: Store, name: object) -> tuple[QuestionId, AttemptToken]:
    """A question at work in oc_a, while another waits elsewhere."""
    question = await admitted(store, name)
    leases = await store.conversations.claim(WORKER, limit=2, ttl=TTL)
    (lease,) = [one for one in leases if one.conversation.chat_id == "oc_a"]
    token = AttemptToken(f"attempt-{name}")
    assert await begin(store, lease, question, token) is Written.DONE
    return question, token


async def settled_in(store: Store, name: object) -> None:
    _, token = await begun_in(store, name)
    assert await store.ledger.settle(token, answer(), [part(f"message:om_{name}")]) is Written.DONE


async def set_status(store: Store, of: QuestionId, status: QuestionStatus) -> None:
    await store.database.write(
        lambda connection: (
            connection.execute(
                text("UPDATE question SET status = :status WHERE id = :of"),
                {"status": status.value, "of": of},
            ).rowcount
        )
    )


async def test_a_message_that_was_taken_back_first_is_withdrawn_and_counts_for_nobody(
    store: Store,
) -> None:
    await fill(store, 1, 2)
    (item,) = await recorded(store, recall(3))
    await store.inbox.withdraw(item, message(3))
    late = await admit(store, envelope(3), TWO, "ou_asker")
    assert isinstance(late, int)
    assert (await store.ledger.question(QuestionId(late))).status is QuestionStatus.WITHDRAWN
    more = Limits(open_per_asker=3, open_per_conversation=3)
    assert is_in(await admit(store, envelope(4), more, "ou_asker"))


async def test_without_limits_nothing_is_counted(store: Store) -> None:
    await fill(store, *range(30))
    assert len(await rows(store, "SELECT id FROM question")) == 30


@pytest.mark.requirement("A6")
async def test_the_limits_of_the_contract_are_the_defaults() -> None:
    assert Limits() == Limits(open_per_asker=3, open_per_conversation=20)


@pytest.mark.requirement("A6")
async def test_what_is_one_too_many_stays_unjudged_and_is_declined_in_sight(store: Store) -> None:
    await fill(store, 1, 2)
    event = envelope(3)
    (item,) = await recorded(store, event)
    assert await store.inbox.admit(item, asked(event), TWO) == ASKER_LIMIT
    assert await rows(store, "SELECT verdict FROM inbox WHERE id = :item", item=item) == [(None,)]
    assert await rows(store, "SELECT id FROM question WHERE message_id = 'om_3'") == []
    told = [notice("message:om_3")]
    assert await store.inbox.decline(item, ASKER_LIMIT, told) is Written.DONE
    assert await rows(store, "SELECT verdict, reason FROM inbox WHERE id = :item", item=item) == [
        ("declined", "asker_limit")
    ]
    assert [delivery.subject for delivery in await claimed(store)] == ["message:om_3"]


async def test_what_is_one_too_many_can_be_admitted_once_there_is_room(store: Store) -> None:
    first, *_ = await fill(store, 1, 2)
    event = envelope(3)
    (item,) = await recorded(store, event)
    assert await store.inbox.admit(item, asked(event), TWO) == ASKER_LIMIT
    (taken_back,) = await recorded(store, recall(1))
    await store.inbox.withdraw(taken_back, message(1))
    assert is_in(await store.inbox.admit(item, asked(event), TWO))
    assert await closed(store, first)


@pytest.mark.requirement("A6")
async def test_two_at_the_same_instant_do_not_take_the_same_last_place_of_an_asker(
    store: Store,
) -> None:
    await fill(store, 1)
    two, three = envelope(2, chat="oc_b"), envelope(3, chat="oc_c")
    first, second = await recorded(store, two, three)
    await race(store, first, two, second, three, TWO, ASKER_LIMIT)


@pytest.mark.requirement("A6")
async def test_nor_that_of_a_conversation(store: Store) -> None:
    await fill(store, 1)
    two, three = envelope(2), envelope(3)
    first, second = await recorded(store, two, three)
    await race(store, first, two, second, three, ROOM, CONVERSATION_LIMIT)


async def race(
    store: Store,
    first: InboxId,
    one: Envelope,
    second: InboxId,
    other: Envelope,
    limits: Limits,
    refusal: Declined,
) -> None:
    """One is counted and not committed yet; the other waits, and then counts it."""
    same = None if limits is ROOM else "ou_asker"
    async with Paused(
        store,
        lambda c: questions.admit(c, first, question(one, same), limits, EPOCH),
    ):
        racing = asyncio.ensure_future(store.inbox.admit(second, question(other, same), limits))
        done, _ = await asyncio.wait([racing], timeout=PATIENCE)
        assert not done
    assert await racing == refusal


def again(offer: Offer) -> AskedAgain:
    return AskedAgain(asked_again(offer, EPOCH))


async def chosen(store: Store, limits: Limits, name: object = 1) -> Written | ClickRefusal:
    offer = await store.clicks.find(click())
    assert offer is not None
    return await store.clicks.press(press(name), click(), offer, again(offer), limits)


@pytest.mark.requirement("A6")
async def test_a_choice_that_is_one_question_too_many_does_nothing_until_there_is_room(
    store: Store,
) -> None:
    await shown(store)
    await fill(store, 7, 8)
    assert await chosen(store, TWO) is ClickRefusal.TOO_MANY
    assert await rows(store, "SELECT id FROM inbox WHERE kind = 'click'") == []
    assert await rows(store, "SELECT used_at FROM action WHERE kind = 'choose'") == [(None,)]
    assert await store.clicks.refuse(press(1), ClickRefusal.TOO_MANY, click()) is Written.DONE
    (item,) = await recorded(store, recall(7))
    await store.inbox.withdraw(item, message(7))
    assert await chosen(store, TWO, "again") is Written.DONE


async def test_a_choice_counts_for_its_asker_and_its_conversation(store: Store) -> None:
    await shown(store)
    assert await chosen(store, TWO) is Written.DONE
    await fill(store, 8)
    assert await admit(store, envelope(9), TWO, "ou_asker") == ASKER_LIMIT
    assert await admit(store, envelope(10), ROOM) == CONVERSATION_LIMIT


async def test_a_full_conversation_takes_no_choice_either(store: Store) -> None:
    await shown(store)
    await fill(store, 7, 8)
    assert await chosen(store, ROOM) is ClickRefusal.TOO_MANY


async def test_a_stale_look_is_told_before_a_limit(store: Store) -> None:
    offer = await shown(store)
    await fill(store, 7, 8)
    await store.grants.sync([])
    pressing = store.clicks.press(press(1), click(), offer, again(offer), TWO)
    assert await pressing is Written.LOST
