"""Answers from what moved: deliveries by who made them, changes, commits, and whether there was nothing."""

from collections.abc import Iterator
from dataclasses import replace

from steward.endpoints.reporter.candidate import note
from steward.endpoints.reporter.todos import undated
from steward.endpoints.reporter.writing import Pen, newest, oldest
from steward.model.answer import Claim, NoteCode
from steward.model.reading import RowStatus, View
from steward.texts import answers

MOST_OWNERS = 6
"""So many people are answered for one by one; the rest is counted."""


def delivered(pen: Pen) -> Iterator[Claim]:
    """Deliveries of the days, by who made them; of one person, their finished todos as well."""
    scope = pen.deliveries()
    yield pen.delivered()
    if pen.who:
        yield from pen.group(scope, answers.MORE_DELIVERED, newest)
        done = replace(pen.updated(pen.frame.since, pen.frame.until, RowStatus.DONE), who=pen.who)
        yield pen.tally(done)
        yield from pen.group(done, answers.MORE_MATCHING, newest)
        return
    owners = list(dict.fromkeys(cited.row.owner for cited in pen.select(scope)))
    for owner in owners[:MOST_OWNERS]:
        if owner is not None and len(owners) > 1:
            theirs = replace(scope, who=(owner,))
            yield pen.say(answers.DELIVERED_BY, theirs, window=pen.days(), who=owner)
            yield from pen.group(theirs, answers.MORE_DELIVERED, newest)
    yield from pen.group(scope, answers.MORE_DELIVERED, newest)


def nothing(pen: Pen) -> Iterator[Claim]:
    """Whether anything was delivered: the count, or the absence that code words."""
    yield pen.delivered()
    yield from pen.group(pen.deliveries(), answers.MORE_DELIVERED, newest)


def changes(pen: Pen) -> Iterator[Claim]:
    """What was delivered, updated and handed over in the days."""
    since, until = pen.frame.since, pen.frame.until
    yield pen.delivered()
    updated = pen.updated(since, until)
    yield pen.say(answers.UPDATED, updated, window=pen.days())
    handoffs = replace(pen.scope(View.HANDOFFS), since=since, until=until)
    yield pen.say(answers.NEW_HANDOFFS, handoffs, window=pen.days())
    yield from pen.group(pen.deliveries(), answers.MORE_DELIVERED, newest)
    yield from pen.group(updated, answers.MORE_MATCHING, newest)
    yield from pen.group(handoffs, answers.MORE_MATCHING, oldest)
    yield from undated(pen)


def commits(pen: Pen) -> Iterator[Claim]:
    """What sources record as delivered, and that commits are seen no other way."""
    yield pen.delivered()
    yield note(NoteCode.COMMITS_AS_DELIVERED)
    yield from pen.group(pen.deliveries(), answers.MORE_DELIVERED, newest)
