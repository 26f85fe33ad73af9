"""Chats are written down where something is new, and not for every message."""

from datetime import timedelta

from steward.model.audience import KnownChat
from steward.model.events import ChatChange, EventKind, Lane, Membership, Principal, PrincipalKind
from steward.model.ids import ConversationId
from tests.steward.control.workshop import APP, OWNER, TEAM, Workshop, open_workshop

CHAT = ConversationId(APP, TEAM)
SOMEBODY = Principal(None, None, PrincipalKind.PERSON)


async def known(shop: Workshop) -> KnownChat:
    (chat,) = await shop.store.chats.known(APP)
    return chat


async def test_a_chat_is_noted_again_where_it_changed_or_an_hour_went_by() -> None:
    async with open_workshop() as shop:
        first = shop.clock.now()
        await shop.say()
        shop.clock.advance(timedelta(minutes=30))
        await shop.say()
        await shop.judge()
        await shop.say()
        await shop.judge()
        assert (await known(shop)).as_of == first + timedelta(minutes=30)
        shop.clock.advance(timedelta(minutes=59))
        await shop.say()
        await shop.judge()
        assert (await known(shop)).as_of == first + timedelta(minutes=30)
        shop.clock.advance(timedelta(minutes=1))
        await shop.say()
        await shop.judge()
        assert (await known(shop)).as_of == first + timedelta(minutes=90)
        shop.directory.add(TEAM, external=True, title="Payments and guests")
        await shop.say()
        await shop.judge()
        chat = await known(shop)
        assert (chat.title, chat.external, chat.left_at) == ("Payments and guests", True, None)


async def test_a_chat_that_we_left_or_that_is_gone_is_noted_as_left_until_we_are_back() -> None:
    async with open_workshop() as shop:
        for event, kind in (
            (Membership(CHAT, True, False, False, SOMEBODY), EventKind.MEMBERSHIP),
            (ChatChange(CHAT, disbanded=True), EventKind.CHAT_CHANGE),
        ):
            await shop.say()
            await shop.judge()
            assert (await known(shop)).left_at is None
            await shop.event(event, kind, Lane.NOW, CHAT)
            shop.clock.advance(timedelta(minutes=1))
            await shop.judge(Lane.NOW)
            assert (await known(shop)).left_at == shop.clock.now()
            shop.clock.advance(timedelta(minutes=1))


async def test_a_person_who_leaves_or_a_new_name_ends_no_chat() -> None:
    async with open_workshop() as shop:
        await shop.say()
        await shop.judge()
        gone = Membership(CHAT, False, False, False, SOMEBODY)
        await shop.event(gone, EventKind.MEMBERSHIP, Lane.NOW, CHAT)
        await shop.event(ChatChange(CHAT), EventKind.CHAT_CHANGE, Lane.NOW, CHAT)
        await shop.judge(Lane.NOW)
        assert (await known(shop)).left_at is None


async def test_a_private_chat_is_nobodys_to_list() -> None:
    async with open_workshop() as shop:
        await shop.in_private("And?", OWNER)
        await shop.judge()
        assert not await shop.store.chats.known(APP)
