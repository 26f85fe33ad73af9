"""Fixtures only. No test reads the caller's environment, and none waits without a bound."""

from collections.abc import Iterator

import pytest

from steward.testing.world import CountedTokens, FakeClock
from tests.sshd import Sshd, need_sshd, open_sshd


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def tokens() -> CountedTokens:
    return CountedTokens()


@pytest.fixture(scope="session")
def sshd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sshd]:
    """One server for the whole run."""
    need_sshd()
    with open_sshd(tmp_path_factory.mktemp("sshd")) as server:
        yield server
