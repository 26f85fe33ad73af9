"""Fixtures only. No test reads the caller's environment, and none waits without a bound."""

import pytest

from steward.testing.world import CountedTokens, FakeClock


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def tokens() -> CountedTokens:
    return CountedTokens()
