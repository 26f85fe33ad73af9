"""While the platform takes nothing of the app, one part tries for all; afterwards everything arrives, once. D4, W3."""

from datetime import timedelta

import pytest

from steward.model.audience import ChatFacts, DirectoryFailure
from steward.model.delivery import Disposition, Refused, Unknown
from steward.model.ids import ChatId, ConversationId, OpenId
from steward.model.turn import TurnCode
from steward.policy.retry import LAST_TRY
from tests.contracts.given import rows
from tests.steward.control.workshop import TEAM, TEAM_GRANT, Workshop, foreign, open_workshop

CHATS = (TEAM, *(ChatId(f"oc_{number}") for number in range(1, 6)))
GRANTS = tuple(foreign(TEAM_GRANT, chat) for chat in CHATS)
QUOTA = Refused("quota", Disposition.HOLD, timedelta(minutes=10))
AWAY = Refused("unreachable", Disposition.HOLD)
SECOND = timedelta(seconds=1)


async def waiting(shop: Workshop, *, each: int = 2) -> None:
    """So many answers wait in each chat."""
    for _ in range(each):
        for chat in CHATS:
            shop.directory.add(chat)
            await shop.say(chat=chat, sender=OpenId(f"ou_{chat}"))
        await shop.judge()
        await shop.answer()


async def deliver(shop: Workshop, most: timedelta, step: timedelta = SECOND) -> None:
    until = shop.clock.now() + most
    while shop.clock.now() < until:
        await shop.deliver()
        shop.clock.advance(step)


async def statuses(shop: Workshop) -> set[str]:
    return {row[0] for row in await rows(shop.store, "SELECT status FROM outbox")}


@pytest.mark.requirement("D4")
async def test_out_of_quota_few_calls_are_spent_and_afterwards_all_arrive() -> None:
    async with open_workshop(grants=GRANTS) as shop:
        await waiting(shop)
        shop.sender.down = QUOTA
        await deliver(shop, timedelta(hours=40), timedelta(minutes=1))
        assert len(shop.sender.tried) < len(CHATS) + 45
        assert shop.courier.holding.reason == "quota"
        assert await statuses(shop) == {"pending"}
        shop.sender.down = None
        await deliver(shop, timedelta(hours=1), timedelta(minutes=1))
        assert len(shop.sender.arrived) == 2 * len(CHATS)
        assert shop.courier.holding.reason is None
        (was,) = shop.courier.holding.silences
        assert was.end - was.start >= timedelta(hours=40) - timedelta(minutes=1)


@pytest.mark.requirement("D4")
async def test_after_a_pause_one_part_tries_for_all_and_each_time_another_one() -> None:
    async with open_workshop(grants=GRANTS) as shop:
        await waiting(shop)
        shop.sender.down = AWAY
        await shop.deliver()
        assert len(shop.sender.tried) == len(CHATS)
        shop.clock.advance(SECOND)
        await shop.deliver()
        shop.clock.advance(timedelta(seconds=2))
        await shop.deliver()
        assert len(shop.sender.tried) == len(CHATS) + 2
        *_, first, second = shop.sender.tried
        assert first.place != second.place


@pytest.mark.requirement("D4")
async def test_what_one_part_alone_meets_gives_that_part_up_and_no_other() -> None:
    async with open_workshop(grants=GRANTS) as shop:
        await waiting(shop, each=1)
        victim = TEAM

        async def send(part, place, kind=None):  # type: ignore[no-untyped-def] # a method's stand-in
            if place.conversation.chat_id == victim:
                return AWAY
            return await type(shop.sender).send(shop.sender, part, place)

        shop.sender.send = send  # type: ignore[method-assign]
        for _ in range(LAST_TRY * 40):
            await shop.deliver()
            if await statuses(shop) == {"sent", "dead"}:
                break
            await shop.say(chat=CHATS[1])
            await shop.judge()
            await shop.answer()
            shop.clock.advance(timedelta(seconds=30))
        dead = await rows(shop.store, "SELECT chat_id FROM outbox WHERE status = 'dead'")
        assert dead == [(victim,)]


@pytest.mark.requirement("D4")
async def test_a_try_that_nobody_answers_lets_no_other_go() -> None:
    async with open_workshop(grants=GRANTS) as shop:
        await waiting(shop)
        shop.sender.down = AWAY
        await shop.deliver()
        shop.sender.down = Unknown("timeout")
        shop.clock.advance(SECOND)
        await shop.deliver()
        assert len(shop.sender.tried) == len(CHATS) + 1
        assert shop.courier.holding.reason == "unreachable"


@pytest.mark.requirement("D4", "A1")
async def test_while_nobody_answers_look_ups_nothing_is_owed_and_nothing_is_sent() -> None:
    async with open_workshop(grants=GRANTS) as shop:
        await waiting(shop)
        shop.directory.failure = DirectoryFailure(True, "unreachable", whole_app=True)
        await deliver(shop, timedelta(hours=2), timedelta(seconds=30))
        assert (shop.sender.tried, await statuses(shop)) == ([], {"pending"})
        assert shop.courier.holding.reason == "unreachable"
        shop.directory.failure = None
        await deliver(shop, timedelta(minutes=5))
        assert len(shop.sender.arrived) == 2 * len(CHATS)
        assert {end for end, _ in await shop.ends()} == {"answered"}


UNCLEAR = DirectoryFailure(retry=True, reason="ambiguous")


@pytest.mark.requirement("D4", "A1")
async def test_where_no_chats_look_up_is_answered_the_platform_is_away_and_nothing_is_owed() -> (
    None
):
    async with open_workshop(grants=GRANTS) as shop:
        await waiting(shop)
        shop.directory.failure = UNCLEAR
        shop.sender.down = shop.sender.unreadable = Unknown("ambiguous")
        await deliver(shop, timedelta(hours=2), timedelta(seconds=30))
        assert (shop.sender.tried, await statuses(shop)) == ([], {"pending"})
        shop.directory.failure = shop.sender.down = shop.sender.unreadable = None
        await deliver(shop, timedelta(minutes=5))
        assert len(shop.sender.arrived) == 2 * len(CHATS)
        assert {end for end, _ in await shop.ends()} == {"answered"}


@pytest.mark.requirement("A1", "A3")
async def test_where_one_chats_look_up_is_not_answered_that_chat_alone_is_owed() -> None:
    async with open_workshop(grants=GRANTS) as shop:
        await waiting(shop, each=1)
        directory, plain = shop.directory, shop.directory.chat

        async def chat(conversation: ConversationId) -> ChatFacts | DirectoryFailure:
            return UNCLEAR if conversation.chat_id == TEAM else await plain(conversation)

        directory.chat = chat  # type: ignore[method-assign]
        await deliver(shop, timedelta(minutes=12), timedelta(seconds=5))
        assert shop.courier.holding.reason is None
        ends = [code for _, code in await shop.ends()]
        assert ends == [TurnCode.DIRECTORY_UNAVAILABLE, *[None] * (len(CHATS) - 1)]


@pytest.mark.requirement("D4")
async def test_sends_that_nobody_answers_in_several_chats_hold_the_others() -> None:
    async with open_workshop(grants=GRANTS) as shop:
        await waiting(shop)
        shop.sender.script(Unknown("timeout"), Unknown("timeout"))
        await shop.courier.round()
        assert shop.courier.holding.reason is None
        await deliver(shop, timedelta(minutes=1))
        assert len(shop.sender.arrived) == 2 * len(CHATS)
    async with open_workshop(grants=GRANTS) as shop:
        await waiting(shop)
        shop.sender.down = Unknown("timeout")
        await shop.courier.round()
        assert shop.courier.holding.reason == "unanswered"
        assert await shop.courier.round() == 0


@pytest.mark.requirement("D4")
async def test_a_clock_that_is_set_back_holds_nothing_for_longer() -> None:
    async with open_workshop(grants=GRANTS) as shop:
        await waiting(shop, each=1)
        shop.sender.down = QUOTA
        await shop.deliver()
        shop.sender.down = None
        shop.clock.advance(timedelta(hours=-8))
        await deliver(shop, timedelta(minutes=5))
        assert len(shop.sender.arrived) == len(CHATS)
