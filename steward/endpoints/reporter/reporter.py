"""The deterministic reporter: an endpoint that needs no model, no key and no network. Contracts R14, T5.

Above: the turn. Below: the gate, through `Reader.scan`. It understands the question, reads what its plan names and hands
over a candidate, which is judged as every other. It holds no state between turns, so that a crash may simply run it
again.
"""

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime, tzinfo
from typing import TypeVar

from steward.endpoints.reporter.composing import compose
from steward.endpoints.reporter.plans import PLANS, Plan
from steward.endpoints.reporter.recognition import Recogniser
from steward.endpoints.reporter.times import Sprint
from steward.endpoints.reporter.understanding import Asked, understand
from steward.endpoints.reporter.writing import Frame, Reads
from steward.endpoints.running import Running
from steward.errors import ContractError
from steward.model.profile import Readback, RuntimeProfile
from steward.model.reading import Scan, ScanQuery, View
from steward.model.turn import (
    Candidate,
    Kept,
    Observed,
    Rerun,
    Seat,
    Thread,
    TurnCode,
    TurnFailure,
    TurnInput,
)
from steward.ports.endpoint import Reader
from steward.reading.windows import window_start

MANY_ROWS = 500
"""From here on rows are gone through in a thread: the loop must not stand still for them."""

_T = TypeVar("_T")


class Reporter:
    """Implements ports.endpoint.Endpoint. `zone` is the display zone: days, windows and dates are in it."""

    def __init__(self, zone: tzinfo, sprints: Sequence[Sprint] = ()) -> None:
        self._zone = zone
        self._sprints = tuple(sprints)
        self._recogniser = Recogniser()
        self._running = Running()

    @property
    def name(self) -> str:
        return "reporter"

    @property
    def profiles(self) -> frozenset[str]:
        return frozenset({RuntimeProfile.RESTRICTED.value})

    @property
    def rerun(self) -> Rerun:
        return Rerun.HARMLESS

    @property
    def max_page_chars(self) -> int:
        """R7's bound for in-process readers; scans have no pages."""
        return 24_000

    async def open(
        self, seat: Seat, *, resume: str | None, history: Sequence[str]
    ) -> Thread | TurnFailure:
        """A thread of no upstream: there is nothing to resume, and history is not used."""
        if str(seat.profile.runtime_profile) not in self.profiles:
            return TurnFailure(TurnCode.READBACK_MISMATCH)
        return Thread(upstream=None, readback=Readback(seat.profile, seat.prompt_revision))

    async def answer(
        self, thread: Thread, turn: TurnInput, reader: Reader, *, deadline: datetime
    ) -> Candidate | TurnFailure:
        """What the question asks for, an overview where that is not sure, or the goals to choose from."""
        return await self._running.until(deadline, thread, turn, lambda: self._answer(turn, reader))

    async def _answer(self, turn: TurnInput, reader: Reader) -> Candidate | TurnFailure:
        portfolio = await reader.scan(ScanQuery(View.PORTFOLIO, include_stopped=True))
        asked = await _apart(len(portfolio.rows), lambda: self._understood(turn, portfolio))
        plan = PLANS[asked.intent]
        frame = self._frame(turn, asked, plan)
        scans = {View.PORTFOLIO: portfolio}
        if not asked.alike:
            scans |= await _scanned(reader, plan, asked, frame)
        reads = Reads(scans)
        raw = await _apart(reads.size, lambda: compose(asked, reads, frame, turn.asker_names))
        return Candidate(raw)

    def _understood(self, turn: TurnInput, portfolio: Scan) -> Asked:
        goals = [cited.row for cited in portfolio.rows]
        return understand(
            turn,
            goals,
            self._recogniser,
            zone=self._zone,
            sources=[source.title for source in portfolio.coverage.sources],
            sprints=self._sprints,
        )

    def _frame(self, turn: TurnInput, asked: Asked, plan: Plan) -> Frame:
        """The days that are named, else those of the plan; what reaches beyond today is open at its end."""
        window = asked.window
        since: datetime | None = window_start(plan.days, turn.now, self._zone)
        until = None
        if window is not None and (window.since is None or window.since <= turn.now):
            since = window.since
            until = window.until
        if until is not None and until > turn.now:
            until = None
        return Frame(turn.language, self._zone, turn.now, since, until)

    async def review(
        self, thread: Thread, turn: TurnInput, kept: Kept, reader: Reader, *, deadline: datetime
    ) -> Candidate | TurnFailure:
        """T5: what is harmless runs again instead."""
        raise ContractError("the reporter has no review: its turns simply run again")

    async def observe(self, thread: Thread, turn: TurnInput) -> Observed | TurnFailure:
        """Nothing of a turn outlives its call."""
        return Observed(closed=True, final=None)

    async def interrupt(self, thread: Thread, turn: TurnInput) -> None:
        """End a running turn as INTERRUPTED."""
        self._running.interrupt(thread, turn)

    async def close(self, thread: Thread) -> None:
        """There is nothing to close."""


async def _scanned(reader: Reader, plan: Plan, asked: Asked, frame: Frame) -> dict[View, Scan]:
    """All views of a plan at once."""
    async with asyncio.TaskGroup() as group:
        tasks = {
            view: group.create_task(reader.scan(_query(view, asked, frame))) for view in plan.views
        }
    return {view: task.result() for view, task in tasks.items()}


def _query(view: View, asked: Asked, frame: Frame) -> ScanQuery:
    goal = asked.goals[0] if len(asked.goals) == 1 else None
    match view:
        case View.SOURCES:
            return ScanQuery(view)
        case View.DELIVERIES:
            return ScanQuery(view, goal=goal, since=frame.since, until=frame.until)
        case View.TODOS:
            return ScanQuery(view, goal=goal, include_stopped=len(asked.goals) > 1)
        case _:
            return ScanQuery(view, goal=goal)


async def _apart(rows: int, work: Callable[[], _T]) -> _T:
    """Here where there is little to do, in a thread where the loop would stand still for it."""
    return await asyncio.to_thread(work) if rows > MANY_ROWS else work()
