"""A stored message as a person would read it: plain lines, folded parts indented.

For the demo, the playground and tests that judge an answer by what is seen. It knows the wire's three forms of
content and nothing of how the bot builds them.
"""

import html
import json
from collections.abc import Iterator, Mapping
from typing import TypeGuard

from steward.model.json import Json

Object = Mapping[str, Json]


def as_read(message_type: str, content: str) -> list[str]:
    """The lines of a message of type text, post or interactive; any other type is named in brackets."""
    document = json.loads(content)
    match message_type:
        case "text":
            return str(document["text"]).split("\n")
        case "post":
            return list(_post(document))
        case "interactive":
            return list(_card(document))
        case _:
            return [f"[{message_type}]"]


def _post(document: Object) -> Iterator[str]:
    for body in document.values():
        if not _is_object(body):
            continue
        if body.get("title"):
            yield str(body["title"])
        for paragraph in _objects_of_objects(body.get("content")):
            yield "".join(str(node.get("text", "")) for node in paragraph)


def _card(document: Object) -> Iterator[str]:
    header = document.get("header")
    if _is_object(header):
        yield from _text(header.get("title"))
    body = document.get("body")
    if _is_object(body):
        yield from _elements(body.get("elements"))


def _elements(elements: Json) -> Iterator[str]:
    for element in _objects(elements):
        match element.get("tag"):
            case "markdown":
                yield from _plain(str(element.get("content", "")))
            case "div":
                yield from _text(element.get("text"))
            case "collapsible_panel":
                yield from _panel(element)
            case "button":
                yield from (f"[ {line} ]" for line in _text(element.get("text")))
            case "column_set":
                for column in _objects(element.get("columns")):
                    yield from _elements(column.get("elements"))
            case _:
                pass


def _panel(element: Object) -> Iterator[str]:
    header = element.get("header")
    if _is_object(header):
        yield from (f"▸ {line}" for line in _text(header.get("title")))
    yield from (f"    {line}" for line in _elements(element.get("elements")))


def _text(node: Json) -> Iterator[str]:
    if _is_object(node):
        content = str(node.get("content", ""))
        yield from _plain(content) if node.get("tag") != "plain_text" else content.split("\n")


def _plain(markdown: str) -> list[str]:
    """Entities decoded once, as the client does; the platform writes a tilde as `&sim;`."""
    return html.unescape(markdown.replace("&sim;", "~")).split("\n")


def _is_object(node: Json) -> TypeGuard[Object]:
    return isinstance(node, Mapping)


def _objects(nodes: Json) -> list[Object]:
    return [node for node in nodes if _is_object(node)] if isinstance(nodes, list) else []


def _objects_of_objects(rows: Json) -> list[list[Object]]:
    return [_objects(row) for row in rows] if isinstance(rows, list) else []
