"""What is asked of LoopX's command line: read commands alone, from values that were checked before."""

import re
from collections.abc import Sequence

from steward.model.ids import GoalId
from steward.model.reading import View

PAGE_ROWS = 12
"""The most that LoopX gives at once."""

MOST_DAYS = 90
"""The furthest back that LoopX looks for deliveries."""

Arguments = tuple[str, ...]

_GOAL_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,159}")


def is_goal_id(text: str) -> bool:
    """Whether LoopX would take it as a goal's id; no other is ever put on a command line."""
    return _GOAL_ID.fullmatch(text) is not None


def page(view: View, offset: int, *, goal: GoalId | None = None, days: int = 1) -> Arguments:
    """One page of a view. The inventory always holds stopped goals: what to show is the gate's to say."""
    found = ["goal-portfolio", "--manager-view", view.value]
    found += ["--offset", str(offset), "--limit", str(PAGE_ROWS)]
    if view is View.PORTFOLIO:
        found.append("--include-stopped")
    if goal is not None:
        found += ["--goal-id", goal]
    if view is View.DELIVERIES:
        found += ["--days", str(days)]
    return tuple(found)


def history(goal: GoalId) -> Arguments:
    """How many lines of a goal's run index could be read as runs."""
    return ("history", "--goal-id", goal, "--limit", "1")


def duplicates(goal: GoalId) -> Arguments:
    """How many of them repeat another line's run. Without `--execute` it changes nothing."""
    return ("history", "inspect-index-duplicates", "--goal-id", goal, "--limit", "1")


def global_options(registry: str) -> Sequence[str]:
    """What stands before every command."""
    return ("--registry", registry, "--format", "json")
