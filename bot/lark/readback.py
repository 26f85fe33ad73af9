"""Whether a message that the platform lists is the part that we may have sent. Pure.

The platform gives back neither our key nor our bytes: a post comes without its locale, a card wrapped, a text
parsed. So the readable content is compared. Where nothing is recognised the answer is no, which proves nothing.
"""

from collections.abc import Mapping
from datetime import datetime

import orjson

from bot.lark.replies import ListedMessage
from bot.lark.rungs import MSG_TYPES
from steward.model.delivery import Part, Place
from steward.model.json import Json


def is_part(listed: ListedMessage, part: Part, place: Place, since: datetime) -> bool:
    """Ours, sent since then, in that place, with that content."""
    return (
        listed.sender.id == place.conversation.app_id
        and listed.create_time >= int(since.timestamp() * 1000)
        and listed.msg_type == MSG_TYPES.get(part.form)
        and _answers(listed, place)
        and _content(part.form, listed.body.content) == _content(part.form, part.body)
    )


def _answers(listed: ListedMessage, place: Place) -> bool:
    """In a thread the platform names the thread's root as parent, whatever message was answered."""
    if place.reply_to is None:
        return listed.parent_id is None
    target = place.reply_to.message_id
    return listed.parent_id == target or (place.in_thread and listed.thread_id is not None)


def _content(form: str, raw: str | bytes) -> Json:
    """What a reader sees of it, in a form that compares; the raw text where it is no JSON object."""
    try:
        document = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return raw if isinstance(raw, str) else raw.decode(errors="replace")
    if not isinstance(document, dict):
        return None
    match form:
        case "text":
            return document.get("text")
        case "post":
            return _post(document)
        case _:
            return _card(document)


def _post(document: Mapping[str, Json]) -> Json:
    if "content" not in document:
        inner = next(iter(document.values()), None)
        return _post(inner) if isinstance(inner, dict) and "content" in inner else None
    lines = document["content"]
    rows = lines if isinstance(lines, list) else []
    return [document.get("title"), ["".join(map(_words, _nodes(row))) for row in rows]]


def _nodes(row: Json) -> list[Json]:
    return row if isinstance(row, list) else []


def _words(node: Json) -> str:
    return str(node.get("text", "")) if isinstance(node, dict) else ""


def _card(document: dict[str, Json]) -> Json:
    """As it was sent, or under `user_dsl` as the platform keeps it."""
    kept = document.get("user_dsl")
    if isinstance(kept, str):
        return _content("card", kept)
    return kept if isinstance(kept, dict) else document
