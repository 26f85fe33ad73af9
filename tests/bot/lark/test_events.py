import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.lark.envelopes import KINDS, envelope
from bot.lark.events import LarkWire
from bot.lark.payloads import Opening, read
from steward.model.events import (
    ChatChange,
    ChatType,
    Click,
    Envelope,
    Event,
    EventKind,
    FirstContact,
    Lane,
    Membership,
    Mention,
    Menu,
    Message,
    Other,
    PersonDeleted,
    Principal,
    PrincipalKind,
    Recall,
    TextContent,
    Unparsable,
    UnreadableContent,
)
from steward.model.ids import (
    AppId,
    ChatId,
    ConversationId,
    EventId,
    MessageRef,
    OpenId,
    TenantKey,
    ThreadId,
)
from tests.bot.lark.samples import APP, TENANT, plain, sample

RECEIVED = datetime(2026, 11, 30, 4, 0, 2, tzinfo=UTC)
SENT = datetime(2026, 11, 30, 4, 0, tzinfo=UTC)
TEAM = ConversationId(APP, ChatId("oc_team"))
LIN = Principal(OpenId("ou_lin"), TENANT, PrincipalKind.PERSON)
LIN_OF_UNKNOWN_TENANT = Principal(OpenId("ou_lin"), None, PrincipalKind.PERSON)
STEWARD = Mention("@_user_1", OpenId("ou_steward"), "Steward")


def _event(document: object) -> Event | Unparsable:
    body = plain(document)
    opening = read(Opening, body)
    assert opening is not None
    return LarkWire().event(envelope(body, opening, APP, RECEIVED))


def _bare(body: bytes) -> Envelope:
    return Envelope(
        AppId("cli_sim_steward"), EventId("e"), EventKind.OTHER, Lane.NOW, None, None, TENANT,
        RECEIVED, RECEIVED, body,
    )  # fmt: skip


SAMPLES: list[tuple[str, Event]] = [
    (
        "message_in_group",
        Message(
            ref=MessageRef(APP, "om_1"),
            conversation=TEAM,
            chat_type=ChatType.GROUP,
            sender=LIN,
            parent=None,
            mentions=(STEWARD,),
            content=TextContent("@_user_1 支付网关进展如何？"),
            sent_at=SENT,
        ),
    ),
    (
        "message_in_private",
        Message(
            ref=MessageRef(APP, "om_2"),
            conversation=ConversationId(APP, ChatId("oc_private")),
            chat_type=ChatType.P2P,
            sender=LIN,
            parent=None,
            mentions=(),
            content=TextContent("How are payments going?"),
            sent_at=SENT,
        ),
    ),
    (
        "post_in_topic",
        Message(
            ref=MessageRef(APP, "om_3"),
            conversation=ConversationId(APP, ChatId("oc_team"), ThreadId("omt_7")),
            chat_type=ChatType.GROUP,
            sender=LIN,
            parent=MessageRef(APP, "om_root"),
            mentions=(STEWARD, Mention("@_user_2", OpenId("ou_wei"), "Wei")),
            content=TextContent("Weekly\n@_user_1 please ask @_user_2 about the plan\nselect 1"),
            sent_at=SENT,
        ),
    ),
    (
        "picture_in_group",
        Message(
            ref=MessageRef(APP, "om_4"),
            conversation=TEAM,
            chat_type=ChatType.GROUP,
            sender=LIN,
            parent=None,
            mentions=(),
            content=UnreadableContent("image"),
            sent_at=SENT,
        ),
    ),
    (
        "message_of_a_bot",
        Message(
            ref=MessageRef(APP, "om_5"),
            conversation=TEAM,
            chat_type=ChatType.GROUP,
            sender=Principal(OpenId("ou_other_bot"), TENANT, PrincipalKind.BOT),
            parent=MessageRef(APP, "om_1"),
            mentions=(),
            content=TextContent("done"),
            sent_at=SENT,
        ),
    ),
    ("recall", Recall(MessageRef(APP, "om_1"), TEAM)),
    ("click", Click(MessageRef(APP, "om_card"), TEAM, LIN, "n0nce_1")),
    ("bot_added", Membership(TEAM, bot=True, joined=True, external=False, operator=LIN)),
    ("bot_deleted", Membership(TEAM, bot=True, joined=False, external=False, operator=LIN)),
    ("outsider_added", Membership(TEAM, bot=False, joined=True, external=True, operator=LIN)),
    ("user_withdrawn", Membership(TEAM, bot=False, joined=False, external=False, operator=LIN)),
    ("chat_updated", ChatChange(TEAM)),
    ("chat_disbanded", ChatChange(TEAM, disbanded=True)),
    ("person_deleted", PersonDeleted(OpenId("ou_wei"))),
    ("first_contact", FirstContact(ChatId("oc_private"), LIN_OF_UNKNOWN_TENANT)),
    ("menu", Menu(LIN_OF_UNKNOWN_TENANT, "overview")),
    ("reaction", Other("im.message.reaction.created_v1")),
]


@pytest.mark.parametrize(("name", "expected"), SAMPLES, ids=[name for name, _ in SAMPLES])
def test_a_sample_is_read_as(name: str, expected: Event) -> None:
    assert _event(sample(name)) == expected


def test_every_kind_has_a_sample() -> None:
    types = {
        document["header"]["event_type"] if "header" in document else document["event"]["type"]
        for document in (sample(name) for name, _ in SAMPLES)
    }
    assert set(KINDS) - types == {"im.chat.member.user.deleted_v1"}


def _message(**changes: Any) -> Any:
    document = sample("message_in_group")
    document["event"]["message"] |= changes
    return _event(document)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"message_id": None}, "message_id"),
        ({"message_id": "om/1"}, "message_id"),
        ({"chat_id": None}, "chat_id"),
        ({"chat_id": "../x"}, "chat_id"),
        ({"thread_id": 7}, "thread_id"),
    ],
)
def test_a_message_without_its_place_is_named_by_the_missing_field(
    changes: dict[str, object], field: str
) -> None:
    assert _message(**changes) == Unparsable(field)


@pytest.mark.parametrize("chat_type", ["topic", "P2P", "", None, 7])
@pytest.mark.requirement("A1")
def test_a_chat_type_that_is_new_or_missing_is_unknown(chat_type: object) -> None:
    assert _message(chat_type=chat_type).chat_type is ChatType.UNKNOWN


@pytest.mark.parametrize(
    ("sender_type", "kind"),
    [
        ("user", PrincipalKind.PERSON),
        ("bot", PrincipalKind.BOT),
        ("app", PrincipalKind.BOT),
        ("system", PrincipalKind.UNKNOWN),
        (None, PrincipalKind.UNKNOWN),
    ],
)
def test_a_sender_is_a_person_only_where_the_platform_says_so(
    sender_type: object, kind: PrincipalKind
) -> None:
    document = sample("message_in_group")
    document["event"]["sender"]["sender_type"] = sender_type
    event = _event(document)
    assert isinstance(event, Message)
    assert event.sender.kind is kind


@pytest.mark.parametrize("sender", [None, [], {}, {"sender_id": "ou_lin"}])
def test_a_sender_that_is_missing_is_unknown(sender: object) -> None:
    document = sample("message_in_group")
    document["event"]["sender"] = sender
    event = _event(document)
    assert isinstance(event, Message)
    assert event.sender == Principal(None, None, PrincipalKind.UNKNOWN)


def test_a_malformed_mention_does_not_hide_the_others() -> None:
    good = sample("message_in_group")["event"]["message"]["mentions"][0]
    listed = [7, {"id": {}}, {"key": "@_user_9", "id": [], "name": 7}, good]
    assert _message(mentions=listed).mentions == (Mention("@_user_9", None, ""), STEWARD)


@pytest.mark.parametrize("listed", [None, {}, "x", []])
def test_everyone_is_found_in_the_text_where_no_mention_is_listed(listed: object) -> None:
    event = _message(mentions=listed, content='{"text":"@_all please read"}')
    assert event.mentions == (Mention("@_all", None, "all", everyone=True),)


def test_a_name_cut_inside_a_character_hides_no_mention() -> None:
    body = plain(sample("message_in_group")).replace(b'"Steward"', b'"\\ud83d"')
    event = LarkWire().event(replace(_bare(body), app_id=APP))
    assert isinstance(event, Message)
    assert event.mentions == (replace(STEWARD, name="?"),)


@pytest.mark.parametrize("external", ["true", 1, "no", None])
def test_only_a_boolean_says_whether_a_chat_is_external(external: object) -> None:
    document = sample("bot_added")
    document["event"]["external"] = external
    assert _event(document) == Membership(TEAM, bot=True, joined=True, external=None, operator=LIN)


def test_a_quoted_reply_is_no_thread() -> None:
    event = _message(root_id="om_0", parent_id="om_0")
    assert (event.conversation, event.parent) == (TEAM, MessageRef(APP, "om_0"))


def test_a_message_without_a_time_was_sent_when_its_event_was_made() -> None:
    assert _message(create_time="?").sent_at == datetime(2026, 11, 30, 4, 0, 0, 123000, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "nonce"),
    [
        ({"nonce": "n1"}, "n1"),
        ('{"nonce":"n1"}', "n1"),
        ("n1", None),
        ({}, None),
        ({"nonce": 7}, None),
        ([], None),
        (None, None),
    ],
)
def test_a_nonce_is_read_from_an_object_and_from_a_string_of_json(
    value: object, nonce: str | None
) -> None:
    document = sample("click")
    document["event"]["action"]["value"] = value
    event = _event(document)
    assert isinstance(event, Click)
    assert event.nonce == nonce


@pytest.mark.requirement("A5")
def test_a_click_without_an_operator_is_nobodys() -> None:
    document = sample("click")
    document["event"] = {}
    assert _event(document) == Click(None, None, Principal(None, None, PrincipalKind.PERSON), None)


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("recall", "message_id"),
        ("bot_added", "chat_id"),
        ("chat_updated", "chat_id"),
        ("first_contact", "chat_id"),
        ("menu", "event_key"),
    ],
)
def test_an_event_without_what_it_is_about_is_unparsable(name: str, field: str) -> None:
    document = sample(name)
    del document["event"][field]
    assert _event(document) == Unparsable(field)


def test_an_outsider_is_known_by_a_tenant_that_is_not_ours() -> None:
    document = sample("outsider_added")
    document["event"]["users"] = [{"tenant_key": None}, 7, {"tenant_key": TenantKey("tenant_ours")}]
    del document["event"]["external"]
    assert _event(document) == Membership(TEAM, bot=False, joined=True, external=None, operator=LIN)


def test_without_our_tenant_nobody_is_called_an_outsider() -> None:
    body = plain(sample("outsider_added"))
    event = LarkWire().event(replace(_bare(body), app_id=APP, tenant_key=None))
    assert event == Membership(TEAM, bot=False, joined=True, external=False, operator=LIN)


@pytest.mark.parametrize("body", [b"", b"[]", b"\xff", b"[" * 100_000])
def test_bytes_that_are_no_object_are_unparsable(body: bytes) -> None:
    assert LarkWire().event(_bare(body)) == Unparsable("document")


def test_an_event_without_a_type_is_unparsable() -> None:
    assert LarkWire().event(_bare(b"{}")) == Unparsable("event_type")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(
    name=st.sampled_from([name for name, _ in SAMPLES]),
    path=st.lists(st.integers(0, 5), min_size=1, max_size=5),
    value=JSON,
)
def test_no_value_in_any_place_of_a_sample_raises(
    name: str, path: list[int], value: object
) -> None:
    document = sample(name)
    place: Any = document
    for step in path[:-1]:
        keys = list(place) if isinstance(place, dict) else []
        inner = place[keys[step % len(keys)]] if keys else None
        if not isinstance(inner, dict) or not inner:
            break
        place = inner
    place[list(place)[path[-1] % len(place)]] = value
    LarkWire().event(_bare(json.dumps(document).encode()))


@given(st.binary(max_size=200))
def test_no_bytes_raise(body: bytes) -> None:
    LarkWire().event(_bare(body))
