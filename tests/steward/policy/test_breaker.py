"""While nothing is taken one part tries from time to time; what was long is told, what was short is not. Contract D4."""

from datetime import datetime, timedelta

import pytest

from steward.policy.breaker import LONGEST, WORTH_TELLING, Held, Silence, hold, silence, wait_on
from steward.testing.world import EPOCH

SECOND = timedelta(seconds=1)


def pauses(least: timedelta | None, count: int) -> list[float]:
    """The pauses of so many refusals, each at the end of the one before."""
    found, held, now = [], None, EPOCH
    for _ in range(count):
        held = hold(held, "quota", least, now)
        found.append((held.until - now).total_seconds())
        now = held.until
    return found


@pytest.mark.requirement("D4")
def test_pauses_double_from_where_the_refusal_says_up_to_ten_times_that() -> None:
    assert pauses(None, 9) == [1, 2, 4, 8, 16, 32, 60, 60, 60]
    assert pauses(timedelta(minutes=1), 6) == [60, 120, 240, 480, 600, 600]
    assert pauses(timedelta(minutes=10), 5) == [600, 1200, 2400, 3600, 3600]
    assert pauses(timedelta(hours=3), 2) == [3600] * 2
    assert timedelta(seconds=pauses(None, 1000)[-1]) <= LONGEST


def test_refusals_that_were_under_way_together_count_once() -> None:
    first = hold(None, "quota", None, EPOCH)
    assert hold(first, "token", timedelta(hours=1), EPOCH + SECOND / 2) == first
    later = hold(first, "token", None, first.until)
    assert (later.since, later.reason, later.tries) == (EPOCH, "token", 2)


def test_a_try_whose_end_nobody_knows_opens_nothing() -> None:
    held = hold(None, "unreachable", None, EPOCH)
    again = wait_on(held, held.until)
    assert (again.reason, again.until > held.until, again.since) == ("unreachable", True, EPOCH)


@pytest.mark.parametrize(
    ("lasted", "told"), [(WORTH_TELLING - SECOND, False), (WORTH_TELLING, True)]
)
def test_what_was_short_is_not_told(lasted: timedelta, told: bool) -> None:
    held = Held(EPOCH, "quota", EPOCH)
    end: datetime = EPOCH + lasted
    assert silence(held, end) == (Silence(EPOCH, end, "quota") if told else None)
