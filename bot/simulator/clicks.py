"""What a person sees who pressed a button: the bot's answer judged, and the card changed where it says so.

A failure is the number that the client shows in its own words.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import orjson

from bot.simulator import content
from bot.simulator.delivery import Delivery
from bot.simulator.model import StoredMessage
from bot.simulator.platform import Platform
from bot.simulator.refusals import Refusal
from steward.model.json import Json

TIMED_OUT = 200341
NO_CONNECTION = 200342
NOT_200 = 200671
BAD_BODY = 200672
BAD_CARD = 200673
TOASTS = frozenset({"info", "success", "error", "warning"})


@dataclass(frozen=True, slots=True)
class Pressed:
    """What the press led to: a toast, a new card, nothing, or a `failure`."""

    delivery: Delivery
    failure: int | None = None
    toast: str | None = None
    toast_type: str | None = None
    card_changed: bool = False


def settle(platform: Platform, message: StoredMessage, delivery: Delivery) -> Pressed:
    """Judge an answer, and put its card in place of the message's."""
    failed = _transport(delivery)
    if failed is not None:
        return Pressed(delivery, failed)
    answer = content.json_object(delivery.body.decode(errors="replace"))
    if answer is None or not {"toast", "card"}.issuperset(answer):
        return Pressed(delivery, BAD_BODY)
    toast, card = answer.get("toast"), answer.get("card")
    said = _toast(toast)
    if toast is not None and said is None:
        return Pressed(delivery, BAD_BODY)
    if card is not None and not _changed(platform, message, card):
        return Pressed(delivery, BAD_CARD)
    words, kind = said or (None, None)
    return Pressed(delivery, None, words, kind, card is not None)


def _transport(delivery: Delivery) -> int | None:
    match delivery.failure:
        case "timeout":
            return TIMED_OUT
        case "connection":
            return NO_CONNECTION
        case _:
            return None if delivery.status == 200 else NOT_200


def _toast(toast: Json) -> tuple[str, str] | None:
    if not isinstance(toast, Mapping):
        return None
    words, kind = toast.get("content"), toast.get("type", "info")
    if not isinstance(words, str) or not isinstance(kind, str) or kind not in TOASTS:
        return None
    return words, kind


def _changed(platform: Platform, message: StoredMessage, card: Json) -> bool:
    """Only a raw card of the same schema is taken; a newer card never goes back to the old one."""
    if not isinstance(card, Mapping) or card.get("type") != "raw":
        return False
    document, before = card.get("data"), content.json_object(message.content) or {}
    if not isinstance(document, Mapping) or document.get("schema") != before.get("schema"):
        return False
    text = orjson.dumps(document).decode()
    judged = content.judge("interactive", text, platform.person)
    if isinstance(judged, Refusal):
        return False
    platform.rewrite(message, text, notifies=judged.notifies)
    return True
