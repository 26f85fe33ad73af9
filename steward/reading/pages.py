"""The JSON text that a model reads: a page of rows, or a refusal, never longer than its reader takes (R3, R7)."""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo

from steward.model.ids import CitationId, GoalId, SourceId
from steward.model.json import Json
from steward.model.reading import (
    Cited,
    Coverage,
    CoverageStatus,
    Freshness,
    PairCoverage,
    ReadFailure,
    Row,
    SourceCode,
    View,
)
from steward.model.turn import Language
from steward.reading.arguments import allowed_arguments, allowed_views
from steward.reading.evidence import Evidence, unknown_reasons
from steward.reading.failures import effect, failure_row, label, next_action, refusal
from steward.texts.failures import STALE

OVERSIZED = "oversized_record"

_FAILURE_SHARE = 3
"""Failure rows may take one part in this many of a page; what is left out is counted."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page as text, and the rows that really are in it."""

    text: str
    rows: Sequence[Cited]


def dumps(payload: Mapping[str, Json]) -> str:
    """Compact JSON as a model reads it, Chinese as itself."""
    return json.dumps(payload, ensure_ascii=False, separators=(",", ":"))


def invalid_arguments(failure: ReadFailure, rejected: Sequence[str], tool: str) -> dict[str, Json]:
    """R3's payload: what to mend, what is allowed, and under which name to call again."""
    refused = refusal(failure)
    row = refused.pop("read_failure")
    return {
        **refused,
        "rejected_arguments": list(rejected),
        "allowed_arguments": list(allowed_arguments()),
        "allowed_views": list(allowed_views()),
        "detail": f"resend {tool} with only the allowed arguments; each rejected entry names the argument "
        "and what it must be",
        "read_failure": row,
    }


def unread(
    failure: ReadFailure, failures: Sequence[ReadFailure], coverage: Coverage, max_chars: int
) -> dict[str, Json]:
    """The refusal of a read in which no source could be read: with every failure, and what it leaves unknown."""
    return {
        **refusal(failure),
        **_failure_rows(failures, max_chars),
        "unknown": True,
        "unknown_reasons": list(dict.fromkeys(one.code.value for one in failures)),
        "coverage": coverage_json(coverage),
    }


def page(
    found: Evidence, cited: Sequence[Cited], *, offset: int, zone: tzinfo, max_chars: int
) -> Page:
    """The page that begins at `offset` with `cited`: rows are dropped from its end until it fits.

    A first row that does not fit even alone is replaced by a mark, so that the reader can go past it.
    """
    for count in range(len(cited), 0, -1):
        text = _page_text(found, cited[:count], None, offset, zone, max_chars)
        if len(text) <= max_chars:
            return Page(text, cited[:count])
    oversized = cited[0].row if cited else None
    return Page(_page_text(found, (), oversized, offset, zone, max_chars), ())


def _page_text(
    found: Evidence,
    cited: Sequence[Cited],
    oversized: Row | None,
    offset: int,
    zone: tzinfo,
    max_chars: int,
) -> str:
    rows: list[Json] = [row_json(one, found.stale, zone) for one in cited]
    reasons = list(found.unknown_reasons)
    if oversized is not None:
        rows = [_mark(oversized, offset)]
        reasons = list(dict.fromkeys([*reasons, SourceCode.TOO_LARGE.value]))
    end = offset + len(rows)
    payload: dict[str, Json] = {
        "ok": True,
        "view": found.query.view.value,
        "source_id": found.query.source,
        "goal_id": found.query.goal,
        "rows": rows,
        **_failure_rows(found.failures, max_chars),
        "offset": offset,
        "included": len(rows),
        "matched": len(found.rows),
        "next_offset": end if rows and end < len(found.rows) else None,
        "snapshot_id": found.revision,
        "counts": dict(found.counts),
        "stopped_excluded": found.stopped_excluded,
        "unknown": bool(reasons),
        "unknown_reasons": reasons,
        "oversized_rows": [] if oversized is None else [offset],
        "coverage": coverage_json(found.coverage),
        "as_of": _instant(found.as_of, zone),
        "window_start": _instant(found.query.since, zone),
        "window_end": _instant(found.query.until, zone),
        "timezone": str(zone),
    }
    if found.reading_began is not None:
        payload["reading_began"] = _instant(found.reading_began, zone)
    return dumps(payload)


def row_json(
    cited: Cited, stale: frozenset[tuple[SourceId, GoalId]], zone: tzinfo
) -> Mapping[str, Json]:
    """A row, flat, without what it does not say. `cite` is how an answer names it."""
    row = cited.row
    fields: dict[str, Json] = {
        "cite": cited.citation,
        "source_id": row.source,
        "goal_id": row.goal,
        "id": row.id,
        "title": row.title,
        "status": row.status.value,
        "raw_status": row.raw_status,
        "owner": row.owner,
        "to": row.to,
        "priority": row.priority,
        "due": row.due.isoformat() if row.due else None,
        "target": row.target.isoformat() if row.target else None,
        "blocked_by": row.blocked_by,
        "waiting_on": row.waiting_on,
        "updated": _instant(row.updated, zone),
        "at": _instant(row.at, zone),
        "link": row.link,
        "aliases": list(row.aliases) or None,
        "ahead": True if row.ahead else None,
        "stale": True if (row.source, row.goal) in stale else None,
    }
    return {name: value for name, value in fields.items() if value is not None}


def sources_page(
    asked: SourceId | None,
    pairs: Sequence[PairCoverage],
    coverage: Coverage,
    *,
    seen: Mapping[SourceId, datetime],
    kept: Collection[SourceId],
    titles: Mapping[SourceId, str],
    zone: tzinfo,
    max_chars: int,
) -> str:
    """The page of `view=sources`: whether each source can be read, when it last could, and what to do where it cannot.

    `seen`: when each was last found readable. `kept`: those of which an earlier read can stand in.

    Its rows are no evidence and carry no `cite`. It has no offset, so where it would be too long its words go
    first, and then its last rows; `matched` keeps the number of all of them.
    """
    rows = [_source_row(pair, seen, kept, titles, zone) for pair in pairs]
    failed = [pair.failure for pair in pairs if pair.failure is not None]
    stale = any(pair.status is CoverageStatus.STALE for pair in pairs)
    reasons = list(unknown_reasons(failed, (), stale=stale))
    payload: dict[str, Json] = {
        "ok": True,
        "view": View.SOURCES.value,
        "source_id": asked,
        "rows": rows,
        **_failure_rows(failed, max_chars),
        "offset": 0,
        "included": len(rows),
        "matched": len(rows),
        "next_offset": None,
        "counts": dict(Counter(str(row["status"]) for row in rows)),
        "unknown": bool(reasons),
        "unknown_reasons": reasons,
        "coverage": coverage_json(coverage),
        "timezone": str(zone),
    }
    if len(dumps(payload)) > max_chars:
        payload["failures"] = []
        payload["failures_omitted"] = len(failed)
        rows = [{name: row[name] for name in _SHORT if name in row} for row in rows]
        payload["rows"] = rows
    while rows and len(dumps(payload)) > max_chars:
        rows = rows[:-1]
        reasons = list(dict.fromkeys([*reasons, SourceCode.TRUNCATED.value]))
        payload |= {"rows": rows, "included": len(rows)}
        payload |= {"unknown": True, "unknown_reasons": reasons}
    return dumps(payload)


_SHORT = ("source_id", "status", "health", "last_success", "code", "reason")
"""What a source's row keeps where the page is too long."""


def _source_row(
    pair: PairCoverage,
    seen: Mapping[SourceId, datetime],
    kept: Collection[SourceId],
    titles: Mapping[SourceId, str],
    zone: tzinfo,
) -> Mapping[str, Json]:
    row: dict[str, Json] = {
        "source_id": pair.source,
        "title": titles.get(pair.source, pair.source),
        **_state(pair, pair.source in kept),
    }
    for name, at in (("as_of", pair.as_of), ("last_success", seen.get(pair.source))):
        if at is not None:
            row[name] = _instant(at, zone)
    return row


def _state(pair: PairCoverage, kept: bool) -> Mapping[str, Json]:
    """`status`: whether it can be read now. `health`: which evidence of it there is, with what an earlier read gave."""
    if pair.failure is not None:
        failure = replace(pair.failure, kept=kept)
        return {
            "status": "unreadable",
            "health": (Freshness.STALE if kept else Freshness.UNREAD).value,
            "code": failure.code.value,
            "reason": label(failure, Language.EN),
            "coverage_effect": effect(failure),
            "next_action": next_action(failure),
        }
    if pair.status is CoverageStatus.STALE:
        return {
            "status": "stale",
            "health": Freshness.STALE.value,
            "reason": STALE.label.en,
            "next_action": STALE.action.en,
        }
    return {"status": "available", "health": Freshness.CURRENT.value}


def coverage_json(coverage: Coverage) -> dict[str, Json]:
    """R9's counts."""
    return {
        "discovered": coverage.discovered,
        "attempted": coverage.attempted,
        "read": coverage.read,
        "stale": coverage.stale,
        "unreadable": coverage.unreadable,
        "partial": coverage.partial,
        "not_read": coverage.not_read,
        "complete": coverage.complete,
    }


def citations(cited: Iterable[Cited]) -> tuple[CitationId, ...]:
    """The ids that a text holds."""
    return tuple(one.citation for one in cited)


def _failure_rows(failures: Sequence[ReadFailure], max_chars: int) -> dict[str, Json]:
    rows: list[Json] = []
    room = max_chars // _FAILURE_SHARE
    for failure in failures:
        row = failure_row(failure)
        room -= len(dumps(row)) + 1
        if room < 0:
            break
        rows.append(row)
    omitted = len(failures) - len(rows)
    return {"failures": rows, "failures_omitted": omitted} if omitted else {"failures": rows}


def _mark(row: Row, index: int) -> dict[str, Json]:
    return {
        "status": OVERSIZED,
        "row_index": index,
        "source_id": row.source,
        "goal_id": row.goal,
    }


def _instant(at: datetime | None, zone: tzinfo) -> str | None:
    return at.astimezone(zone).isoformat(timespec="seconds") if at is not None else None
