"""A live worker that was thought dead: its settle is refused, and what it brings settles the owed question. T8."""

import asyncio
from datetime import timedelta

import pytest

from steward.errors import ContractError
from steward.model.action import NewAction, Requeued
from steward.model.delivery import Arrived, SentRef
from steward.model.ids import AttemptToken, QuestionId
from steward.model.profile import RuntimeProfile
from steward.model.turn import (
    Candidate,
    Late,
    QuestionStatus,
    TurnCode,
    TurnFailure,
    Written,
)
from steward.store import Store
from steward.store.codec import dump_answer
from steward.store.turns import Settled, settle_late
from steward.store.withdrawal import withdraw
from steward.testing.world import EPOCH, FakeClock
from tests.contracts.given import (
    APP,
    admitted,
    answer,
    begun,
    claimed,
    conversation,
    message,
    notice,
    part,
    recall,
    recorded,
    rows,
)
from tests.contracts.test_asking_again import AGAIN, offer, release, second
from tests.contracts.test_clicks import CARD, TEAM, click, press
from tests.contracts.test_concurrency import PATIENCE, Paused
from tests.contracts.test_ledger import reading
from tests.contracts.test_machine import changed

RAW = Candidate(b'{"late": true}', {"tokens": 7})
LOST = TurnFailure(TurnCode.INTERRUPTED)


async def thought_dead(
    store: Store, *, actions: tuple[NewAction, ...] = ()
) -> tuple[QuestionId, AttemptToken]:
    """A called question whose worker seemed to be gone: owed, and told so."""
    question, token = await begun(store, 1)
    await store.ledger.calling(token)
    await store.ledger.read(token, reading())
    assert await store.ledger.fail(token, LOST, [notice()], actions) is Written.DONE
    return question, token


async def found(store: Store) -> list[Late]:
    return list(await store.ledger.late())


@pytest.mark.requirement("T8")
async def test_a_worker_that_was_thought_dead_cannot_settle_and_its_candidate_waits(
    store: Store, clock: FakeClock
) -> None:
    question, token = await thought_dead(store)
    assert await found(store) == []
    clock.advance(timedelta(seconds=5))

    assert await store.ledger.candidate(token, RAW) is Written.LOST
    assert await store.ledger.settle(token, answer(), [part()]) is Written.LOST

    (late,) = await found(store)
    assert (late.turn.question.id, late.turn.attempt) == (question, token)
    assert (late.candidate, late.came_at) == (RAW, clock.now())
    assert late.turn.readings == (reading(),)
    assert (await store.ledger.question(question)).status is QuestionStatus.OWED


@pytest.mark.requirement("T8")
async def test_the_owed_question_is_settled_from_it_once(store: Store) -> None:
    question, token = await thought_dead(store)
    await store.ledger.candidate(token, RAW)

    assert await store.ledger.settle_late(token, answer("Late"), [part()]) is Written.DONE
    assert await store.ledger.settle_late(token, answer("Late"), [part()]) is Written.REPLAY

    assert await found(store) == []
    assert await store.ledger.answer(question) == answer("Late")
    assert [row[0] for row in await rows(store, "SELECT kind FROM outbox ORDER BY id")] == [
        "notice",
        "answer",
    ]
    told, answered = await claimed(store, 1), None
    for delivery in told:
        await store.outbox.finish(delivery, Arrived(SentRef(CARD)))
    (answered,) = await claimed(store)
    await store.outbox.finish(answered, Arrived(SentRef(message("answer"))))
    assert (await store.ledger.question(question)).status is QuestionStatus.ANSWERED


@pytest.mark.requirement("T8")
async def test_a_candidate_that_failed_the_judge_is_not_late(store: Store) -> None:
    _, token = await begun(store, 1)
    await store.ledger.calling(token)
    await store.ledger.candidate(token, RAW)
    await store.ledger.fail(token, TurnFailure(TurnCode.RESULT_INVALID), [notice()])

    assert await store.ledger.candidate(token, RAW) is Written.LOST

    assert await found(store) == []
    assert await store.ledger.settle_late(token, answer(), [part()]) is Written.LOST


@pytest.mark.requirement("T8")
async def test_a_late_candidate_that_cannot_be_used_is_kept_and_looked_at_no_more(
    store: Store,
) -> None:
    _, token = await thought_dead(store)
    await store.ledger.candidate(token, RAW)

    assert await store.ledger.dismiss(token) is Written.DONE
    assert await store.ledger.dismiss(token) is Written.LOST

    assert await found(store) == []
    assert await store.ledger.settle_late(token, answer(), [part()]) is Written.LOST
    ((kept,),) = await rows(store, "SELECT candidate FROM turn")
    assert bytes(kept) == RAW.raw


@pytest.mark.requirement("T8", "T4")
async def test_a_question_that_was_asked_again_is_not_settled_by_its_last_attempt(
    store: Store,
) -> None:
    question, token = await thought_dead(store, actions=(AGAIN,))
    await store.ledger.candidate(token, RAW)
    (told,) = await claimed(store)
    await store.outbox.finish(told, Arrived(SentRef(CARD)))
    await store.grants.sync([TEAM])
    await release(store)
    pressed = await store.clicks.press(
        press("x"), click(AGAIN.nonce), await offer(store), Requeued()
    )
    assert pressed is Written.DONE

    assert await found(store) == []
    assert await store.ledger.settle_late(token, answer(), [part()]) is Written.LOST
    again = await second(store, question)
    await store.ledger.fail(again, LOST, [notice("message:om_1:2")])
    assert await found(store) == []
    assert await store.ledger.settle_late(token, answer(), [part()]) is Written.LOST


@pytest.mark.requirement("T8", "D2")
async def test_a_withdrawn_question_is_not_settled_late(store: Store) -> None:
    _, token = await thought_dead(store)
    await store.ledger.candidate(token, RAW)
    (item,) = await recorded(store, recall(1))
    await store.database.write(lambda connection: withdraw(connection, item, message(1), EPOCH))

    assert await found(store) == []
    assert await store.ledger.settle_late(token, answer(), [part()]) is Written.LOST


@pytest.mark.requirement("T8", "P9")
async def test_a_late_answer_from_under_another_profile_is_not_written(store: Store) -> None:
    _, token = await thought_dead(store)
    await store.ledger.candidate(token, RAW)
    await changed(store, RuntimeProfile.TRUSTED_OWNER)

    assert await store.ledger.settle_late(token, answer(), [part()]) is Written.CHANGED
    assert len(await found(store)) == 1


@pytest.mark.requirement("T8")
async def test_a_turn_that_runs_again_leaves_nothing_late(store: Store) -> None:
    question, token = await begun(store, 1)
    await store.ledger.requeue(token)

    assert await store.ledger.candidate(token, RAW) is Written.LOST

    assert await found(store) == []
    assert (await store.ledger.question(question)).status is QuestionStatus.QUEUED


@pytest.mark.requirement("T8", "W3")
async def test_a_late_settle_without_a_word_is_a_bug(store: Store) -> None:
    _, token = await thought_dead(store)
    await store.ledger.candidate(token, RAW)

    with pytest.raises(ContractError):
        await store.ledger.settle_late(token, answer(), [])


@pytest.mark.requirement("T8", "T4")
async def test_others_go_on_while_one_is_late(store: Store) -> None:
    _, token = await thought_dead(store)
    await store.ledger.candidate(token, RAW)
    newer = await admitted(store, 2)
    await release(store)

    (lease,) = await store.conversations.claim("w", limit=1, ttl=timedelta(seconds=9))  # type: ignore[arg-type] # any name

    assert await store.conversations.next(lease) == newer
    assert lease.conversation == conversation()
    assert await store.ledger.owed(APP, most=5) != []


@pytest.mark.requirement("T8", "T4")
async def test_a_press_waits_for_a_late_settle_and_then_asks_nothing(store: Store) -> None:
    question, token = await thought_dead(store, actions=(AGAIN,))
    await store.ledger.candidate(token, RAW)
    (told,) = await claimed(store)
    await store.outbox.finish(told, Arrived(SentRef(CARD)))
    seen = await offer(store)
    settled = Settled(dump_answer(answer("Late")), None, [part()], [])

    async with Paused(store, lambda connection: settle_late(connection, token, settled, EPOCH)):
        pressing = asyncio.ensure_future(
            store.clicks.press(press("x"), click(AGAIN.nonce), seen, Requeued())
        )
        done, _ = await asyncio.wait([pressing], timeout=PATIENCE)
        assert not done

    assert await pressing is Written.LOST
    now = await store.ledger.question(question)
    assert (now.status, now.attempt) == (QuestionStatus.SETTLED, 1)
