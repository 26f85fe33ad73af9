"""What is sent once more takes its part's place, once; and tries that are nobody's fault count towards nothing. D4, W3."""

from dataclasses import replace
from datetime import timedelta

import pytest

from steward.errors import ContractError
from steward.model.answer import OutgoingKind
from steward.model.delivery import Arrived, Delivery, GivenUp, Part, Repeated, SentRef, TryAgain
from steward.model.ids import MessageRef
from steward.model.turn import QuestionStatus, Written
from steward.store import Store
from steward.testing.world import FakeClock
from tests.contracts.given import APP, claimed, closed, part, planned, rows, settled

MINUTE = timedelta(minutes=1)
SENT = Arrived(SentRef(MessageRef(APP, "om_reply")))


def repeat(of: Delivery) -> Repeated:
    return Repeated(replace(of.part, rung=f"{of.part.rung}+repeat", uuid=f"{of.part.uuid}-again"))


async def unknown(store: Store, clock: FakeClock) -> Delivery:
    """The oldest part, claimed again after a try whose end nobody knows."""
    (first,) = await claimed(store)
    await store.outbox.finish(first, TryAgain(clock.now(), unknown=True))
    (again,) = await claimed(store)
    return again


async def status(store: Store, question: int) -> str:
    ((found,),) = await rows(store, "SELECT status FROM question WHERE id = :id", id=question)
    return str(found)


@pytest.mark.requirement("D4")
async def test_a_repeat_is_a_new_part_with_a_memory_of_its_own_in_the_old_place(
    store: Store, clock: FakeClock
) -> None:
    lower: tuple[tuple[Part, ...], ...] = ((planned("text"),),)
    question = await settled(store, 1, part(lower=lower))
    await settled(store, 2)
    held = await unknown(store, clock)
    assert await store.outbox.finish(held, repeat(held)) is Written.DONE
    assert not await closed(store, question)
    (again,) = await claimed(store)
    assert (again.subject, again.part) == ("message:om_1", repeat(held).part)
    assert (again.tries, again.first_unknown_at, again.lower) == (1, None, ())
    assert (again.question, again.place, again.guard) == (question, held.place, held.guard)
    await store.outbox.finish(again, SENT)
    assert await status(store, question) == QuestionStatus.ANSWERED
    assert await closed(store, question)


@pytest.mark.requirement("D4", "W3")
async def test_an_answer_is_whole_once_each_part_arrived_or_its_repeat_did(
    store: Store, clock: FakeClock
) -> None:
    question = await settled(store, 1, part(number=1, of=2), part(number=2, of=2))
    held = await unknown(store, clock)
    await store.outbox.finish(held, repeat(held))
    (again,) = await claimed(store)
    await store.outbox.finish(again, SENT)
    assert await status(store, question) == QuestionStatus.SETTLED
    (second,) = await claimed(store)
    assert second.part.number == 2
    await store.outbox.finish(second, SENT)
    assert await status(store, question) == QuestionStatus.ANSWERED


@pytest.mark.requirement("D4", "W3")
async def test_a_repeat_that_is_given_up_leaves_its_question_unanswered(
    store: Store, clock: FakeClock
) -> None:
    question = await settled(store, 1)
    held = await unknown(store, clock)
    await store.outbox.finish(held, repeat(held))
    again = await unknown(store, clock)
    await store.outbox.finish(again, GivenUp("fate_unknown"))
    assert await status(store, question) == QuestionStatus.SETTLED
    assert await closed(store, question)


@pytest.mark.requirement("D4")
async def test_only_what_may_have_arrived_is_repeated_and_no_repeat_is(
    store: Store, clock: FakeClock
) -> None:
    await settled(store, 1)
    (fresh,) = await claimed(store)
    with pytest.raises(ContractError):
        await store.outbox.finish(fresh, repeat(fresh))
    await store.outbox.finish(fresh, TryAgain(clock.now(), unknown=True))
    (held,) = await claimed(store)
    with pytest.raises(ContractError):
        await store.outbox.finish(held, Repeated(held.part))
    await store.outbox.finish(held, repeat(held))
    again = await unknown(store, clock)
    with pytest.raises(ContractError):
        await store.outbox.finish(again, repeat(again))


@pytest.mark.requirement("D4")
async def test_a_first_part_that_was_repeated_decides_nothing_any_more(
    store: Store, clock: FakeClock
) -> None:
    await settled(store, 1)
    held = await unknown(store, clock)
    await store.outbox.finish(held, repeat(held))
    assert await store.outbox.finish(held, SENT) is Written.LOST
    assert await store.outbox.finish(held, repeat(held)) is Written.LOST


@pytest.mark.requirement("D4")
async def test_tries_that_are_not_counted_are_kept_apart(store: Store, clock: FakeClock) -> None:
    await settled(store, 1)
    for counted in (True, False, False, True):
        (held,) = await claimed(store)
        fate = TryAgain(clock.now(), unknown=False, counted=counted)
        assert await store.outbox.finish(held, fate) is Written.DONE
    (held,) = await claimed(store)
    assert (held.tries, held.spared, held.counted) == (5, 2, 3)


@pytest.mark.requirement("D4")
async def test_where_not_all_can_be_claimed_answers_go_first(store: Store) -> None:
    kinds = (OutgoingKind.EVIDENCE, OutgoingKind.NOTICE, OutgoingKind.ANSWER)
    for number, kind in enumerate(kinds):
        one = part(f"message:om_{number}", kind=kind, chat=f"oc_{number}")
        await settled(store, number, one, chat=f"oc_{number}")
    order = []
    while found := await claimed(store, limit=1):
        order.append(found[0].kind)
        await store.outbox.finish(found[0], SENT)
    assert order == list(reversed(kinds))
