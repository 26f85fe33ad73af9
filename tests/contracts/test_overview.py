"""Lists and counts of questions on both stores: what is owed, where, and why; never a word of it. Contracts A4, T7."""

from dataclasses import fields, replace
from datetime import timedelta

import pytest

from steward.model.audience import Audience, AudienceKind
from steward.model.delivery import GivenUp
from steward.model.ids import AppId, ChatId, OpenId, QuestionId
from steward.model.owed import OwedQuestion, QuestionCounts
from steward.model.turn import Language, TurnCode, TurnFailure, Written
from steward.store import Store
from steward.testing.world import EPOCH
from tests.contracts.given import (
    APP,
    ASKER,
    TTL,
    WORKER,
    admitted,
    asked,
    begun,
    conversation,
    envelope,
    notice,
    recorded,
    settled,
)

FAILURE = TurnFailure(TurnCode.EXECUTOR_TIMEOUT, detail="60 s")
OTHER_ASKER = OpenId("ou_other")


async def owed(
    store: Store, name: object, *, chat: str = "oc_a", asker: OpenId = ASKER
) -> QuestionId:
    """A question that is owed from the start."""
    event = envelope(name, chat=chat)
    (item,) = await recorded(store, event)
    question = replace(asked(event), asker=asker)
    said = [notice(f"message:om_{name}", chat)]
    assert await store.inbox.owe(item, question, FAILURE, said) is Written.DONE
    (newest, *_) = await store.ledger.owed(APP, most=1)
    return newest.id


async def never_arrives(store: Store, name: object, chat: str = "oc_a") -> QuestionId:
    """A question whose answer was given up by the courier."""
    question = await settled(store, name, chat=chat)
    (delivery,) = await store.outbox.claim(WORKER, limit=8, ttl=TTL)
    await store.outbox.finish(delivery, GivenUp("chat_gone"))
    return question


@pytest.mark.requirement("T7")
async def test_what_is_owed_is_listed_newest_first_with_its_reason(store: Store) -> None:
    first, second = await owed(store, 1), await owed(store, 2, chat="oc_b")
    listed = await store.ledger.owed(APP, most=9)
    assert listed == [
        OwedQuestion(
            id=question,
            conversation=conversation(chat),
            audience=Audience(AudienceKind.GROUP, ChatId(chat)),
            asker=ASKER,
            asked_at=EPOCH,
            failure=FAILURE,
        )
        for question, chat in ((second, "oc_b"), (first, "oc_a"))
    ]


@pytest.mark.requirement("T7")
async def test_an_answer_that_can_never_arrive_is_owed_and_has_no_failure(store: Store) -> None:
    question = await never_arrives(store, 1)
    (listed,) = await store.ledger.owed(APP, most=9)
    assert (listed.id, listed.failure) == (question, None)
    counted = await store.ledger.counts(APP, since=EPOCH - timedelta(days=1))
    assert (counted.owed, counted.answered) == (1, 0)


async def test_an_answer_on_its_way_is_not_owed(store: Store) -> None:
    await settled(store, 1)
    assert await store.ledger.owed(APP, most=9) == []


@pytest.mark.requirement("A4")
async def test_a_list_holds_no_words_of_any_question(store: Store) -> None:
    await owed(store, 1)
    assert "text" not in {field.name for field in fields(OwedQuestion)}
    assert "gateway" not in repr(await store.ledger.owed(APP, most=9))


@pytest.mark.requirement("A4")
async def test_one_conversation_and_one_asker_are_told_apart(store: Store) -> None:
    here = await owed(store, 1)
    await owed(store, 2, chat="oc_b")
    theirs = await owed(store, 3, asker=OTHER_ASKER)
    found = await store.ledger.owed(APP, conversation=conversation(), most=9)
    assert [one.id for one in found] == [theirs, here]
    found = await store.ledger.owed(APP, conversation=conversation(), asker=ASKER, most=9)
    assert [one.id for one in found] == [here]
    assert await store.ledger.owed(AppId("cli_sim_b"), most=9) == []


async def test_no_more_are_listed_than_were_asked_for(store: Store) -> None:
    last = [await owed(store, name) for name in range(3)][-1]
    assert [one.id for one in await store.ledger.owed(APP, most=1)] == [last]


async def test_counts_tell_what_runs_waits_and_was_answered_since(store: Store) -> None:
    await begun(store, 1)
    await admitted(store, 2)
    await owed(store, 3, chat="oc_b")
    await settled(store, 4, chat="oc_c")
    before, after = EPOCH - timedelta(days=1), EPOCH + timedelta(days=365 * 50)
    assert await store.ledger.counts(APP, since=before) == QuestionCounts(1, 1, 1, 4, 1)
    here = await store.ledger.counts(APP, conversation=conversation(), since=before)
    assert here == QuestionCounts(1, 1, 0, 2, 0)
    theirs = await store.ledger.counts(APP, asker=OTHER_ASKER, since=before)
    assert theirs == QuestionCounts(0, 0, 0, 0, 0)
    assert await store.ledger.counts(APP, since=after) == QuestionCounts(1, 1, 1, 0, 0)


async def test_the_language_is_that_of_the_askers_last_question_there(store: Store) -> None:
    assert await store.ledger.last_language(conversation(), ASKER) is None
    await admitted(store, 1)
    event = envelope(2)
    (item,) = await recorded(store, event)
    await store.inbox.admit(item, replace(asked(event), language=Language.ZH))
    assert await store.ledger.last_language(conversation(), ASKER) is Language.ZH
    assert await store.ledger.last_language(conversation(), OTHER_ASKER) is None
    assert await store.ledger.last_language(conversation("oc_b"), ASKER) is None
