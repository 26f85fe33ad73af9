"""Turns that are running in this process: each ends at its deadline, or when it is interrupted, as a value.

Used by endpoints that answer in-process. Cancellation from above passes through as what it is.
"""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime

from steward.model.turn import Candidate, Thread, TurnCode, TurnFailure, TurnInput


class _Run:
    """One turn under way."""

    def __init__(self, thread: Thread, turn: TurnInput, limit: asyncio.Timeout) -> None:
        self.thread = thread
        self.turn = turn
        self.limit = limit
        self.interrupted = False


class Running:
    """The turns under way. One per endpoint."""

    def __init__(self) -> None:
        self._runs: set[_Run] = set()

    async def until(
        self,
        deadline: datetime,
        thread: Thread,
        turn: TurnInput,
        work: Callable[[], Awaitable[Candidate | TurnFailure]],
    ) -> Candidate | TurnFailure:
        """The result of `work`, or why there is none. The time allowed is counted from `turn.now`."""
        seconds = max((deadline - turn.now).total_seconds(), 0.0)
        run = _Run(thread, turn, asyncio.timeout(seconds))
        self._runs.add(run)
        try:
            async with run.limit:
                await asyncio.sleep(0)  # a deadline that is past ends the turn before it begins
                return await work()
        except TimeoutError:
            if not run.limit.expired():
                raise  # not ours: something inside ran out of its own time
            return TurnFailure(
                TurnCode.INTERRUPTED if run.interrupted else TurnCode.EXECUTOR_TIMEOUT
            )
        finally:
            self._runs.discard(run)

    def interrupt(self, thread: Thread, turn: TurnInput) -> None:
        """End a turn now. One that is over, or was never begun, is left alone."""
        for run in self._runs:
            if (run.thread, run.turn) == (thread, turn) and not run.limit.expired():
                run.interrupted = True
                run.limit.reschedule(0)
