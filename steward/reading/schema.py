"""The one schema of the read tool (R1). Every check of a call is derived from it (arguments.py).

`x-views` names the views that an argument goes with. It is ours: `published` strips it, because strict
providers refuse keywords that they do not know.
"""

from collections.abc import Mapping
from typing import Literal, TypedDict, cast

from steward.model.json import Json
from steward.model.reading import View

MANAGER_TOOL = "loopx_manager_read"
"""The tool's name before the owner in private."""

CONTEXT_TOOL = "loopx_context_read"
"""The tool's name before every other audience."""

Property = TypedDict(
    "Property",
    {
        "type": Literal["string", "integer", "boolean"],
        "description": str,
        "enum": list[str],
        "pattern": str,
        "minimum": int,
        "maximum": int,
        "default": int | bool,
        "x-views": list[str],
    },
    total=False,
)
"""One argument, in the part of JSON Schema that this tool uses."""


class Schema(TypedDict):
    """The whole of it: one flat object that is closed."""

    type: Literal["object"]
    additionalProperties: Literal[False]
    required: list[str]
    properties: dict[str, Property]


_ALL_BUT_SOURCES = [view.value for view in View if view is not View.SOURCES]

READ_SCHEMA: Schema = {
    "type": "object",
    "additionalProperties": False,
    "required": ["view"],
    "properties": {
        "view": {
            "type": "string",
            "enum": [view.value for view in View],
            "description": "What to read. `sources` lists what may be read and whether it can be.",
        },
        "source_id": {
            "type": "string",
            "description": "One configured source. Left out: every source in scope.",
        },
        "days": {
            "type": "integer",
            "minimum": 1,
            "maximum": 90,
            "default": 1,
            "x-views": [View.DELIVERIES.value],
            "description": "Deliveries since local midnight this many days ago.",
        },
        "goal_id": {
            "type": "string",
            "x-views": _ALL_BUT_SOURCES,
            "description": "One goal, by an id that a page named. Left out: every goal in scope.",
        },
        "request_id": {
            "type": "string",
            "pattern": "^[a-f0-9]{64}$",
            "x-views": [View.HANDOFFS.value],
            "description": "One handoff.",
        },
        "include_stopped": {
            "type": "boolean",
            "default": False,
            "x-views": [View.PORTFOLIO.value, View.TODOS.value],
            "description": "Also goals that are stopped or done, and their todos.",
        },
        "offset": {
            "type": "integer",
            "minimum": 0,
            "default": 0,
            "x-views": _ALL_BUT_SOURCES,
            "description": "How many matched rows to skip: `next_offset` of the page before.",
        },
        "limit": {
            "type": "integer",
            "minimum": 1,
            "maximum": 12,
            "default": 8,
            "x-views": _ALL_BUT_SOURCES,
            "description": "How many rows at most.",
        },
    },
}

_DESCRIPTION = (
    "Read evidence of how work is going. Read-only. Cite rows by their `cite`. A page with `unknown: true` "
    "is not whole, and what could not be read must not be presented as no progress."
)


def published(tool: str) -> Mapping[str, Json]:
    """The tool as providers and MCP clients are shown it: name, description, input schema without `x-` keywords."""
    properties: dict[str, Json] = {
        name: _without_ours(argument) for name, argument in READ_SCHEMA["properties"].items()
    }
    schema: dict[str, Json] = {
        "type": READ_SCHEMA["type"],
        "additionalProperties": READ_SCHEMA["additionalProperties"],
        "required": READ_SCHEMA["required"],
        "properties": properties,
    }
    return {"name": tool, "description": _DESCRIPTION, "inputSchema": schema}


def _without_ours(argument: Property) -> dict[str, Json]:
    keywords = cast("Mapping[str, Json]", argument)
    return {name: value for name, value in keywords.items() if not name.startswith("x-")}
