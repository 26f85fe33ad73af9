"""What is Lark's own in the directory; what every directory owes is in tests/contracts/test_directory.py."""

import asyncio
from datetime import timedelta

import pytest

from bot.lark.directory import LarkDirectory
from bot.simulator import refusals
from bot.simulator.faults import Answer, Drop, Op, Page, Slow
from bot.simulator.model import ChatMode as SimulatedMode
from bot.simulator.refusals import Refusal
from steward.model.audience import (
    BotIdentity,
    ChatFacts,
    ChatMode,
    DirectoryFailure,
    Members,
    MessageFacts,
)
from steward.model.ids import AppId, ChatId, ConversationId, MessageRef, OpenId, TenantKey, ThreadId
from tests.bot.lark.peer import Peer


@pytest.fixture
def directory(peer: Peer) -> LarkDirectory:
    return LarkDirectory(peer.client, peer.clock)


def group_of(peer: Peer) -> ConversationId:
    return peer.place().conversation


@pytest.mark.requirement("A1")
@pytest.mark.parametrize(
    ("simulated", "mode"),
    [("group", ChatMode.GROUP), ("topic", ChatMode.TOPIC), ("p2p", ChatMode.P2P)],
)
async def test_a_chats_facts_are_the_platforms(
    peer: Peer, directory: LarkDirectory, simulated: SimulatedMode, mode: ChatMode
) -> None:
    chat = peer.platform.add_chat("Ops", mode=simulated, members=[peer.lin], external=True)
    conversation = ConversationId(peer.app_id, ChatId(chat.chat_id), ThreadId("omt_1"))
    assert await directory.chat(conversation) == ChatFacts(
        chat_id=ChatId(chat.chat_id),
        mode=mode,
        external=True,
        tenant_key=TenantKey("tenant_sim"),
        title="" if simulated == "p2p" else "Ops",
        as_of=peer.clock.now(),
    )


@pytest.mark.requirement("A3")
async def test_facts_are_kept_for_less_than_five_minutes(
    peer: Peer, directory: LarkDirectory
) -> None:
    first = await directory.chat(group_of(peer))
    peer.group.external = True
    peer.clock.advance(timedelta(minutes=5) - timedelta(seconds=1))
    assert await directory.chat(group_of(peer)) == first
    peer.clock.advance(timedelta(seconds=1))
    again = await directory.chat(group_of(peer))
    assert isinstance(again, ChatFacts)
    assert again.external is True


async def test_facts_are_as_old_as_the_question_for_them(
    peer: Peer, directory: LarkDirectory
) -> None:
    asked_at = peer.clock.now()
    peer.platform.faults.add(Op.CHAT, Slow(30))
    facts = await directory.chat(group_of(peer))
    assert isinstance(facts, ChatFacts)
    assert facts.as_of == asked_at


async def test_who_asks_for_the_same_chat_shares_one_look_up(
    peer: Peer, directory: LarkDirectory
) -> None:
    async with asyncio.timeout(10), asyncio.TaskGroup() as group:
        tasks = [group.create_task(directory.chat(group_of(peer))) for _ in range(12)]
    assert len({id(task.result()) for task in tasks}) == 1
    assert len(peer.platform.calls_of(Op.CHAT)) == 1


@pytest.mark.requirement("A1")
@pytest.mark.parametrize(
    ("refusal", "failure"),
    [
        (refusals.OUTSIDE_CHAT, DirectoryFailure(retry=False, reason="chat_gone")),
        (refusals.DISSOLVED, DirectoryFailure(retry=False, reason="chat_gone")),
        (refusals.missing_scope(("im:chat",)), DirectoryFailure(retry=False, reason="permission")),
        (refusals.rate_limited(60), DirectoryFailure(retry=True, reason="rate_limited")),
        (Refusal(4711, "new"), DirectoryFailure(retry=True, reason="unclassified")),
        (Refusal(2200, "x", status=500), DirectoryFailure(retry=True, reason="ambiguous")),
    ],
)
async def test_a_failed_look_up_is_a_value_and_says_whether_to_ask_again(
    peer: Peer, directory: LarkDirectory, refusal: Refusal, failure: DirectoryFailure
) -> None:
    peer.platform.faults.add(Op.CHAT, Answer(refusal), times=None)
    assert await directory.chat(group_of(peer)) == failure


async def test_a_failure_is_kept_for_moments_only(peer: Peer, directory: LarkDirectory) -> None:
    peer.platform.faults.add(Op.CHAT, Drop(), times=None)
    first = await directory.chat(group_of(peer))
    calls = len(peer.platform.calls_of(Op.CHAT))
    assert await directory.chat(group_of(peer)) == first
    assert len(peer.platform.calls_of(Op.CHAT)) == calls
    peer.platform.faults.clear()
    peer.clock.advance(timedelta(seconds=3))
    assert isinstance(await directory.chat(group_of(peer)), ChatFacts)


async def test_what_was_forgotten_during_a_look_up_is_not_kept(
    peer: Peer, directory: LarkDirectory
) -> None:
    async with asyncio.timeout(10), asyncio.TaskGroup() as group:
        first = group.create_task(directory.chat(group_of(peer)))
        await asyncio.sleep(0)
        directory.forget(group_of(peer))
    peer.group.external = True
    again = await directory.chat(group_of(peer))
    assert isinstance(first.result(), ChatFacts)
    assert isinstance(again, ChatFacts)
    assert again.external is True


async def test_a_chat_of_another_app_is_not_looked_up(peer: Peer, directory: LarkDirectory) -> None:
    foreign = ConversationId(AppId("cli_sim_other"), ChatId(peer.group.chat_id))
    assert await directory.chat(foreign) == DirectoryFailure(retry=False, reason="foreign_app")
    assert peer.platform.calls_of(Op.CHAT) == []


async def test_we_are_who_the_platform_says_and_ask_once(
    peer: Peer, directory: LarkDirectory
) -> None:
    assert not directory.knows_itself
    me = BotIdentity(OpenId("ou_sim_bot"), "Steward", TenantKey("tenant_sim"))
    assert [await directory.me() for _ in range(3)] == [me] * 3
    assert directory.knows_itself
    assert len(peer.platform.calls_of(Op.BOT)) == len(peer.platform.calls_of(Op.TENANT)) == 1


async def test_without_the_scope_for_it_our_tenant_is_unknown_until_it_is_granted(
    peer: Peer, directory: LarkDirectory
) -> None:
    peer.platform.access.scopes.discard("tenant:tenant:readonly")
    assert await directory.me() == BotIdentity(OpenId("ou_sim_bot"), "Steward", None)
    peer.platform.access.scopes.add("tenant:tenant:readonly")
    peer.clock.advance(timedelta(minutes=5))
    assert await directory.me() == BotIdentity(
        OpenId("ou_sim_bot"), "Steward", TenantKey("tenant_sim")
    )


@pytest.mark.parametrize("op", [Op.BOT, Op.TENANT])
async def test_a_platform_that_is_down_leaves_us_unknown_and_is_asked_again(
    peer: Peer, directory: LarkDirectory, op: Op
) -> None:
    peer.platform.faults.add(op, Page(502), times=None)
    assert await directory.me() == DirectoryFailure(retry=True, reason="ambiguous")
    assert not directory.knows_itself
    calls = len(peer.platform.calls_of(op))
    await directory.me()
    assert len(peer.platform.calls_of(op)) == calls
    peer.platform.faults.clear()
    peer.clock.advance(timedelta(seconds=3))
    assert isinstance(await directory.me(), BotIdentity)


@pytest.mark.requirement("P7")
async def test_a_message_of_ours_has_no_person_as_its_sender(
    peer: Peer, directory: LarkDirectory
) -> None:
    chat = peer.platform.private_chat(peer.lin)
    ours = peer.platform.store(
        chat, sender=peer.platform.bot, msg_type="text", content='{"text":"Hello"}'
    )
    facts = await directory.message(MessageRef(peer.app_id, ours.message_id))
    assert facts == MessageFacts(ChatId(chat.chat_id), None, "Hello")


@pytest.mark.requirement("P7")
async def test_a_picture_holds_no_words(peer: Peer, directory: LarkDirectory) -> None:
    chat = peer.platform.private_chat(peer.lin)
    said = peer.platform.say(
        peer.lin, chat, message_type="image", content={"image_key": "img_1"}
    ).message
    assert said is not None
    facts = await directory.message(MessageRef(peer.app_id, said.message_id))
    assert facts == MessageFacts(ChatId(chat.chat_id), OpenId(peer.lin.open_id), None)


@pytest.mark.requirement("P7")
async def test_a_message_that_we_may_not_read_is_a_failure_that_lasts(
    peer: Peer, directory: LarkDirectory
) -> None:
    peer.platform.access.scopes.discard("im:message.group_msg")
    said = peer.platform.say(peer.lin, peer.group, "Hello").message
    assert said is not None
    failure = await directory.message(MessageRef(peer.app_id, said.message_id))
    assert failure == DirectoryFailure(retry=False, reason="permission")


async def test_a_large_chat_lists_a_thousand_people_and_says_that_there_are_more(
    peer: Peer, directory: LarkDirectory
) -> None:
    people = [peer.platform.add_person(f"Person {number}") for number in range(1000)]
    peer.group.members.extend(person.open_id for person in people)
    members = await directory.members(group_of(peer))
    assert isinstance(members, Members)
    assert (len(members.people), members.complete) == (1000, False)
    assert len(peer.platform.calls_of(Op.MEMBERS)) == 10
    assert await directory.members(group_of(peer)) == members
    assert len(peer.platform.calls_of(Op.MEMBERS)) == 10
    directory.forget(group_of(peer))
    await directory.members(group_of(peer))
    assert len(peer.platform.calls_of(Op.MEMBERS)) == 20
