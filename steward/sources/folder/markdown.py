"""Markdown → the same tree as YAML gives: a goal from the front matter or the first heading, todos from checkboxes.

Blocks are found by a CommonMark parser, so that a checkbox in a code fence or a comment is none. Front matter may
hold what a YAML file holds; `todos` always come from the checkboxes.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

from steward.reading.text import clean
from steward.sources.folder.fields import made_id
from steward.sources.folder.yaml_text import MalformedError, Node, tree

_BOX = re.compile(r"\[(?P<mark>.)\](?:\s+(?P<title>\S.*))?", re.DOTALL)
_DONE = {" ": "open", "x": "done", "X": "done"}
_FENCE = "---"
_NOT_A_WORD = re.compile(r"[\W_]+")


def markdown_tree(text: str, stopped: Callable[[], bool]) -> Node:
    """The tree of one document. Raises MalformedError where its front matter is not sound."""
    front, body = _split(text)
    found = tree(front, stopped) if front is not None else {}
    if not isinstance(found, dict):
        raise MalformedError
    tokens = _blocks(body)
    if "goal" not in found:
        found["goal"] = _goal(_heading(tokens))
    boxes = list(_boxes(tokens))
    if boxes:
        found["todos"] = _with_ids(boxes)
    else:
        found.pop("todos", None)
    return found


def _split(text: str) -> tuple[str | None, str]:
    lines = text.splitlines(keepends=True)
    if not lines or lines[0].strip() != _FENCE:
        return None, text
    for number, line in enumerate(lines[1:], 1):
        if line.strip() == _FENCE:
            return "".join(lines[1:number]), "".join(lines[number + 1 :])
    raise MalformedError


def _blocks(body: str) -> Sequence[Token]:
    return MarkdownIt("commonmark").disable(["inline", "text_join"]).parse(body)


def _heading(tokens: Sequence[Token]) -> str | None:
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open" and inline.content.strip():
            return clean(inline.content)
    return None


def _goal(heading: str | None) -> Node:
    if heading is None:
        return None
    return {"id": _NOT_A_WORD.sub("-", heading.lower()).strip("-")[:64], "title": heading}


def _boxes(tokens: Sequence[Token]) -> Iterator[dict[str, Node]]:
    for item, paragraph, inline in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if item.type != "list_item_open" or paragraph.type != "paragraph_open":
            continue
        box = _BOX.fullmatch(inline.content)
        if box is not None:
            title = clean(box["title"] or "")
            yield {"title": title, "status": _DONE.get(box["mark"], box["mark"])}


def _with_ids(boxes: Sequence[dict[str, Node]]) -> list[Node]:
    """Checkboxes of the same words are told apart by their order."""
    seen: dict[str, int] = {}
    rows: list[Node] = []
    for box in boxes:
        title = str(box["title"])
        seen[title] = seen.get(title, 0) + 1
        number = f"-{seen[title]}" if seen[title] > 1 else ""
        rows.append({"id": made_id(title) + number, **box} if title else box)
    return rows
