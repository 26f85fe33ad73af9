"""What was not read, in words: the one line of coverage and the details behind it. Contracts E0, R4, W1.

Used by the answer rules and presentation; the table of failures says why and what to do. The same reason is said
once, whatever it concerns, and what the gaps cost the answer once for all of them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo

from steward.model.ids import GoalId
from steward.model.reading import (
    Coverage,
    CoverageStatus,
    GateCode,
    PairCoverage,
    ReadCode,
    ReadFailure,
    Reading,
    SourceCoverage,
    View,
)
from steward.model.turn import Language
from steward.policy.wording import NAME_CHARS, listed, moment
from steward.reading.coverage import GAVE_EVIDENCE
from steward.reading.failures import MEANINGS, label, sentence
from steward.reading.text import clean
from steward.texts import coverage as texts

MOST_GAPS = 3
"""So many sources are named in one line; the details name the rest."""

MOST_GOALS = 5
"""So many goals of a source are named in one detail."""

MOST_DETAILS = 10
"""So many gaps are detailed; the rest is counted."""

ENDPOINT_MISTAKES = frozenset(
    {
        GateCode.UNSUPPORTED_READ_TOOL,
        GateCode.INVALID_ARGUMENTS,
        GateCode.INVALID_REMOTE_READ,
        GateCode.SOURCE_OUTSIDE_AVAILABLE_SCOPE,
        GateCode.GOAL_OUTSIDE_AVAILABLE_SCOPE,
        GateCode.STALE_SNAPSHOT,
    }
)
"""Refusals of a call, which say nothing about a source: coverage says what was not read."""


def gap(source: SourceCoverage, language: Language, zone: tzinfo) -> str:
    """A source that was not read whole and fresh, with the reason in brackets."""
    return texts.GAP.format(
        language, source=clean(source.title, NAME_CHARS), reason=_reason(source, language, zone)
    )


def _reason(source: SourceCoverage, language: Language, zone: tzinfo) -> str:
    if source.failure is not None:
        reason = label(source.failure, language)
        return _outdated(reason, source, language, zone) if source.failure.kept else reason
    match source.status:
        case CoverageStatus.STALE if source.as_of is not None:
            return texts.OUT_OF_DATE.format(language, moment=moment(source.as_of, zone))
        case CoverageStatus.STALE:
            return texts.OUT_OF_DATE_UNDATED.of(language)
        case CoverageStatus.PARTIAL:
            return texts.ONLY_PART.of(language)
        case _:
            return texts.NOT_TRIED.of(language)


def _outdated(reason: str, source: SourceCoverage, language: Language, zone: tzinfo) -> str:
    """Why nothing was read now, and of when what is shown is."""
    if source.as_of is None:
        return texts.KEPT_UNDATED.format(language, reason=reason)
    return texts.KEPT.format(language, reason=reason, moment=moment(source.as_of, zone))


def gaps(sources: Sequence[SourceCoverage], language: Language, zone: tzinfo) -> str:
    """Several gaps in one line, the first few by name."""
    named = [gap(source, language, zone) for source in sources[:MOST_GAPS]]
    if more := len(sources) - len(named):
        named.append(texts.MORE_GAPS.format(language, count=more))
    return listed(named, language)


def coverage_line(coverage: Coverage, language: Language, zone: tzinfo) -> str:
    """ "Read 4/5 · no evidence read: GitLab (timed out)": sources, counted once each.

    A source that gave some evidence counts as read; what of it is missing or old is named after that. One that
    could not be read now is unread, also where rows of an earlier read stand in.
    """
    if not coverage.sources:
        return texts.NO_SOURCES.of(language)
    by_status: dict[CoverageStatus, list[SourceCoverage]] = {}
    for source in coverage.sources:
        by_status.setdefault(_met(source), []).append(source)
    read = sum(_met(source) in GAVE_EVIDENCE for source in coverage.sources)
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


def _met(source: SourceCoverage) -> CoverageStatus:
    """How it was met this time, whatever was read of it before."""
    kept = source.failure is not None and source.failure.kept
    return CoverageStatus.UNREADABLE if kept else source.status


def gap_details(
    coverage: Coverage,
    language: Language,
    *,
    failures: Iterable[ReadFailure] = (),
    titles: Mapping[GoalId, str] | None = None,
) -> list[str]:
    """Per source and reason: what happened and what to do; then, once for all, what it means for the answer.

    `failures` are all that a turn met, of which coverage keeps the worst of each goal. `titles` names the goals.
    """
    met = tuple(failures)
    unread: list[_Gap] = []
    aged: list[_Gap] = []
    for source in coverage.sources:
        pairs = [pair for pair in coverage.pairs if pair.source == source.source]
        if not pairs:
            pairs = [PairCoverage(source.source, None, source.status, source.failure)]
        unread += _failed(source, pairs, met, language)
        for gap in _without_failure(source, pairs, language):
            (aged if gap.aged else unread).append(gap)
    named = titles or {}
    lines = [gap.line(named, language) for gap in unread[:MOST_DETAILS]]
    if more := len(unread) - len(lines):
        lines.append(texts.MORE_DETAILS.format(language, count=more))
    if unread:
        lines.append(texts.EFFECT.of(language))
    if any(pair.failure is not None and pair.failure.kept for pair in coverage.pairs):
        lines.append(texts.EFFECT_KEPT.of(language))
    if aged:
        lines += [gap.line(named, language) for gap in aged[:MOST_DETAILS]]
        lines.append(texts.EFFECT_STALE.of(language))
    return lines


def failures_met(readings: Iterable[Reading]) -> tuple[ReadFailure, ...]:
    """Every failure of a turn's readings once; an endpoint's own mistakes say nothing about a source."""
    failures: dict[ReadFailure, None] = {}
    for reading in readings:
        refused = reading.refused
        if refused is not None and refused.code not in ENDPOINT_MISTAKES:
            failures[refused] = None
        failures |= dict.fromkeys(reading.failures)
    return tuple(failures)


@dataclass(frozen=True, slots=True)
class _Gap:
    """One line: what of a source has this gap (all of it where nothing is named), and its sentence."""

    source: str
    sentence: str
    goals: Sequence[GoalId] = ()
    parts: int = 0
    aged: bool = False

    def line(self, titles: Mapping[GoalId, str], language: Language) -> str:
        named = [clean(titles.get(goal, goal), NAME_CHARS) for goal in self.goals[:MOST_GOALS]]
        if more := len(self.goals) - len(named):
            named.append(texts.MORE_GAPS.format(language, count=more))
        if self.parts:
            named.append(texts.PARTS.format(language, count=self.parts))
        subject = clean(self.source, NAME_CHARS)
        if named:
            what = listed(named, language)
            subject = texts.PART_OF.format(language, source=subject, what=what)
        return texts.DETAIL.format(language, subject=subject, sentence=self.sentence)


def _failed(
    source: SourceCoverage,
    pairs: Sequence[PairCoverage],
    met: Iterable[ReadFailure],
    language: Language,
) -> Iterator[_Gap]:
    """The failures of one source, those of the same reason together."""
    goals = {pair.goal for pair in pairs} | {None}
    found = [one for one in met if one.source == source.source and one.goal in goals]
    found += [pair.failure for pair in pairs if pair.failure is not None]
    for failure, concerned, views in _alike(dict.fromkeys(found)):
        in_parts = (
            failure.part
            and not failure.kept
            and not concerned
            and source.status is not CoverageStatus.UNREADABLE
            and not MEANINGS[failure.code].partial
        )
        yield _Gap(
            source=source.title,
            sentence=sentence(failure, language, views),
            goals=concerned,
            parts=failure.count if in_parts else 0,
        )


def _alike(
    failures: Iterable[ReadFailure],
) -> Iterator[tuple[ReadFailure, Sequence[GoalId], Sequence[View]]]:
    """One failure for all of the same code and extent, its count theirs; their goals, and their lists."""
    of_goal: dict[tuple[ReadCode, GoalId | None, bool], list[ReadFailure]] = {}
    for failure in failures:
        extent = (failure.code, failure.goal, failure.view is None)
        of_goal.setdefault(extent, []).append(failure)
    alike: dict[tuple[ReadCode, bool, tuple[View, ...]], list[ReadFailure]] = {}
    for (code, goal, _), group in of_goal.items():
        views = tuple(one.view for one in group if one.view is not None)
        alike.setdefault((code, goal is None, views), []).append(_together(group))
    for (_, _, views), group in alike.items():
        goals = [one.goal for one in group if one.goal is not None]
        yield _together(group), goals, views


def _together(failures: Sequence[ReadFailure]) -> ReadFailure:
    return replace(failures[0], count=sum(failure.count for failure in failures))


def _without_failure(
    source: SourceCoverage, pairs: Sequence[PairCoverage], language: Language
) -> Iterator[_Gap]:
    """What was not read whole and fresh although nothing failed: too old, not tried, or cut."""
    by_status: dict[CoverageStatus, list[PairCoverage]] = {}
    for pair in pairs:
        if pair.failure is None and pair.status is not CoverageStatus.READ:
            by_status.setdefault(pair.status, []).append(pair)
    for status, concerned in by_status.items():
        goals = [pair.goal for pair in concerned if pair.goal is not None]
        yield _Gap(
            source=source.title,
            sentence=_sentence(status, language),
            goals=goals if len(concerned) < len(pairs) else (),
            aged=status is CoverageStatus.STALE,
        )


def _sentence(status: CoverageStatus, language: Language) -> str:
    match status:
        case CoverageStatus.STALE:
            return texts.STALE_SENTENCE.of(language)
        case CoverageStatus.PARTIAL:
            return texts.PARTIAL_SENTENCE.of(language)
        case _:
            return texts.NOT_TRIED_SENTENCE.of(language)
