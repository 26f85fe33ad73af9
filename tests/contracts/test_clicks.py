"""Clicks: what a press does is one commit with its record, and what was looked at is what is committed. A5, A3, D1."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from steward.model.action import (
    Action,
    ActionKind,
    AskedAgain,
    ClickRefusal,
    NewAction,
    Offer,
    Shown,
)
from steward.model.answer import OutgoingKind
from steward.model.audience import Grant, GrantOrigin
from steward.model.delivery import Arrived, SentRef, TryAgain
from steward.model.events import Click, Envelope, EventKind, Lane, Principal, PrincipalKind
from steward.model.ids import (
    AttemptToken,
    ChatId,
    EventId,
    GoalId,
    MessageRef,
    OpenId,
    SourceId,
    TenantKey,
)
from steward.model.turn import QuestionStatus, Written
from steward.policy.clicking import asked_again
from steward.store import Store
from steward.store.withdrawal import withdraw
from steward.testing.world import EPOCH, FakeClock
from tests.contracts.given import (
    APP,
    ASKER,
    TTL,
    WORKER,
    admitted,
    answer,
    begin,
    begun,
    claimed,
    conversation,
    envelope,
    leased,
    message,
    part,
    recall,
    recorded,
    rows,
    settled,
)
from tests.contracts.test_concurrency import PATIENCE, Paused

CARD = MessageRef(APP, "om_card")
OWNER = OpenId("ou_owner")
GATEWAY = GoalId("gateway")
UNTIL = EPOCH + timedelta(hours=24)
CHOOSE = NewAction("nonce-choose", ActionKind.CHOOSE, UNTIL, GATEWAY)
EVIDENCE = NewAction("nonce-evidence", ActionKind.EVIDENCE, UNTIL)
TEAM = Grant("team", "group:oc_a", (SourceId("plans"),), None, GrantOrigin.CONFIG)


def press(name: object) -> Envelope:
    return envelope(f"press_{name}", kind=EventKind.CLICK, lane=Lane.NOW)


def click(
    nonce: str | None = CHOOSE.nonce,
    operator: OpenId | None = ASKER,
    card: MessageRef | None = CARD,
) -> Click:
    who = Principal(operator, TenantKey("tenant"), PrincipalKind.PERSON)
    return Click(card, conversation(), who, nonce)


async def shown(store: Store, *, delivered: bool = True) -> Offer:
    """An answer with both buttons stands in the chat; what is known of the choice."""
    await store.grants.sync([TEAM])
    question = await admitted(store, 1)
    lease, token = await leased(store), AttemptToken("attempt-1")
    await begin(store, lease, question, token)
    settled = await store.ledger.settle(token, answer(), [part()], [CHOOSE, EVIDENCE])
    assert settled is Written.DONE
    await store.conversations.release(lease)
    (card,) = await claimed(store)
    if delivered:
        await store.outbox.finish(card, Arrived(SentRef(CARD)))
    offer = await store.clicks.find(click())
    assert offer is not None
    assert offer.question.id == question
    return offer


async def seen(store: Store, pressed: Click) -> Offer:
    offer = await store.clicks.find(pressed)
    assert offer is not None
    return offer


def asks(offer: Offer) -> AskedAgain:
    return AskedAgain(asked_again(offer, EPOCH))


def evidence(operator: OpenId = ASKER) -> Shown:
    return Shown([part(f"message:om_1:evidence:{operator}", kind=OutgoingKind.EVIDENCE)])


async def questions(store: Store) -> Sequence[tuple[str, str | None, str | None]]:
    found = await rows(store, "SELECT status, chosen, choice FROM question ORDER BY id")
    return [(status, chosen, choice) for status, chosen, choice in found]


async def judged(store: Store) -> list[tuple[str, str | None, bool]]:
    """Verdict, reason, and whether it is closed, of every press that was kept."""
    found = await rows(store, "SELECT verdict, reason, closed_at FROM inbox WHERE kind = 'click'")
    return [(verdict, reason, closed is not None) for verdict, reason, closed in found]


@pytest.mark.requirement("A5")
async def test_a_button_is_found_with_all_that_a_press_is_judged_by(store: Store) -> None:
    offer = await shown(store)
    question = offer.question
    assert offer == Offer(
        action=Action(
            nonce=CHOOSE.nonce,
            kind=ActionKind.CHOOSE,
            question=question.id,
            conversation=conversation(),
            chat=ChatId("oc_a"),
            goal=GATEWAY,
            expires_at=UNTIL,
        ),
        question=question,
        grants=(TEAM,),
        carried=True,
        sending=False,
        recalled=False,
        pressed=False,
    )
    assert question.status is QuestionStatus.ANSWERED


@pytest.mark.parametrize("nonce", [None, "", "guess", "nonce-choose ", "\x00\ud800", "x" * 5000])
async def test_there_is_no_button_of_another_nonce(store: Store, nonce: str | None) -> None:
    await shown(store)
    assert await store.clicks.find(click(nonce)) is None


@pytest.mark.requirement("A5")
@pytest.mark.parametrize(
    "card",
    [MessageRef(APP, "om_forwarded"), MessageRef(APP, "om_1"), MessageRef(APP, "\x00"), None],
)
async def test_only_the_message_that_we_sent_carries_its_buttons(
    store: Store, card: MessageRef | None
) -> None:
    await shown(store)
    assert not (await seen(store, click(card=card))).carried


@pytest.mark.requirement("A5")
async def test_a_button_is_not_carried_by_another_answer_of_ours(store: Store) -> None:
    await shown(store)
    await settled(store, 2)
    (other,) = await claimed(store)
    await store.outbox.finish(other, Arrived(SentRef(MessageRef(APP, "om_other_card"))))
    assert not (await seen(store, click(card=MessageRef(APP, "om_other_card")))).carried


@pytest.mark.requirement("A5")
async def test_a_card_that_may_have_arrived_is_on_its_way_until_its_id_is_known(
    store: Store, clock: FakeClock
) -> None:
    offer = await shown(store, delivered=False)
    assert (offer.carried, offer.sending) == (False, True)
    clock.advance(TTL)
    (again,) = await claimed(store)
    await store.outbox.finish(again, TryAgain(clock.now(), unknown=True))
    assert (await seen(store, click())).sending
    (again,) = await claimed(store)
    await store.outbox.finish(again, Arrived(SentRef(CARD)))
    offer = await seen(store, click())
    assert (offer.carried, offer.sending) == (True, False)


@pytest.mark.requirement("A5", "T4")
async def test_a_choice_is_a_new_question_of_the_same_asker_bound_to_the_press(
    store: Store,
) -> None:
    offer = await shown(store)
    assert await store.clicks.press(press(1), click(operator=OWNER), offer, asks(offer)) is (
        Written.DONE
    )
    chosen = await store.conversations.next(await leased(store))
    assert chosen is not None
    asked = await store.ledger.question(chosen)
    assert asked == replace(
        offer.question,
        id=chosen,
        inbox=asked.inbox,
        status=QuestionStatus.QUEUED,
        chosen=GATEWAY,
        choice=CHOOSE.nonce,
    )
    assert await rows(
        store,
        "SELECT kind, verdict, closed_at FROM inbox WHERE id = :item",
        item=asked.inbox,
    ) == [("click", "admitted", None)]
    after = (await seen(store, click())).action
    assert (after.used_at, after.used_by) == (EPOCH, OWNER)


@pytest.mark.requirement("A5")
async def test_of_two_operators_who_choose_at_once_one_is_followed(store: Store) -> None:
    offer = await shown(store)
    presses = [
        store.clicks.press(press(n), click(operator=operator), offer, asks(offer))
        for n, operator in enumerate([ASKER, OWNER] * 6)
    ]
    async with asyncio.timeout(10):
        written = await asyncio.gather(*presses)
    assert sorted(one.value for one in written) == ["done"] + ["lost"] * 11
    assert [chosen for _, chosen, _ in await questions(store)] == [None, GATEWAY]
    assert len(await rows(store, "SELECT 1 FROM inbox WHERE kind = 'click'")) == 1


@pytest.mark.requirement("A5")
async def test_evidence_is_shown_once_to_each_who_asks_for_it(store: Store) -> None:
    await shown(store)
    for n, operator in enumerate([ASKER, OWNER]):
        pressed = click(EVIDENCE.nonce, operator)
        offer = await seen(store, pressed)
        assert not offer.pressed
        done = await store.clicks.press(press(n), pressed, offer, evidence(operator))
        assert done is Written.DONE
        assert (await seen(store, pressed)).pressed
        again = await store.clicks.press(press(f"{n}b"), pressed, offer, evidence(operator))
        assert again is Written.LOST
    parts = await rows(store, "SELECT kind FROM outbox WHERE question_id = 1 ORDER BY id")
    assert [kind for (kind,) in parts] == ["answer", "evidence", "evidence"]


@pytest.mark.requirement("A5", "W3")
async def test_a_press_is_closed_when_its_evidence_has_arrived_and_the_question_stays_answered(
    store: Store,
) -> None:
    await shown(store)
    pressed = click(EVIDENCE.nonce)
    await store.clicks.press(press(1), pressed, await seen(store, pressed), evidence())
    assert await judged(store) == [("command", None, False)]
    (delivery,) = await claimed(store)
    await store.outbox.finish(delivery, Arrived(SentRef(MessageRef(APP, "om_evidence"))))
    assert await judged(store) == [("command", None, True)]
    assert (await seen(store, pressed)).question.status is QuestionStatus.ANSWERED
    assert (await seen(store, replace(pressed, message=MessageRef(APP, "om_evidence")))).carried


@pytest.mark.requirement("A5", "A3")
@pytest.mark.parametrize("change", ["revoked", "recalled", "pressed"])
async def test_nothing_is_written_where_what_was_looked_at_has_changed(
    store: Store, change: str
) -> None:
    offer = await shown(store)
    match change:
        case "revoked":
            await store.grants.sync([])
        case "recalled":
            (item,) = await recorded(store, recall(1))
            await store.inbox.withdraw(item, message(1))
        case _:
            await store.clicks.press(press("first"), click(), offer, asks(offer))
    before = await questions(store)
    assert await store.clicks.press(press("late"), click(), offer, asks(offer)) is Written.LOST
    assert await questions(store) == before
    assert await rows(store, "SELECT 1 FROM inbox WHERE event_id = 'evt_press_late'") == []


@pytest.mark.requirement("D1", "A5")
async def test_a_redelivered_press_is_the_same_event_and_does_nothing_more(store: Store) -> None:
    offer = await shown(store)
    pressed = click(EVIDENCE.nonce)
    offer = await seen(store, pressed)
    assert await store.clicks.press(press(1), pressed, offer, evidence()) is Written.DONE
    other = click(EVIDENCE.nonce, OWNER)
    replayed = await store.clicks.press(press(1), other, await seen(store, other), evidence(OWNER))
    assert replayed is Written.REPLAY
    assert len(await rows(store, "SELECT 1 FROM click")) == 1


@pytest.mark.requirement("A5", "D1")
async def test_a_press_that_does_nothing_is_kept_with_its_reason_and_uses_nothing_up(
    store: Store,
) -> None:
    offer = await shown(store)
    written = [await store.clicks.refuse(press(n), ClickRefusal.NOT_PERMITTED) for n in (1, 1, 2)]
    assert written == [Written.DONE, Written.REPLAY, Written.DONE]
    assert await judged(store) == [("declined", "not_permitted", True)] * 2
    assert await store.inbox.take(WORKER, lane=Lane.NOW, limit=1, ttl=TTL) == []
    assert await seen(store, click()) == offer


@pytest.mark.requirement("D2", "A5")
async def test_a_recall_ends_the_chosen_question_and_drops_what_a_press_asked_for(
    store: Store,
) -> None:
    offer = await shown(store)
    pressed = click(EVIDENCE.nonce)
    await store.clicks.press(press(1), pressed, await seen(store, pressed), evidence())
    offer = await seen(store, click())
    assert await store.clicks.press(press(2), click(), offer, asks(offer)) is Written.DONE
    (item,) = await recorded(store, recall(1))
    assert await store.inbox.withdraw(item, message(1)) is Written.DONE
    assert [status for status, _, _ in await questions(store)] == ["answered", "withdrawn"]
    assert await claimed(store) == []
    assert [closed for _, _, closed in await judged(store)] == [True, True]
    assert (await seen(store, pressed)).recalled


@pytest.mark.requirement("D2", "A5")
async def test_a_press_waits_for_a_recall_of_the_question_and_does_nothing_then(
    store: Store,
) -> None:
    offer = await shown(store)
    (item,) = await recorded(store, recall(1))
    async with Paused(store, lambda connection: withdraw(connection, item, message(1), EPOCH)):
        pressing = asyncio.ensure_future(store.clicks.press(press(1), click(), offer, asks(offer)))
        done, _ = await asyncio.wait([pressing], timeout=PATIENCE)
        assert not done
    assert await pressing is Written.LOST
    assert [chosen for _, chosen, _ in await questions(store)] == [None]


async def test_a_settle_that_is_replayed_writes_no_button_twice(store: Store) -> None:
    _, token = await begun(store, 1)
    for expected in (Written.DONE, Written.REPLAY):
        settled = await store.ledger.settle(token, answer(), [part()], [CHOOSE])
        assert settled is expected
    assert await rows(store, "SELECT nonce FROM action") == [(CHOOSE.nonce,)]


async def test_the_press_of_an_event_that_no_store_can_take_is_kept_as_unparsable(
    store: Store,
) -> None:
    event = replace(press(1), event_id=EventId("x" * 300))
    assert await store.clicks.refuse(event, ClickRefusal.UNKNOWN) is Written.DONE
    assert await rows(store, "SELECT verdict FROM inbox") == [("unparsable",)]
