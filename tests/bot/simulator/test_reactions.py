"""Emoji under messages."""

import pytest

from bot.simulator.model import Chat, Person, Reaction, StoredMessage
from bot.simulator.platform import Platform
from tests.bot.simulator.callers import IM, Caller


@pytest.fixture
def asked(platform: Platform, team: Chat, lin: Person) -> StoredMessage:
    message = platform.say(lin, team, "?").message
    assert message is not None
    return message


async def test_a_reaction_is_kept_on_the_message_and_can_be_taken_back(
    app: Caller, asked: StoredMessage
) -> None:
    answer = await app.react(asked.message_id, "OnIt")
    reaction_id = answer.data["reaction_id"]
    assert answer.data == {
        "reaction_id": reaction_id,
        "operator": {"operator_id": "cli_sim_steward", "operator_type": "app"},
        "action_time": "1796011200000",
        "reaction_type": {"emoji_type": "OnIt"},
    }
    assert asked.reactions == [Reaction(reaction_id, "OnIt", "app", "cli_sim_steward")]
    path = f"{IM}/messages/{asked.message_id}/reactions/{reaction_id}"
    assert (await app.call("DELETE", path)).code == 0
    assert asked.reactions == []
    assert (await app.call("DELETE", path)).code == 231007


async def test_the_same_emoji_twice_is_one_reaction(app: Caller, asked: StoredMessage) -> None:
    first = await app.react(asked.message_id, "OnIt")
    again = await app.react(asked.message_id, "OnIt")
    await app.react(asked.message_id, "DONE")
    assert first.data["reaction_id"] == again.data["reaction_id"]
    assert [one.emoji_type for one in asked.reactions] == ["OnIt", "DONE"]


@pytest.mark.parametrize("emoji", ["onit", "ONIT", "", "Rocket"])
async def test_an_emoji_key_is_exact(app: Caller, asked: StoredMessage, emoji: str) -> None:
    assert (await app.react(asked.message_id, emoji)).code == 231001


async def test_nothing_reacts_to_what_is_gone_or_closed(
    app: Caller, platform: Platform, asked: StoredMessage, team: Chat, lin: Person
) -> None:
    assert (await app.react("om_unknown", "OnIt")).code == 231003
    platform.remove_bot(team, by=lin)
    assert (await app.react(asked.message_id, "OnIt")).code == 231002
    platform.add_bot(team, by=lin)
    platform.recall(lin, asked.message_id)
    assert (await app.react(asked.message_id, "OnIt")).code == 231003


async def test_the_app_cannot_take_back_a_persons_reaction(
    app: Caller, platform: Platform, asked: StoredMessage, lin: Person
) -> None:
    platform.react(lin, asked.message_id, "THUMBSUP")
    path = f"{IM}/messages/{asked.message_id}/reactions/{asked.reactions[0].reaction_id}"
    assert (await app.call("DELETE", path)).code == 231002
