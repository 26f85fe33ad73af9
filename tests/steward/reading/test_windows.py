"""Windows begin at local midnight by the wall clock, through every change of clocks (R11)."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from steward.model.ids import GoalId, SourceId
from steward.model.reading import Row, RowStatus, View
from steward.reading.windows import local_day, local_midnight, marked_ahead, window_start, within

NOW = datetime(2026, 11, 30, 4, 0, tzinfo=UTC)


@pytest.mark.requirement("R11")
@pytest.mark.parametrize(
    ("now", "days", "zone", "start"),
    [
        ("2026-11-30T04:00Z", 1, "Asia/Shanghai", "2026-11-29T00:00+08:00"),
        ("2026-11-30T15:59Z", 1, "Asia/Shanghai", "2026-11-29T00:00+08:00"),
        ("2026-11-30T16:00Z", 1, "Asia/Shanghai", "2026-11-30T00:00+08:00"),
        ("2026-11-30T04:00Z", 7, "Asia/Shanghai", "2026-11-23T00:00+08:00"),
        ("2026-03-30T12:00Z", 1, "Europe/Berlin", "2026-03-29T00:00+01:00"),
        ("2026-10-26T12:00Z", 1, "Europe/Berlin", "2026-10-25T00:00+02:00"),
        ("2026-10-26T12:00Z", 90, "Europe/Berlin", "2026-07-28T00:00+02:00"),
        ("2026-03-08T12:00Z", 0, "America/Havana", "2026-03-08T01:00-04:00"),
    ],
)
def test_a_window_begins_at_local_midnight(now: str, days: int, zone: str, start: str) -> None:
    begins = window_start(days, datetime.fromisoformat(now), ZoneInfo(zone))

    assert begins == datetime.fromisoformat(start)
    assert begins.tzinfo is UTC


def test_midnight_and_day_agree() -> None:
    zone = ZoneInfo("Asia/Shanghai")
    midnight = local_midnight(date(2026, 11, 30), zone)

    assert local_day(midnight, zone) == "2026-11-30"
    assert local_day(midnight - timedelta(seconds=1), zone) == "2026-11-29"


def test_a_window_holds_its_start_and_not_its_end() -> None:
    end = NOW + timedelta(days=1)

    assert within(NOW, NOW, end)
    assert not within(end, NOW, end)
    assert not within(NOW - timedelta(seconds=1), NOW, None)
    assert within(end, NOW, None)
    assert within(NOW, None, None)


@pytest.mark.requirement("R11")
def test_a_row_more_than_five_minutes_ahead_is_marked_until_time_has_passed_it() -> None:
    at = NOW + timedelta(minutes=6)
    row = Row(
        View.DELIVERIES,
        SourceId("plans"),
        GoalId("payments"),
        "d1",
        "Merged",
        RowStatus.DELIVERED,
        at=at,
    )

    assert marked_ahead(row, NOW) == replace(row, ahead=True)
    assert marked_ahead(replace(row, ahead=True), at) == row
    assert marked_ahead(replace(row, at=None, updated=at), NOW).ahead
    near = replace(row, at=NOW + timedelta(minutes=5))
    assert marked_ahead(near, NOW) is near
