"""What a read at the gate can come to, and the reading and the scan that are made of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from steward.model.ids import SourceId
from steward.model.reading import (
    Cited,
    Coverage,
    PairCoverage,
    ReadFailure,
    Reading,
    Scan,
    ScanQuery,
)
from steward.reading.coverage import NOTHING_TRIED
from steward.reading.evidence import Evidence


@dataclass(frozen=True, slots=True)
class Refused:
    """A read without evidence, and what of it the answer's coverage must still count."""

    failure: ReadFailure
    failures: Sequence[ReadFailure] = ()
    coverage: Coverage = NOTHING_TRIED


@dataclass(frozen=True, slots=True)
class Probed:
    """What `view=sources` found: each source of the scope, readable or not.

    `seen`: when each was last found readable. `kept`: those of which rows of an earlier read could stand in.
    """

    query: ScanQuery
    pairs: Sequence[PairCoverage]
    coverage: Coverage
    seen: Mapping[SourceId, datetime]
    kept: frozenset[SourceId]


Outcome: TypeAlias = Evidence | Probed | Refused


def read_reading(tool: str, found: Evidence, cited: Sequence[Cited]) -> Reading:
    """Evidence, with the rows that the endpoint was really given."""
    return Reading(
        tool=tool,
        query=found.query,
        rows=tuple(cited),
        counts=found.counts,
        coverage=found.coverage,
        failures=found.failures,
        as_of=found.as_of,
        window_start=found.query.since,
        window_end=found.query.until,
        unknown_reasons=found.unknown_reasons,
        matched=len(found.rows),
    )


def probed_reading(tool: str, found: Probed) -> Reading:
    """A look at the sources: no rows, since whether a source can be read is no evidence of work."""
    failures = tuple(pair.failure for pair in found.pairs if pair.failure is not None)
    return Reading(
        tool=tool,
        query=found.query,
        rows=(),
        counts={},
        coverage=found.coverage,
        failures=failures,
        as_of=None,
        window_start=None,
        window_end=None,
        unknown_reasons=tuple(dict.fromkeys(failure.code.value for failure in failures)),
    )


def refused_reading(tool: str, query: ScanQuery | None, refused: Refused) -> Reading:
    """A call that gave nothing, kept all the same."""
    return Reading(
        tool=tool,
        query=query,
        rows=(),
        counts={},
        coverage=refused.coverage,
        failures=tuple(refused.failures),
        as_of=None,
        window_start=query.since if query else None,
        window_end=query.until if query else None,
        unknown_reasons=(refused.failure.code.value,),
        refused=refused.failure,
    )


def scan_of(reading: Reading) -> Scan:
    """A reading as an in-process endpoint sees it; a refusal shows as its failures."""
    failures = reading.failures
    if not failures and reading.refused is not None:
        failures = (reading.refused,)
    return Scan(
        rows=reading.rows,
        coverage=reading.coverage,
        counts=reading.counts,
        as_of=reading.as_of,
        window_start=reading.window_start,
        window_end=reading.window_end,
        failures=failures,
        unknown_reasons=reading.unknown_reasons,
    )
