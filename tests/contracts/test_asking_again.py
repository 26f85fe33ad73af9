"""Asking an owed question again: the same question under its next attempt, once for each button. T4, T7, A5, A6, S3."""

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import text

from steward.model.action import ActionKind, ClickRefusal, NewAction, Offer, Requeued, Warned
from steward.model.answer import OutgoingKind
from steward.model.audience import Limits
from steward.model.delivery import Arrived, SentRef
from steward.model.ids import AttemptToken, MessageRef, OpenId, QuestionId
from steward.model.turn import Lease, QuestionStatus, TurnCode, TurnFailure, Written
from steward.store import Store
from steward.store.sessions import forget
from steward.store.withdrawal import withdraw
from steward.testing.world import EPOCH, FakeClock
from tests.contracts.given import (
    APP,
    ASKER,
    WORKER,
    admitted,
    answer,
    begin,
    begun,
    claimed,
    conversation,
    fence,
    leased,
    message,
    notice,
    part,
    recall,
    recorded,
    rows,
)
from tests.contracts.test_clicks import CARD, TEAM, click, press
from tests.contracts.test_ledger import reading

FAILURE = TurnFailure(TurnCode.EXECUTOR_TIMEOUT)
AGAIN = NewAction("nonce-again", ActionKind.ASK_AGAIN, EPOCH + timedelta(days=7))
ANYWAY = NewAction("nonce-anyway", ActionKind.ASK_AGAIN_ANYWAY, EPOCH + timedelta(days=1))
OWNER = OpenId("ou_owner")


async def owed(store: Store, name: object = 1) -> QuestionId:
    """A question that was called and failed; its notice stands in the chat, with the button."""
    await store.grants.sync([TEAM])
    question, token = await begun(store, name)
    await store.ledger.calling(token)
    await store.ledger.read(token, reading())
    said = notice(f"message:om_{name}")
    assert await store.ledger.fail(token, FAILURE, [said], [AGAIN]) is Written.DONE
    await release(store)
    (delivery,) = await claimed(store)
    await store.outbox.finish(delivery, Arrived(SentRef(CARD)))
    return question


async def release(store: Store) -> None:
    key = conversation()
    await store.conversations.release(Lease(key, WORKER, await fence(store, str(key)), EPOCH))


async def rows_written(store: Store, statement: str) -> None:
    await store.database.write(lambda connection: connection.execute(text(statement)).rowcount)


async def offer(store: Store, nonce: str = AGAIN.nonce) -> Offer:
    found = await store.clicks.find(click(nonce))
    assert found is not None
    return found


async def again(store: Store, name: object = "again") -> Written | ClickRefusal:
    return await store.clicks.press(press(name), click(AGAIN.nonce), await offer(store), Requeued())


async def second(store: Store, question: QuestionId) -> AttemptToken:
    """The next attempt, begun."""
    token = AttemptToken(f"second-{question}")
    assert await begin(store, await leased(store), question, token) is Written.DONE
    return token


@pytest.mark.requirement("T4", "T7")
async def test_an_owed_question_waits_again_under_its_next_attempt_and_another_key(
    store: Store,
) -> None:
    question = await owed(store)
    before = await rows(store, "SELECT turn_key, input_hash FROM question")

    assert await again(store) is Written.DONE

    asked = await store.ledger.question(question)
    assert (asked.status, asked.attempt) == (QuestionStatus.QUEUED, 2)
    ((key, words),) = await rows(store, "SELECT turn_key, input_hash FROM question")
    assert key != before[0][0]
    assert words == before[0][1]
    assert await store.ledger.owed(APP, most=5) == []


@pytest.mark.requirement("T4", "V4")
async def test_what_came_of_the_failed_turn_stays_with_it(store: Store) -> None:
    question = await owed(store)

    await again(store)
    await second(store, question)

    kept = await rows(
        store,
        "SELECT t.attempt, t.stage, t.failure IS NOT NULL, COUNT(r.id) FROM turn t"
        " LEFT JOIN reading r ON r.turn_id = t.id GROUP BY t.id, t.attempt, t.stage, t.failure ORDER BY t.id",
    )
    assert [tuple(map(str, row)) for row in kept] in (
        [("1", "failed", "1", "1"), ("2", "begun", "0", "0")],
        [("1", "failed", "True", "1"), ("2", "begun", "False", "0")],
    )


@pytest.mark.requirement("T4")
async def test_the_next_attempt_settles_once_beside_the_first_ones_notice(store: Store) -> None:
    question = await owed(store)
    await again(store)
    token = await second(store, question)
    answered = [part("message:om_1", attempt=2)]

    assert await store.ledger.settle(token, answer(), answered) is Written.DONE
    assert await store.ledger.settle(token, answer(), answered) is Written.REPLAY

    said = await rows(store, "SELECT kind, attempt FROM outbox ORDER BY id")
    assert list(said) == [("notice", 1), ("answer", 2)]


@pytest.mark.requirement("T4", "W3")
async def test_a_second_failure_has_a_notice_of_its_own(store: Store) -> None:
    question = await owed(store)
    await again(store)
    token = await second(store, question)

    said = replace(notice("message:om_1"), attempt=2)
    assert await store.ledger.fail(token, FAILURE, [said]) is Written.DONE

    assert len(await rows(store, "SELECT id FROM outbox")) == 2
    assert [one.id for one in await store.ledger.owed(APP, most=5)] == [question]


@pytest.mark.requirement("T4", "T7")
async def test_the_question_that_is_asked_again_is_the_oldest_and_runs_next(store: Store) -> None:
    question = await owed(store)
    newer = await admitted(store, 2)
    await again(store)

    lease = await leased(store)

    assert await store.conversations.next(lease) == question
    assert await begin(store, lease, newer, AttemptToken("newer")) is Written.LOST


@pytest.mark.requirement("A5")
async def test_a_button_asks_again_once_at_all_whoever_presses(store: Store) -> None:
    await owed(store)
    seen = await offer(store)
    assert await again(store) is Written.DONE

    stale = await store.clicks.press(press("owner"), click(AGAIN.nonce, OWNER), seen, Requeued())

    assert stale is Written.LOST
    now = await offer(store)
    assert now.action.used_by == ASKER
    assert now.question.status is QuestionStatus.QUEUED


@pytest.mark.requirement("A5", "D1")
async def test_the_press_itself_is_kept_and_closed(store: Store) -> None:
    await owed(store)

    await again(store)

    kept = await rows(
        store, "SELECT verdict, closed_at IS NOT NULL FROM inbox WHERE event_id = 'evt_press_again'"
    )
    assert [(verdict, bool(closed)) for verdict, closed in kept] == [("command", True)]
    assert await again(store, "again") is not Written.DONE


@pytest.mark.requirement("T8", "T4")
async def test_a_question_that_was_settled_meanwhile_is_not_asked_again(store: Store) -> None:
    await owed(store)
    seen = await offer(store)
    await rows_written(store, "UPDATE question SET status = 'settled'")

    assert (
        await store.clicks.press(press("x"), click(AGAIN.nonce), seen, Requeued()) is Written.LOST
    )


@pytest.mark.requirement("D2")
async def test_a_recalled_question_is_not_asked_again(store: Store) -> None:
    await owed(store)
    seen = await offer(store)
    (item,) = await recorded(store, recall(1))
    await store.database.write(lambda connection: withdraw(connection, item, message(1), EPOCH))

    assert (
        await store.clicks.press(press("x"), click(AGAIN.nonce), seen, Requeued()) is Written.LOST
    )
    assert (await offer(store)).recalled


@pytest.mark.requirement("A6")
async def test_asking_again_counts_among_the_open_questions(store: Store) -> None:
    await owed(store)
    await admitted(store, 2, chat="oc_b")
    one = Limits(1, 20)

    refused = await store.clicks.press(
        press("x"), click(AGAIN.nonce), await offer(store), Requeued(), one
    )

    assert refused is ClickRefusal.TOO_MANY
    assert (await offer(store)).action.used_at is None
    two = Limits(2, 20)
    done = await store.clicks.press(
        press("y"), click(AGAIN.nonce), await offer(store), Requeued(), two
    )
    assert done is Written.DONE


@pytest.mark.requirement("S3")
async def test_what_was_asked_before_the_past_was_hidden_is_known_to_be(
    store: Store, clock: FakeClock
) -> None:
    await owed(store)
    assert not (await offer(store)).forgotten
    clock.advance(timedelta(hours=-1))

    await store.database.write(
        lambda connection: forget(connection, str(conversation()), clock.now())
    )

    assert (await offer(store)).forgotten


@pytest.mark.requirement("T4")
async def test_who_was_called_for_a_question_is_known(store: Store) -> None:
    await owed(store)

    assert (await offer(store)).called == ("reporter",)


@pytest.mark.requirement("T4")
async def test_a_turn_that_never_called_has_called_nobody(store: Store) -> None:
    _, token = await begun(store, 1)
    await store.ledger.fail(token, FAILURE, [notice()], [AGAIN])

    assert (await offer(store)).called == ()


@pytest.mark.requirement("T4", "A5")
async def test_a_warning_carries_the_button_that_asks_and_uses_the_first_one_up(
    store: Store,
) -> None:
    question = await owed(store)
    warning = part("message:om_1:again", kind=OutgoingKind.NOTICE)

    done = await store.clicks.press(
        press("x"), click(AGAIN.nonce), await offer(store), Warned([warning], ANYWAY)
    )

    assert done is Written.DONE
    assert (await store.ledger.question(question)).status is QuestionStatus.OWED
    assert (await offer(store)).action.used_by == ASKER
    (delivery,) = await claimed(store)
    other = MessageRef(APP, "om_warning")
    await store.outbox.finish(delivery, Arrived(SentRef(other)))
    anyway = replace(click(ANYWAY.nonce), message=other)
    found = await store.clicks.find(anyway)
    assert found is not None
    assert found.carried
    assert await store.clicks.press(press("y"), anyway, found, Requeued()) is Written.DONE
    assert (await store.ledger.question(question)).attempt == 2


@pytest.mark.requirement("T4", "T7")
async def test_what_became_of_an_earlier_answer_says_nothing_about_the_next(store: Store) -> None:
    question, token = await begun(store, 1)
    await store.ledger.settle(token, answer(), [part()], [AGAIN])
    await release(store)
    (first,) = await claimed(store)
    unclear = TurnFailure(TurnCode.DIRECTORY_UNAVAILABLE)
    await store.outbox.revoke(first, unclear, [notice("message:om_1:withheld")])
    (told,) = await claimed(store)
    await store.outbox.finish(told, Arrived(SentRef(CARD)))
    assert await again(store) is Written.DONE
    next_token = await second(store, question)
    assert await store.ledger.settle(next_token, answer("Now"), [part(attempt=2)]) is Written.DONE

    assert await store.ledger.answer(question) == answer("Now")
    assert await store.ledger.owed(APP, most=5) == []
    await store.outbox.finish(first, Arrived(SentRef(MessageRef(APP, "om_late"))))
    assert (await store.ledger.question(question)).status is QuestionStatus.SETTLED
    (now,) = await claimed(store)
    await store.outbox.finish(now, Arrived(SentRef(MessageRef(APP, "om_now"))))
    assert (await store.ledger.question(question)).status is QuestionStatus.ANSWERED
