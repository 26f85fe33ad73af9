"""Judges a card as the platform does before it shows one: JSON 2.0 knows every property, or refuses the card.

content.py calls it. The elements that a bot of ours may use are checked property by property; the other ones of
the reference are counted and let through. Cards of the old schema, which ignored what they did not know, are
let through whole.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum

from bot.simulator import refusals
from bot.simulator.card_shapes import ELEMENT_TAGS, GONE, OTHER_TAGS, SHAPES, TEXT_TAGS, Shape
from bot.simulator.model import EVERYONE, Person
from bot.simulator.refusals import Refusal
from steward.model.json import Json

MOST_ELEMENTS = 200
MOST_TABLES = 5
MOST_TABLES_PER_MARKDOWN = 4

ELEMENT_ID = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,19}")
NAMED = re.compile(r"""<(?:at|person)\s+(ids?|email)\s*=\s*["']?([^"'>\s/]+)""", re.IGNORECASE)
IMAGE = re.compile(r"!\[[^\]]*\]\(([^)\s]*)")
CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
TABLE = re.compile(
    r"^[^\n]*\|[^\n]*\n[ ]{0,3}\|?[ ]*:?-+:?[ ]*(?:\|[ ]*:?-+:?[ ]*)+\|?[ ]*$", re.MULTILINE
)


class CardFault(Enum):
    """What is wrong with a card: the code behind 230099, and its sentence."""

    BAD_JSON = (200621, "parse card json err, please check whether the card json is correct")
    GONE = (200861, "cards of schema V2 no longer support this capability")
    BAD_PERSON = (100290, "There is an invalid user resource(at/person) in your card")
    BAD_IMAGE = (200570, "card contains invalid image keys")
    BAD_ROWS = (200914, "table rows is invalid")
    BAD_ROW_NAME = (200915, "table rows name is invalid")
    BAD_ELEMENT_ID = (300301, "element id is invalid or duplicated")
    TOO_MANY_TABLES = (11310, "card table number over limit")
    TOO_MANY_ELEMENTS = (11310, "element exceeds the limit")
    NO_ENTITY = (11310, "cardid is invalid")


def refused(fault: CardFault, value: str = "") -> Refusal:
    code, reason = fault.value
    return refusals.card_refused(code, reason, value)


def judge(
    card: Mapping[str, Json], person_of: Callable[[str], Person | None]
) -> tuple[str, ...] | Refusal:
    """Whom the card notifies, or why it is refused."""
    if card.get("type") in {"card", "template"}:
        return refused(CardFault.NO_ENTITY)
    if card.get("schema") != "2.0":
        return _notified(_old_markdown(card), person_of)
    seen = _Seen()
    for wrong in _walk("card", card, "ROOT", seen):
        return wrong
    return _counted(seen) or _notified(seen.markdown, person_of)


def updatable(card: Mapping[str, Json]) -> bool:
    """Whether a sent card may be changed: JSON 2.0 always, the old schema where it says so."""
    config = card.get("config")
    shared = isinstance(config, Mapping) and config.get("update_multi") is True
    return card.get("schema") == "2.0" or shared


@dataclass(slots=True)
class _Seen:
    """What the walk has met so far."""

    tags: int = 0
    tables: int = 0
    markdown: list[str] = field(default_factory=list)
    element_ids: set[str] = field(default_factory=set)


def _walk(kind: str, node: Json, path: str, seen: _Seen) -> Iterator[Refusal]:
    """Each fault below `node`, outermost first. `kind` "element" and "text" are told apart by their tag."""
    if not isinstance(node, Mapping):
        yield refused(CardFault.BAD_JSON, f"{path} is not an object")
        return
    shape = _shape(kind, node, path)
    if isinstance(shape, Refusal):
        yield shape
        return
    if "tag" in node:
        seen.tags += 1
    yield from _properties(shape, node, path)
    yield from _particulars(node, seen)
    for name, inner in shape.inside.items():
        value = node.get(name)
        if value is None:
            continue
        below = f"{path} -> {name}"
        if name in shape.lists and not isinstance(value, list):
            yield refused(CardFault.BAD_JSON, f"{below} is not an array")
        elif isinstance(value, list):
            for number, one in enumerate(value):
                yield from _walk(inner, one, f"{below} -> [{number}]", seen)
        else:
            yield from _walk(inner, value, below, seen)


def _shape(kind: str, node: Mapping[str, Json], path: str) -> Shape | Refusal:
    if kind not in {"element", "text"}:
        return SHAPES[kind]
    tag = node.get("tag")
    if not isinstance(tag, str):
        return refused(CardFault.BAD_JSON, f"{path} has no tag")
    if tag in GONE:
        return refused(CardFault.GONE, f"unsupported tag {tag}")
    if tag in (TEXT_TAGS if kind == "text" else ELEMENT_TAGS):
        return SHAPES[tag]
    if kind == "element" and tag in OTHER_TAGS:
        return Shape(frozenset(node))
    return refused(CardFault.BAD_JSON, f"unknown tag {tag}, path: {path}")


def _properties(shape: Shape, node: Mapping[str, Json], path: str) -> Iterator[Refusal]:
    for name in node:
        if name not in shape.known:
            yield refused(CardFault.BAD_JSON, f"unknown property, property: {name}, path: {path}")
    for name in shape.needs:
        if name not in node:
            yield refused(CardFault.BAD_JSON, f"{name} is required, path: {path}")


def _particulars(node: Mapping[str, Json], seen: _Seen) -> Iterator[Refusal]:
    """What is asked of an element beyond the names of its properties."""
    element_id = node.get("element_id")
    if element_id is not None:
        if not isinstance(element_id, str) or not ELEMENT_ID.fullmatch(element_id):
            yield refused(CardFault.BAD_ELEMENT_ID, str(element_id))
        elif element_id in seen.element_ids:
            yield refused(CardFault.BAD_ELEMENT_ID, element_id)
        else:
            seen.element_ids.add(element_id)
    if "content" in node and not isinstance(node["content"], str):
        yield refused(CardFault.BAD_JSON, "content is not a string")
    if node.get("update_multi", True) is not True:
        yield refused(CardFault.BAD_JSON, "update_multi must be true")
    match node.get("tag"):
        case "markdown" | "lark_md":
            seen.markdown.append(str(node["content"]))
        case "table":
            seen.tables += 1
            yield from _rows(node)
        case _:
            pass


def _rows(table: Mapping[str, Json]) -> Iterator[Refusal]:
    columns, rows = table.get("columns"), table.get("rows", [])
    names = (
        {one.get("name") for one in columns if isinstance(one, Mapping)}
        if isinstance(columns, list)
        else set()
    )
    if not isinstance(rows, list):
        yield refused(CardFault.BAD_ROWS)
        return
    for row in rows:
        if not isinstance(row, Mapping):
            yield refused(CardFault.BAD_ROWS)
        elif not names.issuperset(row):
            yield refused(CardFault.BAD_ROW_NAME)


def _counted(seen: _Seen) -> Refusal | None:
    if seen.tags > MOST_ELEMENTS:
        return refused(CardFault.TOO_MANY_ELEMENTS)
    per_element = [len(TABLE.findall(_without_code(text))) for text in seen.markdown]
    if (
        seen.tables + sum(per_element) > MOST_TABLES
        or max(per_element, default=0) > MOST_TABLES_PER_MARKDOWN
    ):
        return refused(CardFault.TOO_MANY_TABLES, "table")
    for text in seen.markdown:
        for key in IMAGE.findall(_without_code(text)):
            if not key.startswith("img_"):
                return refused(CardFault.BAD_IMAGE, f"image key {key}")
    return None


def _notified(
    markdown: list[str], person_of: Callable[[str], Person | None]
) -> tuple[str, ...] | Refusal:
    """Everybody named by an `at` or `person` tag; such a tag counts in code and quotes too."""
    named: dict[str, None] = {}
    for text in markdown:
        for attribute, value in NAMED.findall(text):
            ids = value.split(",") if attribute.lower() != "email" else [value]
            for one in ids:
                if one != EVERYONE and person_of(one) is None:
                    return refused(CardFault.BAD_PERSON, one)
                named[one] = None
    return tuple(named)


def _without_code(text: str) -> str:
    return CODE.sub("", text)


def _old_markdown(node: Json) -> list[str]:
    if isinstance(node, list):
        return [text for one in node for text in _old_markdown(one)]
    if not isinstance(node, Mapping):
        return []
    own = (
        [str(node["content"])]
        if node.get("tag") in {"markdown", "lark_md"} and "content" in node
        else []
    )
    return own + [text for one in node.values() for text in _old_markdown(one)]
