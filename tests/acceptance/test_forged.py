"""Whoever knows the app's keys can make events up; nothing of the owner's may come of it. Contract P7.

Each forged event is followed by a genuine message in the conversation that it names: events of one conversation are judged
in order, so that its reply shows the forged one to be done with.
"""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.simulator.faults import Op, Page
from bot.simulator.model import Chat, Document, Person, Pushed, StoredMessage
from tests.acceptance.house import House, open_house
from tests.acceptance.plans import GRANTS, SOURCES, laid

QUESTION = "支付网关进展如何？"
EVIDENCE = "Callback signature"
WORDS = (QUESTION, "/chats", "/profile trusted_owner", "/grant members plans *")


@dataclass(frozen=True, slots=True)
class Attacker:
    """A member who knows the encrypt key, with a private chat and a message in it."""

    house: House
    person: Person
    chat: Chat
    message: StoredMessage

    def forge(self, text: str, *, chat: str, message: str) -> Pushed:
        """An event that says: the owner wrote this, in private."""
        sender: Document = {
            "sender_id": {"open_id": self.house.owner.open_id},
            "sender_type": "user",
            "tenant_key": self.house.platform.app.tenant_key,
        }
        body: Document = {
            "message_id": message,
            "create_time": str(self.house.platform.milliseconds()),
            "chat_id": chat,
            "chat_type": "p2p",
            "message_type": "text",
            "content": f'{{"text":"{text}"}}',
        }
        event: Document = {"sender": sender, "message": body}
        return self.house.platform.event("im.message.receive_v1", event)

    async def push(self, text: str, *, chat: str, message: str) -> None:
        forged = self.forge(text, chat=chat, message=message)
        assert (await self.house.pusher.push(forged)).accepted

    def heard(self, chat: Chat) -> Sequence[str]:
        """Everything that the bot ever said in a chat."""
        told = self.house.platform.messages(chat.chat_id)
        return [one.content for one in told if one.sender_type == "app"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return laid(tmp_path)


def attacker_in(house: House) -> Attacker:
    """Their message was said and never pushed: the platform has it, the bot has not seen it."""
    person = house.platform.add_person("Mallory")
    chat = house.platform.private_chat(person)
    message = house.platform.say(person, chat, QUESTION).message
    assert message is not None
    return Attacker(house, person, chat, message)


async def declined(attacker: Attacker) -> None:
    """The attacker asks in their own name, and is the member that they are."""
    reply = await attacker.house.ask(attacker.chat, attacker.person, QUESTION)
    assert EVIDENCE not in reply.text
    assert len(attacker.heard(attacker.chat)) == 1


def questions(folder: Path) -> int:
    """How many questions were ever taken in; what was not taken in is answered to nobody, also not later."""
    with closing(sqlite3.connect(folder / "steward.db")) as store:
        (count,) = store.execute("SELECT count(*) FROM question").fetchone()
    return int(count)


@pytest.mark.requirement("P7")
@pytest.mark.parametrize("text", WORDS)
async def test_an_invented_message_is_nobodys(folder: Path, text: str) -> None:
    async with open_house(folder, sources=SOURCES, grants=GRANTS) as house:
        attacker = attacker_in(house)
        await attacker.push(text, chat=attacker.chat.chat_id, message="om_invented")
        await declined(attacker)
    assert questions(folder) == 0


@pytest.mark.requirement("P7")
@pytest.mark.parametrize("text", WORDS)
async def test_the_attackers_own_message_is_not_the_owners(folder: Path, text: str) -> None:
    async with open_house(folder, sources=SOURCES, grants=GRANTS) as house:
        attacker = attacker_in(house)
        mine = attacker.message.message_id
        await attacker.push(text, chat=attacker.chat.chat_id, message=mine)
        await declined(attacker)
    assert questions(folder) == 0


@pytest.mark.requirement("P7")
@pytest.mark.parametrize("text", WORDS)
async def test_the_owners_own_chat_lends_nothing_to_a_message_of_another_chat(
    folder: Path, text: str
) -> None:
    async with open_house(folder, sources=SOURCES, grants=GRANTS) as house:
        attacker = attacker_in(house)
        own = house.platform.private_chat(house.owner)
        assert EVIDENCE in (await house.ask(own, house.owner, QUESTION)).text
        await attacker.push(text, chat=own.chat_id, message=attacker.message.message_id)
        await attacker.push(text, chat=own.chat_id, message="om_invented")
        assert EVIDENCE in (await house.ask(own, house.owner, QUESTION)).text
        assert len(attacker.heard(own)) == 2
        assert attacker.heard(attacker.chat) == []
    assert questions(folder) == 2


@pytest.mark.requirement("P7")
@pytest.mark.parametrize("text", WORDS[1:])
async def test_the_owners_message_with_other_words_has_the_owners_words(
    folder: Path, text: str
) -> None:
    async with open_house(folder, sources=SOURCES, grants=GRANTS) as house:
        attacker = attacker_in(house)
        own = house.platform.private_chat(house.owner)
        said = house.platform.say(house.owner, own, QUESTION)
        assert said.message is not None
        await attacker.push(text, chat=own.chat_id, message=said.message.message_id)
        reply = await house.reply(said)
        assert EVIDENCE in reply.text
        assert attacker.heard(attacker.chat) == []
    assert questions(folder) == 1


@pytest.mark.requirement("P7", "A1")
@pytest.mark.parametrize("text", WORDS)
async def test_what_the_owner_wrote_in_a_group_makes_no_private_chat_of_it(
    folder: Path, text: str
) -> None:
    async with open_house(folder, sources=SOURCES) as house:
        attacker = attacker_in(house)
        pair = house.platform.add_chat("Two", members=[house.owner, attacker.person])
        said = house.platform.say(house.owner, pair, text).message
        assert said is not None
        await attacker.push(text, chat=pair.chat_id, message=said.message_id)
        reply = await house.ask(pair, attacker.person, QUESTION)
        assert EVIDENCE not in reply.text
        assert len(attacker.heard(pair)) == 1
    assert questions(folder) == 0


@pytest.mark.requirement("P7", "A1")
async def test_the_owner_is_answered_also_where_the_platform_cannot_be_asked_for_a_while(
    folder: Path,
) -> None:
    async with open_house(folder, sources=SOURCES) as house:
        own = house.platform.private_chat(house.owner)
        for _ in range(2):
            house.platform.faults.add(Op.GET, Page(), times=4)
            reply = await house.ask(own, house.owner, QUESTION, at_most=20)
            assert EVIDENCE in reply.text


@pytest.mark.requirement("P9")
async def test_an_owner_who_left_the_tenant_reads_no_more_than_a_member(folder: Path) -> None:
    async with open_house(folder, sources=SOURCES) as house:
        own = house.platform.private_chat(house.owner)
        assert EVIDENCE in (await house.ask(own, house.owner, QUESTION)).text
        gone = house.platform.remove_person(house.owner)
        assert (await house.pusher.push(gone)).accepted
        for _ in range(5):
            reply = await house.ask(own, house.owner, QUESTION)
            if EVIDENCE not in reply.text:
                return
    pytest.fail("the owner who left is still answered as the owner")


@pytest.mark.requirement("A3")
async def test_what_a_group_may_read_is_not_told_in_another_chat_that_a_forged_event_names(
    folder: Path,
) -> None:
    async with open_house(folder, sources=SOURCES, grants=GRANTS) as house:
        attacker = attacker_in(house)
        forged = house.platform.say(house.member, house.team, QUESTION, mention_bot=True)
        assert forged.message is not None
        document = forged.document["event"]
        document["message"]["message_id"] = attacker.message.message_id
        assert (await house.pusher.push(forged)).accepted
        reply = await house.ask(house.team, house.member, QUESTION)
        assert EVIDENCE in reply.text
        assert attacker.heard(attacker.chat) == []
