"""The overview of one goal, or of all: counts first, then what is blocked, due, delivered and handed over.

It answers for progress, for a summary, and for every question that nobody is sure of.
"""

from collections.abc import Iterator

from steward.endpoints.reporter.writing import (
    DAYS_AHEAD,
    MOST_ROWS,
    Pen,
    by_due,
    by_urgency,
    newest,
    oldest,
)
from steward.model.answer import Claim
from steward.model.reading import RowStatus, View
from steward.texts import answers


def overview(pen: Pen) -> Iterator[Claim]:
    """The direct lines first; a row that was shown is not shown again."""
    yield pen.tally(pen.scope(View.TODOS))
    yield pen.delivered()
    if pen.goal is not None:
        named = [cited for cited in pen.reads.rows(View.PORTFOLIO) if cited.row.goal == pen.goal]
        yield from pen.rows(named[:MOST_ROWS])
    yield from _groups(pen)
    if pen.goal is None and not pen.who:
        yield from goals(pen)


def _groups(pen: Pen) -> Iterator[Claim]:
    blocked = pen.scope(View.TODOS, RowStatus.BLOCKED)
    if pen.select(pen.scope(View.TODOS)) and not pen.select(blocked):
        yield pen.none(blocked)
    today, last = pen.frame.midnight(0), pen.frame.day(DAYS_AHEAD)
    coming = pen.due(today, pen.frame.midnight(DAYS_AHEAD + 1))
    yield from pen.group(blocked, answers.MORE_BLOCKED, by_urgency)
    yield from pen.group(pen.due(None, today), answers.MORE_OVERDUE, by_due)
    yield from pen.group(coming, answers.MORE_DUE, by_due, date=last.isoformat())
    unclear = pen.scope(View.TODOS, RowStatus.UNKNOWN)
    yield from pen.group(unclear, answers.MORE_UNCLEAR, by_urgency)
    yield from pen.group(pen.deliveries(), answers.MORE_DELIVERED, newest)
    handoffs = pen.scope(View.HANDOFFS, RowStatus.OPEN)
    yield from pen.group(handoffs, answers.MORE_HANDOFFS, oldest)
    if not pen.select(handoffs):
        yield pen.none(handoffs)


def goals(pen: Pen) -> Iterator[Claim]:
    """How many goals are active, and which."""
    scope = pen.scope(View.PORTFOLIO, RowStatus.ACTIVE)
    if pen.select(scope):
        text = answers.GOALS if pen.reads.whole(View.PORTFOLIO) else answers.GOALS_SO_FAR
        yield pen.say(text, scope)
        yield from pen.group(scope, answers.MORE_GOALS, by_due)


def progress(pen: Pen) -> Iterator[Claim]:
    """The overview; of days that are named, what was delivered and updated in them comes first."""
    window = pen.asked.window
    if window is None or window.since is None:
        yield from overview(pen)
        return
    yield pen.delivered()
    yield pen.say(answers.UPDATED, pen.updated(pen.frame.since, pen.frame.until), window=pen.days())
    yield from pen.group(pen.deliveries(), answers.MORE_DELIVERED, newest)
    changed = pen.updated(pen.frame.since, pen.frame.until)
    yield from pen.group(changed, answers.MORE_MATCHING, newest)
    yield pen.tally(pen.scope(View.TODOS))
    yield from pen.group(pen.scope(View.TODOS, RowStatus.BLOCKED), answers.MORE_BLOCKED, by_urgency)


def summary(pen: Pen) -> Iterator[Claim]:
    """Done, in progress, blocked, handed over; what was not read stands in the coverage block."""
    yield pen.delivered()
    yield pen.tally(pen.scope(View.TODOS))
    yield from pen.group(pen.deliveries(), answers.MORE_DELIVERED, newest)
    for status, more in (
        (RowStatus.DOING, answers.MORE_UNFINISHED),
        (RowStatus.BLOCKED, answers.MORE_BLOCKED),
    ):
        scope = pen.scope(View.TODOS, status)
        if pen.select(scope):
            yield from pen.group(scope, more, by_urgency)
        else:
            yield pen.none(scope)
    handoffs = pen.scope(View.HANDOFFS, RowStatus.OPEN)
    yield pen.say(answers.OPEN_HANDOFFS, handoffs)
    yield from pen.group(handoffs, answers.MORE_HANDOFFS, oldest)
    overdue = pen.due(None, pen.frame.midnight(0))
    yield from pen.group(overdue, answers.MORE_OVERDUE, by_due)
