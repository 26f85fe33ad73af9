"""Commands as people write and press them, through the real webhook, and what everybody in the chat then reads. A4, A5."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.simulator.model import Chat, Person, Pushed, StoredMessage
from steward.policy.permitting import OWNERS
from steward.testing.endpoint import Hangs, Meanwhile, Says, ScriptedEndpoint
from steward.texts import command_answers as texts
from steward.texts.commands import COMMANDS
from tests.acceptance.cards import Card, told
from tests.acceptance.house import PATIENCE, TEAM, House, buttons, open_house, replies
from tests.acceptance.plans import laid
from tests.steward.control.workshop import GOOD

GOAL = """\
goal: {id: release-web, title: Release, status: active, owner: Lin}
todos: [{id: t1, title: Checkout page, status: blocked, owner: Wei, blocked_by: no account}]
deliveries: []
handoffs: []
"""
SOURCES = """
[source.plans]
kind = "folder"
path = "evidence"
title = "Plans"
[source.lost]
kind = "folder"
path = "nowhere"
title = "Lost"
[source.board]
kind = "folder"
path = "evidence"
title = "Board minutes"
"""
TOPICS = "oc_sim_topics"
GRANTS = f"""
[grant.team]
audience = "group:{TEAM}"
sources = ["plans", "lost"]
goals = ["*"]
[grant.topics]
audience = "group:{TOPICS}"
sources = ["plans"]
goals = ["*"]
"""


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    async with open_house(laid(tmp_path, web=GOAL), sources=SOURCES, grants=GRANTS) as opened:
        yield opened


def asked(pushed: Pushed) -> StoredMessage:
    assert pushed.message is not None
    return pushed.message


async def read(house: House, chat: Chat, person: Person, text: str) -> list[str]:
    return list((await house.ask(chat, person, text)).lines)


@pytest.mark.requirement("A4")
async def test_help_in_a_group_names_what_works_there_with_buttons(house: House) -> None:
    reply = await house.ask(house.team, house.member, "/help")
    assert reply.lines[0] == texts.HELP.en
    assert list(buttons(reply.message)) == ["/status", "/sources", "/owed"]
    for name in OWNERS:
        assert COMMANDS[name].shown.en not in reply.text
    private = house.platform.private_chat(house.owner)
    reply = await house.ask(private, house.owner, "/帮助")
    assert reply.lines[0] == texts.HELP.zh
    assert list(buttons(reply.message)) == ["/状态", "/来源", "/待回答", "/新会话", "/停止"]
    for name in OWNERS:
        assert COMMANDS[name].shown.zh in reply.text


@pytest.mark.requirement("A4", "W1")
async def test_status_and_sources_tell_of_this_chat_alone(house: House) -> None:
    for person in (house.member, house.owner):
        lines = await read(house, house.team, person, "/status")
        assert lines[0] == texts.IDLE.en
        assert "- Lost: no evidence read (not found, or no access)" in lines
        assert any(line.startswith("- Plans: readable") for line in lines)
        assert lines[-1] == "How I run: restricted (reads evidence only)"
        assert not any("Board minutes" in line or "no progress" in line for line in lines)
    lines = await read(house, house.team, house.member, "/来源")
    assert lines[0] == "2 个来源，现在读得到 1 个"
    assert any("未读到证据" in line and "请负责人检查" in line for line in lines)
    assert not any("没有进展" in line or "Board" in line for line in lines)
    private = house.platform.private_chat(house.owner)
    lines = await read(house, private, house.owner, "/status")
    assert any("Board minutes" in line for line in lines)
    assert "Setting as stored: nothing is stored, so restricted" in lines


@pytest.mark.requirement("A4")
async def test_what_is_the_owners_does_not_exist_in_a_group(house: House) -> None:
    nothing = await read(house, house.team, house.owner, "/nonsense")
    for name in OWNERS:
        for person in (house.member, house.owner):
            assert await read(house, house.team, person, COMMANDS[name].shown.en) == nothing


async def test_everybody_learns_their_own_id_and_nobody_elses(house: House) -> None:
    lines = await read(house, house.team, house.member, "/whoami")
    assert lines[0] == f"Your open_id: {house.member.open_id}"
    private = house.platform.private_chat(house.member)
    lines = await read(house, private, house.member, "/我是谁")
    assert lines[0] == f"你的 open_id：{house.member.open_id}"
    assert house.owner.open_id not in "".join(lines)


async def test_an_english_name_is_answered_in_the_language_of_the_conversation(
    house: House,
) -> None:
    await house.ask(house.team, house.member, "发布怎么样了？")
    assert await read(house, house.team, house.member, "/owed") == [texts.NOTHING_OWED.zh]
    assert await read(house, house.team, house.owner, "/owed") == [texts.NOTHING_OWED.en]


@pytest.mark.requirement("A5")
async def test_a_command_button_does_what_its_words_do_once_for_each_who_presses(
    house: House,
) -> None:
    reply = await house.ask(house.team, house.member, "/help")
    card = Card(house, reply.message)
    assert json.loads(card.message.content)["config"]["enable_forward"] is False
    assert told(await card.press("/status", house.member)) == texts.PRESSED.en
    first = await card.next()
    assert first == await read(house, house.team, house.member, "/status")
    assert told(await card.press("/status", house.member)) == texts.PRESSED_BEFORE.en
    assert told(await card.press("/status", house.owner)) == texts.PRESSED.en
    await card.next(3)
    assert len(card.following()) == 3  # two presses, and the words in between


@pytest.mark.requirement("A5", "P9")
async def test_stop_ends_a_turn_that_runs_and_the_next_question_is_answered(tmp_path: Path) -> None:
    begun = asyncio.Event()

    async def begins() -> None:
        begun.set()

    endpoint = ScriptedEndpoint(
        {"How is it going?": [Meanwhile(begins), Hangs()], "And now?": [Says(GOOD)]}
    )
    async with open_house(
        laid(tmp_path, web=GOAL), sources=SOURCES, grants=GRANTS, endpoint=endpoint
    ) as house:
        pushed = house.platform.say(house.member, house.team, "How is it going?", mention_bot=True)
        assert (await house.pusher.push(pushed)).accepted
        await asyncio.wait_for(begun.wait(), PATIENCE)
        lines = await read(house, house.team, house.member, "/status")
        assert lines[0] == "Questions being answered: 1, waiting: 0"
        lines = await read(house, house.team, house.member, "/stop")
        assert lines[0].startswith("Told to stop, questions that were not answered yet: 1.")
        await house.ask(house.team, house.member, "And now?")
        assert len(endpoint.interrupted) == 1
        assert not list(replies(house.platform, asked(pushed)))


@pytest.mark.requirement("S3")
async def test_after_new_a_follow_up_takes_nothing_over(house: House) -> None:
    reply = await house.ask(house.team, house.member, "How is release-web?")
    assert "Checkout page" in reply.text
    assert await read(house, house.team, house.member, "/new") == [texts.RENEWED.en]
    reply = await house.ask(house.team, house.member, "and who owns it?")
    assert "Taken over from before" not in reply.text


@pytest.mark.requirement("A5")
async def test_in_a_topic_a_press_is_answered_in_that_topic(house: House) -> None:
    topics = house.platform.add_chat(
        "Topics", mode="topic", members=[house.member, house.owner], chat_id=TOPICS
    )
    reply = await house.ask(topics, house.member, "/help")
    card = Card(house, reply.message)
    assert reply.message.thread_id is not None
    assert told(await card.press("/owed", house.owner)) == texts.PRESSED.en
    assert await card.next() == [texts.NOTHING_OWED.en]
    assert card.following()[0].thread_id == reply.message.thread_id
