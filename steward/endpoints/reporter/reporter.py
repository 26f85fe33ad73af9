"""The deterministic reporter: an endpoint that needs no model, no key and no network. Contracts R14, T5.

Above: the turn. Below: the gate, through `Reader.scan`. It resolves the goal that a question names, reads four views
and hands over a candidate, which is judged as every other. It holds no state between turns, so that a crash may
simply run it again.
"""

import asyncio
from collections.abc import Sequence
from datetime import datetime, tzinfo

from steward.endpoints.reporter.entities import Ambiguous, Named, Resolution, resolve
from steward.endpoints.reporter.overview import DAYS_BACK, Frame, Reads, overview, which_goal
from steward.endpoints.running import Running
from steward.errors import ContractError
from steward.model.ids import GoalId
from steward.model.profile import Readback, RuntimeProfile
from steward.model.reading import Cited, Scan, ScanQuery, View
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

MANY_ROWS = 2_000
"""From here on rows are sorted in a thread: the loop must not stand still for them."""


class Reporter:
    """Implements ports.endpoint.Endpoint. `zone` is the display zone: days, windows and dates are in it."""

    def __init__(self, zone: tzinfo) -> None:
        self._zone = zone
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
        if seat.profile.runtime_profile.value not in self.profiles:
            return TurnFailure(TurnCode.READBACK_MISMATCH)
        return Thread(upstream=None, readback=Readback(seat.profile, seat.prompt_revision))

    async def answer(
        self, thread: Thread, turn: TurnInput, reader: Reader, *, deadline: datetime
    ) -> Candidate | TurnFailure:
        """An overview of the goal that is named, of all where none is, or the goals to choose from."""
        return await self._running.until(deadline, thread, turn, lambda: self._answer(turn, reader))

    async def _answer(self, turn: TurnInput, reader: Reader) -> Candidate | TurnFailure:
        portfolio = await reader.scan(ScanQuery(View.PORTFOLIO, include_stopped=True))
        found = await self._resolved(turn.question, portfolio)
        match found:
            case Ambiguous(goals):
                rows = _rows_of(portfolio.rows, goals)
                return Candidate(which_goal(rows, self._frame(turn, None)))
            case Named(goal):
                return await self._overview(turn, reader, portfolio, goal)
            case _:
                return await self._overview(turn, reader, portfolio, None)

    async def _resolved(self, question: str, portfolio: Scan) -> Resolution:
        rows = [cited.row for cited in portfolio.rows]
        if len(rows) > MANY_ROWS:
            return await asyncio.to_thread(resolve, question, rows)
        return resolve(question, rows)

    async def _overview(
        self, turn: TurnInput, reader: Reader, portfolio: Scan, goal: GoalId | None
    ) -> Candidate:
        frame = self._frame(turn, goal)
        reads = Reads(
            portfolio=portfolio,
            todos=await reader.scan(ScanQuery(View.TODOS, goal=goal)),
            deliveries=await reader.scan(ScanQuery(View.DELIVERIES, goal=goal, since=frame.since)),
            handoffs=await reader.scan(ScanQuery(View.HANDOFFS, goal=goal)),
        )
        if reads.rows > MANY_ROWS:
            return Candidate(await asyncio.to_thread(overview, reads, frame))
        return Candidate(overview(reads, frame))

    def _frame(self, turn: TurnInput, goal: GoalId | None) -> Frame:
        return Frame(
            language=turn.language,
            zone=self._zone,
            now=turn.now,
            since=window_start(DAYS_BACK, turn.now, self._zone),
            goal=goal,
        )

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


def _rows_of(rows: Sequence[Cited], goals: Sequence[GoalId]) -> list[Cited]:
    """The portfolio rows of these goals, goal by goal; a goal may have one in each source."""
    return [cited for goal in goals for cited in rows if cited.row.goal == goal]
