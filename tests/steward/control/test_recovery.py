"""What a dead worker left behind becomes what its stage says, and no endpoint is called twice that may have acted."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from steward.model.audience import DirectoryFailure, Scope
from steward.model.ids import AttemptToken, QuestionId
from steward.model.profile import RESTRICTED_DEFAULT, Readback
from steward.model.turn import Candidate, Rerun, TurnCode
from steward.policy.retry import DIRECTORY_PATIENCE
from steward.testing.endpoint import Says, ScriptedEndpoint
from tests.contracts.given import FIRST
from tests.steward.control.workshop import GOOD, TEAM, TTL, WORKER, Workshop, open_workshop

DEAD = AttemptToken("attempt-of-a-dead-worker")
AWAY = DirectoryFailure(retry=True, reason="timeout")


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


async def recovered(shop: Workshop) -> int:
    """A start, and the first look of the loop behind it; how many turns were dealt with."""
    return await shop.recovery.run() + await shop.recovery.take_over()


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
        assert await recovered(shop) == 1
        await shop.deliver()
        assert await shop.ends() == [end]
        assert len(shop.sender.arrived) == 1
        assert shop.endpoint.asked == []


@pytest.mark.requirement("A3")
async def test_a_stored_candidate_of_an_audience_that_lost_its_grant_is_withheld() -> None:
    async with open_workshop() as shop:
        await left_behind(shop, called=True, candidate=GOOD)
        await shop.store.grants.sync(())
        assert await recovered(shop) == 1
        assert await shop.ends() == [("owed", TurnCode.AUTHORIZATION_CHANGED)]


@pytest.mark.requirement("T4")
async def test_a_running_turn_is_not_taken_over_before_its_lease_ran_out() -> None:
    async with open_workshop() as shop:
        await left_behind(shop, called=True)
        assert await shop.recovery.take_over() == 0
        shop.clock.advance(TTL)
        assert await shop.recovery.take_over() == 1


@pytest.mark.requirement("A3")
async def test_a_stored_candidate_of_a_chat_that_turned_external_is_withheld() -> None:
    async with open_workshop() as shop:
        await left_behind(shop, called=True, candidate=GOOD)
        shop.directory.add(TEAM, external=True)
        assert await recovered(shop) == 1
        assert await shop.ends() == [("owed", TurnCode.AUTHORIZATION_CHANGED)]


@pytest.mark.requirement("A1", "D7")
async def test_the_start_waits_for_no_platform_and_the_loop_behind_it_looks_at_once() -> None:
    async with open_workshop() as shop:
        await left_behind(shop, called=True, candidate=GOOD)
        asked = len(shop.directory.asked)
        assert await shop.recovery.run() == 0
        assert len(shop.directory.asked) == asked
        async with asyncio.timeout(5), asyncio.TaskGroup() as group:
            watch = group.create_task(shop.recovery.watch())
            while not shop.sender.arrived:
                await shop.deliver()
            watch.cancel()


@pytest.mark.requirement("A1", "A3", "D7")
async def test_a_stored_candidate_waits_for_a_look_up_and_is_settled_once() -> None:
    async with open_workshop() as shop:
        await left_behind(shop, called=True, candidate=GOOD)
        shop.directory.failure = AWAY
        assert await recovered(shop) == 0
        shop.clock.advance(DIRECTORY_PATIENCE - timedelta(seconds=15))
        assert await shop.recovery.take_over() == 0
        await shop.say("What else?")
        shop.directory.failure = None
        await shop.judge()
        await shop.answer()
        await shop.deliver()
        assert shop.sender.arrived == []
        assert await shop.recovery.take_over() == 1
        await shop.answer()
        await shop.deliver()
        assert await shop.ends() == [("answered", None), ("answered", None)]
        assert [asked.question for asked in shop.endpoint.asked] == ["What else?"]


@pytest.mark.requirement("A1", "W3")
@pytest.mark.parametrize("lasting", [False, True])
async def test_a_stored_candidate_whose_chat_cannot_be_looked_up_is_owed(lasting: bool) -> None:
    async with open_workshop() as shop:
        await left_behind(shop, called=True, candidate=GOOD)
        shop.directory.failure = replace(AWAY, retry=not lasting)
        if not lasting:
            assert await recovered(shop) == 0
            shop.clock.advance(DIRECTORY_PATIENCE)
        assert await recovered(shop) == 1
        await shop.deliver()
        assert await shop.ends() == [("owed", TurnCode.DIRECTORY_UNAVAILABLE)]
        assert len(shop.sender.arrived) == 1


@pytest.mark.requirement("T5", "T6", "D7")
@pytest.mark.parametrize("called", [False, True])
async def test_a_question_that_takes_its_process_down_each_time_is_owed_in_the_end(
    called: bool,
) -> None:
    async with open_workshop(endpoint=harmless()) as shop:
        await left_behind(shop, called=called)
        for death in (1, 2):
            assert await recovered(shop) == 1
            assert await shop.ends() == [("queued", None)]
            await dies(shop, AttemptToken(f"death-{death}"), called=called)
        await shop.say("What else?")
        await shop.judge()

        assert await recovered(shop) == 1
        await shop.deliver()

        assert await shop.ends() == [("owed", TurnCode.INTERRUPTED), ("queued", None)]
        assert len(shop.sender.arrived) == 1


async def dies(shop: Workshop, token: AttemptToken, *, called: bool) -> None:
    """The next try begins, and goes like the last one."""
    (lease,) = await shop.store.conversations.claim(WORKER, limit=1, ttl=TTL)
    question = await shop.store.ledger.question(QuestionId(1))
    scope = await shop.scopes.of(question.audience)
    assert isinstance(scope, Scope)
    await shop.store.ledger.begin(
        lease,
        question.id,
        token,
        endpoint=shop.endpoint.name,
        readback=Readback(RESTRICTED_DEFAULT, "restricted-1"),
        scope_revision=scope.revision,
        session=FIRST,
    )
    if called:
        await shop.store.ledger.calling(token)
