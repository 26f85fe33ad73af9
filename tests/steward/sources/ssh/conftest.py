"""A LoopX for an sshd to lead to."""

from pathlib import Path

import pytest

from steward.testing.world import FakeClock
from tests.steward.sources.loopx.machine import Machine, filled


@pytest.fixture
def machine(tmp_path: Path, clock: FakeClock) -> Machine:
    made = Machine(tmp_path, clock)
    filled(made, clock.now())
    return made
