"""From what was asked and read to the candidate, as long as its bound allows. Pure.

Rows are left out, and counted, until the candidate is within its bound (T2); no text of evidence is shortened but by
the mark that shows it. Absence is claimed, never worded, here.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from steward.endpoints.reporter.candidate import dump, note
from steward.endpoints.reporter.folding import fold
from steward.endpoints.reporter.goals import which_goal
from steward.endpoints.reporter.intents import Intent, family
from steward.endpoints.reporter.mentions import person_named
from steward.endpoints.reporter.plans import PLANS, Plan
from steward.endpoints.reporter.understanding import Asked
from steward.endpoints.reporter.writing import LISTS, MOST_ROWS, Frame, Pen, Reads
from steward.model.answer import Claim, NoteCode
from steward.model.ids import GoalId
from steward.model.reading import View
from steward.model.topic import TopicPart
from steward.policy.basis import people_of
from steward.policy.judge import MAX_BYTES

MOST_CHOICES = 5
"""So many goals are offered; those that a message has no button for are named in its words."""

AMBIGUOUS = "ambiguous"


def compose(asked: Asked, reads: Reads, frame: Frame, asker_names: tuple[str, ...]) -> bytes:
    """The candidate, with as many rows as its bound allows."""
    plan = PLANS[asked.intent]
    who = () if asked.alike else _people(asked, plan, reads, frame, asker_names)
    if who != (asked.person,):
        kept = tuple(part for part in asked.taken_over if part is not TopicPart.PERSON)
        asked = replace(asked, taken_over=kept)
    raw = b""
    for most in range(MOST_ROWS, -1, -1):
        pen = Pen(reads, frame, asked, most, who)
        raw = _candidate(asked, plan, pen)
        if len(raw) <= MAX_BYTES:
            break
    return raw


def _candidate(asked: Asked, plan: Plan, pen: Pen) -> bytes:
    person = None if plan.of_asker or not pen.who else pen.who[0]
    topic = asked.topic(person)
    if asked.alike:
        claims = [*_taken_over(asked), *which_goal(pen, asked.alike)]
        return dump(AMBIGUOUS, claims, topic=topic, choices=asked.alike[:MOST_CHOICES])
    if plan.evidence and pen.reads.nothing:
        return dump(family(asked.intent), [pen.none(pen.scope(View.TODOS))], topic=topic)
    claims = list(_led(asked, _once(plan.write(pen)), pen))
    return dump(family(asked.intent), claims, topic=topic, choices=_offered(asked))


def _led(asked: Asked, claims: Iterable[Claim], pen: Pen) -> Iterator[Claim]:
    """What has to be known before the answer stands before it; how it was understood stands behind its first line."""
    unknown = asked.unknown
    if unknown is not None and not pen.reads.nothing and not _mentioned(unknown, pen.reads):
        yield note(NoteCode.NO_SUCH_GOAL, name=unknown)
        if asked.offered:
            yield note(NoteCode.DID_YOU_MEAN)
            rows = [
                cited for cited in pen.reads.rows(View.PORTFOLIO) if cited.row.goal in asked.offered
            ]
            yield from pen.rows(rows[:MOST_CHOICES])
    if not asked.sure:
        yield note(NoteCode.OVERVIEW)
    for place, claim in enumerate(claims):
        yield claim
        if not place:
            yield from _understood(asked, pen)


def _understood(asked: Asked, pen: Pen) -> Iterator[Claim]:
    yield from _taken_over(asked)
    if asked.read_as is not None:
        yield note(NoteCode.READ_AS, name=pen.title(asked.read_as))
    window, plan = asked.window, PLANS[asked.intent]
    if window is None or not plan.evidence:
        return
    if plan.of_days:
        yield note(NoteCode.WINDOW)
    elif window.until is not None and window.until <= pen.frame.now:
        yield note(NoteCode.AS_OF_NOW)


def _taken_over(asked: Asked) -> Iterator[Claim]:
    if asked.taken_over:
        yield note(NoteCode.TAKEN_OVER, parts=asked.taken_over)


def _offered(asked: Asked) -> tuple[GoalId, ...]:
    return asked.offered[:MOST_CHOICES]


def _once(claims: Iterable[Claim]) -> Iterator[Claim]:
    """Each claim once: two groups may come to the same absence."""
    seen: set[Claim] = set()
    for claim in claims:
        if claim not in seen:
            seen.add(claim)
            yield claim


def _mentioned(name: str, reads: Reads) -> bool:
    """Whether some row that was read has this name in it: then it is no name of a goal that is missing."""
    wanted = fold(name).text
    return any(
        wanted in fold(text).text
        for view in LISTS
        for cited in reads.rows(view)
        for text in (cited.row.title, cited.row.owner, cited.row.to)
        if text
    )


def _people(
    asked: Asked, plan: Plan, reads: Reads, frame: Frame, asker_names: tuple[str, ...]
) -> tuple[str, ...]:
    """Whom the answer is narrowed to: the asker, somebody who is named, or the one before."""
    if plan.of_asker:
        return asker_names
    if not plan.of_people:
        return ()
    folded = fold(asked.masked)
    names = {name for view in LISTS for cited in reads.rows(view) for name in people_of(cited.row)}
    found = tuple(sorted(name for name in names if any(folded.find(name))))
    if found:
        return found
    unread = None if asked.goals else person_named(asked.rest, frame.language)
    if unread is not None and asked.unknown is None and asked.intent is not Intent.OVERVIEW:
        return (unread,)
    return (asked.person,) if asked.person is not None else ()
