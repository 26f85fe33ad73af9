"""What an endpoint may say of its own answer: a code out of a closed list, in words from the catalogue (NOTE claims).

That it is an overview, what it took over from before, what it will not do. Names stand in these words only where the
question or what was read has them, so that no endpoint can put a sentence of its own there. Contracts W1, W2.
"""

from collections.abc import Iterator, Set
from dataclasses import replace

from steward.model.answer import ClaimKind, Note, NoteCode
from steward.model.ids import CitationId
from steward.model.reading import CoverageStatus, SourceCoverage
from steward.model.topic import Topic, TopicPart
from steward.policy.basis import Basis, is_known_name
from steward.policy.drafts import Draft, Dropped, DropReason
from steward.policy.gaps import gap
from steward.policy.wording import day, listed, moment, window, zone_name
from steward.reading.text import clean
from steward.texts import intents
from steward.texts import notes as texts

NAME_CHARS = 60


def noted(draft: Draft, basis: Basis, _shown: Set[CitationId]) -> Draft | Dropped:
    """Write the words of a note; an endpoint's own are never shown."""
    claim = draft.claim
    if claim.kind is not ClaimKind.NOTE or claim.note is None:
        return draft
    text = _words(claim.note, basis)
    if text is None:
        return Dropped(DropReason.UNKNOWN_NAME)
    return replace(draft, text=text, written=True)


def _words(note: Note, basis: Basis) -> str | None:
    match note.code:
        case NoteCode.TAKEN_OVER:
            return _taken_over(note, basis)
        case NoteCode.WINDOW:
            return _window(basis)
        case NoteCode.SOURCES:
            return _sources(basis)
        case NoteCode.SOURCE:
            return _source(note, basis)
        case _:
            return _named(note, basis)


def _named(note: Note, basis: Basis) -> str | None:
    text = texts.NOTES[note.code]
    if "{name}" not in text.en:
        return text.of(basis.language)
    if note.name is None or not _may_name(note.name, basis):
        return None
    return text.format(basis.language, name=clean(note.name, NAME_CHARS))


def _may_name(name: str, basis: Basis) -> bool:
    return name in basis.goal_titles.values() or is_known_name(name, basis)


def _taken_over(note: Note, basis: Basis) -> str | None:
    parts = [] if basis.topic is None else list(_parts(note, basis.topic, basis))
    if not parts:
        return None
    return texts.TAKEN_OVER.format(basis.language, parts=listed(parts, basis.language))


def _parts(note: Note, topic: Topic, basis: Basis) -> Iterator[str]:
    if TopicPart.INTENT in note.parts and topic.intent in intents.LABELS:
        yield intents.LABELS[topic.intent].of(basis.language)
    if TopicPart.GOALS in note.parts:
        yield from (basis.goal_titles[goal] for goal in topic.goals if goal in basis.goal_titles)
    if TopicPart.PERSON in note.parts and topic.person and is_known_name(topic.person, basis):
        yield clean(topic.person, NAME_CHARS)
    if TopicPart.WINDOW in note.parts and (days := _days(topic, basis)):
        yield days


def _window(basis: Basis) -> str | None:
    days = None if basis.topic is None else _days(basis.topic, basis)
    if days is None:
        return None
    return texts.WINDOW.format(basis.language, window=days, zone=zone_name(basis.zone))


def _days(topic: Topic, basis: Basis) -> str | None:
    language, zone = basis.language, basis.zone
    if topic.since is not None and topic.until is not None:
        return window(topic.since, topic.until, language, zone)
    if topic.since is not None:
        return texts.FROM.format(language, date=day(topic.since, zone).isoformat())
    if topic.until is not None:
        return texts.BEFORE.format(language, date=day(topic.until, zone).isoformat())
    return None


def _sources(basis: Basis) -> str:
    sources = basis.coverage.sources
    if not sources:
        return texts.NO_SOURCES.of(basis.language)
    read = [source for source in sources if source.status is not CoverageStatus.UNREADABLE]
    return texts.SOURCES.format(basis.language, count=len(sources), read=len(read))


def _source(note: Note, basis: Basis) -> str | None:
    found = next((one for one in basis.coverage.sources if one.source == note.source), None)
    return None if found is None else _state(found, basis)


def _state(source: SourceCoverage, basis: Basis) -> str:
    language = basis.language
    if source.status is not CoverageStatus.READ:
        return texts.SOURCE_GAP.format(language, gap=gap(source, language, basis.zone))
    title = clean(source.title, NAME_CHARS)
    if source.as_of is None:
        return texts.SOURCE_READ.format(language, source=title)
    as_of = moment(source.as_of, basis.zone)
    return texts.SOURCE_READ_AS_OF.format(language, source=title, moment=as_of)
