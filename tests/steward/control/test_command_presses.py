"""Presses on command buttons: whoever may ask there, in that chat, on our own message, in time, once. Contracts A5, A3, D2."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import timedelta

import pytest

from steward.model.action import ClickRefusal
from steward.model.audience import Grant, GrantOrigin
from steward.model.delivery import ClickReply
from steward.model.events import Click, EventKind, Lane, Principal, PrincipalKind
from steward.model.ids import ChatId, ConversationId, MessageRef, OpenId, TenantKey, ThreadId
from steward.model.spoken import CommandSubject
from steward.policy.offering import BUTTON_LIFE
from steward.texts import command_answers as texts
from steward.texts.toasts import REFUSED
from tests.contracts.given import envelope, rows
from tests.steward.control.workshop import (
    APP,
    MEMBER,
    OURS,
    OWNER,
    PLANS,
    TEAM,
    TEAM_GRANT,
    Workshop,
    open_workshop,
    private_chat,
)

OTHER = OpenId("ou_other")
OWNERS_CHAT = private_chat(OWNER)


@dataclass
class Card:
    """A /help that has arrived, and the nonces of its buttons by command."""

    shop: Workshop
    message: MessageRef
    chat: ChatId
    nonces: dict[str, str]
    presses: int = 0

    def click(self, name: str, person: OpenId = MEMBER) -> Click:
        return Click(
            message=self.message,
            conversation=ConversationId(APP, self.chat),
            operator=Principal(person, OURS, PrincipalKind.PERSON),
            nonce=self.nonces[name],
        )

    async def press(self, click: Click) -> ClickReply:
        """What the presser is told, in an event of its own."""
        self.presses += 1
        event = envelope(
            f"press_{self.presses}", chat=self.chat, kind=EventKind.CLICK, lane=Lane.NOW
        )
        return await self.shop.presses.press(event, click)

    async def said(self) -> list[str]:
        """What has come into the chats after the card."""
        await self.shop.deliver()
        return self.shop.sender.texts()[1:]


async def helped(shop: Workshop) -> Card:
    """The last message that arrived is the card."""
    await shop.judge()
    await shop.deliver()
    arrival = shop.sender.arrived[-1]
    found = await rows(shop.store, "SELECT meaning, nonce FROM command_button")
    nonces = {
        name: str(nonce)
        for meaning, nonce in found
        for name in ("status", "sources", "owed", "new", "stop")
        if f'"{name}"' in meaning
    }
    return Card(shop, arrival.sent.message, arrival.place.conversation.chat_id, nonces)


@pytest.fixture
async def shop() -> AsyncIterator[Workshop]:
    async with open_workshop() as opened:
        yield opened


@pytest.fixture
async def card(shop: Workshop) -> Card:
    await shop.say("/help")
    return await helped(shop)


async def refused(card: Card, click: Click, why: ClickRefusal) -> None:
    """The press does nothing, and is kept with its reason."""
    reply = await card.press(click)
    assert reply.toast in {REFUSED[why].en, texts.PRESSED_BEFORE.en}
    ((reason,),) = await rows(card.shop.store, "SELECT reason FROM inbox ORDER BY id DESC LIMIT 1")
    assert reason == why
    assert await card.said() == []


@pytest.mark.requirement("A5")
async def test_whoever_may_ask_in_a_group_may_press_each_once(card: Card) -> None:
    for person in (MEMBER, OTHER, OWNER):
        assert (await card.press(card.click("status", person))).toast == texts.PRESSED.en
    assert len(await card.said()) == 3
    again = await card.press(card.click("status"))
    assert again.toast == texts.PRESSED_BEFORE.en
    assert len(await card.said()) == 3
    acts = await rows(card.shop.store, "SELECT actor FROM audit WHERE act = 'pressed' ORDER BY id")
    assert [actor for (actor,) in acts] == [MEMBER, OTHER, OWNER]


@pytest.mark.requirement("D2")
async def test_two_presses_at_once_are_answered_once(card: Card) -> None:
    click = card.click("owed")
    replies = await asyncio.gather(*(card.press(click) for _ in range(3)))
    toasts = sorted(reply.toast for reply in replies)
    assert toasts == sorted([texts.PRESSED.en, texts.PRESSED_BEFORE.en, texts.PRESSED_BEFORE.en])
    assert len(await card.said()) == 1


@pytest.mark.requirement("A5")
@pytest.mark.parametrize("tenant", [None, TenantKey("tenant_foreign")])
async def test_nobody_of_another_tenant_presses_anything(
    card: Card, tenant: TenantKey | None
) -> None:
    stranger = Principal(MEMBER, tenant, PrincipalKind.PERSON)
    click = replace(card.click("status"), operator=stranger)
    await refused(card, click, ClickRefusal.NOT_PERMITTED)


@pytest.mark.requirement("A5")
async def test_a_button_works_on_its_own_message_in_its_own_chat(card: Card) -> None:
    click = card.click("status")
    elsewhere = ConversationId(APP, ChatId("oc_elsewhere"))
    other = MessageRef(APP, "om_copied")
    for forged in (
        replace(click, conversation=elsewhere),
        replace(click, message=other),
        replace(click, message=None),
        replace(click, conversation=None),
    ):
        await refused(card, forged, ClickRefusal.FOREIGN_CARD)
    reply = await card.press(replace(click, nonce="guessed"))
    assert reply.toast == REFUSED[ClickRefusal.UNKNOWN].en


@pytest.mark.requirement("A5")
async def test_after_a_day_a_button_is_over(card: Card) -> None:
    card.shop.clock.advance(BUTTON_LIFE + timedelta(seconds=1))
    await refused(card, card.click("status"), ClickRefusal.EXPIRED)


@pytest.mark.requirement("A5", "A3")
async def test_a_press_is_judged_by_what_may_be_read_when_it_comes(card: Card) -> None:
    await card.shop.store.grants.sync(())
    await refused(card, card.click("sources"), ClickRefusal.AUTHORIZATION_CHANGED)


@pytest.mark.requirement("A5", "A3")
async def test_where_the_chat_became_external_nothing_is_pressed(card: Card) -> None:
    card.shop.directory.add(TEAM, external=True)
    await refused(card, card.click("status"), ClickRefusal.AUTHORIZATION_CHANGED)


@pytest.mark.requirement("A5", "A4")
async def test_a_private_card_is_its_readers_alone(shop: Workshop) -> None:
    await shop.in_private("/help", OWNER)
    card = await helped(shop)
    assert set(card.nonces) == {"status", "sources", "owed", "new", "stop"}
    await refused(card, card.click("status", MEMBER), ClickRefusal.NOT_PERMITTED)
    assert (await card.press(card.click("status", OWNER))).toast == texts.PRESSED.en
    (said,) = await card.said()
    assert "Setting as stored" in said


@pytest.mark.requirement("A5", "P9")
async def test_who_is_the_owner_no_more_sees_nothing_of_the_owners(shop: Workshop) -> None:
    await shop.in_private("/help", OWNER)
    card = await helped(shop)
    await shop.store.owners.follow(APP, OTHER)
    await refused(card, card.click("status", OWNER), ClickRefusal.AUTHORIZATION_CHANGED)


@pytest.mark.requirement("A5")
async def test_a_pressed_stop_stops_and_a_pressed_new_starts_afresh(shop: Workshop) -> None:
    await shop.in_private("How is it going?", OWNER)
    await shop.in_private("/help", OWNER)
    card = await helped(shop)
    assert (await card.press(card.click("stop", OWNER))).toast == texts.PRESSED.en
    assert [end for end, _ in await shop.ends()] == ["withdrawn"]
    assert (await card.press(card.click("new", OWNER))).toast == texts.PRESSED.en
    first, second = await card.said()
    assert "1" in first
    assert second.strip() == texts.RENEWED.en


@pytest.mark.requirement("A4")
async def test_outsiders_get_no_buttons() -> None:
    outside = ChatId("oc_outside")
    grant = Grant("outside", f"external:{outside}", (PLANS,), None, GrantOrigin.CONFIG)
    async with open_workshop(grants=(TEAM_GRANT, grant)) as shop:
        shop.directory.add(outside, external=True)
        await shop.say("/help", chat=outside)
        assert (await helped(shop)).nonces == {}


async def test_a_press_is_answered_in_the_topic_and_language_of_its_card() -> None:
    topic = ConversationId(APP, TEAM, ThreadId("omt_1"))
    subject = CommandSubject.parse(f"command:zh:group:{topic}:om_1")
    assert subject.conversation == topic
    assert str(subject) == f"command:zh:group:{topic}:om_1"
    with pytest.raises(ValueError, match="subject"):
        CommandSubject.parse(f"approval:zh:group:{topic}:om_1")
