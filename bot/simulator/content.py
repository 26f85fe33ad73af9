"""What a message of the app may hold, by its type; and whom it would notify.

messages.py asks before it stores. A message is measured as it stands in `content`, in UTF-8 bytes. Cards are
judged by cards.py.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import orjson

from bot.simulator import cards, refusals
from bot.simulator.model import EVERYONE, Mentioned, Person
from bot.simulator.refusals import Refusal
from steward.model.json import Json

KIB = 1024
MOST_BYTES = {"text": 150 * KIB, "post": 30 * KIB, "interactive": 30 * KIB}
OTHER_TYPES = frozenset({
    "image", "file", "audio", "media", "sticker", "share_chat", "share_user", "system",
})  # fmt: skip

AT_IN_TEXT = re.compile(r'<at user_id="([^"]*)">(.*?)</at>', re.DOTALL)

PersonOf: TypeAlias = Callable[[str], Person | None]


@dataclass(frozen=True, slots=True)
class Accepted:
    """Content that may be stored, as it came, and whom it pings."""

    mentions: tuple[Mentioned, ...] = ()
    notifies: tuple[str, ...] = ()


def judge(msg_type: str, content: str, person_of: PersonOf) -> Accepted | Refusal:
    """Check type, JSON, size and shape, in this order."""
    if msg_type not in MOST_BYTES and msg_type not in OTHER_TYPES:
        return refusals.invalid("invalid msg_type")
    document = json_object(content)
    if document is None:
        if msg_type == "interactive":
            return cards.refused(cards.CardFault.BAD_JSON)
        return refusals.invalid("content is not a string in json format")
    if len(content.encode()) > MOST_BYTES.get(msg_type, 150 * KIB):
        return refusals.TOO_LONG
    match msg_type:
        case "text":
            return _text(document, person_of)
        case "post":
            return _post(document)
        case "interactive":
            pinged = cards.judge(document, person_of)
            return pinged if isinstance(pinged, Refusal) else Accepted(notifies=pinged)
        case _:
            return Accepted()


def shown_text(content: str, mentions: tuple[Mentioned, ...]) -> str:
    """A sent text as the platform gives it back: tags have become placeholders."""
    keys = {one.open_id: one.key for one in mentions}

    def placeholder(tag: re.Match[str]) -> str:
        who = tag.group(1)
        return "@_all" if who == EVERYONE else keys.get(who, tag.group(0))

    document = json_object(content) or {}
    return orjson.dumps(
        {"text": AT_IN_TEXT.sub(placeholder, str(document.get("text", "")))}
    ).decode()


def json_object(content: str) -> Mapping[str, Json] | None:
    """What `content` holds, where it is a JSON object."""
    try:
        parsed = orjson.loads(content)
    except orjson.JSONDecodeError:
        return None
    return parsed if isinstance(parsed, dict) else None


def _text(document: Mapping[str, Json], person_of: PersonOf) -> Accepted | Refusal:
    text = document.get("text")
    if not isinstance(text, str) or not text:
        return refusals.invalid("text content is empty")
    ids = dict.fromkeys(tag.group(1) for tag in AT_IN_TEXT.finditer(text))
    people = [person for one in ids if (person := person_of(one)) is not None]
    mentions = tuple(
        Mentioned(f"@_user_{number}", person.open_id, person.name, person.tenant_key)
        for number, person in enumerate(people, start=1)
    )
    everyone = (EVERYONE,) if EVERYONE in ids else ()
    return Accepted(mentions, everyone + tuple(person.open_id for person in people))


def _post(document: Mapping[str, Json]) -> Accepted | Refusal:
    """A post is sent under a locale: `{"zh_cn": {"title", "content": [[…]]}}`."""
    bodies = [body for body in document.values() if isinstance(body, dict)]
    lines = [line for body in bodies for line in _rows(body.get("content"))]
    if not bodies or not lines:
        return refusals.invalid("post content is empty")
    pinged: list[str] = []
    for line in lines:
        for node in line:
            if not isinstance(node, dict) or not isinstance(node.get("tag"), str):
                return refusals.invalid("post content node has no tag")
            if node["tag"] == "at":
                pinged.append(str(node.get("user_id")))
            if node["tag"] == "md":
                pinged += [tag.group(1) for tag in AT_IN_TEXT.finditer(str(node.get("text", "")))]
    return Accepted(notifies=tuple(dict.fromkeys(pinged)))


def _rows(value: Json) -> list[list[Json]]:
    if not isinstance(value, list):
        return []
    return [row for row in value if isinstance(row, list)]
