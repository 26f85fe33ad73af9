"""What is said and done by the clock: an outage is told once, the owner once a day, words are let go. Contracts W4, A4, D6."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from steward.control.upkeep import Keeper
from steward.dispatch.local import EventWake
from steward.model.audience import ChatFacts, ChatMode, Grant, GrantOrigin
from steward.model.ids import ChatId
from steward.model.turn import TurnCode, TurnFailure
from steward.model.upkeep import BRIDGED, KEPT
from steward.testing.endpoint import Fails
from tests.contracts.given import rows
from tests.steward.control.workshop import (
    APP,
    OURS,
    OWNER,
    PLANS,
    TEAM,
    TEAM_GRANT,
    Workshop,
    open_workshop,
    private_chat,
)

DAY = timedelta(days=1)
SECRET = "How is the secret merger going?"
FAILING = {SECRET: [Fails(TurnFailure(TurnCode.EXECUTOR_TIMEOUT))]}


@dataclass
class Kept:
    """A workshop and its keeper; it is noon on Monday in Asia/Shanghai."""

    shop: Workshop
    keeper: Keeper

    def pass_by(self, time: timedelta) -> datetime:
        self.shop.clock.advance(time)
        return self.shop.clock.now()

    async def said(self) -> list[str]:
        """What came of it, and nothing else, in the chats."""
        before = len(self.shop.sender.arrived)
        await self.shop.deliver()
        return self.shop.sender.texts()[before:]


def keeper_of(shop: Workshop) -> Keeper:
    """What keeps this workshop."""
    store = shop.store
    return Keeper(
        upkeep=store.upkeep,
        ledger=store.ledger,
        grants=store.grants,
        chats=store.chats,
        authorities=shop.standing.authorities,
        sender=shop.sender,
        deliveries=EventWake(),
        clock=shop.clock,
        zone=ZoneInfo("Asia/Shanghai"),
    )


@asynccontextmanager
async def kept(grants: Sequence[Grant] = (TEAM_GRANT,)) -> AsyncIterator[Kept]:
    async with open_workshop(grants=grants, scripts=dict(FAILING)) as shop:
        yield Kept(shop, keeper_of(shop))


async def owe(one: Kept) -> None:
    """A question that its asker has no answer to, and was told so."""
    await one.shop.say(SECRET)
    await one.shop.through()


def grant(name: str, audience: str) -> Grant:
    return Grant(name, audience, (PLANS,), None, GrantOrigin.CONFIG)


def facts(one: Kept, chat: str, title: str, *, external: bool) -> ChatFacts:
    now = one.shop.clock.now()
    return ChatFacts(ChatId(chat), ChatMode.GROUP, external, OURS, title, now)


# ------------------------------------------------------------ away


@pytest.mark.requirement("W4")
async def test_an_outage_that_no_retry_bridges_is_told_once_from_when_to_when() -> None:
    async with kept() as one:
        await one.keeper.be_seen()
        one.pass_by(BRIDGED + timedelta(minutes=54))
        await one.keeper.be_seen()
        (told,) = await one.said()
        assert "2026-11-30 12:00" in told
        assert "2026-11-30 20:00" in told
        await one.keeper.be_seen()
        assert await one.said() == []


@pytest.mark.requirement("W4")
async def test_an_outage_that_the_platforms_retries_bridge_is_not_told() -> None:
    async with kept() as one:
        await one.keeper.be_seen()
        for pause in (BRIDGED, timedelta(hours=1), BRIDGED):
            one.pass_by(pause)
            await one.keeper.be_seen()
        assert await one.said() == []


@pytest.mark.requirement("W4")
async def test_a_first_start_was_never_away() -> None:
    async with kept() as one:
        await one.keeper.be_seen()
        assert await one.said() == []


@pytest.mark.requirement("W4")
async def test_the_chats_that_are_granted_are_told_and_no_other() -> None:
    grants = (
        TEAM_GRANT,
        grant("again", f"group:{TEAM}"),
        grant("partner", "external:oc_partner"),
        grant("void", "group:oc_opened"),
        grant("left", "group:oc_left"),
        grant("private", "members"),
    )
    async with kept(grants) as one:
        store = one.shop.store
        await store.chats.note(APP, facts(one, "oc_opened", "Opened", external=True))
        await store.chats.note(APP, facts(one, "oc_left", "Left", external=False))
        await store.chats.left(APP, ChatId("oc_left"))
        await one.keeper.be_seen()
        one.pass_by(DAY)
        await one.keeper.be_seen()
        await one.said()
        told = [arrival.place.conversation.chat_id for arrival in one.shop.sender.arrived]
        assert sorted(told) == ["oc_partner", TEAM]


@pytest.mark.requirement("W4", "W5")
async def test_a_chat_is_told_in_the_language_of_its_last_question_and_else_in_both() -> None:
    async with kept() as one:
        await one.keeper.be_seen()
        one.pass_by(DAY)
        await one.keeper.be_seen()
        (both,) = await one.said()
        assert "我不在" in both
        assert "I was away" in both
        await one.shop.say("支付网关怎么样了？")
        await one.shop.through()
        one.pass_by(DAY)
        await one.keeper.be_seen()
        (told,) = await one.said()
        assert "我不在" in told
        assert "I was away" not in told


@pytest.mark.requirement("W4")
async def test_two_processes_that_come_back_tell_one_outage_once() -> None:
    async with kept() as one:
        await one.keeper.be_seen()
        was = await one.shop.store.upkeep.seen(APP)
        one.pass_by(DAY)
        assert was is not None
        await one.keeper._tell_away(was, one.shop.clock.now())
        await one.keeper.be_seen()
        assert len(await one.said()) == 1


# ------------------------------------------------------------ owed for long


@pytest.mark.requirement("A4")
async def test_the_owner_is_told_in_private_of_what_is_owed_for_a_day_without_a_word_of_it() -> (
    None
):
    async with kept() as one:
        await one.shop.store.chats.note(APP, facts(one, TEAM, "Team [x](http://e)", external=False))
        await owe(one)
        one.pass_by(DAY - timedelta(minutes=1))
        await one.keeper.remind()
        assert await one.said() == []
        one.pass_by(timedelta(minutes=2))
        await one.keeper.remind()
        (told,) = await one.said()
        assert "secret" not in told
        assert TEAM in told
        assert "longer than it may" in told
        place = one.shop.sender.arrived[-1].place
        assert str(place.conversation.chat_id) == OWNER


async def test_what_did_not_change_is_told_once_and_a_change_the_next_morning() -> None:
    async with kept() as one:
        await owe(one)
        one.pass_by(DAY * 2)
        for _ in range(4):
            await one.keeper.remind()
            one.pass_by(DAY)
        assert len(await one.said()) == 1
        await owe(one)
        one.pass_by(DAY + timedelta(hours=20))  # eight in the morning
        await one.keeper.remind()
        assert await one.said() == []
        one.pass_by(timedelta(hours=1))
        await one.keeper.remind()
        assert len(await one.said()) == 1


async def test_more_than_ten_are_counted_and_one_message_a_day_is_enough() -> None:
    async with kept() as one:
        for _ in range(12):
            await owe(one)
        one.pass_by(DAY * 2)
        await one.keeper.remind()
        (told,) = await one.said()
        assert told.count(TEAM) == 10
        assert "+2 more" in told
        assert ": 12" in told
        await one.shop.store.database.write(
            lambda connection: connection.exec_driver_sql("DELETE FROM outbox")
        )
        await one.keeper.remind()
        assert await one.said() == []


async def test_without_an_owner_nobody_is_told(caplog: pytest.LogCaptureFixture) -> None:
    async with kept() as one:
        await owe(one)
        await one.shop.store.owners.follow(APP, None)
        one.pass_by(DAY * 2)
        for _ in range(2):
            await one.keeper.remind()
        assert await one.said() == []
        assert caplog.text.count("there is no owner") == 1
        assert "secret" not in caplog.text


async def test_the_owner_is_told_in_the_private_chat_and_in_its_language() -> None:
    async with kept() as one:
        await one.shop.in_private("支付网关怎么样了？", OWNER)
        await one.shop.through()
        await owe(one)
        one.pass_by(DAY * 2)
        await one.keeper.remind()
        (told,) = await one.said()
        assert "超过一天" in told
        assert one.shop.sender.arrived[-1].place.conversation.chat_id == private_chat(OWNER)


# ------------------------------------------------------------ forgetting


@pytest.mark.requirement("D6")
async def test_words_are_let_go_and_what_is_owed_is_kept() -> None:
    async with kept() as one:
        for _ in range(10):
            await one.shop.say()
            await one.shop.through()
        await owe(one)
        one.pass_by(KEPT + timedelta(seconds=1))
        await one.keeper.forget()
        found = await rows(one.shop.store, "SELECT text FROM question WHERE text <> ''")
        assert found == [(SECRET,)]


@pytest.mark.requirement("D6")
async def test_each_hour_one_process_forgets() -> None:
    async with kept() as one:
        await one.shop.say()
        await one.shop.through()
        one.pass_by(KEPT)
        await one.keeper.forget()
        one.pass_by(timedelta(minutes=1))
        await one.keeper.forget()
        asked = "SELECT count(*) FROM question WHERE text <> ''"
        assert await rows(one.shop.store, asked) == [(1,)]
        one.pass_by(timedelta(hours=1))
        await one.keeper.forget()
        assert await rows(one.shop.store, asked) == [(0,)]
