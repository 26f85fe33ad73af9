"""Sending, reading and changing messages, over the wire."""

import asyncio
from datetime import timedelta

import orjson
import pytest

from bot.simulator.model import Chat, Person
from bot.simulator.platform import Platform
from tests.bot.simulator.callers import IM, Answer, Caller, SkippingClock, card, words


async def test_a_sent_message_is_answered_whole_and_kept(
    app: Caller, platform: Platform, team: Chat
) -> None:
    answer = await app.send(team.chat_id, "hello")
    stored = platform.messages(team.chat_id)[0]
    assert answer.document == {
        "code": 0,
        "msg": "success",
        "data": {
            "message_id": stored.message_id,
            "msg_type": "text",
            "create_time": "1796011200000",
            "update_time": "1796011200000",
            "deleted": False,
            "updated": False,
            "chat_id": "oc_team",
            "sender": {
                "id": "cli_sim_steward",
                "id_type": "app_id",
                "sender_type": "app",
                "tenant_key": "tenant_sim",
            },
            "body": {"content": '{"text":"hello"}'},
        },
    }


async def test_the_same_uuid_makes_one_message_within_an_hour_whatever_it_holds(
    app: Caller, platform: Platform, team: Chat, clock: SkippingClock
) -> None:
    first = await app.send(team.chat_id, "one", uuid="u")
    clock.advance(timedelta(seconds=3599))
    again = await app.send(team.chat_id, "two", uuid="u")
    assert again.data == first.data
    assert len(platform.messages(team.chat_id)) == 1
    clock.advance(timedelta(seconds=2))
    later = await app.send(team.chat_id, "two", uuid="u")
    assert later.data["message_id"] != first.data["message_id"]


async def test_replies_and_sends_do_not_share_their_uuids(
    app: Caller, platform: Platform, team: Chat, lin: Person
) -> None:
    asked = platform.say(lin, team, "?").message
    assert asked is not None
    sent = await app.send(team.chat_id, uuid="u")
    replied = await app.reply(asked.message_id, uuid="u")
    again = await app.reply(asked.message_id, uuid="u")
    assert sent.data["message_id"] != replied.data["message_id"] == again.data["message_id"]


async def test_one_uuid_over_many_connections_at_once_makes_one_message(
    app: Caller, platform: Platform, team: Chat
) -> None:
    answers = await asyncio.gather(*(app.send(team.chat_id, uuid="u") for _ in range(32)))
    assert {answer.data["message_id"] for answer in answers} == {
        platform.messages(team.chat_id)[0].message_id
    }
    assert len(platform.messages(team.chat_id)) == 1


async def test_a_chat_takes_five_messages_a_second_however_they_come(
    app: Caller, platform: Platform, team: Chat, lin: Person, clock: SkippingClock
) -> None:
    asked = platform.say(lin, team, "?").message
    assert asked is not None
    codes = [(await app.send(team.chat_id)).code for _ in range(3)]
    codes += [(await app.reply(asked.message_id)).code for _ in range(3)]
    assert codes == [0, 0, 0, 0, 0, 230020]
    other = platform.add_chat("Other", members=[lin])
    assert (await app.send(other.chat_id)).code == 0
    clock.advance(timedelta(seconds=1))
    assert (await app.send(team.chat_id)).code == 0


async def test_a_known_uuid_is_answered_also_where_the_chat_takes_no_more(
    app: Caller, team: Chat
) -> None:
    answers = [await app.send(team.chat_id, uuid=f"u{number}") for number in range(5)]
    assert (await app.send(team.chat_id, uuid="new")).code == 230020
    assert (await app.send(team.chat_id, uuid="u0")).data == answers[0].data


@pytest.mark.parametrize(
    ("query", "body", "code"),
    [
        ({}, {"receive_id": "oc_team"}, 99992402),
        ({"receive_id_type": "chat_id"}, {"receive_id": ""}, 99992402),
        ({"receive_id_type": "chat"}, {"receive_id": "oc_team"}, 230001),
        ({"receive_id_type": "open_id"}, {"receive_id": "oc_team"}, 99992361),
        ({"receive_id_type": "chat_id"}, {"receive_id": "ou_lin"}, 230001),
        ({"receive_id_type": "chat_id"}, {"receive_id": "oc_unknown"}, 230034),
        ({"receive_id_type": "open_id"}, {"receive_id": "ou_unknown"}, 230034),
        ({"receive_id_type": "email"}, {"receive_id": "lin@example.com"}, 230034),
        ({"receive_id_type": "chat_id"}, {"receive_id": "oc_team", "msg_type": ""}, 99992402),
        ({"receive_id_type": "chat_id"}, {"receive_id": "oc_team", "msg_type": "md"}, 230001),
        ({"receive_id_type": "chat_id"}, {"receive_id": "oc_team", "content": "hi"}, 230001),
        ({"receive_id_type": "chat_id"}, {"receive_id": "oc_team", "content": words("")}, 230001),
        ({"receive_id_type": "chat_id"}, {"receive_id": "oc_team", "uuid": "u" * 51}, 230001),
    ],
)
async def test_a_wrong_parameter_has_its_code_and_nothing_is_kept(
    app: Caller,
    platform: Platform,
    team: Chat,
    query: dict[str, str],
    body: dict[str, str],
    code: int,
) -> None:
    whole = {"msg_type": "text", "content": words("hi")} | body
    answer = await app.call("POST", f"{IM}/messages", whole, query)
    assert (answer.status, answer.code) == (400, code)
    assert platform.messages(team.chat_id) == []


async def test_a_person_is_written_to_in_their_private_chat(
    app: Caller, platform: Platform, lin: Person
) -> None:
    for kind, receiver in (("open_id", "ou_lin"), ("union_id", "on_lin")):
        answer = await app.call(
            "POST",
            f"{IM}/messages",
            {"receive_id": receiver, "msg_type": "text", "content": words("hi")},
            {"receive_id_type": kind},
        )
        assert answer.data["chat_id"] == platform.private_chat(lin).chat_id


@pytest.mark.parametrize(
    ("msg_type", "content", "code"),
    [
        ("text", words("x" * (150 * 1024 - 11)), 0),
        ("text", words("x" * (150 * 1024 - 10)), 230025),
        ("interactive", card({"tag": "markdown", "content": "中" * 10_000}), 0),
        ("interactive", card({"tag": "markdown", "content": "中" * 10_240}), 230025),
        ("post", '{"zh_cn":{"content":[[{"tag":"text","text":"hi"}]]}}', 0),
        ("post", '{"content":[[{"tag":"text","text":"hi"}]]}', 230001),
        ("post", '{"zh_cn":{"content":[]}}', 230001),
        ("post", '{"zh_cn":{"content":[[{"text":"hi"}]]}}', 230001),
        ("post", '{"zh_cn":{"content":[[{"tag":"text","text":"%s"}]]}}' % ("x" * 30_700), 230025),
        ("interactive", "{", 230099),
        ("interactive", card({"tag": "note"}), 230099),
    ],
)
async def test_content_is_measured_in_bytes_and_judged_by_its_type(
    app: Caller, team: Chat, msg_type: str, content: str, code: int
) -> None:
    assert (await app.send(team.chat_id, msg_type=msg_type, content=content)).code == code


async def test_a_reply_hangs_from_what_it_answers_and_a_reply_to_it_from_the_same_root(
    app: Caller, platform: Platform, team: Chat, lin: Person
) -> None:
    asked = platform.say(lin, team, "?").message
    assert asked is not None
    first = (await app.reply(asked.message_id)).data
    second = (await app.reply(first["message_id"])).data
    assert (first["root_id"], first["parent_id"]) == (asked.message_id, asked.message_id)
    assert (second["root_id"], second["parent_id"]) == (asked.message_id, first["message_id"])
    assert "thread_id" not in first | second


async def test_a_reply_in_thread_opens_one_and_replies_inside_stay_there(
    app: Caller, platform: Platform, team: Chat, lin: Person
) -> None:
    asked = platform.say(lin, team, "?").message
    assert asked is not None
    first = (await app.reply(asked.message_id, reply_in_thread=True)).data
    second = (await app.reply(first["message_id"])).data
    assert first["thread_id"] == second["thread_id"] == asked.thread_id
    assert (second["root_id"], second["parent_id"]) == (asked.message_id, asked.message_id)


async def test_a_topic_group_gives_each_message_its_thread(
    app: Caller, platform: Platform, lin: Person
) -> None:
    topics = platform.add_chat("Topics", mode="topic", members=[lin])
    asked = platform.say(lin, topics, "?").message
    other = platform.say(lin, topics, "another").message
    assert asked is not None
    assert other is not None
    answer = (await app.reply(asked.message_id)).data
    assert answer["thread_id"] == asked.thread_id != other.thread_id


async def test_what_cannot_be_reached_is_refused_by_what_stands_in_the_way(
    app: Caller, platform: Platform, team: Chat, lin: Person
) -> None:
    asked = platform.say(lin, team, "?").message
    assert asked is not None
    assert (await app.reply("om_unknown")).code == 230001
    platform.recall(lin, asked.message_id)
    assert (await app.reply(asked.message_id)).code == 230011
    platform.remove_bot(team, by=lin)
    assert (await app.send(team.chat_id)).code == 230002
    platform.disband(team, by=lin)
    assert (await app.send(team.chat_id)).code == 232009


async def test_without_external_sharing_external_chats_are_closed(
    app: Caller, platform: Platform, lin: Person
) -> None:
    guest = platform.add_person("Guest", tenant_key="tenant_other")
    mixed = platform.add_chat("Mixed", members=[lin, guest], external=True)
    private = platform.private_chat(guest)
    assert (await app.send(mixed.chat_id)).code == 0
    platform.external_sharing = False
    assert (await app.send(mixed.chat_id)).code == 230027
    assert (await app.send(private.chat_id)).code == 230038
    assert (await app.call("GET", f"{IM}/chats/{mixed.chat_id}")).code == 232033


async def test_a_message_is_got_in_a_list_with_mentions_as_plain_ids(
    app: Caller, platform: Platform, team: Chat, lin: Person, wei: Person
) -> None:
    asked = platform.say(lin, team, "@Steward ask @Wei", mention_bot=True, mentions=[wei]).message
    assert asked is not None
    answer = await app.call("GET", f"{IM}/messages/{asked.message_id}")
    [item] = answer.data["items"]
    assert item["sender"] == {
        "id": "ou_lin",
        "id_type": "open_id",
        "sender_type": "user",
        "tenant_key": "tenant_sim",
    }
    assert item["body"]["content"] == words("@_user_1 ask @_user_2")
    assert [(one["key"], one["id"], one["id_type"]) for one in item["mentions"]] == [
        ("@_user_1", "ou_sim_bot", "open_id"),
        ("@_user_2", "ou_wei", "open_id"),
    ]


async def test_a_recalled_message_is_there_and_empty(
    app: Caller, platform: Platform, team: Chat, lin: Person
) -> None:
    asked = platform.say(lin, team, "a secret").message
    assert asked is not None
    platform.recall(lin, asked.message_id)
    [got] = (await app.call("GET", f"{IM}/messages/{asked.message_id}")).data["items"]
    assert (got["deleted"], got["body"]) == (True, {})
    [listed] = (await history(app, team)).data["items"]
    assert listed["body"] == {"content": "This message was recalled"}


async def test_a_group_is_read_only_with_the_scope_for_it(
    app: Caller, platform: Platform, team: Chat, lin: Person
) -> None:
    asked = platform.say(lin, team, "?").message
    said = platform.say(lin, platform.private_chat(lin), "?").message
    assert asked is not None
    assert said is not None
    platform.access.scopes.discard("im:message.group_msg")
    assert (await app.call("GET", f"{IM}/messages/{asked.message_id}")).code == 230027
    assert (await history(app, team)).data["items"] == []
    assert (await app.call("GET", f"{IM}/messages/{said.message_id}")).code == 0


async def test_a_card_is_read_as_a_stub_unless_it_is_asked_for_as_sent(
    app: Caller, team: Chat
) -> None:
    content = card({"tag": "markdown", "content": "three open"})
    sent = await app.send(team.chat_id, msg_type="interactive", content=content)
    path = f"{IM}/messages/{sent.data['message_id']}"
    [stub] = (await app.call("GET", path)).data["items"]
    assert "three open" not in stub["body"]["content"]
    asked = {"card_msg_content_type": "user_card_content"}
    [whole] = (await app.call("GET", path, query=asked)).data["items"]
    assert whole["body"]["content"] == content


async def history(app: Caller, chat: Chat, **query: str) -> Answer:
    given = {"container_id_type": "chat", "container_id": chat.chat_id} | query
    return await app.call("GET", f"{IM}/messages", query=given)


def texts(answer: Answer) -> list[str]:
    return [orjson.loads(item["body"]["content"])["text"] for item in answer.data["items"]]


async def test_history_comes_by_pages_in_either_order_and_within_a_time(
    app: Caller, platform: Platform, team: Chat, lin: Person, clock: SkippingClock
) -> None:
    for number in range(5):
        platform.say(lin, team, str(number))
        clock.advance(timedelta(seconds=10))
    first = await history(app, team, page_size="2")
    assert (texts(first), first.data["has_more"]) == (["0", "1"], True)
    second = await history(app, team, page_size="2", page_token=first.data["page_token"])
    assert texts(second) == ["2", "3"]
    last = await history(app, team, page_size="2", page_token=second.data["page_token"])
    assert (texts(last), last.data["has_more"]) == (["4"], False)
    assert "page_token" not in last.data
    newest = await history(app, team, sort_type="ByCreateTimeDesc", page_size="1")
    assert texts(newest) == ["4"]
    began = 1796011200
    within = await history(app, team, start_time=str(began + 10), end_time=str(began + 30))
    assert texts(within) == ["1", "2", "3"]


@pytest.mark.parametrize(
    "query",
    [
        {"page_size": "0"},
        {"page_size": "51"},
        {"page_token": "made up"},
        {"start_time": "yesterday"},
        {"container_id_type": "room"},
        {"container_id": "oc_unknown"},
        {"container_id_type": "thread", "container_id": "omt_unknown"},
    ],
)
async def test_a_wrong_question_about_history_is_refused(
    app: Caller, team: Chat, query: dict[str, str]
) -> None:
    assert (await history(app, team, **query)).code == 230001


async def test_a_groups_thread_is_listed_by_thread_and_only_its_root_by_chat(
    app: Caller, platform: Platform, team: Chat, lin: Person
) -> None:
    root = platform.say(lin, team, "root").message
    assert root is not None
    await app.reply(root.message_id, "inside", reply_in_thread=True)
    assert texts(await history(app, team)) == ["root"]
    assert root.thread_id is not None
    thread = await history(app, team, container_id_type="thread", container_id=root.thread_id)
    assert texts(thread) == ["root", "inside"]


async def test_a_text_is_edited_at_most_twenty_times(
    app: Caller, platform: Platform, team: Chat
) -> None:
    sent = (await app.send(team.chat_id, "first")).data["message_id"]
    body = {"msg_type": "text", "content": words("other")}
    codes = [(await app.call("PUT", f"{IM}/messages/{sent}", body)).code for _ in range(21)]
    assert codes == [0] * 20 + [230072]
    stored = platform.message(sent)
    assert stored is not None
    assert (stored.content, stored.updated) == (words("other"), True)


async def test_a_card_is_replaced_at_most_five_times_a_second_and_for_fourteen_days(
    app: Caller, platform: Platform, team: Chat, clock: SkippingClock
) -> None:
    content = card({"tag": "markdown", "content": "old"})
    sent = await app.send(team.chat_id, msg_type="interactive", content=content)
    message_id = sent.data["message_id"]
    other = {"content": card({"tag": "markdown", "content": "new"})}
    path = f"{IM}/messages/{message_id}"
    codes = [(await app.call("PATCH", path, other)).code for _ in range(6)]
    assert codes == [0] * 5 + [230020]
    stored = platform.message(message_id)
    assert stored is not None
    assert stored.content == other["content"]
    assert (await app.call("PATCH", path, {"content": card({"tag": "note"})})).code == 230099
    clock.advance(timedelta(days=14, seconds=1))
    await app.sign_in()
    assert (await app.call("PATCH", path, other)).code == 230031


async def test_only_a_card_is_patched_and_only_text_is_edited(app: Caller, team: Chat) -> None:
    text = (await app.send(team.chat_id)).data["message_id"]
    content = card({"tag": "hr"})
    shown = (await app.send(team.chat_id, msg_type="interactive", content=content)).data
    assert (await app.call("PATCH", f"{IM}/messages/{text}", {"content": content})).code == 230001
    body = {"msg_type": "text", "content": words("other")}
    path = f"{IM}/messages/{shown['message_id']}"
    assert (await app.call("PUT", path, body)).code == 230054


async def test_an_old_card_is_patched_only_where_it_says_that_it_is_shared(
    app: Caller, team: Chat
) -> None:
    old = '{"elements":[{"tag":"markdown","content":"x"}]}'
    shared = '{"config":{"update_multi":true},"elements":[]}'
    codes = []
    for content in (old, shared):
        sent = await app.send(team.chat_id, msg_type="interactive", content=content)
        path = f"{IM}/messages/{sent.data['message_id']}"
        codes.append((await app.call("PATCH", path, {"content": shared})).code)
    assert codes == [230001, 0]


async def test_the_app_takes_back_and_changes_its_own_messages_only(
    app: Caller, platform: Platform, team: Chat, lin: Person
) -> None:
    own = (await app.send(team.chat_id)).data["message_id"]
    other = platform.add_person("Other", app_id="cli_other")
    bots = platform.say(other, team, "beep").message
    foreign = platform.say(lin, team, "?").message
    assert bots is not None
    assert (await app.call("DELETE", f"{IM}/messages/{bots.message_id}")).code == 230027
    assert foreign is not None
    body = {"msg_type": "text", "content": words("other")}
    assert (await app.call("PUT", f"{IM}/messages/{foreign.message_id}", body)).code == 230071
    assert (await app.call("DELETE", f"{IM}/messages/{foreign.message_id}")).code == 230027
    assert (await app.call("DELETE", f"{IM}/messages/{own}")).code == 0
    assert (await app.call("DELETE", f"{IM}/messages/{own}")).code == 230011
    assert (await app.call("PUT", f"{IM}/messages/{own}", body)).code == 230011
    stored = platform.message(own)
    assert stored is not None
    assert stored.deleted


async def test_whom_a_message_pings_is_kept_in_every_form(
    app: Caller, platform: Platform, team: Chat, lin: Person, wei: Person
) -> None:
    text = (
        '<at user_id="ou_wei">Wei</at> and <at user_id="all">all</at> and <at user_id="ou_x">x</at>'
    )
    sent = await app.send(team.chat_id, text)
    assert sent.data["body"]["content"] == words('@_user_1 and @_all and <at user_id="ou_x">x</at>')
    post = {
        "zh_cn": {"content": [[{"tag": "at", "user_id": "ou_lin"}], [{"tag": "md", "text": text}]]}
    }
    await app.send(team.chat_id, msg_type="post", content=orjson.dumps(post).decode())
    element = {"tag": "markdown", "content": "<at id=ou_lin></at> <at ids=ou_wei,all></at>"}
    await app.send(team.chat_id, msg_type="interactive", content=card(element))
    assert [message.notifies for message in platform.messages(team.chat_id)] == [
        ("all", "ou_wei"),
        ("ou_lin", "ou_wei", "all", "ou_x"),
        ("ou_lin", "ou_wei", "all"),
    ]
