"""For each intent what is read, over which days, and who writes the answer. A table, and no more.

Another way to answer is one more entry here, one in `rules`, examples, and its name in the texts.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from steward.endpoints.reporter import (
    declined,
    goals,
    handovers,
    lookups,
    moves,
    overview,
    todos,
)
from steward.endpoints.reporter.intents import Intent
from steward.endpoints.reporter.writing import DAYS_BACK, LISTS, Pen
from steward.model.answer import Claim
from steward.model.reading import View

Writer: TypeAlias = Callable[[Pen], Iterable[Claim]]

_TODOS, _DELIVERIES, _HANDOFFS = LISTS


@dataclass(frozen=True, slots=True)
class Plan:
    """`views` are read beside the portfolio. `days`: where no days are named, deliveries of so many days back.

    `of_days`: whether days that are named narrow the answer; else it is as things stand now.
    `of_people`: whether somebody's name narrows the answer to them. `of_asker`: whether it is about the asker.
    `evidence`: whether there is nothing to answer where nothing could be read.
    """

    write: Writer
    views: tuple[View, ...] = ()
    days: int = DAYS_BACK
    of_days: bool = False
    of_people: bool = True
    of_asker: bool = False
    evidence: bool = True


PLANS: Mapping[Intent, Plan] = {
    Intent.OVERVIEW: Plan(overview.overview, LISTS, of_days=True),
    Intent.PROGRESS: Plan(overview.progress, LISTS, of_days=True),
    Intent.SUMMARY: Plan(overview.summary, LISTS, of_days=True),
    Intent.BLOCKED: Plan(todos.blocked, (_TODOS, _HANDOFFS)),
    Intent.REMAINING: Plan(todos.remaining, (_TODOS,)),
    Intent.OVERDUE: Plan(todos.overdue, (_TODOS,), of_days=True),
    Intent.DUE: Plan(todos.due, (_TODOS,), of_days=True),
    Intent.MINE: Plan(todos.mine, (_TODOS, _HANDOFFS), of_asker=True),
    Intent.FIRST: Plan(todos.first, (_TODOS,), of_asker=True),
    Intent.RISK: Plan(todos.risk, (_TODOS, _HANDOFFS)),
    Intent.STALE: Plan(todos.stale, (_TODOS,)),
    Intent.DECISION: Plan(todos.decision, LISTS, of_people=False),
    Intent.DELIVERED: Plan(moves.delivered, (_TODOS, _DELIVERIES), of_days=True),
    Intent.NOTHING: Plan(moves.nothing, (_DELIVERIES,), of_days=True),
    Intent.CHANGES: Plan(moves.changes, LISTS, days=1, of_days=True),
    Intent.COMMITS: Plan(moves.commits, (_DELIVERIES,), of_days=True),
    Intent.WAITING: Plan(handovers.waiting, (_TODOS, _HANDOFFS)),
    Intent.HANDOFF: Plan(handovers.handoff, (_HANDOFFS,)),
    Intent.UNCLAIMED: Plan(handovers.unclaimed, (_HANDOFFS,)),
    Intent.REVIEWS: Plan(handovers.reviews, LISTS),
    Intent.OWNER: Plan(goals.owner, (_TODOS, _DELIVERIES), days=30, of_people=False),
    Intent.WHEN: Plan(goals.when, (_TODOS, _DELIVERIES), of_people=False),
    Intent.COMPARE: Plan(goals.compare, (_TODOS, _DELIVERIES), of_days=True, of_people=False),
    Intent.PROJECTS: Plan(goals.projects, of_people=False),
    Intent.TODO_DETAIL: Plan(lookups.todo_detail, LISTS, days=90, of_people=False),
    Intent.PR: Plan(lookups.pull_request, LISTS, days=90, of_people=False),
    Intent.CI: Plan(lookups.ci, (_TODOS, _DELIVERIES), of_people=False),
    Intent.COVERAGE: Plan(declined.coverage, (View.SOURCES,), of_people=False, evidence=False),
    Intent.SOURCE_READ: Plan(
        declined.source_read, (View.SOURCES,), of_people=False, evidence=False
    ),
    Intent.ACT: Plan(declined.act, of_people=False, evidence=False),
    Intent.JUDGE: Plan(declined.judge, of_people=False, evidence=False),
}
