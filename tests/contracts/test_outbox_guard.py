"""What may not be shown any more is dropped, told and owed; what may have arrived keeps its fate. Contracts A3, D4, W3."""

from dataclasses import replace
from datetime import timedelta

import pytest

from steward.errors import ContractError
from steward.model.answer import OutgoingKind
from steward.model.audience import Audience, AudienceKind
from steward.model.delivery import (
    Arrived,
    Delivery,
    GivenUp,
    Guard,
    NewPart,
    SentRef,
    SteppedDown,
    TryAgain,
)
from steward.model.events import EventKind, Lane
from steward.model.ids import ChatId, InboxId, MessageRef, OpenId, QuestionId
from steward.model.turn import QuestionStatus, TurnCode, TurnFailure, Written
from steward.store import Store
from steward.store.parts import add_parts
from steward.testing.world import EPOCH, FakeClock
from tests.contracts.given import (
    APP,
    ASKER,
    TTL,
    answer,
    begun,
    claimed,
    closed,
    envelope,
    message,
    notice,
    part,
    planned,
    recall,
    recorded,
    rows,
    settled,
)

GUARD = Guard(Audience(AudienceKind.GROUP, ChatId("oc_a")), ASKER, "scope-1")
CHANGED = TurnFailure(TurnCode.AUTHORIZATION_CHANGED)
MINUTE = timedelta(minutes=1)
TOLD = [notice("message:om_1:withheld")]


def guarded(name: object = 1, number: int = 1, of: int = 1, **given: object) -> NewPart:
    subject = f"message:om_{name}"
    return replace(part(subject, number=number, of=of), guard=GUARD, **given)  # type: ignore[arg-type]


def evidence(name: object = 1) -> NewPart:
    shown = part(f"message:om_{name}:evidence", kind=OutgoingKind.EVIDENCE)
    return replace(shown, guard=GUARD)


def sent(name: str = "om_reply") -> Arrived:
    return Arrived(SentRef(MessageRef(APP, name)))


async def status(store: Store, question: QuestionId) -> QuestionStatus:
    return (await store.ledger.question(question)).status


async def states(store: Store) -> list[tuple[str, str, str | None]]:
    found = await rows(store, "SELECT kind, status, failure FROM outbox ORDER BY id")
    return [(kind, state, failure) for kind, state, failure in found]


async def pressed(store: Store, question: QuestionId, *parts: NewPart) -> InboxId:
    """The row of a press whose evidence waits in the outbox, as `Clicks.press` leaves it."""
    (item,) = await recorded(store, envelope("press", kind=EventKind.CLICK, lane=Lane.NOW))
    owned = [replace(one, question=question) for one in parts]
    await store.database.write(
        lambda connection: add_parts(connection, owned, inbox_id=item, now=EPOCH)
    )
    return item


async def row_closed(store: Store, item: InboxId) -> bool:
    ((at,),) = await rows(store, "SELECT closed_at FROM inbox WHERE id = :item", item=item)
    return at is not None


async def one(store: Store) -> Delivery:
    (delivery,) = await claimed(store)
    return delivery


async def test_a_guard_comes_back_with_each_claim_and_stays_with_a_lower_rung(
    store: Store, clock: FakeClock
) -> None:
    odd = Guard(Audience(AudienceKind.EXTERNAL, ChatId("oc_乙")), OpenId("ou_\u2028"), "r\x001")
    lower = ((planned("post", 1, 2), planned("post", 2, 2)), (planned("text"),))
    await settled(store, 1, replace(guarded(lower=lower), guard=odd))
    first = await one(store)
    assert first.guard == odd
    await store.outbox.finish(first, TryAgain(clock.now(), unknown=False))
    again = await one(store)
    assert again.guard == odd
    await store.outbox.finish(again, SteppedDown("form"))
    for _ in range(2):
        lowered = await one(store)
        assert lowered.guard == odd
        await store.outbox.finish(lowered, sent(f"om_{lowered.part.number}"))


async def test_what_shows_no_evidence_has_no_guard(store: Store) -> None:
    await settled(store, 1)
    assert (await one(store)).guard is None


async def test_a_guarded_part_belongs_to_a_question(store: Store) -> None:
    with pytest.raises(ContractError):
        await store.database.write(
            lambda connection: add_parts(connection, [guarded()], inbox_id=None, now=EPOCH)
        )
    assert await states(store) == []


@pytest.mark.requirement("A3", "W3")
async def test_a_revoked_answer_is_dropped_and_its_question_owed_and_told(store: Store) -> None:
    question = await settled(store, 1, *(guarded(number=n, of=3) for n in (1, 2, 3)))
    first = await one(store)
    await store.outbox.finish(first, sent())
    assert await store.outbox.revoke(await one(store), CHANGED, TOLD) is Written.DONE
    gone = ("answer", "dead", "authorization_changed")
    assert await states(store) == [
        ("answer", "sent", None),
        gone,
        gone,
        ("notice", "pending", None),
    ]
    assert await status(store, question) is QuestionStatus.OWED
    failure = await rows(store, "SELECT failure FROM question")
    assert "authorization_changed" in failure[0][0]
    assert not await closed(store, question)
    told = await one(store)
    assert (told.kind, told.question) == (OutgoingKind.NOTICE, question)
    assert await store.outbox.finish(told, sent("om_told")) is Written.DONE
    assert await closed(store, question)
    assert await status(store, question) is QuestionStatus.OWED
    assert await claimed(store) == []


@pytest.mark.requirement("A3")
async def test_a_withheld_answer_is_no_answer_any_more(store: Store) -> None:
    question = await settled(store, 1, guarded())
    assert await store.ledger.answer(question) is not None
    await store.outbox.revoke(await one(store), CHANGED, TOLD)
    assert await store.ledger.answer(question) is None
    assert await rows(store, "SELECT accepted FROM answer") == [(False,)]


@pytest.mark.requirement("A3")
async def test_a_part_of_the_message_goes_with_it_also_without_a_guard(store: Store) -> None:
    await settled(store, 1, guarded(number=1, of=2), part(number=2, of=2))
    await store.outbox.revoke(await one(store), CHANGED, TOLD)
    assert [state for _, state, _ in await states(store)] == ["dead", "dead", "pending"]


@pytest.mark.requirement("A3")
async def test_revoking_touches_no_other_question_and_nothing_that_shows_no_evidence(
    store: Store,
) -> None:
    first = await settled(store, 1, guarded(1))
    other = await settled(store, 2, guarded(2))
    await pressed(store, first, part("message:om_1:said", kind=OutgoingKind.NOTICE))
    await store.outbox.revoke(await one(store), CHANGED, TOLD)
    assert [state for _, state, _ in await states(store)] == [
        *("dead", "pending", "pending", "pending")
    ]
    assert await status(store, other) is QuestionStatus.SETTLED


@pytest.mark.requirement("A3", "W3")
async def test_evidence_that_is_revoked_makes_no_answered_question_owed(store: Store) -> None:
    question = await settled(store, 1, guarded())
    await store.outbox.finish(await one(store), sent())
    item = await pressed(store, question, evidence())
    assert await store.outbox.revoke(await one(store), CHANGED, TOLD) is Written.DONE
    assert await status(store, question) is QuestionStatus.ANSWERED
    assert await store.ledger.answer(question) is not None
    assert not await row_closed(store, item)
    told = await one(store)
    assert told.kind is OutgoingKind.NOTICE
    await store.outbox.finish(told, sent("om_told"))
    assert await row_closed(store, item)


@pytest.mark.requirement("A3", "W3")
async def test_evidence_that_goes_with_an_answer_closes_its_press(store: Store) -> None:
    question = await settled(store, 1, guarded())
    item = await pressed(store, question, evidence())
    await store.outbox.revoke(await one(store), CHANGED, TOLD)
    assert await row_closed(store, item)
    assert not await closed(store, question)
    assert await status(store, question) is QuestionStatus.OWED


@pytest.mark.requirement("A3", "D2")
async def test_nobody_is_told_of_a_withdrawn_question(store: Store) -> None:
    question = await settled(store, 1, guarded())
    delivery = await one(store)
    (item,) = await recorded(store, recall(1))
    await store.inbox.withdraw(item, message(1))
    assert await store.outbox.revoke(delivery, CHANGED, TOLD) is Written.DONE
    assert await states(store) == [("answer", "dead", "authorization_changed")]
    assert await status(store, question) is QuestionStatus.WITHDRAWN
    assert await closed(store, question)
    assert await claimed(store) == []


@pytest.mark.requirement("A3", "D4")
async def test_only_the_newest_try_revokes(store: Store, clock: FakeClock) -> None:
    question = await settled(store, 1, guarded())
    old = await one(store)
    clock.advance(TTL)
    new = await one(store)
    assert await store.outbox.revoke(old, CHANGED, TOLD) is Written.LOST
    assert await states(store) == [("answer", "sending", None)]
    await store.outbox.finish(new, sent())
    assert await store.outbox.revoke(new, CHANGED, TOLD) is Written.LOST
    assert await status(store, question) is QuestionStatus.ANSWERED
    assert await states(store) == [("answer", "sent", None)]


@pytest.mark.requirement("A3", "D4")
async def test_what_is_being_sent_or_may_have_arrived_elsewhere_keeps_its_fate(
    store: Store, clock: FakeClock
) -> None:
    question = await settled(store, 1, guarded())
    item = await pressed(store, question, *elsewhere(2))
    here, there = await claimed(store)
    assert here.kind is OutgoingKind.ANSWER
    await store.outbox.finish(there, TryAgain(clock.now() + MINUTE, unknown=True))
    await store.outbox.revoke(here, CHANGED, TOLD)
    left = [state for _, state, _ in await states(store)]
    assert left == ["dead", "unknown", "dead", "pending"]
    assert not await row_closed(store, item)
    await store.outbox.finish(there, sent("om_there"))
    assert await row_closed(store, item)


@pytest.mark.requirement("A3", "D4")
async def test_evidence_that_is_revoked_takes_no_answer_back_that_may_have_arrived(
    store: Store, clock: FakeClock
) -> None:
    question = await settled(store, 1, guarded())
    await pressed(store, question, *elsewhere(1))
    here, there = await claimed(store)
    await store.outbox.finish(here, TryAgain(clock.now() + MINUTE, unknown=True))
    await store.outbox.revoke(there, CHANGED, TOLD)
    assert await status(store, question) is QuestionStatus.SETTLED
    await store.outbox.finish(here, sent())
    assert await status(store, question) is QuestionStatus.ANSWERED


def elsewhere(count: int) -> list[NewPart]:
    """Evidence on its way in a chat of its own, so that it waits for nothing."""
    place = replace(part(chat="oc_b").place, reply_to=None)
    of = [replace(planned("card", n, count), uuid=f"uuid-there-{n}") for n in range(1, count + 1)]
    return [replace(evidence(), place=place, part=one) for one in of]


@pytest.mark.requirement("A3", "D4")
async def test_a_revoked_part_that_arrived_after_all_is_kept_as_sent(store: Store) -> None:
    question = await settled(store, 1, guarded())
    delivery = await one(store)
    await store.outbox.revoke(delivery, CHANGED, TOLD)
    assert await store.outbox.finish(delivery, sent()) is Written.DONE
    assert await store.outbox.ours(MessageRef(APP, "om_reply"))
    assert await status(store, question) is QuestionStatus.OWED


async def test_a_notice_that_stands_already_is_not_written_again_and_closes(store: Store) -> None:
    question = await settled(store, 1, guarded())
    await store.outbox.finish(await one(store), sent())
    item = await pressed(store, question, evidence())
    await store.outbox.revoke(await one(store), CHANGED, TOLD)
    await store.outbox.finish(await one(store), GivenUp("chat_gone"))
    (later,) = await recorded(store, envelope("later", kind=EventKind.CLICK, lane=Lane.NOW))
    again = replace(evidence("1:again"), question=question)
    await store.database.write(
        lambda connection: add_parts(connection, [again], inbox_id=later, now=EPOCH)
    )
    await store.outbox.revoke(await one(store), CHANGED, TOLD)
    assert await row_closed(store, item)
    assert await row_closed(store, later)


@pytest.mark.requirement("W3")
async def test_a_question_is_not_owed_without_a_word(store: Store) -> None:
    question = await settled(store, 1, guarded())
    with pytest.raises(ContractError):
        await store.outbox.revoke(await one(store), CHANGED, [])
    assert await status(store, question) is QuestionStatus.SETTLED


@pytest.mark.requirement("A3")
async def test_the_reply_to_a_command_is_dropped_and_told_and_nothing_else_is(store: Store) -> None:
    question = await settled(store, 1, guarded())
    (item,) = await recorded(store, envelope(2))
    kind = OutgoingKind.NOTICE
    reply = [
        replace(part("inbox:2", number=n, of=2, kind=kind), guard=GUARD, question=None)
        for n in (1, 2)
    ]
    await store.database.write(
        lambda connection: add_parts(connection, reply, inbox_id=item, now=EPOCH)
    )
    await store.outbox.finish(await one(store), sent())
    told = [notice("inbox:2:withheld")]
    assert await store.outbox.revoke(await one(store), CHANGED, told) is Written.DONE
    gone = ("notice", "dead", "authorization_changed")
    assert await states(store) == [
        ("answer", "sent", None),
        gone,
        gone,
        ("notice", "pending", None),
    ]
    assert await status(store, question) is QuestionStatus.ANSWERED
    assert not await row_closed(store, item)
    await store.outbox.finish(await one(store), sent("om_told"))
    assert await row_closed(store, item)


async def test_a_settle_and_its_guard_are_of_one_question_whatever_the_part_said(
    store: Store,
) -> None:
    question, token = await begun(store, 1)
    assert await store.ledger.settle(token, answer(), [guarded()]) is Written.DONE
    assert (await one(store)).question == question
