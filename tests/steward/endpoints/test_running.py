"""Turns of in-process endpoints: each ends once, as a value, whatever its work does."""

import asyncio
from datetime import timedelta

from steward.endpoints.running import Running
from steward.model.profile import RESTRICTED_DEFAULT, Readback
from steward.model.turn import (
    Candidate,
    Language,
    Thread,
    TurnCode,
    TurnFailure,
    TurnInput,
)
from steward.testing.world import EPOCH

THREAD = Thread(None, Readback(RESTRICTED_DEFAULT, "restricted-1"))
TURN = TurnInput("q", Language.EN, "Asia/Shanghai", EPOCH)
DONE = Candidate(b"{}")


async def test_work_that_never_waits_does_not_begin_after_its_deadline() -> None:
    begun = []

    async def work() -> Candidate:
        begun.append(True)
        return DONE

    outcome = await Running().until(EPOCH - timedelta(seconds=1), THREAD, TURN, work)

    assert outcome == TurnFailure(TurnCode.EXECUTOR_TIMEOUT)
    assert begun == []


async def test_an_interrupt_while_the_first_one_is_cleaned_up_after_changes_nothing() -> None:
    running, cleaning, finish = Running(), asyncio.Event(), asyncio.Event()

    async def work() -> Candidate:
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            cleaning.set()
            await finish.wait()
        return DONE

    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        outcome = group.create_task(running.until(EPOCH + timedelta(seconds=5), THREAD, TURN, work))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        running.interrupt(THREAD, TURN)
        await cleaning.wait()
        running.interrupt(THREAD, TURN)
        finish.set()

    assert outcome.result() == TurnFailure(TurnCode.INTERRUPTED)
