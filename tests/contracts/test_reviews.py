"""Reviews: reserved by compare-and-swap, once for a question, and never an ordinary turn. V1, V2, V4."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from steward.model.effect import ByOperator, RenewSession
from steward.model.ids import AttemptToken, QuestionId, WorkerId
from steward.model.review import ReviewOutcome, ReviewState
from steward.model.turn import (
    Candidate,
    Lease,
    QuestionStatus,
    TurnCode,
    TurnFailure,
    Written,
)
from steward.store import Store, open_store
from steward.testing.world import EPOCH, FakeClock
from tests.contracts.given import (
    OTHER,
    READBACK,
    TTL,
    WORKER,
    admitted,
    answer,
    begin,
    begun,
    conversation,
    fence,
    leased,
    message,
    notice,
    part,
    recall,
    recorded,
    rows,
    settled,
)
from tests.contracts.interrupted import (
    AGAIN,
    LOST_IT,
    MINE,
    READING,
    held,
    interrupted,
    reserve,
    reserved,
)
from tests.contracts.test_grants import execute

GOOD = Candidate(b'{"classification": "overview"}')


async def status(store: Store, question: QuestionId) -> QuestionStatus:
    return (await store.ledger.question(question)).status


async def reviews(store: Store) -> list[tuple[object, ...]]:
    """Each review: whose it is, whether it was called, released and ended, and what became of it."""
    return list(
        await rows(
            store,
            "SELECT attempt_token, called_at IS NOT NULL, released, ended_at IS NOT NULL, outcome"
            " FROM review ORDER BY id",
        )
    )


@pytest.mark.requirement("V1")
async def test_what_called_read_and_failed_is_due_for_review(store: Store) -> None:
    question, _ = await interrupted(store, 1)
    await interrupted(store, 2, chat="oc_b", read=False)
    await settled(store, 3, chat="oc_c")
    await admitted(store, 4, chat="oc_d")

    assert await store.reviews.due(limit=9) == [question]


@pytest.mark.requirement("V1")
async def test_what_is_due_comes_in_its_order_and_the_next_look_goes_on_behind_it(
    store: Store,
) -> None:
    asked = [(await interrupted(store, name, chat=f"oc_{name}"))[0] for name in range(3)]

    assert await store.reviews.due(limit=2) == asked[:2]
    assert await store.reviews.due(limit=2, after=asked[1]) == asked[2:]


@pytest.mark.requirement("V2")
async def test_a_case_is_what_the_store_knows_of_the_turn_and_its_question(store: Store) -> None:
    question, token = await interrupted(store)

    case = await store.reviews.case(question)

    assert case.question.status is QuestionStatus.OWED
    assert case.input_hash == case.words_hash
    assert case.turn is not None
    assert (case.turn.attempt, case.turn.upstream) == (token, "thread-1")
    assert (case.turn.failure, case.turn.candidate) == (LOST_IT, None)
    assert (case.turn.readback, case.turn.scope_revision) == (READBACK, "scope-1")
    assert (case.read, case.state, case.busy) == (1, ReviewState.UNUSED, False)
    assert case.last_end is not None
    assert case.last_end.code is TurnCode.TRANSPORT_LOST


@pytest.mark.requirement("V2")
async def test_a_case_shows_that_another_question_waits_and_how_the_endpoint_fared_since(
    store: Store,
) -> None:
    question, _ = await interrupted(store)
    assert not (await store.reviews.case(question)).busy
    other, token = await admitted(store, 2), AttemptToken("attempt-2")
    assert (await store.reviews.case(question)).busy
    assert await begin(store, await leased(store), other, token) is Written.DONE
    await store.ledger.calling(token)
    await store.ledger.settle(token, answer(), [part("message:om_2")])

    case = await store.reviews.case(question)

    assert not case.busy
    assert case.last_end is not None
    assert case.last_end.code is None


@pytest.mark.requirement("V1")
async def test_a_reservation_moves_the_question_and_holds_its_conversation(store: Store) -> None:
    question, _ = await reserved(store)

    assert await status(store, question) is QuestionStatus.REVIEWING
    assert await store.reviews.due(limit=9) == []
    await admitted(store, 2)
    assert not await store.conversations.claim(OTHER, limit=9, ttl=TTL)
    case = await store.reviews.case(question)
    assert (case.state, case.reserved_by) == (ReviewState.RESERVED, MINE)


@pytest.mark.requirement("V1")
async def test_a_conversation_is_held_only_where_nothing_waits_and_nobody_has_it(
    store: Store, clock: FakeClock
) -> None:
    await interrupted(store)
    lease = await held(store)
    assert await store.conversations.hold(OTHER, conversation(), TTL) is None
    clock.advance(TTL)
    later = await held(store, OTHER)
    assert later.fence > lease.fence
    await store.conversations.release(later)
    await admitted(store, 2)
    assert await store.conversations.hold(WORKER, conversation(), TTL) is None


@pytest.mark.requirement("V1")
async def test_a_lost_fence_reserves_nothing(store: Store, clock: FakeClock) -> None:
    question, token = await interrupted(store)
    lost = await held(store)
    clock.advance(TTL)
    await held(store, OTHER)

    assert await reserve(store, lost, question, token) is Written.LOST
    assert await status(store, question) is QuestionStatus.OWED
    assert await reviews(store) == []


@pytest.mark.requirement("V1")
async def test_the_same_reservation_twice_is_one(store: Store) -> None:
    question, token = await interrupted(store)
    lease = await held(store)

    assert await reserve(store, lease, question, token) is Written.DONE
    assert await reserve(store, lease, question, token) is Written.REPLAY
    assert await reserve(store, lease, question, token, AGAIN) is Written.LOST
    assert len(await reviews(store)) == 1


@pytest.mark.requirement("V2", "S3")
async def test_what_changed_since_it_was_judged_reserves_nothing(
    store: Store, clock: FakeClock
) -> None:
    question, token = await interrupted(store)
    lease = await held(store)
    other_words = await store.reviews.reserve(
        lease, question, "another", MINE, reviewed=token, readback=READBACK, scope_revision="s"
    )
    other_turn = await reserve(store, lease, question, AttemptToken("another"))
    clock.advance(timedelta(hours=-1))
    await store.effects.commit(ByOperator(), RenewSession(conversation()), audit=[], reply=[])
    hidden = await reserve(store, lease, question, token)

    assert [other_words, other_turn, hidden] == [Written.LOST] * 3
    assert await status(store, question) is QuestionStatus.OWED


@pytest.mark.requirement("V1")
async def test_two_processes_that_race_for_a_review_reserve_it_once(
    store: Store, store_url: str, clock: FakeClock
) -> None:
    async with await open_store(store_url, clock) as other:

        async def race(of: Store, worker: WorkerId, chat: str, asked: QuestionId) -> bool:
            lease = await of.conversations.hold(worker, conversation(chat), TTL)
            if lease is None:
                return False
            mine, reviewed = AttemptToken(f"{worker}-{chat}"), AttemptToken(f"attempt-{chat}")
            return await reserve(of, lease, asked, reviewed, mine) is Written.DONE

        for chat in ("oc_a", "oc_b", "oc_c", "oc_d"):
            question, _ = await interrupted(store, chat, chat=chat)
            won = await asyncio.gather(
                race(store, WORKER, chat, question), race(other, OTHER, chat, question)
            )
            assert sorted(won) == [False, True]

    assert len(await reviews(store)) == 4


@pytest.mark.requirement("V1")
async def test_a_review_is_called_once(store: Store) -> None:
    await reserved(store)

    assert await store.reviews.calling(MINE) is Written.DONE
    assert await store.reviews.calling(MINE) is Written.REPLAY
    assert await store.reviews.release(MINE) is Written.LOST
    assert await reviews(store) == [(MINE, True, False, False, None)]


@pytest.mark.requirement("V1")
async def test_what_was_reserved_and_not_called_is_released_once_and_used_up_then(
    store: Store,
) -> None:
    question, token = await reserved(store)
    assert await store.reviews.release(MINE) is Written.DONE
    assert await status(store, question) is QuestionStatus.OWED
    assert await store.reviews.release(MINE) is Written.LOST
    assert await store.reviews.due(limit=9) == [question]
    assert (await store.reviews.case(question)).state is ReviewState.RELEASED

    lease = Lease(conversation(), WORKER, await fence(store, str(conversation())), EPOCH)
    assert await reserve(store, lease, question, token, AGAIN) is Written.DONE
    assert await store.reviews.release(AGAIN) is Written.LOST
    assert await store.reviews.fail(AGAIN, ReviewOutcome.NOT_CALLED) is Written.DONE

    assert await status(store, question) is QuestionStatus.OWED
    assert await store.reviews.due(limit=9) == []
    assert await reserve(store, lease, question, token, AttemptToken("third")) is Written.LOST
    assert await reviews(store) == [(AGAIN, False, True, True, "not_called")]


@pytest.mark.requirement("V4")
async def test_a_review_that_fails_leaves_everything_of_the_failed_turn_as_it_was(
    store: Store,
) -> None:
    question, token = await interrupted(store)
    before = await _of_the_failed_turn(store)
    assert await reserve(store, await held(store), question, token) is Written.DONE
    await store.reviews.calling(MINE)
    await store.ledger.candidate(MINE, GOOD)

    failure = TurnFailure(TurnCode.RESULT_INVALID)
    assert await store.reviews.fail(MINE, ReviewOutcome.FAILED, failure) is Written.DONE
    assert await store.reviews.fail(MINE, ReviewOutcome.FAILED, failure) is Written.LOST

    assert await status(store, question) is QuestionStatus.OWED
    assert await _of_the_failed_turn(store) == before
    assert await store.ledger.readings(question) == (READING,)
    assert await reviews(store) == [(MINE, True, False, True, "failed")]
    case = await store.reviews.case(question)
    assert (case.state, case.turn is not None and case.turn.attempt) == (ReviewState.USED, token)


async def _of_the_failed_turn(store: Store) -> list[object]:
    """Its row, its question's failure, its readings and its notice."""
    return [
        await rows(store, "SELECT * FROM turn WHERE reviews IS NULL"),
        await rows(store, "SELECT failure, attempt, turn_key FROM question"),
        await rows(store, "SELECT * FROM reading"),
        await rows(store, "SELECT * FROM outbox"),
    ]


@pytest.mark.requirement("V1", "V5", "T3")
async def test_a_review_is_settled_as_a_turn_is_with_its_answer_beside_the_notice(
    store: Store,
) -> None:
    question, _ = await reserved(store)
    await store.reviews.calling(MINE)
    assert await store.ledger.candidate(MINE, GOOD) is Written.DONE

    parts = [part("message:om_1")]
    assert await store.ledger.settle(MINE, answer(), parts) is Written.DONE
    assert await store.ledger.settle(MINE, answer(), parts) is Written.REPLAY

    assert await status(store, question) is QuestionStatus.SETTLED
    assert await store.ledger.answer(question) == answer()
    assert await store.ledger.readings(question) == (READING,)
    assert await rows(store, "SELECT kind FROM outbox ORDER BY id") == [("notice",), ("answer",)]
    assert await reviews(store) == [(MINE, True, False, True, "settled")]


@pytest.mark.requirement("V4")
async def test_a_review_never_falls_back_to_an_ordinary_turn(store: Store) -> None:
    question, _ = await reserved(store)
    await store.reviews.calling(MINE)

    assert await store.ledger.requeue(MINE) is Written.LOST
    assert await store.ledger.fail(MINE, LOST_IT, [notice()]) is Written.LOST
    assert await store.ledger.orphans() == []
    assert await status(store, question) is QuestionStatus.REVIEWING


@pytest.mark.requirement("V1")
async def test_an_ordinary_turn_is_no_review(store: Store) -> None:
    _, token = await begun(store, 1)

    assert await store.reviews.release(token) is Written.LOST
    assert await store.reviews.fail(token, ReviewOutcome.FAILED) is Written.LOST


@pytest.mark.requirement("V4", "S1")
async def test_the_session_is_marked_until_the_next_ordinary_turn_and_else_as_it_was(
    store: Store,
) -> None:
    question, token = await interrupted(store)
    before = await store.sessions.of(conversation())
    lease = await held(store)
    await reserve(store, lease, question, token)
    marked = await store.sessions.of(conversation())
    await store.reviews.calling(MINE)
    await store.reviews.fail(MINE, ReviewOutcome.FAILED)
    kept = await store.sessions.of(conversation())
    await store.conversations.release(lease)
    other = await admitted(store, 2)
    assert await begin(store, await leased(store), other, AGAIN) is Written.DONE
    after = await store.sessions.of(conversation())

    assert before is not None
    assert not before.review_only
    assert marked == kept == replace(before, review_only=True)
    assert after is not None
    assert not after.review_only


@pytest.mark.requirement("V1", "D7")
async def test_a_review_whose_worker_is_gone_is_found_once_its_lease_ran_out(
    store: Store, clock: FakeClock
) -> None:
    question, _ = await reserved(store)
    assert await store.reviews.orphans() == []
    clock.advance(TTL)
    (orphan,) = await store.reviews.orphans()
    assert (orphan.question.id, orphan.attempt) == (question, MINE)
    assert (orphan.called, orphan.candidate) == (False, None)
    await store.reviews.calling(MINE)
    await store.ledger.candidate(MINE, GOOD)
    (orphan,) = await store.reviews.orphans()
    assert (orphan.called, orphan.candidate) == (True, GOOD)


@pytest.mark.requirement("V1", "D7")
async def test_a_review_whose_remains_are_corrupt_is_found_as_one_without_a_result(
    store: Store, clock: FakeClock
) -> None:
    await reserved(store)
    await store.reviews.calling(MINE)
    await store.ledger.candidate(MINE, GOOD)
    await execute(store, "UPDATE turn SET readback = 'nonsense' WHERE reviews IS NOT NULL")
    clock.advance(TTL)
    (orphan,) = await store.reviews.orphans()
    assert (orphan.attempt, orphan.called, orphan.candidate) == (MINE, True, None)
    assert await store.reviews.fail(MINE, ReviewOutcome.INTERRUPTED) is Written.DONE


@pytest.mark.requirement("V2", "D2")
async def test_a_recall_ends_a_review(store: Store) -> None:
    question, _ = await reserved(store)
    await store.reviews.calling(MINE)
    (back,) = await recorded(store, recall(1))
    assert await store.inbox.withdraw(back, message(1)) is Written.DONE

    assert await store.ledger.candidate(MINE, GOOD) is Written.LOST
    assert await store.ledger.settle(MINE, answer(), [part("message:om_1")]) is Written.LOST
    assert await store.reviews.fail(MINE, ReviewOutcome.FAILED) is Written.LOST
    assert await status(store, question) is QuestionStatus.WITHDRAWN
    assert await store.reviews.orphans() == []
