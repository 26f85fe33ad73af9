"""Answers about goals themselves: who owns one, when it is due, how two compare, which there are, which is meant."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from steward.endpoints.reporter.candidate import count, fact, note
from steward.endpoints.reporter.folding import fold
from steward.endpoints.reporter.overview import goals as listed_goals
from steward.endpoints.reporter.writing import (
    MOST_ROWS,
    Pen,
    by_due,
    newest,
)
from steward.model.answer import Claim, ClaimScope, NoteCode, RowField
from steward.model.ids import GoalId
from steward.model.reading import Cited, RowStatus, View
from steward.policy.scoping import UNFINISHED
from steward.policy.wording import NAME_CHARS, row_line, title_of
from steward.reading.text import clean
from steward.texts import answers

MOST_CHOICES = 40
"""So many portfolio rows are cited where the asker has to choose a goal."""

MOST_COMPARED = 4


def owner(pen: Pen) -> Iterator[Claim]:
    """The stated owner of the goal, or of the todo that is named; the latest delivery as a weaker sign."""
    named = _named(pen)
    yield from pen.rows(named[: pen.most])
    scope = pen.having(View.PORTFOLIO, RowField.OWNER)
    stated = [cited for cited in pen.select(scope) if _asked_about(pen, cited)]
    if not stated and not named:
        yield pen.none(scope)
    for cited in stated[:MOST_ROWS]:
        pen.shown.add(cited.citation)
        name = clean(cited.row.owner or "", NAME_CHARS)
        title = title_of(cited.row)
        yield fact(answers.OWNED_BY.format(pen.language, goal=title, owner=name), [cited])
    if (left := len(stated) - MOST_ROWS) > 0:
        yield count(answers.MORE_GOALS.format(pen.language, count=left), scope)
    if pen.goal is not None:
        todos = pen.scope(View.TODOS, *UNFINISHED)
        yield pen.tally(todos)
        yield from pen.group(todos, answers.MORE_UNFINISHED, by_due)
        yield from _latest(pen)


def _asked_about(pen: Pen, cited: Cited) -> bool:
    return pen.goal is not None or cited.row.status is RowStatus.ACTIVE


def _named(pen: Pen) -> list[Cited]:
    """The todos that the question names by their titles or ids."""
    folded = fold(pen.asked.masked)
    return [
        cited
        for cited in pen.reads.rows(View.TODOS)
        for name in (cited.row.title, cited.row.id)
        if 2 < len(name) <= len(pen.asked.masked) + 2 and any(folded.find(name))
    ]


def _latest(pen: Pen) -> Iterator[Claim]:
    rows = sorted(pen.select(pen.deliveries()), key=newest)
    for cited in rows[:1]:
        pen.shown.add(cited.citation)
        line = row_line(cited.row, pen.language, pen.frame.zone)
        yield fact(answers.LATEST.format(pen.language, row=line), [cited])


def when(pen: Pen) -> Iterator[Claim]:
    """Stated target dates, or that none is stated; what is still to do beside them."""
    scope = pen.having(View.PORTFOLIO, RowField.TARGET)
    stated = [cited for cited in pen.select(scope) if _asked_about(pen, cited)]
    if not stated:
        yield pen.none(scope)
    for cited in sorted(stated, key=_by_target)[: max(pen.most, 1)]:
        pen.shown.add(cited.citation)
        date = "" if cited.row.target is None else cited.row.target.isoformat()
        title = title_of(cited.row)
        yield fact(answers.TARGET_OF.format(pen.language, goal=title, date=date), [cited])
    yield note(NoteCode.STATED_ONLY)
    yield from pen.rows(_named(pen)[: pen.most])
    todos = pen.scope(View.TODOS, *UNFINISHED)
    yield pen.tally(todos)
    yield from pen.group(todos, answers.MORE_UNFINISHED, by_due)
    yield from pen.group(pen.deliveries(), answers.MORE_DELIVERED, newest)


def _by_target(cited: Cited) -> tuple[str, str]:
    target = cited.row.target
    return "~" if target is None else target.isoformat(), cited.row.goal


def compare(pen: Pen) -> Iterator[Claim]:
    """The same counts for each goal: what is late first, and last of what nothing is late."""
    goals = pen.asked.goals or _active(pen)
    compared = goals[:MOST_COMPARED]
    overdue = {goal: replace(pen.due(None, pen.frame.midnight(0)), goal=goal) for goal in compared}
    late = [goal for goal in compared if pen.select(overdue[goal])]
    for goal in late:
        yield _measured(pen, overdue[goal], goal)
    for goal in compared:
        yield _measured(pen, replace(pen.scope(View.TODOS), goal=goal), goal)
    for goal in compared:
        deliveries = replace(pen.deliveries(), goal=goal)
        title = pen.title(goal)
        yield pen.say(answers.DELIVERED_BY, deliveries, window=pen.days(), who=title)
    yield from (pen.none(overdue[goal]) for goal in compared if goal not in late)
    yield note(NoteCode.SAME_COUNTS)
    for goal in compared:
        rows = [one for one in pen.reads.rows(View.PORTFOLIO) if one.row.goal == goal]
        yield from pen.rows(rows[:1])


def _measured(pen: Pen, scope: ClaimScope, goal: GoalId) -> Claim:
    if scope.until is None:
        return pen.tally(scope, pen.title(goal))
    number = len(pen.select(scope))
    line = answers.OVERDUE_COUNT.format(pen.language, subject=pen.title(goal), count=number)
    return count(line, scope)


def _active(pen: Pen) -> tuple[GoalId, ...]:
    rows = pen.select(pen.scope(View.PORTFOLIO, RowStatus.ACTIVE))
    return tuple(dict.fromkeys(cited.row.goal for cited in rows))


def projects(pen: Pen) -> Iterator[Claim]:
    """Which goals there are: the active ones, then what has stopped or is done."""
    if not pen.select(pen.scope(View.PORTFOLIO, RowStatus.ACTIVE)):
        yield pen.none(pen.scope(View.PORTFOLIO, RowStatus.ACTIVE))
    yield from listed_goals(pen)
    others = pen.scope(View.PORTFOLIO, RowStatus.STOPPED, RowStatus.DONE)
    if pen.select(others):
        yield pen.tally(others, answers.GOALS_BY_STATUS.of(pen.language))
        yield from pen.group(others, answers.MORE_MATCHING, by_due)


def which_goal(pen: Pen, goals: Sequence[GoalId]) -> Iterator[Claim]:
    """Several goals fit: each by title and id, for the asker to choose (never chosen for them)."""
    language = pen.language
    rows = [
        cited
        for goal in goals
        for cited in pen.reads.rows(View.PORTFOLIO)
        if cited.row.goal == goal
    ]
    yield fact(answers.WHICH_GOAL.format(language, count=len(set(goals))), rows[:MOST_CHOICES])
    for cited in rows[: pen.most]:
        line = row_line(cited.row, language, pen.frame.zone)
        yield fact(answers.NAMED_BY.format(language, row=line, id=cited.row.goal), [cited])
    if rest := rows[pen.most : MOST_CHOICES]:
        yield fact(answers.MORE_MATCHES.format(language, count=len(rest)), rest)
