"""A LoopX on this machine, and a source that reads it."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from steward.model.ids import SourceId
from steward.sources.loopx.kind import LoopxKind
from steward.sources.loopx.source import LoopxSource
from steward.testing.world import FakeClock
from tests.steward.sources.loopx.machine import Machine, filled

LOOP = SourceId("loop")


@pytest.fixture
def machine(tmp_path: Path, clock: FakeClock) -> Machine:
    made = Machine(tmp_path, clock)
    filled(made, clock.now())
    return made


@pytest.fixture
async def source(machine: Machine, clock: FakeClock) -> AsyncIterator[LoopxSource]:
    options = {"command": str(machine.program)}
    made = LoopxKind(clock).build(LOOP, options, {"PATH": os.defpath, "HOME": str(machine.home)})
    yield made
    await made.aclose()
