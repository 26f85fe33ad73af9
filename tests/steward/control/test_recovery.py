"""What a dead worker left behind becomes what its stage says, and no endpoint is called twice that may have acted."""

import pytest

from steward.model.audience import Scope
from steward.model.ids import AttemptToken, QuestionId
from steward.model.profile import RESTRICTED_DEFAULT, Readback
from steward.model.turn import Candidate, Rerun, TurnCode
from steward.testing.endpoint import Says, ScriptedEndpoint
from tests.contracts.given import FIRST
from tests.steward.control.workshop import GOOD, TTL, WORKER, Workshop, open_workshop

DEAD = AttemptToken("attempt-of-a-dead-worker")


async def left_behind(shop: Workshop, *, called: bool, candidate: bytes | None = None) -> None:
    """A turn as a killed process leaves it."""
    await shop.say()
    await shop.judge()
    (lease,) = await shop.store.conversations.claim(WORKER, limit=1, ttl=TTL)
    question = await shop.store.ledger.question(QuestionId(1))
    scope = await shop.scopes.of(question.audience)
    assert isinstance(scope, Scope)
    await shop.store.ledger.begin(
        lease,
        QuestionId(1),
        DEAD,
        endpoint=shop.endpoint.name,
        readback=Readback(RESTRICTED_DEFAULT, "restricted-1"),
        scope_revision=scope.revision,
        session=FIRST,
    )
    if called:
        await shop.store.ledger.calling(DEAD)
    if candidate is not None:
        await shop.store.ledger.candidate(DEAD, Candidate(candidate))


def harmless() -> ScriptedEndpoint:
    return ScriptedEndpoint({"How is it going?": [Says(GOOD)]}, rerun=Rerun.HARMLESS)


@pytest.mark.requirement("T4", "D7")
async def test_a_turn_that_never_called_runs() -> None:
    async with open_workshop() as shop:
        await left_behind(shop, called=False)
        assert await shop.recovery.run() == 1
        await shop.answer()
        await shop.deliver()
        assert await shop.ends() == [("answered", None)]
        assert len(shop.endpoint.asked) == 1


@pytest.mark.requirement("T4", "T6", "W3", "D7")
async def test_a_turn_that_called_is_owed_with_a_notice_and_is_never_called_again() -> None:
    async with open_workshop() as shop:
        await left_behind(shop, called=True)
        await shop.recovery.run()
        await shop.answer()
        await shop.deliver()
        assert await shop.ends() == [("owed", TurnCode.INTERRUPTED)]
        assert len(shop.sender.arrived) == 1
        assert shop.endpoint.asked == []


@pytest.mark.requirement("T5")
async def test_a_harmless_endpoint_simply_runs_again() -> None:
    async with open_workshop(endpoint=harmless()) as shop:
        await left_behind(shop, called=True)
        await shop.recovery.run()
        await shop.answer()
        await shop.deliver()
        assert await shop.ends() == [("answered", None)]


@pytest.mark.requirement("T3", "T8", "D7")
@pytest.mark.parametrize(
    ("raw", "end"),
    [(GOOD, ("answered", None)), (b"{}", ("owed", TurnCode.RESULT_INVALID))],
)
async def test_a_stored_candidate_is_judged_and_settled_without_a_call(
    raw: bytes, end: tuple[str, str | None]
) -> None:
    async with open_workshop() as shop:
        await left_behind(shop, called=True, candidate=raw)
        await shop.recovery.run()
        await shop.deliver()
        assert await shop.ends() == [end]
        assert len(shop.sender.arrived) == 1
        assert shop.endpoint.asked == []


@pytest.mark.requirement("A3")
async def test_a_stored_candidate_of_an_audience_that_lost_its_grant_is_withheld() -> None:
    async with open_workshop() as shop:
        await left_behind(shop, called=True, candidate=GOOD)
        await shop.store.grants.sync(())
        await shop.recovery.run()
        assert await shop.ends() == [("owed", TurnCode.AUTHORIZATION_CHANGED)]


@pytest.mark.requirement("T4")
async def test_a_running_turn_is_not_taken_over_before_its_lease_ran_out() -> None:
    async with open_workshop() as shop:
        await left_behind(shop, called=True)
        assert await shop.recovery.take_over() == 0
        shop.clock.advance(TTL)
        assert await shop.recovery.take_over() == 1
