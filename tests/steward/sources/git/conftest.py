"""An empty repository for each test that wants one."""

from pathlib import Path

import pytest

from steward.testing.world import FakeClock
from tests.steward.sources.git.repo import Repo, need_git


@pytest.fixture
def repo(tmp_path: Path, clock: FakeClock) -> Repo:
    need_git()
    return Repo.new(tmp_path / "repo", clock)
