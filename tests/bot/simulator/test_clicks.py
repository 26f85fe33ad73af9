"""What a person sees who pressed a button."""

from typing import Any

import orjson
import pytest

from bot.simulator import clicks
from bot.simulator.clicks import Pressed
from bot.simulator.delivery import Delivery
from bot.simulator.model import Chat, StoredMessage
from bot.simulator.platform import Platform
from tests.bot.simulator.callers import card

NEW = {"schema": "2.0", "body": {"elements": [{"tag": "markdown", "content": "new"}]}}


@pytest.fixture
def shown(platform: Platform, team: Chat) -> StoredMessage:
    content = card({"tag": "markdown", "content": "old"})
    return platform.store(team, sender=platform.bot, msg_type="interactive", content=content)


def answered(body: Any, status: int = 200) -> Delivery:
    return Delivery(status, body if isinstance(body, bytes) else orjson.dumps(body), 0.1)


def test_an_empty_answer_does_nothing(platform: Platform, shown: StoredMessage) -> None:
    assert clicks.settle(platform, shown, answered({})) == Pressed(answered({}))


def test_a_toast_is_shown_and_a_card_takes_the_messages_place(
    platform: Platform, shown: StoredMessage
) -> None:
    delivery = answered(
        {"toast": {"type": "success", "content": "Done"}, "card": {"type": "raw", "data": NEW}}
    )
    assert clicks.settle(platform, shown, delivery) == Pressed(
        delivery, None, "Done", "success", card_changed=True
    )
    assert orjson.loads(shown.content) == NEW
    assert shown.updated


@pytest.mark.parametrize(
    ("delivery", "failure"),
    [
        (Delivery(None, b"", 3.0, "timeout"), 200341),
        (Delivery(None, b"", 0.0, "connection"), 200342),
        (answered({}, status=500), 200671),
        (answered({}, status=302), 200671),
        (answered(b""), 200672),
        (answered([]), 200672),
        (answered({"msg": "success"}), 200672),
        (answered({"toast": {"type": "loud", "content": "x"}}), 200672),
        (answered({"toast": {"type": "info"}}), 200672),
        (answered({"card": {"type": "raw", "data": {"schema": "2.0", "fallback": {}}}}), 200673),
        (answered({"card": {"type": "raw", "data": {"elements": []}}}), 200673),
        (answered({"card": {"data": NEW}}), 200673),
    ],
)
def test_a_wrong_answer_shows_its_number_and_leaves_the_card(
    platform: Platform, shown: StoredMessage, delivery: Delivery, failure: int
) -> None:
    before = shown.content
    assert clicks.settle(platform, shown, delivery) == Pressed(delivery, failure)
    assert shown.content == before
