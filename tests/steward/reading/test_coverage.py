"""Coverage counts sources × goals of the scope, tried or not, and is complete only where all is read (E0, R9, R10)."""

from collections.abc import Sequence
from datetime import timedelta

import pytest

from steward.model.audience import Scope, ScopeEntry
from steward.model.ids import GoalId, SourceId
from steward.model.reading import (
    Coverage,
    CoverageStatus,
    PairCoverage,
    ReadFailure,
    Reading,
    ScanQuery,
    Snapshot,
    SourceCode,
    SourceCoverage,
    View,
)
from steward.reading.attempts import Attempt, narrowed
from steward.reading.coverage import NOTHING_TRIED, coverage, fold, footer
from steward.testing.world import EPOCH
from tests.steward.evidence import PAYMENTS, PLANS, SEARCH, TITLES, TRACKER, goal, scope, snapshot

DAY = timedelta(hours=24)
BOTH = (goal(PAYMENTS), goal(SEARCH))
TIMEOUT = ReadFailure(SourceCode.TIMEOUT, PLANS)


def counted(
    *outcomes: Snapshot | ReadFailure,
    within: Scope | None = None,
    asked: GoalId | None = None,
    since_days: int | None = None,
) -> Coverage:
    """The coverage of one call over `plans` and, where there are two outcomes, `tracker`."""
    since = None if since_days is None else EPOCH - timedelta(days=since_days)
    ids = (PLANS, TRACKER)[: len(outcomes)]
    allowed = within or scope(*ids)
    attempts = [
        narrowed(Attempt(source, outcome, DAY), allowed, asked, since)
        for source, outcome in zip(ids, outcomes, strict=True)
    ]
    return coverage(attempts, asked, EPOCH, TITLES)


def numbers(found: Coverage) -> dict[str, int | bool]:
    """The counts that are not zero, and whether it is complete."""
    fields = ("discovered", "attempted", "read", "stale", "unreadable", "partial", "not_read")
    counts: dict[str, int | bool] = {
        name: getattr(found, name) for name in fields if getattr(found, name)
    }
    return {**counts, "complete": found.complete}


@pytest.mark.requirement("R9")
def test_every_goal_read_whole_and_fresh_is_complete() -> None:
    found = counted(snapshot(goals=BOTH))

    assert found == Coverage(
        discovered=2,
        attempted=2,
        read=2,
        stale=0,
        unreadable=0,
        partial=0,
        not_read=0,
        complete=True,
        pairs=(
            PairCoverage(PLANS, PAYMENTS, CoverageStatus.READ, as_of=EPOCH),
            PairCoverage(PLANS, SEARCH, CoverageStatus.READ, as_of=EPOCH),
        ),
        sources=(SourceCoverage(PLANS, "Plans", CoverageStatus.READ, as_of=EPOCH),),
    )


@pytest.mark.requirement("R9")
def test_a_source_whose_goals_cannot_be_listed_counts_once() -> None:
    found = counted(snapshot(goals=BOTH), ReadFailure(SourceCode.FORBIDDEN, TRACKER))

    assert numbers(found) == {
        "discovered": 3,
        "attempted": 3,
        "read": 2,
        "unreadable": 1,
        "complete": False,
    }
    assert found.pairs[2] == PairCoverage(
        TRACKER, None, CoverageStatus.UNREADABLE, ReadFailure(SourceCode.FORBIDDEN, TRACKER)
    )


@pytest.mark.requirement("R9")
def test_nothing_to_read_is_never_complete() -> None:
    assert numbers(counted(snapshot(goals=()))) == {"complete": False}
    assert not NOTHING_TRIED.complete
    unset = ReadFailure(SourceCode.NOT_CONFIGURED, PLANS)
    assert numbers(counted(snapshot(goals=(), gaps=[unset]))) == {
        "discovered": 1,
        "attempted": 1,
        "unreadable": 1,
        "complete": False,
    }


@pytest.mark.requirement("R9")
def test_a_gap_of_one_goal_leaves_the_others_read() -> None:
    gap = ReadFailure(SourceCode.PARSE_FAILED, PLANS, PAYMENTS, 2)
    found = counted(snapshot(goals=BOTH, gaps=[gap]))

    assert [pair.status for pair in found.pairs] == [CoverageStatus.PARTIAL, CoverageStatus.READ]
    assert found.pairs[0].failure == ReadFailure(
        SourceCode.PARSE_FAILED, PLANS, PAYMENTS, 2, part=True
    )
    assert counted(snapshot(goals=BOTH, gaps=[gap]), asked=SEARCH).complete


@pytest.mark.requirement("R9")
def test_a_failed_part_that_may_hold_any_goal_keeps_every_answer_incomplete() -> None:
    gap = ReadFailure(SourceCode.CORRUPT, PLANS)
    whole = counted(snapshot(goals=BOTH, gaps=[gap]))
    one = counted(snapshot(goals=BOTH, gaps=[gap]), asked=SEARCH)

    assert numbers(whole) == {
        "discovered": 3,
        "attempted": 3,
        "read": 2,
        "unreadable": 1,
        "complete": False,
    }
    assert numbers(one) == {
        "discovered": 2,
        "attempted": 2,
        "read": 1,
        "unreadable": 1,
        "complete": False,
    }


@pytest.mark.requirement("R9")
def test_rows_missing_anywhere_make_each_goal_partial() -> None:
    cut = ReadFailure(SourceCode.TRUNCATED, PLANS)
    for found in (
        counted(snapshot(goals=BOTH, gaps=[cut])),
        counted(snapshot(goals=BOTH, complete=False)),
    ):
        assert numbers(found) == {
            "discovered": 2,
            "attempted": 2,
            "partial": 2,
            "complete": False,
        }
    assert numbers(counted(snapshot(goals=(), complete=False))) == {
        "discovered": 1,
        "attempted": 1,
        "partial": 1,
        "complete": False,
    }


@pytest.mark.requirement("R10")
def test_a_goal_that_is_gone_is_partial_and_one_that_broke_is_unreadable() -> None:
    gone = ReadFailure(SourceCode.NOT_FOUND_OR_NO_ACCESS, PLANS, SEARCH)
    broken = ReadFailure(SourceCode.PARSE_FAILED, PLANS, SEARCH)

    assert numbers(counted(snapshot(gaps=[gone]))) == {
        "discovered": 2,
        "attempted": 2,
        "read": 1,
        "partial": 1,
        "complete": False,
    }
    assert numbers(counted(snapshot(gaps=[broken]))) == {
        "discovered": 2,
        "attempted": 2,
        "read": 1,
        "unreadable": 1,
        "complete": False,
    }


@pytest.mark.requirement("R10")
def test_freshness_is_the_time_of_each_goal() -> None:
    old = EPOCH - DAY - timedelta(seconds=1)
    found = counted(snapshot(goals=BOTH, as_of=old, goal_as_of={SEARCH: EPOCH - DAY}))

    assert [(pair.goal, pair.status, pair.as_of) for pair in found.pairs] == [
        (PAYMENTS, CoverageStatus.STALE, old),
        (SEARCH, CoverageStatus.READ, EPOCH - DAY),
    ]
    assert not found.complete
    assert counted(
        snapshot(goals=BOTH, as_of=old, goal_as_of={SEARCH: EPOCH}), asked=SEARCH
    ).complete


@pytest.mark.requirement("R10")
def test_a_window_that_begins_before_reading_can_reach_is_partial() -> None:
    short = snapshot(reaches_back_to=EPOCH - timedelta(days=3))

    assert counted(short, since_days=3).complete
    assert numbers(counted(short, since_days=4)) == {
        "discovered": 1,
        "attempted": 1,
        "partial": 1,
        "complete": False,
    }


@pytest.mark.requirement("R6", "R9")
def test_goals_outside_the_scope_leave_no_trace() -> None:
    allowed = scope(PLANS, goals=[PAYMENTS])
    hidden = ReadFailure(SourceCode.PARSE_FAILED, PLANS, SEARCH)
    found = counted(snapshot(goals=BOTH, gaps=[hidden]), within=allowed)

    assert found.complete
    assert {pair.goal for pair in found.pairs} == {PAYMENTS}
    assert str(SEARCH) not in str(found)


def test_a_source_read_in_part_is_partial_and_one_without_a_pair_was_read() -> None:
    lines = fold(
        [
            PairCoverage(PLANS, PAYMENTS, CoverageStatus.READ, as_of=EPOCH),
            PairCoverage(PLANS, None, CoverageStatus.UNREADABLE, TIMEOUT),
        ],
        TITLES,
        [TRACKER, PLANS],
    )

    assert lines == [
        SourceCoverage(TRACKER, "Tracker", CoverageStatus.READ),
        SourceCoverage(PLANS, "Plans", CoverageStatus.PARTIAL, TIMEOUT, EPOCH),
    ]


def reading(
    found: Coverage, view: View = View.TODOS, asked: GoalId | None = None, *, whole: bool = True
) -> Reading:
    return Reading(
        tool="scan",
        query=ScanQuery(view, goal=asked) if whole else None,
        rows=(),
        counts={},
        coverage=found,
        failures=(),
        as_of=None,
        window_start=None,
        window_end=None,
    )


def footed(
    readings: Sequence[Reading], within: Scope | None = None, asked: GoalId | None = None
) -> Coverage:
    return footer(within or scope(PLANS, TRACKER), TITLES, readings, asked)


@pytest.mark.requirement("E0", "R9")
def test_what_a_turn_never_tried_appears_as_not_read() -> None:
    found = footed([reading(counted(snapshot(goals=BOTH)))])

    assert numbers(found) == {
        "discovered": 3,
        "attempted": 2,
        "read": 2,
        "not_read": 1,
        "complete": False,
    }
    assert [(line.title, line.status) for line in found.sources] == [
        ("Plans", CoverageStatus.READ),
        ("Tracker", CoverageStatus.NOT_READ),
    ]
    assert numbers(footed([])) == {"discovered": 2, "not_read": 2, "complete": False}


@pytest.mark.requirement("R9")
def test_the_worst_of_a_turns_readings_stands_for_each_pair() -> None:
    fine = counted(snapshot())
    cut = counted(snapshot(complete=False))
    found = footed([reading(fine), reading(cut), reading(fine)], within=scope(PLANS))

    assert numbers(found) == {
        "discovered": 1,
        "attempted": 1,
        "partial": 1,
        "complete": False,
    }


@pytest.mark.requirement("R9")
def test_the_footer_of_one_goal_counts_that_goal_alone() -> None:
    broken = ReadFailure(SourceCode.PARSE_FAILED, PLANS, SEARCH)
    readings = [reading(counted(snapshot(goals=(goal(PAYMENTS),), gaps=[broken])))]

    assert footed(readings, scope(PLANS), PAYMENTS).complete
    assert numbers(footed(readings, scope(PLANS), SEARCH)) == {
        "discovered": 1,
        "attempted": 1,
        "unreadable": 1,
        "complete": False,
    }


@pytest.mark.requirement("R9")
def test_reading_one_goal_leaves_a_question_about_all_of_them_unread() -> None:
    only = reading(counted(snapshot(), asked=PAYMENTS), asked=PAYMENTS)

    assert footed([only], scope(PLANS), PAYMENTS).complete
    assert numbers(footed([only], scope(PLANS))) == {
        "discovered": 2,
        "attempted": 1,
        "read": 1,
        "not_read": 1,
        "complete": False,
    }


@pytest.mark.requirement("R9")
def test_a_look_at_the_sources_is_no_read_but_a_failure_found_there_counts() -> None:
    probed = Coverage(
        2,
        2,
        1,
        0,
        1,
        0,
        0,
        complete=False,
        pairs=(
            PairCoverage(PLANS, None, CoverageStatus.READ, as_of=EPOCH),
            PairCoverage(
                TRACKER, None, CoverageStatus.UNREADABLE, ReadFailure(SourceCode.TIMEOUT, TRACKER)
            ),
        ),
    )
    found = footed([reading(probed, View.SOURCES)])

    assert [(line.source, line.status) for line in found.sources] == [
        (PLANS, CoverageStatus.NOT_READ),
        (TRACKER, CoverageStatus.UNREADABLE),
    ]


@pytest.mark.requirement("R9")
def test_a_refused_call_has_read_nothing() -> None:
    assert numbers(footed([reading(NOTHING_TRIED, whole=False)], scope(PLANS))) == {
        "discovered": 1,
        "not_read": 1,
        "complete": False,
    }


@pytest.mark.requirement("R9")
def test_a_source_that_was_read_and_holds_none_of_the_goal_is_no_pair() -> None:
    nothing = counted(snapshot(goals=(goal(SEARCH),)), within=scope(PLANS), asked=PAYMENTS)
    found = footed([reading(nothing, asked=PAYMENTS)], scope(PLANS), PAYMENTS)

    assert numbers(found) == {"complete": False}
    assert found.sources == (SourceCoverage(PLANS, "Plans", CoverageStatus.READ),)


@pytest.mark.requirement("A2")
def test_a_goal_that_a_source_may_not_show_is_not_counted_there() -> None:
    within = Scope(
        (PLANS, TRACKER),
        (
            ScopeEntry(frozenset({PLANS}), frozenset({PAYMENTS})),
            ScopeEntry(frozenset({TRACKER}), frozenset({SEARCH})),
        ),
        "r",
    )

    assert [line.source for line in footed([], within, PAYMENTS).sources] == [PLANS]
    assert [line.source for line in footed([], within).sources] == [PLANS, TRACKER]


def test_a_source_without_a_title_goes_by_its_id() -> None:
    assert footer(scope(SourceId("new")), {}, [], None).sources[0].title == "new"
