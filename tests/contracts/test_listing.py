"""Lists of questions for the operator, on both stores. Contract T7."""

import pytest

from steward.model.delivery import Arrived, GivenUp, SentRef
from steward.model.ids import AppId, MessageRef
from steward.model.owed import ListedQuestion, Listing
from steward.model.turn import QuestionStatus, TurnCode, TurnFailure
from steward.store import Store
from tests.contracts.given import APP, admitted, begun, claimed, notice, settled

FAILURE = TurnFailure(TurnCode.EXECUTOR_TIMEOUT)


async def every_kind(store: Store) -> None:
    """1 owed, 2 answered and lost, 3 answered, 4 at work, 5 queued."""
    _, token = await begun(store, 1, chat="oc_1")
    await store.ledger.fail(token, FAILURE, [notice("message:om_1", "oc_1")])
    await settled(store, 2, chat="oc_2")
    await settled(store, 3, chat="oc_3")
    for one in await claimed(store):
        sent = SentRef(MessageRef(APP, f"om_sent_{one.id}"))
        lost = one.question == 2
        await store.outbox.finish(one, GivenUp("chat_gone") if lost else Arrived(sent))
    await begun(store, 4, chat="oc_4")
    await admitted(store, 5, chat="oc_5")


async def listed(store: Store, which: Listing, most: int = 9) -> list[ListedQuestion]:
    return list(await store.questions.listed(APP, which, most=most))


@pytest.mark.requirement("T7")
async def test_owed_is_what_has_no_answer_in_its_chat_and_never_gets_one_by_itself(
    store: Store,
) -> None:
    await every_kind(store)
    lost, owed = await listed(store, Listing.OWED)
    assert (owed.id, owed.status, owed.failure) == (1, QuestionStatus.OWED, FAILURE)
    assert (lost.id, lost.status, lost.undelivered) == (2, QuestionStatus.SETTLED, True)


@pytest.mark.requirement("T7")
async def test_open_is_what_waits_or_is_worked_on(store: Store) -> None:
    await every_kind(store)
    assert [one.id for one in await listed(store, Listing.OPEN)] == [5, 4]
    assert [one.id for one in await listed(store, Listing.ALL)] == [5, 4, 3, 2, 1]
    assert [one.id for one in await listed(store, Listing.ALL, most=2)] == [5, 4]
    assert list(await store.questions.listed(AppId("cli_b"), Listing.ALL, most=9)) == []


@pytest.mark.requirement("A4")
async def test_words_are_listed_only_where_that_was_asked_for(store: Store) -> None:
    await admitted(store, 1)
    (one,) = await listed(store, Listing.ALL)
    assert one.words is None
    (one,) = await store.questions.listed(APP, Listing.ALL, most=9, words=True)
    assert one.words == "How is the gateway?"
