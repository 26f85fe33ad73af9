"""A folder answers within its deadline, and closes without waiting for a parse."""

import os
from datetime import timedelta

from steward.model.ids import SourceId
from steward.model.reading import ReadFailure, Snapshot, SourceCode, SourceQuery, View
from steward.testing.world import FakeClock
from tests.steward.sources.folder.conftest import PAYMENTS, EvidenceFolder

PLANS = SourceId("plans")


async def test_a_deadline_that_has_passed_is_a_timeout(
    folder: EvidenceFolder, clock: FakeClock
) -> None:
    folder.write("payments.yaml", PAYMENTS)
    async with folder.source() as source:
        late = await source.read(SourceQuery(View.TODOS), deadline=clock.now())

    assert late == ReadFailure(SourceCode.TIMEOUT, PLANS)


async def test_a_read_that_runs_out_of_time_leaves_its_work_to_the_next(
    folder: EvidenceFolder, clock: FakeClock
) -> None:
    rows = "".join(f"  - {{id: t{number}, title: Todo {number}}}\n" for number in range(3000))
    folder.goal("a", f"todos:\n{rows}")
    async with folder.source() as source:
        query = SourceQuery(View.TODOS)
        late = await source.read(query, deadline=clock.now() + timedelta(milliseconds=20))
        later = await source.read(query, deadline=clock.now() + timedelta(seconds=15))

    assert late == ReadFailure(SourceCode.TIMEOUT, PLANS)
    assert isinstance(later, Snapshot)
    assert len(later.rows) == 3000


async def test_closing_does_not_wait_for_a_long_parse(
    folder: EvidenceFolder, clock: FakeClock
) -> None:
    rows = "".join(f"  - {{id: t{number}, title: Todo {number}}}\n" for number in range(20_000))
    folder.goal("a", f"todos:\n{rows}")
    async with folder.source() as source:
        await source.read(
            SourceQuery(View.TODOS), deadline=clock.now() + timedelta(milliseconds=20)
        )
        started = os.times().elapsed
    assert os.times().elapsed - started < 2
