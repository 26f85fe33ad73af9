"""Where a source failed and an earlier read stands in, the footer names the failure and says how old the rows are."""

from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest

from steward.model.ids import SourceId
from steward.model.reading import UNDATED, Coverage, ReadFailure, Snapshot, SourceCode
from steward.model.turn import Language
from steward.policy.gaps import coverage_line, gap_details
from steward.reading.attempts import Attempt, narrowed
from steward.reading.coverage import coverage
from steward.testing.world import EPOCH
from tests.steward.evidence import PLANS, TITLES, TRACKER, goal, scope, snapshot, todo

SHANGHAI = ZoneInfo("Asia/Shanghai")
KEPT = ReadFailure(SourceCode.TIMEOUT, PLANS, kept=True)

pytestmark = pytest.mark.requirement("E0", "R9", "W1")


def counted(**outcomes: Snapshot | ReadFailure) -> Coverage:
    ids = [SourceId(name) for name in outcomes]
    attempts = [
        narrowed(Attempt(source, outcome, timedelta(days=1)), scope(*ids), None, None)
        for source, outcome in zip(ids, outcomes.values(), strict=True)
    ]
    return coverage(attempts, None, EPOCH, TITLES)


def old(as_of_hours: int = 2) -> Snapshot:
    as_of = EPOCH - timedelta(hours=as_of_hours)
    return snapshot(todo(), gaps=[KEPT], as_of=as_of)


@pytest.mark.parametrize(
    ("language", "line"),
    [
        (
            Language.ZH,
            "已读 1/2 · 未读到证据：Plans（读取超时，所列为 2026-11-30 10:00 的旧数据）",
        ),
        (
            Language.EN,
            "Read 1/2 · no evidence read: Plans (timed out; what is shown is from 2026-11-30 10:00)",
        ),
    ],
)
def test_the_line_of_coverage_counts_it_as_unread(language: Language, line: str) -> None:
    tracked = snapshot(goals=[goal(source=TRACKER)])

    assert coverage_line(counted(plans=old(), tracker=tracked), language, SHANGHAI) == line


def test_the_details_say_what_to_do_and_that_old_is_not_absent() -> None:
    assert gap_details(counted(plans=old()), Language.EN) == [
        (
            "Plans: It could not be read in the time allowed. Ask again later; if this happens often, the operator "
            "should look at the source."
        ),
        "Where no evidence was read, it is not known whether anything moved.",
        (
            "Where a source could not be read now but was before, what it held then is shown: it may be outdated, "
            "not absent."
        ),
    ]
    assert gap_details(counted(plans=old()), Language.ZH)[-1] == (
        "这次没有读到、但之前读到过的来源，列出的是当时的内容：可能已过时，不等于没有。"
    )


@pytest.mark.requirement("R10")
def test_content_of_unknown_age_is_stale_and_shows_no_time() -> None:
    found = counted(plans=snapshot(todo(), as_of=UNDATED))

    assert (found.stale, found.complete, found.pairs[0].as_of) == (1, False, None)
    line = "Read 1/1 · out of date: Plans (age unknown)"
    assert coverage_line(found, Language.EN, SHANGHAI) == line
    kept = counted(plans=snapshot(todo(), gaps=[KEPT], as_of=UNDATED))
    line = "Read 0/1 · no evidence read: Plans (timed out; what is shown is older)"
    assert coverage_line(kept, Language.EN, SHANGHAI) == line
