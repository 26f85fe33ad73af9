"""Answers from todos: what is blocked, left, due, late, risky, mine, first, not moved, and why."""

from collections.abc import Iterator
from datetime import timedelta

from steward.endpoints.reporter.candidate import advice, note
from steward.endpoints.reporter.times import FIRST_DAY, length_of
from steward.endpoints.reporter.writing import (
    DAYS_AHEAD,
    Pen,
    by_due,
    by_urgency,
    oldest,
)
from steward.model.answer import Claim, ClaimScope, NoteCode, RowField
from steward.model.reading import Cited, RowStatus, View
from steward.policy.scoping import UNFINISHED
from steward.policy.wording import day, window
from steward.reading.windows import local_midnight
from steward.texts import answers

STALE_AFTER = timedelta(days=14)
"""What has not moved for so long is stale, where the question names no length."""


def blocked(pen: Pen) -> Iterator[Claim]:
    """Blocked todos with reason and who is waited for; then the handoffs that wait."""
    scope = pen.scope(View.TODOS, RowStatus.BLOCKED)
    yield pen.tally(scope)
    yield from pen.group(scope, answers.MORE_BLOCKED, by_urgency)
    handoffs = pen.scope(View.HANDOFFS, RowStatus.OPEN)
    yield pen.say(answers.OPEN_HANDOFFS, handoffs)
    yield from pen.group(handoffs, answers.MORE_HANDOFFS, oldest)


def remaining(pen: Pen) -> Iterator[Claim]:
    """What is not finished."""
    scope = pen.scope(View.TODOS, *UNFINISHED)
    yield pen.tally(scope)
    yield from pen.group(scope, answers.MORE_UNFINISHED, by_due)
    unclear = pen.scope(View.TODOS, RowStatus.UNKNOWN)
    yield from pen.group(unclear, answers.MORE_UNCLEAR, by_urgency)


def overdue(pen: Pen) -> Iterator[Claim]:
    """What should have been finished before today, or by the days that are named."""
    asked = pen.asked.window
    since = None if asked is None else asked.since
    until = pen.frame.midnight(0)
    if asked is not None and asked.until is not None:
        until = min(until, asked.until)
    scope = pen.due(None if since is None or since >= until else since, until)
    yield pen.say(answers.OVERDUE_COUNT, scope)
    yield from pen.group(scope, answers.MORE_OVERDUE, by_due)


def due(pen: Pen) -> Iterator[Claim]:
    """What is due in the days that are named, or in the coming week; then what is late already."""
    scope = _due_scope(pen)
    yield _due_line(pen, scope)
    yield from pen.group(scope, answers.MORE_MATCHING, by_due)
    late = pen.due(None, pen.frame.midnight(0))
    if scope.since is not None and pen.select(late):
        yield pen.say(answers.OVERDUE_COUNT, late)
        yield from pen.group(late, answers.MORE_OVERDUE, by_due)


def _due_scope(pen: Pen) -> ClaimScope:
    asked = pen.asked.window
    if asked is None:
        return pen.due(pen.frame.midnight(0), pen.frame.midnight(DAYS_AHEAD + 1))
    return pen.due(asked.since, asked.until)


def _due_line(pen: Pen, scope: ClaimScope) -> Claim:
    frame = pen.frame
    if scope.since is not None and scope.until is not None:
        days = window(scope.since, scope.until, frame.language, frame.zone)
        return pen.say(answers.DUE_COUNT, scope, window=days)
    if scope.until is not None:
        date = day(scope.until, frame.zone).isoformat()
        return pen.say(answers.DUE_UNTIL, scope, date=date)
    date = day(scope.since or frame.now, frame.zone).isoformat()
    return pen.say(answers.DUE_SINCE, scope, date=date)


def mine(pen: Pen) -> Iterator[Claim]:
    """The asker's unfinished todos and what was handed to them; of an asker without an entry, everyone's."""
    scope = pen.scope(View.TODOS, *UNFINISHED)
    yield pen.tally(scope)
    yield from unmapped(pen)
    yield from pen.group(scope, answers.MORE_UNFINISHED, by_due)
    handoffs = pen.scope(View.HANDOFFS, RowStatus.OPEN)
    if pen.select(handoffs):
        yield pen.say(answers.OPEN_HANDOFFS, handoffs)
        yield from pen.group(handoffs, answers.MORE_HANDOFFS, oldest)


def unmapped(pen: Pen) -> Iterator[Claim]:
    """That nobody said how the records name the asker, and how to say it."""
    if not pen.who:
        yield note(NoteCode.UNMAPPED_ASKER)


def first(pen: Pen) -> Iterator[Claim]:
    """An order by due day and priority, and that it is no more than this."""
    scope = pen.scope(View.TODOS, *UNFINISHED)
    rows = sorted(pen.select(scope), key=_pressing)
    if not rows:
        yield pen.none(scope)
    titles = {} if pen.goal is not None else pen.titles()
    for place, cited in enumerate(rows[: max(pen.most, 1)]):
        pen.shown.add(cited.citation)
        text = answers.THEN if place else answers.FIRST
        yield advice(text.format(pen.language, row=pen.line(cited.row, titles)), [cited])
        if not place:
            yield note(NoteCode.ORDER_ONLY)
            yield from unmapped(pen)
    yield pen.tally(scope)


def _pressing(cited: Cited) -> tuple[str, str, float]:
    return (*by_due(cited)[:1], *by_urgency(cited))


def risk(pen: Pen) -> Iterator[Claim]:
    """What may go wrong as far as rows say it: blocked, late, handed over and not taken."""
    blocking = pen.scope(View.TODOS, RowStatus.BLOCKED)
    late = pen.due(None, pen.frame.midnight(0))
    handoffs = pen.scope(View.HANDOFFS, RowStatus.OPEN)
    yield pen.tally(blocking)
    yield pen.say(answers.OVERDUE_COUNT, late)
    yield pen.say(answers.OPEN_HANDOFFS, handoffs)
    yield from pen.group(blocking, answers.MORE_BLOCKED, by_urgency)
    yield from pen.group(late, answers.MORE_OVERDUE, by_due)
    yield from pen.group(handoffs, answers.MORE_HANDOFFS, oldest)


def stale(pen: Pen) -> Iterator[Claim]:
    """Unfinished todos that were last updated before a day; those without a time are said to have none."""
    moved = pen.frame.day(0) - (length_of(pen.asked.text) or STALE_AFTER) + timedelta(days=1)
    since = max(moved, FIRST_DAY)
    scope = pen.updated(None, local_midnight(since, pen.frame.zone), *UNFINISHED)
    yield pen.say(answers.NOT_MOVED, scope, date=since.isoformat())
    yield from undated(pen)
    yield from pen.group(scope, answers.MORE_MATCHING, oldest)


def undated(pen: Pen) -> Iterator[Claim]:
    """That some todos say nothing of when they moved."""
    todos = pen.select(pen.scope(View.TODOS, *UNFINISHED))
    if any(cited.row.updated is None for cited in todos):
        yield note(NoteCode.UNDATED)


def decision(pen: Pen) -> Iterator[Claim]:
    """Reasons that are written down, quoted by their rows; nothing is inferred."""
    scope = pen.having(View.TODOS, RowField.BLOCKED_BY)
    yield pen.say(answers.REASONS, scope)
    yield note(NoteCode.QUOTED_ONLY)
    yield from pen.group(scope, answers.MORE_MATCHING, by_urgency)
    late = pen.due(None, pen.frame.midnight(0))
    if pen.select(late):
        yield pen.say(answers.OVERDUE_COUNT, late)
        yield from pen.group(late, answers.MORE_OVERDUE, by_due)
