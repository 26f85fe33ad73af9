"""The rows behind an answer's citations, whole: what the evidence button shows. Contracts A3, A5, E4, E9. Pure.

Above: control's presses, which leave out what may no longer be read. Below: texts. Every field that a row has is
named; numbers are the answer's own, so that [2] here is [2] there.
"""

from collections.abc import Iterator
from datetime import date, datetime, tzinfo

from steward.model.answer import Answer, Citation, Outgoing, OutgoingKind, OutgoingSource
from steward.model.reading import Row, RowStatus, View
from steward.model.turn import Language
from steward.policy.presentation import shown_link
from steward.policy.wording import listed, moment, title_of
from steward.texts import answers
from steward.texts import evidence as texts
from steward.texts.catalogue import Text


def in_full(answer: Answer, *, withheld: int, zone: tzinfo) -> Outgoing:
    """The citations of `answer` in full; `withheld` more may no longer be read, nor may a headline that is empty."""
    language, behind = answer.language, answer.headline
    left_out = (texts.WITHHELD.format(language, count=withheld),) if withheld else ()
    return Outgoing(
        kind=OutgoingKind.EVIDENCE,
        language=language,
        headline=texts.HEADLINE.format(language, count=len(answer.citations)),
        note=texts.BEHIND.format(language, headline=behind) if behind else None,
        sources=tuple(_whole(citation, answer, zone) for citation in answer.citations),
        details=left_out,
    )


def _whole(citation: Citation, answer: Answer, zone: tzinfo) -> OutgoingSource:
    language, row = answer.language, citation.row
    view = answers.VIEWS[row.view].of(language)
    lines = [
        texts.FIELD.format(language, name=name.of(language), value=value)
        for name, value in _fields(citation, answer, zone)
        if value
    ]
    return OutgoingSource(
        number=citation.number,
        text=texts.ROW.format(language, view=view, title=title_of(row)),
        link=shown_link(row.link),
        fields=tuple(lines),
    )


def _fields(citation: Citation, answer: Answer, zone: tzinfo) -> Iterator[tuple[Text, str | None]]:
    row, language = citation.row, answer.language
    yield texts.STATUS, _status(row, language)
    if row.view is not View.PORTFOLIO:
        yield texts.GOAL, answer.goal_titles.get(row.goal, row.goal)
    yield _owner_name(row), row.owner
    yield texts.TO, row.to
    yield texts.PRIORITY, row.priority
    yield texts.DUE, _date(row.due)
    yield texts.TARGET, _date(row.target)
    yield texts.BLOCKED_BY, row.blocked_by
    yield texts.WAITING_ON, row.waiting_on
    yield texts.UPDATED, _instant(row.updated, row, language, zone)
    yield texts.AT, _instant(row.at, row, language, zone)
    yield texts.ALIASES, listed(row.aliases, language)
    yield texts.ID, row.id
    yield texts.SOURCE, _source(citation, language, zone)


def _owner_name(row: Row) -> Text:
    match row.view:
        case View.HANDOFFS:
            return texts.FROM
        case View.DELIVERIES:
            return texts.DELIVERED_BY
        case _:
            return texts.OWNER


def _status(row: Row, language: Language) -> str:
    status = answers.STATUSES[row.status].of(language)
    if row.status is RowStatus.UNKNOWN and row.raw_status:
        return texts.WRITTEN_AS.format(language, status=status, raw=row.raw_status)
    return status


def _date(day: date | None) -> str | None:
    return None if day is None else day.isoformat()


def _instant(at: datetime | None, row: Row, language: Language, zone: tzinfo) -> str | None:
    if at is None:
        return None
    shown = moment(at, zone)
    return texts.AHEAD.format(language, moment=shown) if row.ahead else shown


def _source(citation: Citation, language: Language, zone: tzinfo) -> str:
    title, as_of = citation.source_title, citation.as_of
    if as_of is None:
        return texts.STALE_UNDATED.format(language, source=title) if citation.stale else title
    text = texts.STALE_AS_OF if citation.stale else texts.READ_AS_OF
    return text.format(language, source=title, moment=moment(as_of, zone))
