"""Who makes a review, and what becomes of one whose worker is gone. V1, D7."""

import asyncio

import pytest

from steward.control.outcomes import scan_of
from steward.model.action import ActionKind
from steward.model.delivery import ClickReply, ReplyKind
from steward.model.ids import AttemptToken, WorkerId
from steward.model.review import ReviewOutcome
from steward.model.turn import Candidate, TurnCode
from steward.testing.endpoint import (
    Hangs,
    Meanwhile,
    Says,
    Seen,
)
from tests.steward.control.interrupted import (
    FORMED,
    HERE,
    MARK,
    READ,
    USED,
    broken_off,
    cites,
    endpoint_of,
    going_on,
    interrupting,
    nothing_more,
    review_row,
    reviews_of,
    swept,
    until_called,
)
from tests.steward.control.test_asking_again import Counter
from tests.steward.control.workshop import TTL, WORKER, Workshop

DEAD = AttemptToken("review-of-a-dead-worker")


@pytest.mark.requirement("V1")
async def test_two_sweeps_at_once_make_one_call() -> None:
    async with interrupting(*FORMED) as shop:
        await broken_off(shop)
        mine, theirs = reviews_of(shop), reviews_of(shop, WorkerId("worker-2"))
        await going_on(shop, asyncio.gather(mine.sweep(), theirs.sweep()))
        await shop.deliver()

        assert len(endpoint_of(shop).reviewed) == 1
        assert len(shop.sender.texts()) == 2
        assert await shop.ends() == [("answered", TurnCode.TRANSPORT_LOST)]


@pytest.mark.requirement("V1")
async def test_a_worker_that_loses_the_conversation_ends_its_call() -> None:
    async with interrupting(Hangs()) as shop:
        await broken_off(shop)
        task = asyncio.ensure_future(reviews_of(shop).sweep())
        await going_on(shop, until_called(shop))
        await shop.store.leases.break_all()
        while not task.done():
            await asyncio.wait([task], timeout=0.05)
            shop.clock.advance(TTL / 3)
        assert endpoint_of(shop).interrupted
        await reviews_of(shop).take_over()

        assert await review_row(shop) == (*USED, ReviewOutcome.INTERRUPTED)
        assert await nothing_more(shop)


async def abandoned(shop: Workshop, *, called: bool, formed: bool = False) -> None:
    """A review as a killed process leaves it; `formed`: with an answer that was handed over."""
    await broken_off(shop)
    (question,) = await shop.store.reviews.due(limit=1)
    case = await shop.store.reviews.case(question)
    assert case.turn is not None
    lease = await shop.store.conversations.hold(WORKER, HERE, TTL)
    assert lease is not None
    await shop.store.reviews.reserve(
        lease,
        question,
        case.input_hash,
        DEAD,
        reviewed=case.turn.attempt,
        readback=case.turn.readback,
        scope_revision=case.turn.scope_revision,
    )
    if called:
        await shop.store.reviews.calling(DEAD)
    if formed:
        (reading,) = await shop.store.ledger.readings(question)
        answer = cites(Seen([scan_of(reading)], []))
        await shop.store.ledger.candidate(DEAD, Candidate(answer))
    await shop.store.leases.break_all()


@pytest.mark.requirement("V1", "D7")
async def test_a_review_that_was_reserved_and_not_called_is_made_after_all() -> None:
    async with interrupting(*FORMED) as shop:
        await abandoned(shop, called=False)
        assert await shop.recovery.run() == 0
        assert await swept(shop) == 1
        await shop.deliver()

        assert await review_row(shop) == (True, True, True, "settled")
        assert len(endpoint_of(shop).reviewed) == 1
        assert await shop.ends() == [("answered", TurnCode.TRANSPORT_LOST)]


@pytest.mark.requirement("V1", "V4", "D7")
async def test_a_review_that_was_called_is_never_called_again() -> None:
    async with interrupting(*FORMED) as shop:
        await abandoned(shop, called=True)
        assert await shop.recovery.run() == 0
        assert await swept(shop) == 0

        assert await review_row(shop) == (*USED, ReviewOutcome.INTERRUPTED)
        assert await nothing_more(shop)
        assert endpoint_of(shop).reviewed == []


@pytest.mark.requirement("V1", "V5", "T3", "D7")
async def test_what_a_review_had_handed_over_is_judged_and_settled_without_a_call() -> None:
    async with interrupting(*FORMED) as shop:
        await abandoned(shop, called=True, formed=True)
        assert await swept(shop) == 0
        await shop.deliver()

        assert await review_row(shop) == (*USED, "settled")
        assert MARK in shop.sender.texts()[1]
        assert await shop.ends() == [("answered", TurnCode.TRANSPORT_LOST)]
        assert endpoint_of(shop).reviewed == []


@pytest.mark.requirement("V1", "T4")
async def test_who_asks_again_before_the_reservation_wins_and_the_review_stays_free() -> None:
    async with interrupting(*FORMED) as shop:
        await broken_off(shop)
        endpoint_of(shop).at_look[2] = lambda: _asks_again(shop)
        assert await swept(shop) == 0

        assert [status for status, _ in await shop.ends()] == ["queued"]
        assert await review_row(shop) is None
        await shop.through()
        assert len(endpoint_of(shop).asked) == 2
        assert await swept(shop) == 1


async def _asks_again(shop: Workshop) -> None:
    """Its host may have acted, so the first press asks once more whether that is meant."""
    counter = Counter(shop)
    await counter.press()
    await shop.deliver()
    told = await counter.press(ActionKind.ASK_AGAIN_ANYWAY, card=2)
    assert told.kind is ReplyKind.SUCCESS


@pytest.mark.requirement("V1", "T4")
async def test_who_asks_again_during_a_review_is_told_so_and_gets_its_answer() -> None:
    told: list[ClickReply] = []
    shops: list[Workshop] = []

    async def presses() -> None:
        told.append(await Counter(shops[0]).press())

    async with interrupting(READ, Meanwhile(presses), Says(cites)) as shop:
        shops.append(shop)
        await broken_off(shop)
        await swept(shop)
        await shop.through()

        assert [reply.kind for reply in told] != [ReplyKind.SUCCESS]
        assert [status for status, _ in await shop.ends()] == ["answered"]
        assert len(endpoint_of(shop).asked) == len(endpoint_of(shop).reviewed) == 1
        assert len(shop.sender.texts()) == 2
