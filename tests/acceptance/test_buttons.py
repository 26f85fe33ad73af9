"""Buttons, through the real webhook: who presses, what the client shows, and what comes into the chat. A5, A3."""

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from steward.model.action import ActionKind, ClickRefusal
from steward.texts.toasts import DONE, REFUSED
from tests.acceptance.cards import Card, told
from tests.acceptance.house import TEAM, House, open_house, replies
from tests.acceptance.plans import GRANTS, SOURCES, laid

WEB = """\
goal: {id: release-web, title: Release, aliases: [web release], status: active, owner: Lin}
todos:
  - {id: t1, title: Checkout page, status: blocked, owner: Wei, priority: P1, blocked_by: no account}
deliveries: []
handoffs: []
"""
APP = """\
goal: {id: release-app, title: Release, aliases: [app release], status: active, owner: Mei}
todos:
  - {id: t2, title: Push messages, status: blocked, owner: Lin}
deliveries: []
handoffs: []
"""
WHICH = "How is the release?"


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    folder = laid(tmp_path, web=WEB, app=APP)
    async with open_house(folder, sources=SOURCES, grants=GRANTS) as opened:
        yield opened


async def asked(house: House, text: str = WHICH) -> Card:
    reply = await house.ask(house.team, house.member, text)
    return Card(house, reply.message)


WEB_LABEL, APP_LABEL = "Release (release-web)", "Release (release-app)"
EVIDENCE_LABEL = "Show evidence in full"


@pytest.mark.requirement("A5")
async def test_a_choice_is_answered_once_for_the_chosen_goal(house: House) -> None:
    card = await asked(house)
    assert list(card.buttons) == [APP_LABEL, WEB_LABEL, EVIDENCE_LABEL]
    assert told(await card.press(WEB_LABEL, house.member)) == DONE[ActionKind.CHOOSE].en
    lines = await card.next()
    assert any("Checkout page" in line for line in lines)
    assert not any("Push messages" in line for line in lines)
    for person in (house.member, house.owner):
        assert told(await card.press(WEB_LABEL, person)) == REFUSED[ClickRefusal.USED].en
    other = await card.press(APP_LABEL, house.owner)
    assert told(other) == DONE[ActionKind.CHOOSE].en
    assert any("Push messages" in line for line in await card.next(2))
    assert len(card.following()) == 2
    question = house.platform.messages(TEAM)[0]
    assert len(list(replies(house.platform, question))) == 3


@pytest.mark.requirement("A5")
async def test_the_rows_behind_an_answer_are_shown_whole_to_those_who_may_ask_for_them(
    house: House,
) -> None:
    card = await asked(house, "How is release-web?")
    assert list(card.buttons) == [EVIDENCE_LABEL]
    assert told(await card.press(EVIDENCE_LABEL, house.member)) == DONE[ActionKind.EVIDENCE].en
    lines = await card.next()
    assert lines[0].startswith("Evidence in full: ")
    for field in ("Blocked by: no account", "Priority: P1", "Owner: Wei", "Id: t1"):
        assert field in lines
    assert told(await card.press(EVIDENCE_LABEL, house.member)) == REFUSED[ClickRefusal.USED].en
    assert told(await card.press(EVIDENCE_LABEL, house.owner)) == DONE[ActionKind.EVIDENCE].en
    assert await card.next(2) == lines
    assert len(card.following()) == 2


@pytest.mark.requirement("A5")
async def test_whoever_may_not_press_is_told_so_and_nothing_comes_into_the_chat(
    house: House,
) -> None:
    card = await asked(house)
    platform = house.platform
    colleague = platform.add_person("Xin")
    stranger = platform.add_person("Eve", tenant_key="tenant_foreign")
    private = platform.say(house.member, platform.private_chat(house.member), "hi").message
    question = platform.messages(TEAM)[0]
    outcomes = [
        (await card.press(label, person, on), why)
        for label in (WEB_LABEL, EVIDENCE_LABEL)
        for person, on, why in (
            (colleague, None, ClickRefusal.NOT_PERMITTED),
            (stranger, None, ClickRefusal.NOT_PERMITTED),
            (house.member, private, ClickRefusal.FOREIGN_CARD),
            (house.member, question, ClickRefusal.FOREIGN_CARD),
        )
    ]
    assert [told(pressed) for pressed, _ in outcomes] == [REFUSED[why].en for _, why in outcomes]
    forged = platform.click(house.member, card.message.message_id, {"nonce": "guess"})
    assert told(await house.pusher.press(forged)) == REFUSED[ClickRefusal.UNKNOWN].en
    await house.ask(house.team, house.member, "How is release-web?")
    assert len(card.following()) == 1
    assert told(await card.press(WEB_LABEL, house.member)) == DONE[ActionKind.CHOOSE].en


@pytest.mark.requirement("A5", "D1")
async def test_many_presses_and_the_same_event_again_have_one_effect(house: House) -> None:
    card = await asked(house)
    value = card.buttons[WEB_LABEL]
    people = [house.member, house.owner] * 4
    clicks = [house.platform.click(one, card.message.message_id, value) for one in people]
    pressed = await asyncio.gather(*(house.pusher.press(one) for one in (*clicks, clicks[0])))
    toasts = sorted(str(told(one)) for one in pressed)
    assert toasts == sorted([DONE[ActionKind.CHOOSE].en, *[REFUSED[ClickRefusal.USED].en] * 8])
    await card.next()
    await house.ask(house.team, house.member, "How is release-app?")
    assert len(card.following()) == 2


@pytest.mark.requirement("A3", "A5")
async def test_after_a_revocation_a_button_shows_nothing_and_says_so(
    house: House,
) -> None:
    card = await asked(house)
    store = sqlite3.connect(house.config.parent / "steward.db", timeout=5)
    with store:
        store.execute("UPDATE \"grant\" SET revoked_at = 1, revoked_by = 'owner'")
    store.close()
    for label in (WEB_LABEL, EVIDENCE_LABEL):
        toast = told(await card.press(label, house.member))
        assert toast == REFUSED[ClickRefusal.AUTHORIZATION_CHANGED].en
    assert card.following() == []


@pytest.mark.requirement("A5")
async def test_in_their_private_chat_the_owner_has_buttons_as_well(house: House) -> None:
    private = house.platform.private_chat(house.owner)
    reply = await house.ask(private, house.owner, WHICH)
    card = Card(house, reply.message)
    for label, effect in (
        (WEB_LABEL, ActionKind.CHOOSE),
        (EVIDENCE_LABEL, ActionKind.EVIDENCE),
    ):
        assert told(await card.press(label, house.owner)) == DONE[effect].en
        assert told(await card.press(label, house.member)) == REFUSED[ClickRefusal.NOT_PERMITTED].en
    await card.next(2)


@pytest.mark.requirement("W5", "A5")
async def test_a_chinese_question_has_chinese_buttons_and_toasts(house: House) -> None:
    card = await asked(house, "Release 怎么样？")
    assert "显示依据全文" in card.buttons
    assert told(await card.press("显示依据全文", house.member)) == DONE[ActionKind.EVIDENCE].zh
    assert (await card.next())[0].startswith("依据全文")


async def test_a_card_with_choices_reads_well_on_a_phone(house: House) -> None:
    card = await asked(house)
    fold = next(at for at, line in enumerate(card.lines) if line.startswith("▸"))
    assert fold <= 6
    shown = card.lines[:fold]
    assert shown[0].startswith("2 goals match.")
    assert [line for line in shown if line.startswith("[ ")] == [
        f"[ {APP_LABEL} ]",
        f"[ {WEB_LABEL} ]",
    ]
    assert f"    [ {EVIDENCE_LABEL} ]" in card.lines[fold:]
    document = json.loads(card.message.content)
    assert document["config"]["enable_forward"] is False
