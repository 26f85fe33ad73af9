"""Answers from handoffs: who waits on whom, what was taken over, what nobody took, what waits for review."""

import re
from collections.abc import Iterator

from steward.endpoints.reporter.candidate import note
from steward.endpoints.reporter.writing import Pen, by_urgency, newest, oldest
from steward.model.answer import Claim, NoteCode, RowField
from steward.model.reading import Cited, RowStatus, View
from steward.policy.scoping import UNFINISHED
from steward.texts import answers

_REVIEW = re.compile(
    r"\b(?:pr|mr|pull request|merge request|review)\b|#\d|/(?:pull|pr|merge_requests)/\d|评审|合并请求",
    re.IGNORECASE,
)


def waiting(pen: Pen) -> Iterator[Claim]:
    """Open handoffs, from whom to whom; then the todos that say who is waited for."""
    handoffs = pen.scope(View.HANDOFFS, RowStatus.OPEN)
    todos = pen.having(View.TODOS, RowField.WAITING_ON, *UNFINISHED)
    yield pen.say(answers.OPEN_HANDOFFS, handoffs)
    yield pen.say(answers.WAITING, todos)
    yield from pen.group(handoffs, answers.MORE_HANDOFFS, oldest)
    yield from pen.group(todos, answers.MORE_MATCHING, by_urgency)


def handoff(pen: Pen) -> Iterator[Claim]:
    """Handoffs by status; open ones first, then what became of the others."""
    subject = answers.HANDOFFS_OF.format(pen.language, subject=pen.subject(View.HANDOFFS))
    yield pen.tally(pen.scope(View.HANDOFFS), subject)
    opened = pen.scope(View.HANDOFFS, RowStatus.OPEN)
    yield from pen.group(opened, answers.MORE_HANDOFFS, oldest)
    yield from pen.group(pen.scope(View.HANDOFFS), answers.MORE_MATCHING, newest)


def unclaimed(pen: Pen) -> Iterator[Claim]:
    """Handoffs that are open still, the oldest first."""
    scope = pen.scope(View.HANDOFFS, RowStatus.OPEN)
    yield pen.say(answers.OPEN_HANDOFFS, scope)
    yield from pen.group(scope, answers.MORE_HANDOFFS, oldest)


def reviews(pen: Pen) -> Iterator[Claim]:
    """Open rows that name a review or a pull request; where none does, that this says nothing of any."""
    rows = [
        cited
        for scope in (
            pen.scope(View.HANDOFFS, RowStatus.OPEN),
            pen.scope(View.TODOS, *UNFINISHED),
        )
        for cited in pen.select(scope)
        if _names_review(cited)
    ]
    yield from pen.rows(sorted(rows, key=oldest)[: max(pen.most, 1)])
    if not rows:
        yield note(NoteCode.REVIEWS_UNRECORDED)
    yield from unclaimed(pen)


def _names_review(cited: Cited) -> bool:
    row = cited.row
    return any(_REVIEW.search(text) for text in (row.title, row.id, row.link or "", row.to or ""))
