"""From a group that the bot is added to, to an answer in it: by the owner's press in private, and by nothing else.

The whole bot against the simulated platform. A2, A4, A5, P7, P8.
"""

import json
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from bot.simulator.model import Chat, Person, StoredMessage
from steward.model.action import ClickRefusal
from steward.model.approval import ApprovalRefusal
from steward.model.audience import DeclineReason
from steward.model.ids import AppId, OpenId
from steward.store import open_store
from steward.texts import approvals as texts
from steward.texts.notices import DECLINED
from steward.texts.toasts import REFUSED
from steward.world import SystemClock
from tests.acceptance.cards import Card
from tests.acceptance.cards import told as toasted
from tests.acceptance.house import PATIENCE, TEAM, House, Reply, buttons, open_house
from tests.acceptance.plans import SOURCES, laid

QUESTION = "How is the payment gateway?"
EVIDENCE = "Callback signature"
UNKNOWN = REFUSED[ClickRefusal.UNKNOWN].en


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    async with open_house(laid(tmp_path), sources=SOURCES) as opened:
        yield opened


def home(house: House) -> Chat:
    return house.platform.private_chat(house.owner)


def told(house: House, chat: Chat) -> list[StoredMessage]:
    return [one for one in house.platform.messages(chat.chat_id) if one.sender_type == "app"]


async def said(house: House, chat: Chat, count: int) -> StoredMessage:
    """The bot's message of this number in a chat, once it is there."""
    await house.platform.changed(lambda _: len(told(house, chat)) >= count, PATIENCE)
    return told(house, chat)[count - 1]


async def press(
    card: Card, label: str, person: Person | None = None, on: StoredMessage | None = None
) -> str | None:
    """What the client shows to whoever pressed: the owner, where nobody else is named."""
    return toasted(await card.press(label, person or card.house.owner, on))


async def command(house: House, text: str) -> Card:
    """What the owner is answered in private."""
    reply = await house.ask(home(house), house.owner, text)
    return Card(house, reply.message)


async def asked(house: House) -> Reply:
    return await house.ask(house.team, house.member, QUESTION)


async def answered(house: House) -> bool:
    """Whether the team's question brings evidence. What is not granted is said once a day, so ask for it once."""
    return EVIDENCE in (await asked(house)).text


def held(house: House) -> list[str]:
    """The audiences with a grant in force."""
    with closing(sqlite3.connect(house.config.parent / "steward.db")) as store:
        found = store.execute('SELECT audience FROM "grant" WHERE revoked_at IS NULL')
        return sorted(str(audience) for (audience,) in found)


@pytest.mark.requirement("A2", "A5", "P7")
@pytest.mark.parametrize("by_owner", [True, False])
async def test_a_group_that_the_bot_is_added_to_is_answered_once_the_owner_has_pressed(
    house: House, by_owner: bool
) -> None:
    group = house.platform.add_chat(
        "Payments", members=[house.member, house.owner], bot_present=False
    )
    by = house.owner if by_owner else house.member
    assert (await house.pusher.push(house.platform.add_bot(group, by=by))).accepted
    card = Card(house, await said(house, home(house), 1))
    assert card.lines[0] == (texts.ADDED_BY_YOU if by_owner else texts.ADDED).en
    assert any(group.chat_id in line for line in card.lines)
    line = await said(house, group, 1)
    assert DECLINED[DeclineReason.NOT_GRANTED].what.en in line.content
    (label,) = buttons(card.message)
    assert await press(card, label, house.member) == UNKNOWN
    assert await press(card, label) == texts.APPLIED.en
    readback = await said(house, home(house), 2)
    assert texts.GRANTED.en in readback.content
    assert EVIDENCE in (await house.ask(group, house.member, QUESTION)).text
    assert not await answered(house)


@pytest.mark.requirement("P8", "A5", "P7")
async def test_a_grant_in_words_takes_effect_by_the_owner_s_press_alone_and_once(
    house: House,
) -> None:
    card = await command(house, f"/grant {TEAM} plans payments")
    assert card.lines[0] == texts.GRANT_PREVIEW.en
    assert not await answered(house)
    forwarded = house.platform.store(
        house.team, sender=house.owner, msg_type="interactive", content=card.message.content
    )
    assert json.loads(card.message.content)["config"]["enable_forward"] is False
    assert await press(card, "Apply", house.member) == UNKNOWN
    assert await press(card, "Apply", house.member, on=forwarded) == UNKNOWN
    assert await press(card, "Apply", on=forwarded) == REFUSED[ClickRefusal.FOREIGN_CARD].en
    assert held(house) == []
    assert await press(card, "Apply") == texts.APPLIED.en
    assert await answered(house)
    assert await press(card, "Apply") == texts.USED.en
    revoked = await command(house, f"/revoke {TEAM}")
    assert await press(revoked, "Revoke") == texts.APPLIED.en
    assert await press(card, "Apply") == texts.USED.en
    assert held(house) == []


@pytest.mark.requirement("P8")
async def test_a_plan_of_another_time_brings_a_new_preview_and_nothing_else(house: House) -> None:
    first = await command(house, f"/grant {TEAM} plans payments")
    second = await command(house, f"/grant {TEAM}")
    assert await press(second, "Apply") == texts.APPLIED.en
    assert await press(first, "Apply") == texts.CHANGED.en
    readback, again = [Card(house, await said(house, home(house), number)) for number in (3, 4)]
    assert (readback.lines[0], again.lines[0]) == (texts.GRANTED.en, texts.PREVIEW_AGAIN.en)
    assert held(house) == [f"group:{TEAM}"]
    assert await press(again, "Apply") == texts.APPLIED.en


@pytest.mark.requirement("P8", "A5")
async def test_a_card_that_is_too_old_approves_nothing(house: House) -> None:
    card = await command(house, f"/grant {TEAM}")
    with closing(sqlite3.connect(house.config.parent / "steward.db")) as store, store:
        store.execute("UPDATE command_button SET expires_at = 1")
    assert await press(card, "Apply") == texts.EXPIRED.en
    assert not await answered(house)


@pytest.mark.requirement("P9", "P7")
async def test_another_owner_voids_what_was_offered_to_the_first(house: House) -> None:
    card = await command(house, f"/grant {TEAM}")
    app = AppId(house.platform.app.app_id)
    url = f"sqlite:///{house.config.parent / 'steward.db'}"
    async with await open_store(url, SystemClock()) as store:
        await store.owners.follow(app, OpenId(house.member.open_id))
    for person in (house.owner, house.member):
        assert await press(card, "Apply", person) == UNKNOWN
    assert not await answered(house)


@pytest.mark.requirement("P7")
async def test_a_grant_that_the_platform_does_not_have_is_answered_by_nothing(
    house: House,
) -> None:
    await command(house, "/help")
    before = len(told(house, home(house)))
    pushed = house.platform.say(house.owner, home(house), f"/grant {TEAM}")
    assert pushed.message is not None
    event = pushed.document["event"]
    assert isinstance(event, dict)
    forged = json.loads(json.dumps(event).replace(pushed.message.message_id, "om_never_said"))
    delivery = await house.pusher.push(house.platform.event("im.message.receive_v1", forged))
    assert delivery.accepted
    await command(house, "/help")
    assert len(told(house, home(house))) == before + 1
    assert held(house) == []


@pytest.mark.requirement("A2")
async def test_two_groups_of_one_title_are_told_apart_by_id(house: House) -> None:
    twin = house.platform.add_chat("Team", members=[house.member])
    for chat in (house.team, twin):
        await house.ask(chat, house.member, QUESTION)
    card = await command(house, "/grant Team")
    assert card.lines[0] == texts.REFUSED[ApprovalRefusal.AUDIENCE_BY_TITLE].en
    assert all(any(one.chat_id in line for line in card.lines) for one in (house.team, twin))
    assert held(house) == []
    granted = await command(house, f"/grant {twin.chat_id}")
    assert await press(granted, "Apply") == texts.APPLIED.en
    assert EVIDENCE in (await house.ask(twin, house.member, QUESTION)).text
    assert held(house) == [f"group:{twin.chat_id}"]


@pytest.mark.requirement("A5", "A4")
async def test_names_are_confirmed_by_the_owner_where_they_were_claimed(house: House) -> None:
    reply = await house.ask(house.platform.private_chat(house.member), house.member, "/iam Wei")
    assert texts.NAMES_ASKED.en.format(names="Wei") in reply.text
    card = Card(house, await said(house, home(house), 1))
    assert await press(card, "Approve", house.member) == UNKNOWN
    assert await press(card, "Approve") == texts.APPROVED.en
    chat = house.platform.private_chat(house.member)
    yours = await said(house, chat, 2)
    assert texts.NAMES_YOURS.en.format(names="Wei") in yours.content
