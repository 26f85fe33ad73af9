"""What a turn has read, as the answer rules ask it: which row a citation names, and what is known of a scope.

Below the answer rules; above readings and coverage. Nothing here words anything. Contracts R8, R9.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo

from steward.model.answer import ClaimScope
from steward.model.audience import Scope
from steward.model.ids import CitationId, GoalId, SourceId
from steward.model.reading import (
    Coverage,
    CoverageStatus,
    GateCode,
    PairCoverage,
    Reading,
    Row,
    RowStatus,
    ScanQuery,
    SourceCoverage,
    View,
)
from steward.model.topic import Topic
from steward.model.turn import Language
from steward.policy.scoping import names, within_scope
from steward.policy.wording import title_of
from steward.reading.coverage import GAVE_EVIDENCE, fold
from steward.reading.evidence import PUT_AWAY


@dataclass(frozen=True, slots=True)
class Source:
    """Where a cited row came from, and how fresh that was."""

    row: Row
    as_of: datetime | None
    stale: bool


@dataclass(frozen=True, slots=True)
class Basis:
    """Everything that claims are judged against. `goal_titles` and `put_away` come from portfolio rows read.

    `people`: every name that a row read has as owner, receiver or as whom it waits for, the longest first.

    `question`, `asker_names` and `topic` are what the words of a note or of an absence may name. `found` remembers
    what is known of a scope: each rule asks, and rows may be many.
    """

    language: Language
    scope: Scope
    titles: Mapping[SourceId, str]
    readings: Sequence[Reading]
    coverage: Coverage
    zone: tzinfo
    now: datetime
    cited: Mapping[CitationId, Source]
    goal_titles: Mapping[GoalId, str]
    put_away: frozenset[GoalId]
    people: Sequence[str]
    question: str = ""
    asker_names: tuple[str, ...] = ()
    topic: Topic | None = None
    found: dict[ClaimScope, "Evidence"] = field(default_factory=dict)

    def title(self, source: SourceId) -> str:
        """A source's title as readers know it."""
        return self.titles.get(source, source)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was read about one scope.

    `counts`: its rows by status; None where the readings cannot say (single pages). `pairs`: its sources × goals.
    `complete` as R9 has it: each of them read whole and fresh. `since`: where its window really begins.
    """

    counts: Mapping[RowStatus, int] | None
    pairs: Sequence[PairCoverage]
    complete: bool
    since: datetime | None

    @property
    def total(self) -> int | None:
        return None if self.counts is None else sum(self.counts.values())


def basis_of(
    readings: Sequence[Reading],
    *,
    language: Language,
    scope: Scope,
    titles: Mapping[SourceId, str],
    coverage: Coverage,
    zone: tzinfo,
    now: datetime,
    question: str = "",
    asker_names: tuple[str, ...] = (),
    topic: Topic | None = None,
) -> Basis:
    """Index the readings of a turn once, before its claims are judged."""
    return Basis(
        language=language,
        scope=scope,
        titles=titles,
        readings=readings,
        coverage=coverage,
        zone=zone,
        now=now,
        cited=dict(_sources(readings)),
        goal_titles=goal_titles(readings),
        put_away=frozenset(row.goal for row in _goals(readings) if row.status in PUT_AWAY),
        people=sorted(set(_people(readings)), key=len, reverse=True),
        question=question,
        asker_names=asker_names,
        topic=topic,
    )


def goal_titles(readings: Iterable[Reading]) -> dict[GoalId, str]:
    """What readers call each goal whose portfolio row was read."""
    return {row.goal: title_of(row) for row in _goals(readings)}


def _goals(readings: Iterable[Reading]) -> Iterator[Row]:
    for reading in readings:
        for cited in reading.rows:
            if cited.row.view is View.PORTFOLIO:
                yield cited.row


def _people(readings: Iterable[Reading]) -> Iterator[str]:
    for reading in readings:
        for cited in reading.rows:
            yield from people_of(cited.row)


def people_of(row: Row) -> Iterator[str]:
    """Whom a row names."""
    for name in (row.owner, row.to, row.waiting_on):
        if name:
            yield name


def _sources(readings: Sequence[Reading]) -> Iterator[tuple[CitationId, Source]]:
    for reading in readings:
        pairs = {(pair.source, pair.goal): pair for pair in reading.coverage.pairs}
        for cited in reading.rows:
            pair = pairs.get((cited.row.source, cited.row.goal))
            stale = pair is not None and pair.status is CoverageStatus.STALE
            as_of = reading.as_of if pair is None or pair.as_of is None else pair.as_of
            yield cited.citation, Source(cited.row, as_of, stale)


def evidence(scope: ClaimScope, basis: Basis) -> Evidence:
    """What this turn's readings say about `scope`, all of them together."""
    if scope not in basis.found:
        basis.found[scope] = _evidence(scope, basis)
    return basis.found[scope]


def _evidence(scope: ClaimScope, basis: Basis) -> Evidence:
    speaking = [reading for reading in basis.readings if _speaks(reading, scope, basis)]
    since = scope.since
    if scope.view is View.DELIVERIES and since is None and speaking:
        since = speaking[0].window_start
        speaking = [reading for reading in speaking if _reaches(reading, since, scope.until)]
    pairs = _pairs(speaking, scope, basis)
    return Evidence(
        counts=_counts(speaking, scope, since, basis.zone),
        pairs=pairs,
        complete=bool(pairs) and all(pair.status is CoverageStatus.READ for pair in pairs),
        since=since,
    )


def _speaks(reading: Reading, scope: ClaimScope, basis: Basis) -> bool:
    """Whether a reading bears on the scope: its view, its window, and at least a part of its sources × goals."""
    query = reading.query
    return (
        query is not None
        and _tried(reading)
        and query.view is scope.view
        and query.request_id is None
        and (query.source is None or scope.source is None or query.source == scope.source)
        and (query.goal is None or scope.goal is None or query.goal == scope.goal)
        and (query.goal is not None or query.include_stopped or not _put_away(scope, basis))
        and (scope.view is not View.DELIVERIES or _reaches(reading, scope.since, scope.until))
    )


def _tried(reading: Reading) -> bool:
    """A refusal counts where sources failed, or where none of them records the view."""
    refused = reading.refused
    return (
        refused is None
        or bool(reading.coverage.pairs)
        or refused.code is GateCode.INVALID_REMOTE_READ
    )


def _put_away(scope: ClaimScope, basis: Basis) -> bool:
    goals = scope.view is View.PORTFOLIO and not PUT_AWAY.isdisjoint(scope.statuses)
    return goals or scope.goal in basis.put_away


def _reaches(reading: Reading, since: datetime | None, until: datetime | None) -> bool:
    begins = reading.window_start is None or since is None or reading.window_start <= since
    last = None if reading.query is None else reading.query.until
    return begins and (last is None or (until is not None and until <= last))


_BEST_FIRST = (
    CoverageStatus.READ,
    CoverageStatus.STALE,
    CoverageStatus.PARTIAL,
    CoverageStatus.UNREADABLE,
    CoverageStatus.NOT_READ,
)


def _better(pair: PairCoverage, known: PairCoverage | None) -> bool:
    return known is None or _BEST_FIRST.index(pair.status) < _BEST_FIRST.index(known.status)


def _pairs(
    speaking: Sequence[Reading], scope: ClaimScope, basis: Basis
) -> tuple[PairCoverage, ...]:
    """The scope's sources × goals, each as it was read best. What no reading tried is there as not read (R9)."""
    best: dict[tuple[SourceId, GoalId | None], PairCoverage] = {}
    for source in basis.scope.sources:
        if scope.source in {None, source}:
            for pair in _of_source(source, speaking, scope):
                key = pair.source, pair.goal
                if _better(pair, best.get(key)):
                    best[key] = pair
    return tuple(best.values())


def _of_source(
    source: SourceId, speaking: Sequence[Reading], scope: ClaimScope
) -> Iterator[PairCoverage]:
    tried = [
        (reading.query, reading.coverage)
        for reading in speaking
        if reading.query is not None and reading.query.source in {None, source}
    ]
    if not any(_wide(query, scope) for query, _ in tried):
        yield PairCoverage(source, scope.goal, CoverageStatus.NOT_READ)
    for _, coverage in tried:
        for pair in coverage.pairs:
            if pair.source == source and (scope.goal is None or pair.goal in {None, scope.goal}):
                yield pair


def _wide(query: ScanQuery, scope: ClaimScope) -> bool:
    """Whether a query of this source covers every goal that the scope speaks of."""
    return query.goal is None or query.goal == scope.goal


def _counts(
    speaking: Sequence[Reading], scope: ClaimScope, since: datetime | None, zone: tzinfo
) -> Mapping[RowStatus, int] | None:
    """E3: from the gate's own counts where a reading is of exactly this scope, else from rows read whole."""
    counts: Mapping[RowStatus, int]
    speaking = [reading for reading in speaking if reading.refused is None]
    for reading in speaking:
        if _exact(reading, scope, since):
            counts = _by_status(reading)
            break
    else:
        if not speaking or any(len(reading.rows) < reading.matched for reading in speaking):
            return None
        reach = replace(scope, since=since)
        counts = Counter(row.status for row in within_scope(_rows(speaking), reach, zone))
    if not scope.statuses:
        return counts
    return {status: counts[status] for status in scope.statuses if status in counts}


def _rows(readings: Sequence[Reading]) -> Iterable[Row]:
    """Every row once, whichever readings hold it."""
    if len(readings) == 1:
        return (cited.row for cited in readings[0].rows)
    return {
        (cited.row.source, cited.row.goal, cited.row.id): cited.row
        for reading in readings
        for cited in reading.rows
    }.values()


def _exact(reading: Reading, scope: ClaimScope, since: datetime | None) -> bool:
    query = reading.query
    if query is None or (query.source, query.goal) != (scope.source, scope.goal):
        return False
    if scope.who or scope.having is not None:
        return False
    if scope.view is View.DELIVERIES:
        return reading.window_start == since and query.until == scope.until
    return scope.since is None and scope.until is None


def _by_status(reading: Reading) -> Mapping[RowStatus, int]:
    if reading.query is not None and reading.query.view is View.DELIVERIES:
        return {RowStatus.DELIVERED: sum(reading.counts.values())}
    return {RowStatus(status): count for status, count in reading.counts.items() if count}


def is_known_name(name: str, basis: Basis) -> bool:
    """Whether a name may be shown although no claim cites its row: the asker's own, the question's, or a row's."""
    folded = name.casefold()
    if folded in basis.question.casefold():
        return True
    return name in basis.asker_names or any(
        names(cited.row, (name,)) for reading in basis.readings for cited in reading.rows
    )


def gaps_of(pairs: Iterable[PairCoverage], basis: Basis) -> tuple[SourceCoverage, ...]:
    """Pairs that were not read whole and fresh, one line a source, the worst of each."""
    return _unread(fold(pairs, basis.titles))


def unread(coverage: Coverage) -> tuple[SourceCoverage, ...]:
    """The sources of a coverage block that were not read whole and fresh."""
    return _unread(coverage.sources)


def _unread(sources: Iterable[SourceCoverage]) -> tuple[SourceCoverage, ...]:
    return tuple(source for source in sources if source.status is not CoverageStatus.READ)


def anything_read(readings: Iterable[Reading]) -> bool:
    """Whether a turn read evidence at all; a list of sources is none."""
    return any(
        pair.status in GAVE_EVIDENCE
        for reading in readings
        if reading.query is not None and reading.query.view is not View.SOURCES
        for pair in reading.coverage.pairs
    )
