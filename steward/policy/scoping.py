"""Which rows a claim's scope holds, by their own fields: view, goal, source, state, people, and days.

The answer rules count by this test, and the reporter selects by it, so that no number can differ. Below both.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime, timedelta, tzinfo

from steward.model.answer import ClaimScope, Dated, RowField
from steward.model.reading import Row, RowStatus, View
from steward.policy.wording import day
from steward.reading.windows import local_midnight, within

UNFINISHED = (RowStatus.OPEN, RowStatus.DOING, RowStatus.BLOCKED)
"""What a todo is while there is still something to do; together these have a word of their own."""


def within_scope(rows: Iterable[Row], scope: ClaimScope, zone: tzinfo) -> Iterator[Row]:
    """The rows of a scope, by their own fields."""
    return filter(belongs_to(scope, zone), rows)


def belongs_to(scope: ClaimScope, zone: tzinfo) -> Callable[[Row], bool]:
    """Whether a row is one of a scope, asked of many rows."""
    first, end = _ceiling(scope.since, zone), _ceiling(scope.until, zone)

    def belongs(row: Row) -> bool:
        return (
            row.view is scope.view
            and scope.source in {None, row.source}
            and scope.goal in {None, row.goal}
            and (not scope.statuses or row.status in scope.statuses)
            and (not scope.who or names(row, scope.who))
            and (scope.having is None or _field(row, scope.having) is not None)
            and _in_time(row, scope, first, end)
        )

    return belongs


def names(row: Row, who: Sequence[str]) -> bool:
    """Whether a row names one of these people: as owner, as receiver, or as who is waited for."""
    return any(
        name is not None and name.casefold() in {one.casefold() for one in who}
        for name in (row.owner, row.to, row.waiting_on)
    )


def _field(row: Row, wanted: RowField) -> str | date | None:
    match wanted:
        case RowField.OWNER:
            return row.owner
        case RowField.TARGET:
            return row.target
        case RowField.DUE:
            return row.due
        case RowField.UPDATED:
            return row.updated
        case RowField.BLOCKED_BY:
            return row.blocked_by
        case RowField.WAITING_ON:
            return row.waiting_on


def _in_time(row: Row, scope: ClaimScope, first: date | None, end: date | None) -> bool:
    if scope.since is None and scope.until is None:
        return True
    match row.view:
        case View.DELIVERIES | View.HANDOFFS:
            return row.at is not None and within(row.at, scope.since, scope.until)
        case View.TODOS if scope.dated is Dated.UPDATED:
            return row.updated is not None and within(row.updated, scope.since, scope.until)
        case View.TODOS:
            due = row.due
            return (
                due is not None and (first is None or due >= first) and (end is None or due < end)
            )
        case _:
            return False


def _ceiling(instant: datetime | None, zone: tzinfo) -> date | None:
    """The first day that begins at or after an instant."""
    if instant is None:
        return None
    first = day(instant, zone)
    return first if local_midnight(first, zone) >= instant else first + timedelta(days=1)
