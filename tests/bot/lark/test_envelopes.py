"""Which lane a message takes: what stops an answer does not wait behind it, and nothing else overtakes. Contract T7."""

import json
from datetime import UTC, datetime

import pytest

from bot.lark import envelopes
from bot.lark.envelopes import envelope
from bot.lark.payloads import Opening, read
from steward.model.events import Lane
from tests.bot.lark.samples import APP, plain, sample

RECEIVED = datetime(2026, 11, 30, 4, 0, 2, tzinfo=UTC)


def lane(text: str, *, ascii_only: bool = False, message_type: str = "text") -> Lane:
    """The lane of a message with this text, in a document as the platform pushes it."""
    document = sample("message_in_group")
    words: object = {"text": text}
    if message_type == "post":
        words = {"title": "", "content": [[{"tag": "text", "text": text}]]}
    document["event"]["message"]["message_type"] = message_type
    document["event"]["message"]["content"] = json.dumps(words, ensure_ascii=ascii_only)
    body = json.dumps(document).encode() if ascii_only else plain(document)
    return lane_of(body)


def lane_of(body: bytes) -> Lane:
    opening = read(Opening, body)
    assert opening is not None
    return envelope(body, opening, APP, RECEIVED).lane


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("message_type", ["text", "post"])
@pytest.mark.parametrize(
    "text", ["/stop", "@_user_1 /stop", "@_user_1 \uff0f停止", "/new", "/新对话", "/STOP please"]
)
def test_stop_and_new_do_not_wait(text: str, ascii_only: bool, message_type: str) -> None:
    assert lane(text, ascii_only=ascii_only, message_type=message_type) is Lane.NOW


@pytest.mark.parametrize(
    "text",
    ["@_user_1 How is it going?", "/status", "/stopped", "see a/stop", "1/2", "@_user_1 停止"],
)
def test_every_other_message_keeps_its_order(text: str) -> None:
    assert lane(text) is Lane.ORDERED


def test_what_cannot_be_read_keeps_its_order() -> None:
    document = sample("message_in_group")
    document["event"]["message"]["content"] = '{"text": "/stop'
    assert lane_of(plain(document)) is Lane.ORDERED
    document["event"]["message"]["content"] = ["/stop"]
    assert lane_of(plain(document)) is Lane.ORDERED


def test_a_message_without_a_slash_is_not_read_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(envelopes, "MessagePayload")
    assert lane("@_user_1 How is it going?") is Lane.ORDERED
