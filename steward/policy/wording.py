"""How instants and rows are worded, the same in claims, coverage lines and evidence lists.

Below the answer rules, presentation and the reporter; above the texts alone. Rows arrive cleaned by the gate.
"""

from collections.abc import Iterable
from datetime import date, datetime, timedelta, tzinfo

from steward.model.reading import Row, RowStatus, View
from steward.model.turn import Language
from steward.reading.text import clean
from steward.texts import answers
from steward.texts.catalogue import Text

TITLE_CHARS = 80
NAME_CHARS = 40
REASON_CHARS = 120


def day(instant: datetime, zone: tzinfo) -> date:
    """The calendar day of an instant where its readers are."""
    return _local(instant, zone).date()


def moment(instant: datetime, zone: tzinfo) -> str:
    """An instant as readers see it: absolute, to the minute."""
    return _local(instant, zone).strftime("%Y-%m-%d %H:%M")


def _local(instant: datetime, zone: tzinfo) -> datetime:
    try:
        return instant.astimezone(zone)
    except OverflowError:  # a wrong year in evidence, 1 or 9999: shown as it is written
        return instant


def zone_name(zone: tzinfo) -> str:
    """A time zone as readers see it, such as Asia/Shanghai."""
    return str(zone)


def window(since: datetime, until: datetime, language: Language, zone: tzinfo) -> str:
    """A window [since, until) by its first and last day."""
    last = _local(until, zone) - timedelta(microseconds=1)
    return answers.WINDOW.format(
        language, start=day(since, zone).isoformat(), end=last.date().isoformat()
    )


def listed(items: Iterable[str], language: Language) -> str:
    """One item after the other, as the language lists them."""
    return answers.LISTED.of(language).join(items)


def title_of(row: Row) -> str:
    """A row's title, at most TITLE_CHARS, or its id where it has none."""
    return clean(row.title, TITLE_CHARS) or clean(row.id, TITLE_CHARS)


def row_line(row: Row, language: Language, zone: tzinfo) -> str:
    """A row in one line: title - owner - state. The title may be shortened, visibly; nothing is derived."""
    match row.view:
        case View.HANDOFFS:
            who = _handed(row, language)
            state = _state(row, answers.STATE_SINCE, row.at, language, zone)
        case View.DELIVERIES:
            who = _name(row.owner)
            state = _state(row, answers.STATE_ON, row.at, language, zone)
        case _:
            who = _name(row.owner)
            state = _state(row, answers.STATE_UPDATED, row.updated, language, zone)
    return " - ".join(filter(None, [title_of(row), who, state, *_rest(row, language)]))


def _handed(row: Row, language: Language) -> str:
    sender, receiver = _name(row.owner), _name(row.to)
    if sender and receiver:
        return answers.HANDED.format(language, sender=sender, receiver=receiver)
    return sender or receiver


def _name(name: str | None) -> str:
    return clean(name, NAME_CHARS) if name else ""


def _state(row: Row, dated: Text, at: datetime | None, language: Language, zone: tzinfo) -> str:
    status = answers.STATUSES[row.status].of(language)
    if row.status is RowStatus.UNKNOWN and row.raw_status:
        status = answers.UNMAPPED.format(language, raw=clean(row.raw_status, NAME_CHARS))
    if at is None:
        return status
    return dated.format(language, status=status, date=day(at, zone).isoformat())


def _rest(row: Row, language: Language) -> Iterable[str]:
    if row.blocked_by:
        reason = clean(row.blocked_by, REASON_CHARS)
        yield answers.BECAUSE.format(language, reason=reason)
    if row.waiting_on:
        yield answers.WAITING_ON.format(language, who=_name(row.waiting_on))
    if row.due is not None:
        yield answers.DUE.format(language, date=row.due.isoformat())
    if row.target is not None:
        yield answers.TARGET.format(language, date=row.target.isoformat())
    if row.ahead:
        yield answers.AHEAD.of(language)
