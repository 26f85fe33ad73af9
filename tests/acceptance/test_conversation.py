"""The main job: a signed and encrypted event goes in over HTTP, an answer from real evidence comes out in the chat."""

from pathlib import Path

import pytest

from tests.acceptance.house import TEAM, open_house, replies
from tests.acceptance.plans import GRANTS, SOURCES, laid


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return laid(tmp_path)


async def test_a_member_in_a_granted_group_gets_an_answer_with_its_evidence(folder: Path) -> None:
    async with open_house(folder, sources=SOURCES, grants=GRANTS) as house:
        reply = await house.ask(house.team, house.member, "支付网关进展如何？")
    assert "Callback signature" in reply.text
    assert "已读 1/1" in reply.text
    assert "没有进展" not in reply.text


@pytest.mark.requirement("A2")
async def test_an_ungranted_group_hears_who_can_grant_once_a_day(folder: Path) -> None:
    async with open_house(folder, sources=SOURCES) as house:
        first = await house.ask(house.team, house.member, "How is it going?")
        second = house.platform.say(house.member, house.team, "And now?", mention_bot=True)
        assert (await house.pusher.push(second)).accepted
        third = await house.ask(
            house.platform.private_chat(house.owner), house.owner, "How is it going?"
        )
        assert second.message is not None
        unanswered = list(replies(house.platform, second.message))
    assert "grant" in first.text
    assert "Payments" not in first.text
    assert "Callback signature" in third.text
    assert unanswered == []


async def test_talk_that_is_not_meant_for_the_bot_is_left_alone(folder: Path) -> None:
    async with open_house(folder, sources=SOURCES, grants=GRANTS) as house:
        idle = house.platform.say(house.member, house.team, "lunch?")
        everyone = house.platform.say(house.member, house.team, "hello all", at_all=True)
        for pushed in (idle, everyone):
            assert (await house.pusher.push(pushed)).accepted
        await house.ask(house.team, house.member, "支付网关进展如何？")
        messages = house.platform.messages(TEAM)
    assert sum(one.sender_type == "app" for one in messages) == 1


async def test_a_reply_to_an_answer_is_a_question_and_a_topic_keeps_its_answers(
    folder: Path,
) -> None:
    async with open_house(folder, sources=SOURCES, grants=GRANTS) as house:
        first = await house.ask(house.team, house.member, "支付网关进展如何？")
        follow = house.platform.say(
            house.member,
            house.team,
            "and blocked?",
            reply_to=first.message.message_id,
            in_thread=True,
        )
        assert (await house.pusher.push(follow)).accepted
        second = await house.reply(follow)
        assert follow.message is not None
        thread = follow.message.thread_id
    assert thread is not None
    assert second.message.thread_id == thread


@pytest.mark.requirement("D1")
async def test_the_same_message_pushed_again_is_answered_once(folder: Path) -> None:
    async with open_house(folder, sources=SOURCES, grants=GRANTS) as house:
        pushed = house.platform.say(house.member, house.team, "支付网关？", mention_bot=True)
        assert pushed.message is not None
        again = house.platform.received(pushed.message)
        for one in (pushed, pushed, again):
            assert (await house.pusher.push(one)).accepted
        await house.reply(pushed)
        await house.ask(house.team, house.member, "What is blocked?")
        answers = list(replies(house.platform, pushed.message))
    assert len(answers) == 1


@pytest.mark.requirement("D2")
async def test_a_message_that_was_recalled_is_not_answered(folder: Path) -> None:
    async with open_house(folder, sources=SOURCES, grants=GRANTS) as house:
        pushed = house.platform.say(house.member, house.team, "支付网关？", mention_bot=True)
        assert pushed.message is not None
        recall = house.platform.recall(house.member, pushed.message.message_id)
        assert (await house.pusher.push(recall)).accepted
        assert (await house.pusher.push(pushed)).accepted
        await house.ask(house.team, house.member, "What is blocked?")
        answers = list(replies(house.platform, pushed.message))
    assert answers == []


async def test_a_picture_gets_a_line_that_says_what_can_be_read(folder: Path) -> None:
    async with open_house(folder, sources=SOURCES, grants=GRANTS) as house:
        pushed = house.platform.say(
            house.owner,
            house.platform.private_chat(house.owner),
            message_type="image",
            content={"image_key": "img_1"},
        )
        assert (await house.pusher.push(pushed)).accepted
        reply = await house.reply(pushed)
    assert "文字" in reply.text


async def test_a_received_reaction_is_there_although_the_answer_comes_later(folder: Path) -> None:
    async with open_house(folder, sources=SOURCES, grants=GRANTS) as house:
        pushed = house.platform.say(house.member, house.team, "支付网关？", mention_bot=True)
        asked = pushed.message
        assert asked is not None
        assert (await house.pusher.push(pushed)).accepted
        await house.platform.changed(lambda _: bool(asked.reactions), 5.0)
        await house.reply(pushed)
    assert [one.emoji_type for one in asked.reactions] == ["OnIt"]
