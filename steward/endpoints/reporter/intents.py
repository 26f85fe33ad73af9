"""What a question may want to know, and the marks that stand in it for names.

Names of goals, days and sources are taken out before a question is recognised, so that nothing in a name decides. Which
words mean which intent is said in `rules` and in the examples; `recognition` goes by them.
"""

from collections.abc import Mapping
from enum import StrEnum


class Intent(StrEnum):
    """One way to answer. The value is what a follow-up inherits, and what the texts name it by."""

    OVERVIEW = "overview"
    PROGRESS = "progress"
    BLOCKED = "blocked"
    WAITING = "waiting"
    DELIVERED = "delivered"
    OWNER = "owner"
    MINE = "mine"
    FIRST = "first"
    OVERDUE = "overdue"
    DUE = "due"
    WHEN = "when"
    RISK = "risk"
    REMAINING = "remaining"
    TODO_DETAIL = "todo_detail"
    PR = "pr"
    REVIEWS = "reviews"
    CI = "ci"
    CHANGES = "changes"
    COMMITS = "commits"
    HANDOFF = "handoff"
    UNCLAIMED = "unclaimed"
    DECISION = "decision"
    COMPARE = "compare"
    SUMMARY = "summary"
    PROJECTS = "projects"
    STALE = "stale"
    COVERAGE = "coverage"
    SOURCE_READ = "source_read"
    NOTHING = "nothing"
    ACT = "act"
    JUDGE = "judge"


FAMILY: Mapping[Intent, str] = {
    Intent.WAITING: "blocked",
    Intent.FIRST: "mine",
    Intent.OVERDUE: "due",
    Intent.WHEN: "due",
    Intent.REVIEWS: "pr",
    Intent.COMMITS: "changes",
    Intent.UNCLAIMED: "handoff",
    Intent.PROJECTS: "summary",
    Intent.SOURCE_READ: "coverage",
    Intent.NOTHING: "negative",
    Intent.ACT: "out_of_scope",
    Intent.JUDGE: "out_of_scope",
}
"""The kind of question that an intent belongs to, where it is not its own: a candidate's classification."""

GOAL = "§"
"""Stands for the name of a goal in the text that is looked at."""

TIME = "¤"
"""Stands for days."""

SOURCE = "‡"
"""Stands for the title of a source."""


def family(intent: Intent) -> str:
    """The classification of an answer."""
    return FAMILY.get(intent, intent.value)
