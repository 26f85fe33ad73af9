"""A tree of text → the rows of one goal. A record that is not sound is dropped and counted, never mended.

An unknown key is ignored and listed, unless it is a slip for a known one: then its record is dropped, since what
was meant is not known. A status without a meaning is UNKNOWN, shown as it stands.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import tzinfo

from steward.model.ids import GoalId, SourceId
from steward.model.reading import Row, RowStatus, SourceCode, View
from steward.reading.text import clean
from steward.sources.folder.fields import Context, Fields, InvalidRecordError
from steward.sources.folder.words import misspelt
from steward.sources.folder.yaml_text import Node

GOAL_STATUS = {
    "active": RowStatus.ACTIVE,
    "stopped": RowStatus.STOPPED,
    "done": RowStatus.DONE,
}
TODO_STATUS = {
    "open": RowStatus.OPEN,
    "doing": RowStatus.DOING,
    "blocked": RowStatus.BLOCKED,
    "done": RowStatus.DONE,
}
HANDOFF_STATUS = {
    "open": RowStatus.OPEN,
    "accepted": RowStatus.ACCEPTED,
    "returned": RowStatus.RETURNED,
    "done": RowStatus.DONE,
}

_GOAL_KEYS = ("id", "title", "aliases", "status", "owner", "target")
_TODO_KEYS = (
    "id",
    "title",
    "status",
    "owner",
    "priority",
    "due",
    "blocked_by",
    "waiting_on",
    "updated",
)
_DELIVERY_KEYS = ("id", "title", "by", "at", "link")
_HANDOFF_KEYS = ("request_id", "title", "from", "to", "status", "at")
_LISTS = {
    "todos": View.TODOS,
    "deliveries": View.DELIVERIES,
    "handoffs": View.HANDOFFS,
}
_REQUEST_ID_LENGTH = 64


@dataclass(frozen=True, slots=True)
class Records:
    """One list of a file. `dropped` records were not sound, `unmapped` ones have a status without a meaning."""

    rows: tuple[Row, ...] = ()
    dropped: int = 0
    unmapped: int = 0


@dataclass(frozen=True, slots=True)
class GoalFile:
    """One parsed file. A view that is not in `lists` has no list in the file, which is not an empty one.

    `misspelt`: top-level keys that are slips for a list's name. `ignored`: every key that nothing reads,
    for `sources check`.
    """

    goal: Row
    lists: Mapping[View, Records]
    misspelt: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileFailure:
    """Why a file gives nothing, and whose goal it is where that much could be read."""

    code: SourceCode
    goal: GoalId | None = None


def goal_file(tree: Node, source: SourceId, zone: tzinfo) -> GoalFile | FileFailure:
    """Interpret a whole document."""
    if not isinstance(tree, dict) or not isinstance(tree.get("goal"), dict):
        return FileFailure(SourceCode.PARSE_FAILED)
    context = Context(source, zone, GoalId(""))
    try:
        goal = goal_row(tree["goal"], context)
    except InvalidRecordError:
        return FileFailure(SourceCode.PARSE_FAILED, context.goal or None)
    lists = {
        view: records(tree[name], view, context)
        for name, view in _LISTS.items()
        if tree.get(name) is not None
    }
    known = ("goal", *_LISTS)
    context.ignored += [name for name in tree if name not in known]
    return GoalFile(
        goal, lists, misspelt(tree, known), tuple(dict.fromkeys(map(clean, context.ignored)))
    )


def goal_row(node: Node, context: Context) -> Row:
    """The portfolio row; the context learns its goal id before anything else can fail."""
    fields = Fields(node, context)
    context.goal = GoalId(fields.identifier("id"))
    fields.check(_GOAL_KEYS)
    status, raw_status = fields.status(GOAL_STATUS, RowStatus.ACTIVE)
    return Row(
        view=View.PORTFOLIO,
        source=context.source,
        goal=context.goal,
        id=context.goal,
        title=fields.required("title"),
        status=status,
        raw_status=raw_status,
        owner=fields.text("owner"),
        target=fields.date("target"),
        aliases=fields.texts("aliases"),
    )


def records(node: Node, view: View, context: Context) -> Records:
    """One list; something else under a list's name is one record that was dropped."""
    make = _MAKERS[view]
    if not isinstance(node, list):
        return Records(dropped=1)
    rows: dict[str, Row] = {}
    dropped = 0
    for item in node:
        try:
            row = make(item, context)
        except InvalidRecordError:
            dropped += 1
            continue
        if row.id in rows:
            dropped += 1
        else:
            rows[row.id] = row
    unmapped = sum(row.status is RowStatus.UNKNOWN for row in rows.values())
    return Records(tuple(rows.values()), dropped, unmapped)


def todo(node: Node, context: Context) -> Row:
    """A todo; without a status it is open."""
    fields = Fields(node, context).check(_TODO_KEYS)
    status, raw_status = fields.status(TODO_STATUS, RowStatus.OPEN)
    return Row(
        view=View.TODOS,
        source=context.source,
        goal=context.goal,
        id=fields.id(),
        title=fields.title(),
        status=status,
        raw_status=raw_status,
        owner=fields.text("owner"),
        priority=fields.text("priority"),
        due=fields.date("due"),
        blocked_by=fields.text("blocked_by"),
        waiting_on=fields.text("waiting_on"),
        updated=fields.instant("updated"),
    )


def _delivery(node: Node, context: Context) -> Row:
    fields = Fields(node, context).check(_DELIVERY_KEYS)
    at = fields.instant("at")
    if at is None:
        raise InvalidRecordError  # it lies in no window, so it could never be counted
    return Row(
        view=View.DELIVERIES,
        source=context.source,
        goal=context.goal,
        id=fields.id(),
        title=fields.title(),
        status=RowStatus.DELIVERED,
        owner=fields.text("by"),
        at=at,
        link=fields.text("link"),
    )


def _handoff(node: Node, context: Context) -> Row:
    fields = Fields(node, context).check(_HANDOFF_KEYS)
    request = fields.required("request_id")
    if len(request) != _REQUEST_ID_LENGTH or set(request) - set("0123456789abcdef"):
        raise InvalidRecordError
    status, raw_status = fields.status(HANDOFF_STATUS, RowStatus.OPEN)
    return Row(
        view=View.HANDOFFS,
        source=context.source,
        goal=context.goal,
        id=request,
        title=fields.text("title") or request,
        status=status,
        raw_status=raw_status,
        owner=fields.text("from"),
        to=fields.text("to"),
        at=fields.instant("at"),
    )


_MAKERS: Mapping[View, Callable[[Node, Context], Row]] = {
    View.TODOS: todo,
    View.DELIVERIES: _delivery,
    View.HANDOFFS: _handoff,
}
