"""What keeps a review from being made, called or shown, and who may make it. V1, V2, V5."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest

from steward.control.endpoints import Endpoints
from steward.control.review import EVERY
from steward.model.effect import ByOperator, RenewSession
from steward.model.events import EventKind, Lane, Recall
from steward.model.profile import RuntimeProfile
from steward.model.reading import ToolCall
from steward.model.review import ReviewOutcome, ReviewState
from steward.model.turn import Observed, Rerun, TurnCode, TurnFailure
from steward.testing.endpoint import (
    Calls,
    Fails,
    Hangs,
    Meanwhile,
    Says,
    Seen,
)
from tests.contracts.given import rows
from tests.steward.control.interrupted import (
    ASKED,
    BROKEN_OFF,
    FORMED,
    HERE,
    LOST,
    MARK,
    OWED,
    READ,
    USED,
    Shown,
    broken_off,
    cites,
    endpoint_of,
    interrupting,
    nothing_more,
    review_row,
    reviews_of,
    said,
    swept,
    until_called,
)
from tests.steward.control.sessions import apply
from tests.steward.control.workshop import TEAM, Workshop


async def loses_its_grant(shop: Workshop) -> None:
    await shop.store.grants.sync(())


async def turns_external(shop: Workshop) -> None:
    shop.directory.add(TEAM, external=True)


async def forgets(shop: Workshop) -> None:
    shop.clock.advance(timedelta(seconds=1))
    await shop.store.effects.commit(ByOperator(), RenewSession(HERE), audit=[], reply=[])


async def changes_profile(shop: Workshop) -> None:
    await apply(shop.store, RuntimeProfile.RESTRICTED)


async def grows(shop: Workshop) -> None:
    calls = (*BROKEN_OFF.calls, *BROKEN_OFF.calls)
    endpoint_of(shop).observed = replace(BROKEN_OFF, calls=calls)


CHANGES: list[Callable[[Workshop], Awaitable[None]]] = [
    loses_its_grant,
    turns_external,
    forgets,
    changes_profile,
    grows,
]


@pytest.mark.requirement("V2", "A3", "S3")
@pytest.mark.parametrize("change", CHANGES)
async def test_what_changed_before_the_first_look_is_never_reviewed(
    change: Callable[[Workshop], Awaitable[None]],
) -> None:
    async with interrupting(*FORMED) as shop:
        await broken_off(shop)
        await change(shop)
        if change is grows:
            endpoint_of(shop).at_look[2] = lambda: _moves(shop)
        assert await swept(shop) == 0
        assert await review_row(shop) is None
        assert await shop.ends() == [OWED]


async def _moves(shop: Workshop) -> None:
    endpoint_of(shop).observed = BROKEN_OFF


@pytest.mark.requirement("V1", "V2", "A3")
@pytest.mark.parametrize("change", [loses_its_grant, turns_external, changes_profile, grows])
async def test_what_changed_between_reservation_and_call_is_not_called(
    change: Callable[[Workshop], Awaitable[None]],
) -> None:
    async with interrupting(*FORMED) as shop:
        await broken_off(shop)
        reviews = reviews_of(shop)
        reserve = shop.store.reviews.reserve

        async def then(*args: Any, **more: Any) -> Any:
            written = await reserve(*args, **more)
            await change(shop)
            return written

        reviews._store = _With(shop.store.reviews, then)  # type: ignore[assignment] # the same port
        await swept(shop, reviews)

        assert await review_row(shop) == (False, True, False, None)
        assert endpoint_of(shop).reviewed == []
        assert await shop.ends() == [OWED]


class _With:
    """The store's reviews, with something that happens right after a reservation."""

    def __init__(self, real: object, reserve: Callable[..., Awaitable[Any]]) -> None:
        self._real = real
        self.reserve = reserve

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


@pytest.mark.requirement("V2", "A3", "P9")
@pytest.mark.parametrize("change", [loses_its_grant, turns_external, changes_profile])
async def test_what_changed_during_the_call_is_not_shown(
    change: Callable[[Workshop], Awaitable[None]],
) -> None:
    shops: list[Workshop] = []
    during = Meanwhile(lambda: change(shops[0]))
    async with interrupting(READ, during, Says(cites)) as shop:
        shops.append(shop)
        await broken_off(shop)
        await swept(shop)

        assert await review_row(shop) == (*USED, ReviewOutcome.REFUSED)
        assert await nothing_more(shop)


@pytest.mark.requirement("V2", "T8")
async def test_a_turn_that_came_to_an_answer_after_all_is_settled_from_it_without_a_call() -> None:
    async with interrupting(*FORMED) as shop:
        await broken_off(shop)
        final = said(
            claims=[{"text": "x", "cites": [], "kind": "absence", "scope": {"view": "todos"}}]
        )
        endpoint_of(shop).observed = Observed(closed=True, final=final)
        assert await swept(shop) == 0
        await shop.recovery.take_over()
        await shop.deliver()

        assert await shop.ends() == [("answered", TurnCode.TRANSPORT_LOST)]
        assert endpoint_of(shop).reviewed == []
        assert await review_row(shop) is None
        assert await swept(shop) == 0


@pytest.mark.requirement("V2")
@pytest.mark.parametrize(
    "observed",
    [
        TurnFailure(TurnCode.SESSION_UNAVAILABLE),
        replace(BROKEN_OFF, closed=False),
        replace(BROKEN_OFF, stopped=True),
        replace(BROKEN_OFF, error=None),
    ],
)
async def test_a_turn_that_a_review_may_not_speak_for_is_left_and_its_review_stays_free(
    observed: Observed | TurnFailure,
) -> None:
    async with interrupting(*FORMED) as shop:
        await broken_off(shop)
        endpoint_of(shop).observed = observed
        assert await swept(shop) == 0
        assert await review_row(shop) is None
        endpoint_of(shop).observed = BROKEN_OFF
        assert await swept(shop) == 1


@pytest.mark.requirement("T5", "V1")
async def test_a_harmless_endpoint_has_no_review() -> None:
    endpoint = Shown({ASKED: [READ, Fails(LOST)]}, rerun=Rerun.HARMLESS)
    async with interrupting(endpoint=endpoint) as shop:
        await broken_off(shop)
        assert await swept(shop) == 0
        assert endpoint.looks == []


@pytest.mark.requirement("V2")
async def test_an_endpoint_out_of_quota_is_given_time_before_its_only_review_is_spent() -> None:
    short: list[Any] = [READ, Fails(TurnFailure(TurnCode.QUOTA_EXHAUSTED))]
    async with interrupting(*FORMED, answers=short) as shop:
        await broken_off(shop)
        assert await swept(shop) == 0
        shop.clock.advance(timedelta(hours=1))
        assert await swept(shop) == 1
        assert await review_row(shop) == (*USED, "settled")


@pytest.mark.requirement("V2", "D2")
async def test_a_recall_ends_a_review_under_way_and_nothing_of_it_is_shown() -> None:
    async with interrupting(Hangs()) as shop:
        message = await broken_off(shop)
        task = asyncio.ensure_future(swept(shop))
        await until_called(shop)
        recall = Recall(message.ref, HERE)
        await shop.event(recall, EventKind.RECALL, Lane.NOW, HERE)
        await shop.judge(Lane.NOW)
        await task

        await shop.deliver()
        assert [status for status, _ in await shop.ends()] == ["withdrawn"]
        assert len(shop.sender.texts()) == 1
        assert not endpoint_of(shop).running
        assert endpoint_of(shop).interrupted


@pytest.mark.requirement("V5")
async def test_a_question_that_comes_during_a_review_is_answered_after_it() -> None:
    shops: list[Workshop] = []

    async def asks() -> None:
        await shops[0].say("What else?")
        await shops[0].judge()
        await shops[0].answer()

    async with interrupting(READ, Meanwhile(asks), Says(cites)) as shop:
        shops.append(shop)
        await broken_off(shop)
        await swept(shop)
        await shop.through()

        assert [status for status, _ in await shop.ends()] == ["answered", "answered"]
        _, review, answer = shop.sender.texts()
        assert MARK in review
        assert MARK not in answer


@pytest.mark.requirement("V2", "V5")
async def test_a_question_that_waits_goes_first_and_the_review_comes_after_it() -> None:
    async with interrupting(*FORMED) as shop:
        await broken_off(shop)
        await shop.say("What else?")
        await shop.judge()
        assert await swept(shop) == 0
        await shop.through()
        assert await swept(shop) == 1
        await shop.deliver()

        _, answer, review = shop.sender.texts()
        assert MARK not in answer
        assert MARK in review
        assert [status for status, _ in await shop.ends()] == ["answered", "answered"]


@pytest.mark.requirement("V5")
async def test_other_old_questions_are_not_written_off() -> None:
    async with interrupting(*FORMED) as shop:
        await broken_off(shop)
        shop.scripts["Another?"] = [Fails(TurnFailure(TurnCode.UNCLASSIFIED))]
        await broken_off(shop, "Another?")
        await swept(shop)

        settled, other = await shop.ends()
        assert settled[0] == "settled"
        assert other == ("owed", TurnCode.UNCLASSIFIED)


@pytest.mark.requirement("V5")
async def test_the_topic_of_the_conversation_stays_what_it_was_since() -> None:
    def about_payments(seen: Seen) -> bytes:
        topic = {"intent": "progress", "goals": ["payments"]}
        return json.dumps({**json.loads(cites(seen)), "topic": topic}).encode()

    async with interrupting(READ, Says(about_payments)) as shop:
        await broken_off(shop)
        before = await shop.store.ledger.topic(HERE)
        await swept(shop)
        assert await review_row(shop) == (*USED, "settled")
        assert await shop.store.ledger.topic(HERE) == before


@pytest.mark.requirement("V1")
async def test_a_failure_that_a_review_cannot_help_costs_no_look() -> None:
    async with interrupting(*FORMED, answers=[READ, Says(b"{}")]) as shop:
        await broken_off(shop)
        assert await swept(shop) == 0
        assert endpoint_of(shop).looks == []
        assert await rows(shop.store, "SELECT id FROM review") == []


@pytest.mark.requirement("V1")
async def test_the_sweep_goes_round_through_more_than_one_look_can_hold() -> None:
    async with interrupting(*FORMED) as shop:
        await broken_off(shop)
        reviews = reviews_of(shop)
        (question,) = await shop.store.reviews.due(limit=9)
        assert (await shop.store.reviews.case(question)).state is ReviewState.UNUSED
        reviews._after = question
        assert await swept(shop, reviews) == 0
        assert await swept(shop, reviews) == 1


@pytest.mark.requirement("V2", "V3")
async def test_where_the_endpoint_was_switched_no_other_is_chosen() -> None:
    other = Shown({}, reviews={ASKED: list(FORMED)}, name="other")
    async with interrupting(*FORMED) as shop:
        await broken_off(shop)
        reviews = reviews_of(shop)
        switched = replace(shop.turns.grounds, endpoints=Endpoints(other))
        reviews._grounds = reviews._reviewing.grounds = switched
        assert await swept(shop, reviews) == 0

        assert (other.looks, other.reviewed) == ([], [])
        assert await review_row(shop) is None
        assert await swept(shop) == 1


@pytest.mark.requirement("V2")
async def test_who_shows_nothing_of_use_is_asked_less_and_less_often() -> None:
    async with interrupting(*FORMED) as shop:
        await broken_off(shop)
        endpoint_of(shop).observed = replace(BROKEN_OFF, closed=False)
        reviews, looked_at = reviews_of(shop), []
        for sweep in range(12):
            before = len(endpoint_of(shop).looks)
            await swept(shop, reviews)
            if len(endpoint_of(shop).looks) > before:
                looked_at.append(sweep)
            shop.clock.advance(EVERY)

        pauses = [later - earlier for earlier, later in pairwise(looked_at)]
        assert pauses == sorted(pauses)
        assert pauses[0] < pauses[-1]
        endpoint_of(shop).observed = BROKEN_OFF
        shop.clock.advance(12 * EVERY)
        assert await swept(shop, reviews) == 1


@pytest.mark.requirement("V1")
async def test_a_turn_whose_reads_were_all_refused_has_nothing_to_be_reviewed() -> None:
    other_tool = Calls(ToolCall("shell", "call-1", {}))
    async with interrupting(*FORMED, answers=[other_tool, Fails(LOST)]) as shop:
        await broken_off(shop)
        assert len(await shop.store.reviews.due(limit=9)) == 1
        assert await swept(shop) == 0
        assert await review_row(shop) is None
