"""What was not read, in words: the one line of coverage and the details behind it. Contracts R0, R4, W1.

Used by the answer rules and presentation; the table of failures says why and what to do.
"""

from collections.abc import Iterator, Sequence
from datetime import tzinfo

from steward.model.reading import (
    Coverage,
    CoverageStatus,
    PairCoverage,
    ReadCode,
    ReadFailure,
    SourceCoverage,
)
from steward.model.turn import Language
from steward.policy.wording import NAME_CHARS, listed, moment
from steward.reading.failures import label, sentence
from steward.reading.text import clean
from steward.texts import coverage as texts
from steward.texts.failures import STALE

MOST_GAPS = 3
"""So many sources are named in one line; the details name the rest."""

MOST_GOALS = 5
"""So many goals of a source are named in one detail."""


def gap(source: SourceCoverage, language: Language, zone: tzinfo) -> str:
    """A source that was not read whole and fresh, with the reason in brackets."""
    return texts.GAP.format(
        language, source=clean(source.title, NAME_CHARS), reason=_reason(source, language, zone)
    )


def _reason(source: SourceCoverage, language: Language, zone: tzinfo) -> str:
    if source.failure is not None:
        return label(source.failure, language)
    match source.status:
        case CoverageStatus.STALE if source.as_of is not None:
            return texts.OUT_OF_DATE.format(language, moment=moment(source.as_of, zone))
        case CoverageStatus.STALE:
            return texts.OUT_OF_DATE_UNDATED.of(language)
        case CoverageStatus.PARTIAL:
            return texts.ONLY_PART.of(language)
        case _:
            return texts.NOT_TRIED.of(language)


def gaps(sources: Sequence[SourceCoverage], language: Language, zone: tzinfo) -> str:
    """Several gaps in one line, the first few by name."""
    named = [gap(source, language, zone) for source in sources[:MOST_GAPS]]
    if more := len(sources) - len(named):
        named.append(texts.MORE_GAPS.format(language, count=more))
    return listed(named, language)


def coverage_line(coverage: Coverage, language: Language, zone: tzinfo) -> str:
    """ "Read 4/5 · no evidence read: GitLab (timed out)": sources, counted once each."""
    if not coverage.sources:
        return texts.NO_SOURCES.of(language)
    by_status: dict[CoverageStatus, list[SourceCoverage]] = {}
    for source in coverage.sources:
        by_status.setdefault(source.status, []).append(source)
    read = len(by_status.get(CoverageStatus.READ, ()))
    pieces = [texts.READ_OF.format(language, read=read, all=len(coverage.sources))]
    for text, statuses in (
        (texts.PARTIAL, (CoverageStatus.PARTIAL,)),
        (texts.STALE, (CoverageStatus.STALE,)),
        (texts.UNREAD, (CoverageStatus.UNREADABLE, CoverageStatus.NOT_READ)),
    ):
        concerned = [source for status in statuses for source in by_status.get(status, ())]
        if concerned:
            pieces.append(text.format(language, gaps=gaps(concerned, language, zone)))
    return texts.SEPARATOR.of(language).join(pieces)


def gap_details(coverage: Coverage, language: Language, zone: tzinfo) -> list[str]:
    """Per source and reason: what happened, what to do, and what it means for the answer."""
    return [
        line
        for source in coverage.sources
        if source.status is not CoverageStatus.READ
        for line in _source_details(source, coverage, language)
    ]


def _source_details(
    source: SourceCoverage, coverage: Coverage, language: Language
) -> Iterator[str]:
    all_of_it = [pair for pair in coverage.pairs if pair.source == source.source]
    pairs = [pair for pair in all_of_it if pair.status is not CoverageStatus.READ]
    if not pairs:
        pairs = [PairCoverage(source.source, None, source.status, source.failure, source.as_of)]
    alike: dict[tuple[CoverageStatus, ReadCode | None, bool], list[PairCoverage]] = {}
    for pair in pairs:
        failure = pair.failure
        code, part = (None, False) if failure is None else (failure.code, failure.goal is not None)
        alike.setdefault((pair.status, code, part), []).append(pair)
    for (status, _, part), concerned in alike.items():
        named = source.title
        if part or len(concerned) < len(all_of_it):
            named = _with_goals(source.title, concerned, language)
        happened, means = _said(status, concerned[0].failure, language)
        yield texts.DETAIL.format(language, source=named, sentence=happened, effect=means)


def _with_goals(title: str, concerned: Sequence[PairCoverage], language: Language) -> str:
    goals = [pair.goal for pair in concerned if pair.goal is not None]
    if not goals:
        return title
    named: list[str] = list(goals[:MOST_GOALS])
    if more := len(goals) - len(named):
        named.append(texts.MORE_GAPS.format(language, count=more))
    return texts.PART_OF.format(language, source=title, goals=listed(named, language))


def _said(
    status: CoverageStatus, failure: ReadFailure | None, language: Language
) -> tuple[str, str]:
    """What happened and what to do; what it costs the answer. "No progress" is not even denied here (W1)."""
    part = status is CoverageStatus.PARTIAL or (failure is not None and failure.goal is not None)
    means = (texts.EFFECT_PART if part else texts.EFFECT_WHOLE).of(language)
    if failure is not None:
        return sentence(failure, language), means
    match status:
        case CoverageStatus.STALE:
            happened, action = STALE.happened.of(language), STALE.action.of(language)
            space = "" if language is Language.ZH else " "
            return f"{happened}{space}{action}", texts.EFFECT_STALE.of(language)
        case CoverageStatus.PARTIAL:
            return texts.PARTIAL_SENTENCE.of(language), means
        case _:
            return texts.NOT_TRIED_SENTENCE.of(language), means
