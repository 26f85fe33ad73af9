"""Answers about one thing by its number or id: a todo, a handoff, a pull request; and CI, which no view records."""

import re
from collections.abc import Callable, Iterator

from steward.endpoints.reporter.candidate import note
from steward.endpoints.reporter.handovers import unclaimed
from steward.endpoints.reporter.writing import LISTS, Pen, newest
from steward.model.answer import Claim, NoteCode
from steward.model.reading import Cited, Row, View

_ID = re.compile(r"\b(?:todo|task|item)_[0-9a-z_]*\d[0-9a-z_]*|\b[0-9a-f]{64}\b")
_NUMBER = re.compile(
    r"[#!]\s*(\d+)|\b(?:prs?|mrs?|(?:pull|merge)\s+requests?)\s*[#!]?\s*(\d+)|(\d+)\s*号|合并请求\s*(\d+)"
)
_CI = re.compile(r"\bci\b|\bpipeline|\bbuilds?\b|流水线|持续集成|构建", re.IGNORECASE)


def todo_detail(pen: Pen) -> Iterator[Claim]:
    """The row with this id, whatever it is; or that nothing read mentions it."""
    match = _ID.search(pen.asked.masked)
    wanted = None if match is None else match[0]
    yield from _found(pen, wanted, lambda row: row.id.casefold() == wanted)


def pull_request(pen: Pen) -> Iterator[Claim]:
    """Rows that name the pull request by its number; or that none does."""
    match = _NUMBER.search(pen.asked.masked)
    if match is None:
        yield note(NoteCode.REVIEWS_UNRECORDED)
        yield from unclaimed(pen)
        return
    number = next(filter(None, match.groups()))
    mention = re.compile(
        rf"(?:[#!]|\b(?:pr|mr|pull|merge_requests|pull request|merge request)[\s_/#!-]*){number}(?!\d)",
        re.IGNORECASE,
    )
    yield from _found(
        pen,
        match[0].strip(),
        lambda row: (
            row.id == number
            or any(mention.search(text) for text in (row.id, row.title, row.link or ""))
        ),
    )


def _found(pen: Pen, name: str | None, matches: Callable[[Row], bool]) -> Iterator[Claim]:
    rows = [cited for view in LISTS for cited in pen.reads.rows(view) if matches(cited.row)]
    yield from pen.rows(rows[: max(pen.most, 1)])
    if not rows:
        yield note(NoteCode.UNRECORDED, name=name)


def ci(pen: Pen) -> Iterator[Claim]:
    """That CI is not recorded; beside it what rows say of it."""
    yield note(NoteCode.CI_UNRECORDED)
    rows: list[Cited] = [
        cited
        for view in (View.DELIVERIES, View.TODOS)
        for cited in pen.reads.rows(view)
        if _CI.search(cited.row.title)
    ]
    yield from pen.rows(sorted(rows, key=newest)[: pen.most])
