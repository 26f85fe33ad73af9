"""Judges the arguments of one call against the schema, and names what to mend (R2, R3).

An entry is `<argument>:<what it must be>`. Its words are built from the schema alone, and doing what every
entry says makes the arguments pass. Values are never echoed: they may hold what nobody should read again.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from steward.model.json import Json
from steward.model.reading import View
from steward.reading.schema import READ_SCHEMA, Property

NAME_LIMIT = 64
"""An unknown name is cut at this many characters: it is the caller's text."""

_PROPERTIES = READ_SCHEMA["properties"]
_ALL_VIEWS = _PROPERTIES["view"]["enum"]

REPORT_ORDER = (
    "view",
    "request_id",
    "include_stopped",
    "days",
    "offset",
    "limit",
    "goal_id",
    "source_id",
)
"""R3's order of the known arguments; unknown names come before all of them."""


@dataclass(frozen=True, slots=True)
class ReadArguments:
    """Arguments that passed, with the schema's defaults filled in."""

    view: View
    source_id: str | None
    days: int
    goal_id: str | None
    request_id: str | None
    include_stopped: bool
    offset: int
    limit: int


def allowed_arguments() -> tuple[str, ...]:
    """Every argument, in the schema's order."""
    return tuple(_PROPERTIES)


def allowed_views() -> tuple[str, ...]:
    """Every view, in the schema's order."""
    return tuple(_ALL_VIEWS)


def rejected_arguments(arguments: "Json | bytes") -> tuple[str, ...]:
    """What must be mended, in R3's order; empty = accepted. `bytes` was no JSON at all."""
    if isinstance(arguments, bytes):
        return ("arguments:must_be_json_and_an_object",)
    if not isinstance(arguments, Mapping):
        return ("arguments:must_be_an_object",)
    unknown = {str(name)[:NAME_LIMIT] for name in arguments if name not in _PROPERTIES}
    view = _view(arguments)
    entries = [f"unknown_argument:{name}" for name in sorted(unknown)]
    for name in REPORT_ORDER:
        entries += _entries(name, arguments, view)
    return tuple(entries)


def accepted(arguments: "Json | bytes") -> ReadArguments:
    """The typed arguments of a call that `rejected_arguments` found nothing in; ValueError for any other."""
    if rejected_arguments(arguments) or not isinstance(arguments, Mapping):
        message = "these arguments were refused"
        raise ValueError(message)
    return ReadArguments(
        view=View(_text(arguments, "view") or ""),
        source_id=_text(arguments, "source_id"),
        days=_number(arguments, "days"),
        goal_id=_text(arguments, "goal_id"),
        request_id=_text(arguments, "request_id"),
        include_stopped=arguments.get("include_stopped", _default("include_stopped")) is True,
        offset=_number(arguments, "offset"),
        limit=_number(arguments, "limit"),
    )


def _entries(name: str, arguments: Mapping[str, Json], view: str | None) -> Iterator[str]:
    """At most two: the argument is out of place, and its value is not what it must be."""
    schema = _PROPERTIES[name]
    must_be = _must_be(schema)
    if name not in arguments:
        if name in READ_SCHEMA["required"]:
            yield f"{name}:required_{must_be}"
        return
    value = arguments[name]
    fits = _fits(value, schema)
    if fits and "default" in schema and value == schema["default"]:
        return
    views = schema.get("x-views")
    if views is not None and view not in views:
        yield f"{name}:only_for_view_{'_or_'.join(views)}"
        if view is not None:
            return  # it must go; what it would have to be elsewhere does not matter
    if not fits:
        yield f"{name}:must_be_{must_be}"


def _must_be(schema: Property) -> str:
    if "enum" in schema:
        return f"one_of_{'|'.join(schema['enum'])}"
    if "pattern" in schema:
        return f"a_string_matching_{schema['pattern']}"
    if schema["type"] == "integer":
        if "maximum" in schema:
            return f"an_integer_between_{schema['minimum']}_and_{schema['maximum']}"
        return f"an_integer_at_least_{schema['minimum']}"
    return {"string": "a_string", "boolean": "a_boolean"}[schema["type"]]


def _fits(value: Json, schema: Property) -> bool:
    """Nothing is coerced: True is no integer, "5" is not 5, 5.0 is not 5."""
    if schema["type"] == "boolean":
        return isinstance(value, bool)
    if schema["type"] == "integer":
        whole = isinstance(value, int) and not isinstance(value, bool)
        return whole and schema["minimum"] <= value <= schema.get("maximum", value)  # type: ignore[operator]  # narrowed by `whole`
    return (
        isinstance(value, str)
        and ("enum" not in schema or value in schema["enum"])
        and ("pattern" not in schema or re.fullmatch(schema["pattern"], value) is not None)
    )


def _view(arguments: Mapping[str, Json]) -> str | None:
    """The view that the other arguments are judged by; None where it is missing or wrong itself."""
    value = arguments.get("view")
    return value if isinstance(value, str) and value in _ALL_VIEWS else None


def _text(arguments: Mapping[str, Json], name: str) -> str | None:
    value = arguments.get(name)
    return value if isinstance(value, str) else None


def _number(arguments: Mapping[str, Json], name: str) -> int:
    value = arguments.get(name, _default(name))
    return value if isinstance(value, int) else 0


def _default(name: str) -> int | bool:
    return _PROPERTIES[name]["default"]
