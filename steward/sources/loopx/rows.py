"""A LoopX record → our row. A record that lacks what a row must have is None: dropped, and counted by the caller."""

from collections.abc import Mapping
from datetime import UTC, datetime

from steward.model.ids import GoalId, SourceId
from steward.model.reading import Row, RowStatus, View
from steward.reading.text import clean, is_clean
from steward.sources.loopx.commands import is_goal_id

OVERSIZED = "oversized_record"
"""The status of what stands in a record's place where LoopX found it too large."""

_GOAL_STATUS = {"active": RowStatus.ACTIVE, "stopped": RowStatus.STOPPED}
_CLOSED = "closed"
_TODO_STATUS = {
    "open": RowStatus.OPEN,
    "blocked": RowStatus.BLOCKED,
    "deferred": RowStatus.STOPPED,
    "done": RowStatus.DONE,
}
_DELIVERED = frozenset({"outcome_progress", "primary_goal_outcome"})
_OWNER = "user"
"""LoopX's role of whoever owns the goal: such a todo waits for that person."""

Record = Mapping[str, object]


def text(record: Record, name: str) -> str | None:
    """One clean line; blank, absent and anything but text are None."""
    value = record.get(name)
    return (clean(value) or None) if isinstance(value, str) else None


def nested(record: Record, name: str) -> Record:
    """The mapping under a name, empty where there is none."""
    value = record.get(name)
    return value if isinstance(value, Mapping) else {}


def instant(written: object) -> datetime | None:
    """An aware instant, in UTC; anything else is None."""
    try:
        at = datetime.fromisoformat(written) if isinstance(written, str) else None
        return at.astimezone(UTC) if at is not None and at.tzinfo is not None else None
    except (ValueError, OverflowError):
        return None


def row_of(record: Record, view: View, source: SourceId) -> Row | None:
    """The row of one record of a view that LoopX serves."""
    goal = record.get("goal_id")
    if not isinstance(goal, str) or not is_goal_id(goal):
        return None
    match view:
        case View.PORTFOLIO:
            return _goal(record, source, GoalId(goal))
        case View.TODOS:
            return _todo(record, source, GoalId(goal))
        case _:
            return _delivery(record, source, GoalId(goal))


def _goal(record: Record, source: SourceId, goal: GoalId) -> Row:
    written = text(record, "activation_state")
    status = _GOAL_STATUS.get(written or "", RowStatus.UNKNOWN)
    if status is RowStatus.ACTIVE:
        phase = nested(record, "goal_lifecycle").get("lifecycle_phase")
        status = RowStatus.DONE if phase == _CLOSED else status
    return Row(
        view=View.PORTFOLIO,
        source=source,
        goal=goal,
        id=goal,
        title=text(record, "description") or goal,
        status=status,
        raw_status=written if status is RowStatus.UNKNOWN else None,
    )


def _todo(record: Record, source: SourceId, goal: GoalId) -> Row | None:
    name, title = record.get("todo_id"), text(record, "title")
    if not isinstance(name, str) or not is_clean(name) or title is None:
        return None
    written = text(record, "status")
    status = _TODO_STATUS.get(written or "", RowStatus.UNKNOWN)
    return Row(
        view=View.TODOS,
        source=source,
        goal=goal,
        id=name,
        title=title,
        status=status,
        raw_status=written if status is RowStatus.UNKNOWN else None,
        owner=text(record, "claimed_by") or text(record, "bound_agent"),
        priority=text(record, "priority"),
        waiting_on=_OWNER if record.get("role") == _OWNER else None,
    )


def _delivery(record: Record, source: SourceId, goal: GoalId) -> Row | None:
    name, at = record.get("source_ref"), instant(record.get("recorded_at"))
    title = text(record, "todo_title") or text(record, "classification")
    if not isinstance(name, str) or not is_clean(name) or at is None or title is None:
        return None
    outcome = text(record, "outcome")
    delivered = outcome in _DELIVERED
    return Row(
        view=View.DELIVERIES,
        source=source,
        goal=goal,
        id=name,
        title=title,
        status=RowStatus.DELIVERED if delivered else RowStatus.UNKNOWN,
        raw_status=None if delivered else outcome,
        owner=text(record, "agent_id"),
        at=at,
    )
