"""What a worker brings that was thought dead: it settles the owed question, once, or is let go of. T8, W4, A1."""

from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest

from steward.model.audience import DirectoryFailure
from steward.model.effect import ByOperator, StopQuestions
from steward.model.ids import ConversationId
from steward.model.profile import RuntimeProfile
from steward.model.turn import Candidate, TurnCode
from steward.policy.retry import DIRECTORY_PATIENCE
from steward.texts.notices import FAILED
from tests.contracts.given import rows
from tests.steward.control.sessions import apply
from tests.steward.control.test_recovery import DEAD, left_behind
from tests.steward.control.workshop import APP, GOOD, TEAM, Workshop, open_workshop

AWAY = DirectoryFailure(retry=True, reason="timeout")
WHEN = "This was asked at 2026-11-30 12:00"


async def thought_dead(shop: Workshop, raw: bytes = GOOD) -> None:
    """The question is owed and told so; then its worker brings a candidate."""
    await left_behind(shop, called=True)
    await shop.recovery.run()
    await shop.deliver()
    assert await shop.ends() == [("owed", TurnCode.INTERRUPTED)]
    written = await shop.store.ledger.candidate(DEAD, Candidate(raw))
    assert written.value == "lost"


async def looked(shop: Workshop) -> list[str]:
    """The loop looks, and what is due is sent; what came after the notice."""
    await shop.recovery.take_over()
    await shop.recovery.take_over()
    await shop.deliver()
    return shop.sender.texts()[1:]


@pytest.mark.requirement("T8", "W4")
async def test_the_owed_question_is_answered_once_and_the_answer_says_that_it_is_late() -> None:
    async with open_workshop() as shop:
        await thought_dead(shop)

        (answer,) = await looked(shop)

        assert WHEN in answer
        assert FAILED[TurnCode.INTERRUPTED].what.en not in answer
        assert await shop.ends() == [("answered", TurnCode.INTERRUPTED)]
        notice, late = shop.sender.arrived
        assert notice.place == late.place
        assert shop.endpoint.asked == []
        assert await shop.store.ledger.owed(APP, most=5) == []


@pytest.mark.requirement("T8", "T1")
async def test_a_late_candidate_that_is_refused_gets_no_second_notice() -> None:
    async with open_workshop() as shop:
        await thought_dead(shop, b'{"classification": false}')

        assert await looked(shop) == []

        assert await shop.ends() == [("owed", TurnCode.INTERRUPTED)]
        assert await shop.store.ledger.late() == []


async def revoked(shop: Workshop) -> None:
    await shop.store.grants.sync([])


async def another_profile(shop: Workshop) -> None:
    await apply(shop.store, RuntimeProfile.TRUSTED_OWNER)


@pytest.mark.requirement("T8", "A3", "P9")
@pytest.mark.parametrize("happens", [revoked, another_profile])
async def test_what_was_read_under_other_rights_is_not_shown_late(
    happens: Callable[[Workshop], Awaitable[None]],
) -> None:
    async with open_workshop() as shop:
        await thought_dead(shop)
        await happens(shop)

        assert await looked(shop) == []

        assert await shop.ends() == [("owed", TurnCode.INTERRUPTED)]
        assert await shop.store.ledger.late() == []


@pytest.mark.requirement("T8", "A1")
async def test_while_nobody_knows_who_would_see_it_the_late_answer_waits() -> None:
    async with open_workshop() as shop:
        await thought_dead(shop)
        shop.directory.failure = AWAY

        assert await looked(shop) == []
        assert len(await shop.store.ledger.late()) == 1
        shop.directory.failure = None
        assert len(await looked(shop)) == 1


@pytest.mark.requirement("T8", "A1")
async def test_after_ten_minutes_nobody_waits_for_who_would_see_it() -> None:
    async with open_workshop() as shop:
        await thought_dead(shop)
        shop.directory.failure = AWAY
        shop.clock.advance(DIRECTORY_PATIENCE + timedelta(seconds=1))

        await looked(shop)

        assert await shop.store.ledger.late() == []
        assert (await shop.ends())[0][0] == "owed"


@pytest.mark.requirement("T6")
async def test_what_was_stopped_is_told_from_what_was_taken_back() -> None:
    async with open_workshop() as shop:
        await left_behind(shop, called=True)
        stop = StopQuestions(ConversationId(APP, TEAM), None)
        await shop.store.effects.commit(ByOperator(), stop, audit=[], reply=[])

        ((failure,),) = await rows(shop.store, "SELECT failure FROM turn")
        assert '"stopped"' in failure
        assert (await shop.ends())[0][0] == "withdrawn"
