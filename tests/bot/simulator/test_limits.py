"""Sliding windows on the platform's clock."""

from datetime import timedelta

from bot.simulator.limits import KEYS_KEPT, Window
from steward.testing.world import FakeClock


def test_a_use_counts_for_as_long_as_the_window_is(clock: FakeClock) -> None:
    window = Window(clock, 2, 1.0)
    window.use("chat")
    clock.advance(timedelta(milliseconds=600))
    window.use("chat")
    assert round(window.wait("chat"), 3) == 0.4
    assert window.wait("other") == 0.0
    clock.advance(timedelta(milliseconds=400))
    assert window.wait("chat") == 0.0


def test_keys_that_are_no_longer_used_are_forgotten(clock: FakeClock) -> None:
    window = Window(clock, 1, 1.0)
    for number in range(KEYS_KEPT + 1):
        window.use(str(number))
    clock.advance(timedelta(seconds=2))
    window.use("last")
    assert list(window._uses) == ["last"]
