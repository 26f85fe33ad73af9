from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steward.model.events import (
    ChatType,
    Content,
    Mention,
    Message,
    Principal,
    PrincipalKind,
    TextContent,
    UnreadableContent,
)
from steward.model.ids import AppId, ChatId, ConversationId, MessageRef, OpenId
from steward.policy.addressing import addressed_to, question_text

APP = AppId("cli_1")
ME = OpenId("ou_me")
MINE = Mention("@_user_1", ME, "Steward")
LIN = Mention("@_user_2", OpenId("ou_lin"), "Lin")
NAMESAKE = Mention("@_user_3", OpenId("ou_other"), "Steward")
EVERYONE = Mention("@_all", None, "all", everyone=True)


def _message(content: Content | str, *mentions: Mention) -> Message:
    return Message(
        ref=MessageRef(APP, "om_1"),
        conversation=ConversationId(APP, ChatId("oc_1")),
        chat_type=ChatType.GROUP,
        sender=Principal(OpenId("ou_asker"), None, PrincipalKind.PERSON),
        parent=None,
        mentions=mentions,
        content=TextContent(content) if isinstance(content, str) else content,
        sent_at=datetime(2026, 11, 30, tzinfo=UTC),
    )


@pytest.mark.parametrize(
    ("mentions", "ours"),
    [
        ((MINE,), True),
        ((LIN, MINE), True),
        ((LIN,), False),
        ((NAMESAKE,), False),
        ((EVERYONE,), False),
        ((Mention("@_all", ME, "all", everyone=True),), False),
        ((Mention("@_user_1", None, "Steward"),), False),
        ((Mention("@_user_1", OpenId("ou_ME"), "Steward"),), False),
        ((), False),
    ],
)
@pytest.mark.requirement("A1")
def test_we_are_addressed_by_exact_id_alone(mentions: tuple[Mention, ...], ours: bool) -> None:
    assert addressed_to(_message("@_user_1 hi", *mentions), ME) is ours


@pytest.mark.parametrize(
    ("text", "mentions", "expected"),
    [
        ("@_user_1 how is it?", (MINE,), "how is it?"),
        ("how is it? @_user_1", (MINE,), "how is it?"),
        ("tell @_user_1 now", (MINE,), "tell now"),
        ("@_user_1@_user_2 owns what?", (MINE, LIN), "@Lin owns what?"),
        ("@_user_1 what did @_user_2 and @_user_3 do", (MINE, LIN, NAMESAKE),
         "what did @Lin and @Steward do"),
        ("@_user_1 请问@_user_2的进展", (MINE, LIN), "请问@Lin的进展"),
        ("@_user_1\xa0hi", (MINE,), "hi"),
        ("@_user_1\nhi\nthere", (MINE,), "hi\nthere"),
        ("@_all @_user_1 hi", (EVERYONE, MINE), "@all hi"),
        ("@_user_1 hi", (), "@_user_1 hi"),
        ("@_user_2 hi", (Mention("@_user_2", None, ""),), "@_user_2 hi"),
        ("@_user_2 hi", (Mention("@_user_2", None, " Lin\n Wei "),), "@Lin Wei hi"),
        ("@_user_1", (MINE,), ""),
    ],
)  # fmt: skip
def test_our_mention_goes_and_every_other_becomes_its_name(
    text: str, mentions: tuple[Mention, ...], expected: str
) -> None:
    assert question_text(_message(text, *mentions), ME) == expected


def test_a_key_that_begins_another_is_not_found_inside_it() -> None:
    twelfth = Mention("@_user_12", OpenId("ou_12"), "Wei")
    both = _message("@_user_12 and @_user_1 met", MINE, twelfth)
    nameless = _message("@_ab met", Mention("@_a", ME, "x"), Mention("@_ab", OpenId("ou_b"), "B"))
    unlisted = _message("@_user_12 met @_user_1", MINE)
    assert question_text(both, ME) == "@Wei and met"
    assert question_text(nameless, ME) == "@B met"
    assert question_text(unlisted, ME) == "@_user_12 met"


def test_a_name_that_looks_like_a_key_is_not_replaced_again() -> None:
    message = _message("@_user_2 hi", MINE, Mention("@_user_2", OpenId("ou_x"), "@_user_1"))
    assert question_text(message, ME) == "@@_user_1 hi"


def test_a_key_is_no_pattern() -> None:
    assert question_text(_message("abc a.c", Mention("a.c", ME, "x")), ME) == "abc"


def test_what_cannot_be_read_asks_nothing() -> None:
    assert question_text(_message(UnreadableContent("image"), MINE), ME) == ""


@given(st.text())
def test_words_without_mentions_stay_as_they_are(text: str) -> None:
    assert question_text(_message(text), ME) == text.strip()
