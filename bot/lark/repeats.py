"""A part as it is sent once more, although the same words may stand in the chat already. Contract D4. Pure.

The mark is one line on top. It needs no measuring: what a card or a post was measured against leaves the platform's own
limit two thousand bytes more, and a text's limit is far away.
"""

import orjson

from bot.lark.cards import aside
from steward.model.delivery import REPEAT, Part, PlannedPart
from steward.model.json import Json
from steward.model.turn import Language
from steward.texts.labels import MAY_BE_DUPLICATE


def marked(part: Part, language: Language) -> PlannedPart:
    """The part with its mark, under a rung's name of its own. A body that is none of ours gives ValueError."""
    mark = MAY_BE_DUPLICATE.of(language)
    document = orjson.loads(part.body)
    match part.form:
        case "card":
            _elements(document).insert(0, aside(mark))
        case "post":
            _lines(document).insert(0, [{"tag": "text", "text": mark}])
        case _:
            document["text"] = f"{mark}\n{document['text']}"
    return PlannedPart(f"{part.form}{REPEAT}", part.number, part.of, orjson.dumps(document))


def _elements(document: dict[str, Json]) -> list[Json]:
    match document:
        case {"body": {"elements": list() as elements}}:
            return elements
        case _:
            raise ValueError("no card of ours")


def _lines(document: dict[str, Json]) -> list[Json]:
    """Under whichever locale the post has."""
    for post in document.values():
        lines = post.get("content") if isinstance(post, dict) else None
        if isinstance(lines, list):
            return lines
    raise ValueError("no post of ours")
