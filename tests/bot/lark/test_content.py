import json
from typing import Any

import pytest

from bot.lark.content import content
from steward.model.events import TextContent, UnreadableContent

BODY = {
    "title": "Weekly",
    "content": [
        [
            {"tag": "at", "user_id": "@_user_1", "user_name": "Steward"},
            {"tag": "text", "text": " what of "},
            {"tag": "a", "text": "the plan", "href": "https://example.com/plan"},
        ],
        [],
        [{"tag": "img", "image_key": "img_1"}],
        [{"tag": "code_block", "language": "SQL", "text": "select 1"}],
    ],
}
WORDS = TextContent("Weekly\n@_user_1 what of the plan\nselect 1")


def _post(body: Any) -> Any:
    return content("post", json.dumps(body))


def test_text_is_kept_as_it_is() -> None:
    assert content("text", '{"text":" @_user_1  hi\\n[t](https://x) "}') == TextContent(
        " @_user_1  hi\n[t](https://x) "
    )


@pytest.mark.parametrize(
    "document",
    [
        BODY,
        {"zh_cn": BODY},
        {"en_us": BODY},
        {"zh_cn": {"title": "no lines"}, "en_us": BODY},
        {"post": {"zh_cn": BODY}},
        {"post": {"ja_jp": BODY}},
        {"post": BODY},
    ],
)
def test_a_rich_post_is_read_in_each_of_its_shapes(document: Any) -> None:
    assert _post(document) == WORDS


def test_a_link_without_words_shows_its_address_and_a_mention_without_a_key_its_name() -> None:
    line = [
        {"tag": "a", "href": "https://example.com"},
        {"tag": "at", "user_id": "ou_1", "user_name": "Lin"},
    ]
    assert _post({"content": [line]}) == TextContent("https://example.com@Lin")


def test_unknown_elements_and_malformed_ones_are_passed_over() -> None:
    line = [7, {"tag": 7}, {"tag": "new", "text": "kept"}, {"tag": "emotion"}, {"tag": "text"}]
    assert _post({"content": [line, "not a line", None]}) == TextContent("kept")


def test_a_post_of_pictures_alone_holds_nothing_to_read() -> None:
    assert _post({"title": "", "content": [[{"tag": "img"}]]}) == UnreadableContent("post")


def test_an_empty_post_is_empty_words() -> None:
    assert _post({"title": "", "content": []}) == TextContent("")


@pytest.mark.parametrize(
    "message_type",
    ["image", "file", "audio", "media", "sticker", "interactive", "share_chat", "location",
     "merge_forward", "system", "todo", "vote", "one_day_new"],
)  # fmt: skip
def test_every_other_type_is_unreadable_by_its_name(message_type: str) -> None:
    assert content(message_type, '{"text":"not for us"}') == UnreadableContent(message_type)


@pytest.mark.parametrize(
    "raw",
    [None, "", "hi", "[]", '"hi"', "{}", '{"text":7}', '{"content":7}', '{"post":7}', '{"zh_cn":[]}',
     "[" * 100_000, '{"content":' + "[" * 5000],
)  # fmt: skip
@pytest.mark.parametrize("message_type", ["text", "post"])
def test_content_that_is_not_what_its_type_says_is_unreadable(
    message_type: str, raw: str | None
) -> None:
    assert content(message_type, raw) == UnreadableContent(message_type)


def test_a_message_without_a_type_is_unreadable() -> None:
    assert content(None, '{"text":"hi"}') == UnreadableContent("unknown")


def test_a_title_that_is_cut_inside_a_character_does_not_take_the_words_with_it() -> None:
    raw = '{"title":"\\ud83d","content":[[{"tag":"text","text":"hello"}]]}'
    assert content("post", raw) == TextContent("?\nhello")
