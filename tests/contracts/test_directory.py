"""What every directory owes: steward/ports/directory.py. Run on the shipped fake and on Lark's against the simulator."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

import pytest

from bot.lark.directory import LarkDirectory
from bot.simulator.faults import Drop
from steward.model.audience import (
    BotIdentity,
    ChatFacts,
    ChatMode,
    DirectoryFailure,
    Members,
    MessageFacts,
    Person,
)
from steward.model.ids import AppId, ChatId, ConversationId, MessageRef, OpenId, TenantKey, ThreadId
from steward.ports.directory import Directory
from steward.testing.directory import FakeDirectory
from steward.testing.world import FakeClock
from tests.bot.lark.peer import HastyClock, open_peer

WORDS = "@_user_1 How is it going?"


@dataclass(frozen=True, slots=True)
class World:
    """A directory, one group in it, and what may happen to them.

    `said` is a message that `lin` wrote there, with the words `WORDS`; `guest` is there too, of another tenant.
    """

    directory: Directory
    clock: FakeClock
    group: ConversationId
    said: MessageRef
    lin: Person
    guest: Person
    recall: Callable[[], None]
    make_external: Callable[[], None]
    lose_chat: Callable[[], None]
    break_down: Callable[[], None]
    recover: Callable[[], None]


@pytest.fixture(params=["fake", "lark"])
async def world(request: pytest.FixtureRequest) -> AsyncIterator[World]:
    if request.param == "fake":
        yield fake_world()
        return
    async with open_peer() as peer:
        platform, faults = peer.platform, peer.platform.faults
        guest = platform.add_person("Guest", tenant_key="tenant_other")
        peer.group.members.append(guest.open_id)
        said = platform.say(peer.lin, peer.group, "How is it going?", mention_bot=True).message
        assert said is not None
        yield World(
            directory=LarkDirectory(peer.client, peer.clock),
            clock=peer.clock,
            group=peer.place().conversation,
            said=MessageRef(peer.app_id, said.message_id),
            lin=Person(OpenId(peer.lin.open_id), TenantKey(peer.lin.tenant_key)),
            guest=Person(OpenId(guest.open_id), TenantKey("tenant_other")),
            recall=lambda: platform.withdraw(said),
            make_external=lambda: setattr(peer.group, "external", True),
            lose_chat=lambda: setattr(peer.group, "bot_present", False),
            break_down=lambda: faults.add(None, Drop(), times=None),
            recover=faults.clear,
        )


def fake_world() -> World:
    clock = HastyClock()
    fake = FakeDirectory(clock)
    group = ConversationId(AppId("cli_1"), ChatId("oc_1"))
    lin = Person(OpenId("ou_lin"), TenantKey("tenant_ours"))
    guest = Person(OpenId("ou_guest"), TenantKey("tenant_other"))
    said = MessageRef(group.app_id, "om_1")
    fake.add(group.chat_id)
    fake.people(group.chat_id, lin, guest)
    fake.said(said, group.chat_id, lin.open_id, WORDS)
    return World(
        directory=fake,
        clock=clock,
        group=group,
        said=said,
        lin=lin,
        guest=guest,
        recall=lambda: fake.recall(said),
        make_external=lambda: fake.add(group.chat_id, external=True),
        lose_chat=lambda: fake.remove(group.chat_id),
        break_down=lambda: setattr(fake, "failure", DirectoryFailure(True, "unreachable")),
        recover=lambda: setattr(fake, "failure", None),
    )


async def test_we_know_ourselves_after_the_first_answer(world: World) -> None:
    assert not world.directory.knows_itself
    me = await world.directory.me()
    assert isinstance(me, BotIdentity)
    assert me.open_id
    assert me.tenant_key
    assert world.directory.knows_itself
    assert await world.directory.me() == me


async def test_we_stay_who_we_are_while_the_platform_is_down(world: World) -> None:
    me = await world.directory.me()
    world.break_down()
    assert await world.directory.me() == me


async def test_a_platform_that_is_down_at_the_start_is_worth_asking_again(world: World) -> None:
    world.break_down()
    me = await world.directory.me()
    assert isinstance(me, DirectoryFailure)
    assert me.retry
    assert not world.directory.knows_itself


@pytest.mark.requirement("A1")
async def test_a_chats_facts_are_its_own_and_as_of_now(world: World) -> None:
    facts = await world.directory.chat(world.group)
    assert isinstance(facts, ChatFacts)
    assert (facts.chat_id, facts.mode, facts.external, facts.as_of) == (
        world.group.chat_id,
        ChatMode.GROUP,
        False,
        world.clock.now(),
    )


async def test_a_thread_has_the_facts_of_its_chat(world: World) -> None:
    thread = ConversationId(world.group.app_id, world.group.chat_id, ThreadId("omt_1"))
    assert await world.directory.chat(thread) == await world.directory.chat(world.group)


@pytest.mark.requirement("A1")
async def test_a_failed_look_up_is_worth_asking_again_and_no_audience(world: World) -> None:
    world.break_down()
    failure = await world.directory.chat(world.group)
    assert isinstance(failure, DirectoryFailure)
    assert failure.retry


@pytest.mark.requirement("A1")
async def test_a_chat_that_is_not_ours_to_see_is_refused_for_good(world: World) -> None:
    world.lose_chat()
    failure = await world.directory.chat(world.group)
    assert failure == DirectoryFailure(retry=False, reason="chat_gone")


@pytest.mark.requirement("A3")
async def test_what_was_forgotten_is_asked_afresh(world: World) -> None:
    await world.directory.chat(world.group)
    world.make_external()
    world.directory.forget(world.group)
    facts = await world.directory.chat(world.group)
    assert isinstance(facts, ChatFacts)
    assert facts.external is True


async def test_after_a_failure_was_forgotten_the_platform_is_asked_again(world: World) -> None:
    world.break_down()
    await world.directory.chat(world.group)
    world.recover()
    world.directory.forget(world.group)
    assert isinstance(await world.directory.chat(world.group), ChatFacts)


@pytest.mark.requirement("P7")
async def test_a_message_is_what_was_said_by_whom_and_where(world: World) -> None:
    facts = MessageFacts(world.group.chat_id, world.lin.open_id, WORDS)
    assert await world.directory.message(world.said) == facts


@pytest.mark.requirement("P7")
async def test_a_message_that_nobody_wrote_is_none(world: World) -> None:
    assert await world.directory.message(MessageRef(world.group.app_id, "om_invented")) is None


@pytest.mark.requirement("P7")
async def test_a_message_is_asked_for_anew_each_time(world: World) -> None:
    assert await world.directory.message(world.said) is not None
    world.recall()
    assert await world.directory.message(world.said) is None


@pytest.mark.requirement("P7")
async def test_a_message_that_cannot_be_asked_for_is_neither_there_nor_gone(world: World) -> None:
    world.break_down()
    failure = await world.directory.message(world.said)
    assert isinstance(failure, DirectoryFailure)
    assert failure.retry
    world.recover()
    assert isinstance(await world.directory.message(world.said), MessageFacts)


async def test_the_people_of_a_chat_are_listed_with_their_tenants(world: World) -> None:
    members = await world.directory.members(world.group)
    assert members == Members(
        world.group.chat_id, (world.lin, world.guest), complete=True, as_of=world.clock.now()
    )


async def test_the_people_of_a_chat_that_is_not_ours_to_see_are_a_failure(world: World) -> None:
    world.lose_chat()
    failure = await world.directory.members(world.group)
    assert failure == DirectoryFailure(retry=False, reason="chat_gone")
