"""What is not answered from rows: what the reporter can see, and what it will not do or say."""

from collections.abc import Iterator

from steward.endpoints.reporter.candidate import note
from steward.endpoints.reporter.folding import fold
from steward.endpoints.reporter.goals import owner
from steward.endpoints.reporter.mentions import source_named
from steward.endpoints.reporter.writing import Pen
from steward.model.answer import Claim, NoteCode
from steward.model.reading import CoverageStatus, SourceCoverage, View

MOST_SOURCES = 12


def coverage(pen: Pen) -> Iterator[Claim]:
    """How many sources can be read, then each by itself, the failing ones first."""
    yield note(NoteCode.SOURCES)
    yield from _states(sorted(_sources(pen), key=_worst_first))


def source_read(pen: Pen) -> Iterator[Claim]:
    """The state of the source that is named; where none has that name, that, and all of them."""
    folded = fold(pen.asked.masked)
    named = [
        source
        for source in _sources(pen)
        if any(folded.find(source.title)) or any(folded.find(source.source))
    ]
    if named:
        yield from _states(named)
        return
    if name := source_named(pen.asked.text):
        yield note(NoteCode.NO_SUCH_SOURCE, name=name)
    yield from coverage(pen)


def _sources(pen: Pen) -> list[SourceCoverage]:
    scan = pen.reads.scans.get(View.SOURCES)
    return [] if scan is None else list(scan.coverage.sources)


def _states(sources: list[SourceCoverage]) -> Iterator[Claim]:
    for source in sources[:MOST_SOURCES]:
        yield note(NoteCode.SOURCE, source=source.source)


def _worst_first(source: SourceCoverage) -> bool:
    return source.status is CoverageStatus.READ


def act(pen: Pen) -> Iterator[Claim]:
    """Nothing is done; who owns the goal that was named is said beside it."""
    yield note(NoteCode.ACT_DECLINED)
    if pen.goal is not None:
        for claim in owner(pen):
            yield claim
            return


def judge(_pen: Pen) -> Iterator[Claim]:
    """Nobody is judged."""
    yield note(NoteCode.JUDGE_DECLINED)
