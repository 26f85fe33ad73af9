"""What people do, and the events that come of it."""

import asyncio

import pytest

from bot.simulator.model import Chat, Person
from bot.simulator.platform import Platform
from tests.bot.simulator.callers import Caller, words


def test_a_group_message_becomes_the_whole_event(
    platform: Platform, team: Chat, lin: Person
) -> None:
    pushed = platform.say(lin, team, "how is it going?", mention_bot=True)
    message = pushed.message
    assert message is not None
    assert pushed.document == {
        "schema": "2.0",
        "header": {
            "event_id": pushed.event_id,
            "token": "sim_verification_token",
            "create_time": "1796011200000",
            "event_type": "im.message.receive_v1",
            "tenant_key": "tenant_sim",
            "app_id": "cli_sim_steward",
        },
        "event": {
            "sender": {
                "sender_id": {"union_id": "on_lin", "open_id": "ou_lin"},
                "sender_type": "user",
                "tenant_key": "tenant_sim",
            },
            "message": {
                "message_id": message.message_id,
                "create_time": "1796011200000",
                "update_time": "1796011200000",
                "chat_id": "oc_team",
                "chat_type": "group",
                "message_type": "text",
                "content": words("@_user_1 how is it going?"),
                "mentions": [
                    {
                        "key": "@_user_1",
                        "id": {"union_id": "on_sim_bot", "open_id": "ou_sim_bot"},
                        "mentioned_type": "bot",
                        "name": "Steward",
                        "tenant_key": "tenant_sim",
                    }
                ],
            },
        },
    }


def test_names_in_the_text_become_keys_longest_first(platform: Platform, team: Chat) -> None:
    li, lin = platform.add_person("Li"), platform.add_person("Lin Mei")
    message = platform.say(
        li, team, "@Lin Mei @Li @Steward go", mention_bot=True, mentions=[li, lin]
    )
    assert message.message is not None
    assert message.message.content == words("@_user_3 @_user_2 @_user_1 go")


def test_everybody_is_mentioned_without_an_entry(
    platform: Platform, team: Chat, lin: Person
) -> None:
    message = platform.say(lin, team, "lunch", at_all=True).message
    assert message is not None
    assert (message.content, message.mentions, message.notifies) == (
        words("@_all lunch"),
        (),
        ("all",),
    )


def event_of(document: dict, *path: str) -> object:
    found: object = document
    for name in path:
        assert isinstance(found, dict)
        found = found[name]
    return found


def test_a_quoted_reply_has_a_root_and_no_thread(
    platform: Platform, team: Chat, lin: Person, wei: Person
) -> None:
    first = platform.say(lin, team, "one").message
    assert first is not None
    second = platform.say(wei, team, "two", reply_to=first.message_id).message
    assert second is not None
    third = platform.say(lin, team, "three", reply_to=second.message_id)
    body = event_of(third.document, "event", "message")
    assert isinstance(body, dict)
    assert (body["root_id"], body["parent_id"]) == (first.message_id, second.message_id)
    assert "thread_id" not in body


def test_a_thread_in_a_group_hangs_from_its_root(
    platform: Platform, team: Chat, lin: Person
) -> None:
    root = platform.say(lin, team, "root").message
    assert root is not None
    inside = platform.say(lin, team, "in", reply_to=root.message_id, in_thread=True).message
    assert inside is not None
    deeper = platform.say(lin, team, "deeper", reply_to=inside.message_id).message
    assert deeper is not None
    assert root.thread_id == inside.thread_id == deeper.thread_id is not None
    assert deeper.root_id == deeper.parent_id == root.message_id


def test_a_topic_group_is_a_group_in_events_and_each_message_a_thread(
    platform: Platform, lin: Person
) -> None:
    topics = platform.add_chat("Topics", mode="topic", members=[lin])
    body = event_of(platform.say(lin, topics, "hi").document, "event", "message")
    assert isinstance(body, dict)
    assert body["chat_type"] == "group"
    assert body["thread_id"].startswith("omt_")


def test_another_bot_and_ones_own_echo_come_as_bots(
    platform: Platform, team: Chat, lin: Person
) -> None:
    other = platform.add_person("Other", open_id="ou_other", app_id="cli_other")
    theirs = platform.say(other, team, "@Steward hi", mention_bot=True, mentions=[other])
    own = platform.store(team, sender=platform.bot, msg_type="text", content=words("mine"))
    echo = platform.received(own)
    assert theirs.message is not None
    assert (theirs.message.sender_id, theirs.message.sender_type) == ("cli_other", "app")
    for pushed, open_id in ((theirs, "ou_other"), (echo, "ou_sim_bot")):
        sender = event_of(pushed.document, "event", "sender")
        assert isinstance(sender, dict)
        assert (sender["sender_type"], sender["sender_id"]["open_id"]) == ("bot", open_id)
    mentions = event_of(theirs.document, "event", "message", "mentions")
    assert isinstance(mentions, list)
    assert [one["mentioned_type"] for one in mentions] == ["bot", "bot"]


def test_a_private_chat_is_made_once_per_person(platform: Platform, lin: Person) -> None:
    chat = platform.private_chat(lin)
    assert platform.private_chat(lin) is chat
    body = event_of(platform.say(lin, chat, "hi").document, "event", "message")
    assert isinstance(body, dict)
    assert body["chat_type"] == "p2p"


def test_the_same_message_can_come_under_another_event_id(
    platform: Platform, team: Chat, lin: Person
) -> None:
    pushed = platform.say(lin, team, "hi")
    assert pushed.message is not None
    again = platform.received(pushed.message)
    assert again.event_id != pushed.event_id
    assert again.document["event"] == pushed.document["event"]


def test_a_recall_names_the_message_and_not_who_did_it(
    platform: Platform, team: Chat, lin: Person, wei: Person
) -> None:
    message = platform.say(lin, team, "oops").message
    assert message is not None
    with pytest.raises(ValueError, match="their own"):
        platform.recall(wei, message.message_id)
    assert platform.recall(lin, message.message_id).document["event"] == {
        "message_id": message.message_id,
        "chat_id": "oc_team",
        "recall_time": "1796011200000",
        "recall_type": "message_owner",
    }
    assert message.deleted


def test_a_click_carries_microseconds_and_the_value_as_it_was(
    platform: Platform, team: Chat, lin: Person
) -> None:
    message = platform.say(lin, team, "a card, say").message
    assert message is not None
    for value in ({"nonce": "n"}, "plain", None):
        document = platform.click(lin, message.message_id, value).document
        assert event_of(document, "header", "event_type") == "card.action.trigger"
        assert event_of(document, "header", "create_time") == "1796011200000000"
        assert event_of(document, "event", "action", "value") == value
        assert event_of(document, "event", "operator", "open_id") == "ou_lin"
        assert event_of(document, "event", "context") == {
            "open_message_id": message.message_id,
            "open_chat_id": "oc_team",
        }
        assert str(event_of(document, "event", "token")).startswith("c-")


def test_a_first_contact_comes_in_the_legacy_shape(platform: Platform, lin: Person) -> None:
    pushed = platform.p2p_first_contact(lin)
    assert pushed.document == {
        "ts": "1796011200.0000000",
        "uuid": pushed.event_id,
        "token": "sim_verification_token",
        "type": "event_callback",
        "event": {
            "type": "p2p_chat_create",
            "app_id": "cli_sim_steward",
            "tenant_key": "tenant_sim",
            "chat_id": platform.private_chat(lin).chat_id,
            "operator": {"open_id": "ou_lin"},
            "user": {"name": "Lin", "open_id": "ou_lin"},
        },
    }


def test_comings_and_goings_change_the_chat_and_say_so(
    platform: Platform, team: Chat, lin: Person
) -> None:
    guest = platform.add_person("Guest", open_id="ou_guest", tenant_key="tenant_other")
    pushed = [
        platform.add_member(team, guest, by=lin),
        platform.remove_member(team, guest, by=lin),
        platform.remove_bot(team, by=lin),
        platform.add_bot(team, by=lin),
        platform.rename(team, "Crew", by=lin),
        platform.disband(team, by=lin),
    ]
    assert [event_of(one.document, "header", "event_type") for one in pushed] == [
        "im.chat.member.user.added_v1",
        "im.chat.member.user.deleted_v1",
        "im.chat.member.bot.deleted_v1",
        "im.chat.member.bot.added_v1",
        "im.chat.updated_v1",
        "im.chat.disbanded_v1",
    ]
    assert event_of(pushed[0].document, "event", "external") is True
    assert event_of(pushed[0].document, "event", "users") == [
        {
            "name": "Guest",
            "tenant_key": "tenant_other",
            "user_id": {"union_id": "on_guest", "open_id": "ou_guest"},
        }
    ]
    assert event_of(pushed[4].document, "event", "after_change") == {"name": "Crew"}
    assert (team.title, team.external, team.bot_present, team.dissolved) == (
        "Crew",
        True,
        True,
        True,
    )


async def test_whoever_waits_is_woken_by_the_change_itself(
    app: Caller, platform: Platform, team: Chat
) -> None:
    asked = 0

    def two_messages(platform: Platform) -> list[str]:
        nonlocal asked
        asked += 1
        found = [message.message_id for message in platform.messages(team.chat_id)]
        return found if len(found) == 2 else []

    async with asyncio.TaskGroup() as group:
        waiting = group.create_task(platform.changed(two_messages, at_most=5))
        await app.send(team.chat_id)
        await app.send(team.chat_id)
    assert len(waiting.result()) == 2
    assert asked <= 6


async def test_a_wait_ends(platform: Platform) -> None:
    with pytest.raises(TimeoutError):
        await platform.changed(lambda _: False, at_most=0.01)


def test_somebody_who_leaves_the_tenant_is_in_no_chat_any_more(
    platform: Platform, team: Chat, lin: Person
) -> None:
    pushed = platform.remove_person(lin)
    assert pushed.document["event"] == {
        "object": {
            "union_id": "on_lin",
            "open_id": "ou_lin",
            "name": "Lin",
            "status": {"is_resigned": True},
        },
        "old_object": {},
    }
    assert platform.person(lin.open_id) is None
    assert lin.open_id not in team.members
