"""Pages hold whole rows, fit their reader, and say what they leave out (R7)."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steward.model.ids import CitationId, GoalId
from steward.model.json import Json
from steward.model.reading import (
    Cited,
    CoverageStatus,
    PairCoverage,
    ReadFailure,
    Row,
    RowStatus,
    ScanQuery,
    Snapshot,
    SourceCode,
    View,
)
from steward.reading.attempts import Attempt, narrowed
from steward.reading.coverage import tally
from steward.reading.evidence import Evidence, evidence
from steward.reading.failures import failure_row
from steward.reading.pages import page, row_json, sources_page
from steward.testing.world import EPOCH
from tests.steward.evidence import (
    PAYMENTS,
    PLANS,
    TITLES,
    TRACKER,
    delivery,
    scope,
    snapshot,
    todo,
)

SHANGHAI = ZoneInfo("Asia/Shanghai")
BIG = 24_000


def found(query: ScanQuery, outcome: Snapshot) -> Evidence:
    attempt = narrowed(Attempt(PLANS, outcome, timedelta(hours=24)), scope(), None, query.since)
    return evidence([attempt], query, now=EPOCH, zone=SHANGHAI, titles=TITLES)


def cited(rows: Sequence[Row]) -> list[Cited]:
    return [Cited(CitationId(f"E{number}-x"), row) for number, row in enumerate(rows, 1)]


@pytest.mark.requirement("R7")
def test_a_page_has_every_field_of_the_contract() -> None:
    query = ScanQuery(View.DELIVERIES, since=EPOCH - timedelta(days=1, hours=12))
    gap = ReadFailure(SourceCode.PARSE_FAILED, PLANS, PAYMENTS, 2)
    read = found(query, snapshot(delivery(1), delivery(2), gaps=[gap]))

    made = page(read, cited(read.rows)[:1], offset=0, zone=SHANGHAI, max_chars=BIG)

    assert json.loads(made.text) == {
        "ok": True,
        "view": "deliveries",
        "source_id": None,
        "goal_id": None,
        "rows": [
            {
                "cite": "E1-x",
                "source_id": "plans",
                "goal_id": "payments",
                "id": "d1",
                "title": "Delivery 1",
                "status": "delivered",
                "at": "2026-11-30T11:00:00+08:00",
            }
        ],
        "failures": [failure_row(replace(gap, part=True))],
        "offset": 0,
        "included": 1,
        "matched": 2,
        "next_offset": 1,
        "snapshot_id": read.revision,
        "counts": {"2026-11-30": 2},
        "stopped_excluded": 0,
        "unknown": True,
        "unknown_reasons": ["parse_failed"],
        "oversized_rows": [],
        "coverage": {
            "discovered": 1,
            "attempted": 1,
            "read": 0,
            "stale": 0,
            "unreadable": 0,
            "partial": 1,
            "not_read": 0,
            "complete": False,
        },
        "as_of": "2026-11-30T12:00:00+08:00",
        "window_start": "2026-11-29T00:00:00+08:00",
        "window_end": None,
        "timezone": "Asia/Shanghai",
    }
    assert made.rows == cited(read.rows)[:1]


def test_a_row_is_flat_and_says_only_what_it_knows() -> None:
    full = replace(
        todo(1, RowStatus.UNKNOWN, title="支付"),
        raw_status="paused",
        owner="Wei",
        priority="P1",
        due=date(2026, 12, 5),
        blocked_by="bank",
        waiting_on="Lin",
        updated=EPOCH,
        link="https://example.com/1",
        aliases=("a", "b"),
        ahead=True,
    )

    assert row_json(Cited(CitationId("E1-x"), full), frozenset({(PLANS, PAYMENTS)}), SHANGHAI) == {
        "cite": "E1-x",
        "source_id": "plans",
        "goal_id": "payments",
        "id": "t1",
        "title": "支付",
        "status": "unknown",
        "raw_status": "paused",
        "owner": "Wei",
        "priority": "P1",
        "due": "2026-12-05",
        "blocked_by": "bank",
        "waiting_on": "Lin",
        "updated": "2026-11-30T12:00:00+08:00",
        "link": "https://example.com/1",
        "aliases": ["a", "b"],
        "ahead": True,
        "stale": True,
    }


def pages(read: Evidence, max_chars: int, limit: int = 12) -> list[dict[str, Json]]:
    """Every page, as a model would turn them."""
    rows = cited(read.rows)
    turned: list[dict[str, Json]] = []
    offset: Json = 0
    while isinstance(offset, int) and len(turned) < 200:
        made = page(
            read, rows[offset : offset + limit], offset=offset, zone=SHANGHAI, max_chars=max_chars
        )
        assert len(made.text) <= max_chars
        turned.append(json.loads(made.text))
        offset = turned[-1]["next_offset"]
    return turned


@pytest.mark.requirement("R7")
@given(
    lengths=st.lists(st.integers(1, 400), min_size=1, max_size=40),
    max_chars=st.integers(1600, 8000),
)
def test_turning_all_pages_shows_every_row_once_and_none_is_too_long(
    lengths: list[int], max_chars: int
) -> None:
    rows = [todo(number, title="网" * length) for number, length in enumerate(lengths)]
    shown = pages(found(ScanQuery(View.TODOS), snapshot(*rows)), max_chars)

    seen = [row["id"] for turned in shown for row in turned["rows"]]  # type: ignore[union-attr, call-overload, index]  # JSON
    assert seen == [row.id for row in rows]
    assert {turned["matched"] for turned in shown} == {len(rows)}


@pytest.mark.requirement("R7", "R8")
def test_a_row_larger_than_a_page_becomes_a_mark_that_the_reader_can_pass() -> None:
    huge = replace(todo(2), aliases=tuple("x" * 400 for _ in range(10)))
    read = found(ScanQuery(View.TODOS), snapshot(todo(1), huge, todo(3)))

    first, second, third = pages(read, 2000)

    assert [row["id"] for row in first["rows"]] == ["t1"]  # type: ignore[union-attr, call-overload, index]  # JSON
    assert first["unknown"] is False
    assert second["rows"] == [
        {
            "status": "oversized_record",
            "row_index": 1,
            "source_id": "plans",
            "goal_id": "payments",
        }
    ]
    assert (second["oversized_rows"], second["unknown_reasons"]) == ([1], ["too_large"])
    assert [row["id"] for row in third["rows"]] == ["t3"]  # type: ignore[union-attr, call-overload, index]  # JSON


@pytest.mark.requirement("R7")
def test_failures_never_crowd_out_the_rows() -> None:
    gaps = [
        ReadFailure(SourceCode.PARSE_FAILED, PLANS, GoalId(f"goal-{number}"))
        for number in range(100)
    ]
    read = found(ScanQuery(View.TODOS), snapshot(todo(), gaps=gaps))

    (shown,) = pages(read, 8000)

    failures = shown["failures"]
    assert isinstance(failures, list)
    assert shown["included"] == 1
    assert 0 < len(failures) < 100
    assert shown["failures_omitted"] == 100 - len(failures)


def test_an_offset_past_the_end_is_an_empty_page() -> None:
    read = found(ScanQuery(View.TODOS), snapshot(todo()))
    made = json.loads(page(read, [], offset=5, zone=SHANGHAI, max_chars=BIG).text)

    assert (made["rows"], made["included"], made["matched"], made["next_offset"]) == (
        [],
        0,
        1,
        None,
    )


def probed(count: int, max_chars: int, *, kept: bool = False) -> dict[str, Json]:
    down = [
        PairCoverage(
            TRACKER, None, CoverageStatus.UNREADABLE, ReadFailure(SourceCode.TIMEOUT, TRACKER)
        )
        for _ in range(count)
    ]
    pairs = [
        PairCoverage(PLANS, None, CoverageStatus.STALE, as_of=EPOCH - timedelta(days=2)),
        *down,
    ]
    text = sources_page(
        None,
        pairs,
        tally(pairs, [], TITLES),
        seen={PLANS: EPOCH},
        kept={TRACKER} if kept else (),
        titles=TITLES,
        zone=SHANGHAI,
        max_chars=max_chars,
    )
    assert len(text) <= max_chars
    shown: dict[str, Json] = json.loads(text)
    return shown


def test_the_list_of_sources_says_what_is_wrong_and_what_to_do() -> None:
    shown = probed(1, BIG)

    assert shown["rows"] == [
        {
            "source_id": "plans",
            "title": "Plans",
            "status": "stale",
            "health": "stale",
            "as_of": "2026-11-28T12:00:00+08:00",
            "last_success": "2026-11-30T12:00:00+08:00",
            "reason": "out of date",
            "next_action": "The owner should bring it up to date; until then, state how old its "
            "content is.",
        },
        {
            "source_id": "tracker",
            "title": "Tracker",
            "status": "unreadable",
            "health": "unread",
            "code": "timeout",
            "reason": "timed out",
            "coverage_effect": "No evidence was read from this source; it must not be presented as no progress.",
            "next_action": "Ask again later; if this happens often, the operator should look at the source.",
        },
    ]
    assert shown["counts"] == {"stale": 1, "unreadable": 1}
    assert (shown["unknown"], shown["unknown_reasons"]) == (True, ["timeout", "stale"])


@pytest.mark.requirement("R13")
def test_a_source_with_evidence_of_an_earlier_read_is_outdated_and_not_absent() -> None:
    row = probed(1, BIG, kept=True)["rows"]

    assert isinstance(row, list)
    assert (row[1]["status"], row[1]["health"]) == ("unreadable", "stale")
    assert "outdated, not absent" in row[1]["coverage_effect"]


def test_a_long_list_of_sources_is_shortened_and_says_so() -> None:
    short = probed(30, 4000)
    cut = probed(300, 4000)

    assert (short["included"], short["matched"], short["failures_omitted"]) == (31, 31, 30)
    assert cut["matched"] == 301
    assert "truncated" in str(cut["unknown_reasons"])
