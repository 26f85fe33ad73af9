"""A turn begins, and is settled, before the audience that its question was asked before, and before no other. A3, A1."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TypeAlias

import pytest

from steward.model.audience import DirectoryFailure
from steward.model.ids import QuestionId
from steward.model.turn import TurnCode
from steward.policy.retry import DIRECTORY_PATIENCE
from steward.testing.endpoint import Meanwhile, Says, Script
from steward.texts.notices import FAILED
from tests.steward.control.workshop import (
    APP,
    GOOD,
    MEMBER,
    OWNER,
    TEAM,
    Workshop,
    open_workshop,
)

ASKED = "How is it going?"
AWAY = DirectoryFailure(retry=True, reason="timeout")

Change: TypeAlias = Callable[[Workshop], Awaitable[None]]


async def revoked(shop: Workshop) -> None:
    await shop.store.grants.sync(())


async def turned_external(shop: Workshop) -> None:
    shop.directory.add(TEAM, external=True)


async def looked_away(shop: Workshop) -> None:
    shop.directory.failure = AWAY


async def owner_changed(shop: Workshop) -> None:
    await shop.store.owners.follow(APP, MEMBER)


async def meanwhile(shop: Workshop, change: Change) -> None:
    """Once the endpoint has been asked, and before its answer is judged."""
    script: Script = [Meanwhile(lambda: change(shop)), Says(GOOD)]
    shop.scripts[ASKED] = script


async def answered(shop: Workshop, until: Callable[[], bool]) -> timedelta:
    """The turn has its way, time going on while it waits; how long it took. The look-ups work again from `until` on."""
    began, waits = shop.clock.now(), False
    async with asyncio.timeout(20), asyncio.TaskGroup() as group:
        turn = group.create_task(shop.answer())
        while not turn.done():
            seen = len(shop.directory.asked)
            waits = waits or shop.directory.failure is not None
            if until():
                shop.directory.failure = None
            await asyncio.wait([turn], timeout=0.02)
            if waits and len(shop.directory.asked) == seen:
                shop.clock.advance(timedelta(seconds=30))
    return shop.clock.now() - began


def never() -> bool:
    return False


@pytest.mark.requirement("A3")
@pytest.mark.parametrize("change", [revoked, turned_external])
async def test_what_changed_while_it_was_answered_is_dropped_before_it_is_settled(
    change: Change,
) -> None:
    async with open_workshop() as shop:
        await meanwhile(shop, change)
        await shop.say(ASKED)
        await shop.through()
        assert await shop.ends() == [("owed", TurnCode.AUTHORIZATION_CHANGED)]
        assert await shop.store.ledger.answer(QuestionId(1)) is None
        (said,) = shop.sender.texts()
        assert said.startswith(FAILED[TurnCode.AUTHORIZATION_CHANGED].what.en)


@pytest.mark.requirement("A3")
async def test_what_the_owner_asked_is_dropped_once_somebody_else_is() -> None:
    async with open_workshop() as shop:
        await meanwhile(shop, owner_changed)
        await shop.in_private(ASKED, OWNER)
        await shop.through()
        assert await shop.ends() == [("owed", TurnCode.AUTHORIZATION_CHANGED)]


@pytest.mark.requirement("A3")
async def test_nothing_is_read_for_a_chat_that_turned_external_while_its_question_waited() -> None:
    async with open_workshop() as shop:
        await shop.say(ASKED)
        await shop.judge()
        await turned_external(shop)
        await shop.answer()
        await shop.deliver()
        assert await shop.ends() == [("owed", TurnCode.AUTHORIZATION_CHANGED)]
        assert shop.endpoint.asked == []
        assert len(shop.sender.texts()) == 1


@pytest.mark.requirement("A1", "A3")
async def test_a_look_up_that_fails_at_the_settle_is_waited_for_and_the_answer_comes_once() -> None:
    async with open_workshop() as shop:
        await meanwhile(shop, looked_away)
        await shop.say(ASKED)
        await shop.judge()
        late = shop.clock.now() + DIRECTORY_PATIENCE / 2
        await answered(shop, lambda: shop.clock.now() >= late)
        await shop.deliver()
        assert await shop.ends() == [("answered", None)]
        assert (len(shop.endpoint.asked), len(shop.sender.arrived)) == (1, 1)


@pytest.mark.requirement("A1", "A3")
@pytest.mark.parametrize("begun", [False, True])
async def test_a_look_up_that_keeps_failing_leaves_the_question_owed(begun: bool) -> None:
    async with open_workshop() as shop:
        await shop.say(ASKED)
        await shop.judge()
        if begun:
            await meanwhile(shop, looked_away)
        else:
            await looked_away(shop)
        took = await answered(shop, never)
        await shop.deliver()
        assert took >= DIRECTORY_PATIENCE
        assert await shop.ends() == [("owed", TurnCode.DIRECTORY_UNAVAILABLE)]
        assert len(shop.endpoint.asked) == int(begun)
        assert len(shop.sender.texts()) == 1
