"""Lists of one LoopX, asked for page by page until they are whole, or until it is known why they are not."""

import math
from datetime import datetime, timedelta

from steward.model.ids import GoalId, SourceId
from steward.model.reading import GateCode, ReadFailure, SourceCode, View
from steward.ports.world import Clock
from steward.sources.loopx import commands, listing
from steward.sources.loopx.asking import Answered, Budget, Desk
from steward.sources.loopx.carrier import Faults
from steward.sources.loopx.listing import Listing, Pages
from steward.sources.loopx.proof import Proof
from steward.sources.loopx.wire import NO_SUCH_GOAL, PageWire, RefusalWire

MOST_PAGES = 40
"""Of one list: 480 records. What is beyond counts as cut."""


class Reader:
    """Reads lists of one source. What it must remember between reads is the desk's and the proof's."""

    def __init__(
        self, source: SourceId, desk: Desk, proof: Proof, faults: Faults, clock: Clock
    ) -> None:
        self._source = source
        self._desk = desk
        self._proof = proof
        self._faults = faults
        self._clock = clock

    async def inventory(self, budget: Budget) -> Listing | ReadFailure:
        """Every goal that LoopX's registry holds, and what it says of each."""
        found = await self._pages(View.PORTFOLIO, None, 1, budget)
        if isinstance(found, ReadFailure):
            return found
        return listing.inventory(found, self._source, self._faults.refused)

    async def list_of(
        self, goal: GoalId, view: View, since: datetime | None, budget: Budget
    ) -> Listing | ReadFailure:
        """One goal's todos or deliveries; a failure names the goal and the view."""
        days = _days(since, self._clock.now())
        found = await self._pages(view, goal, days, budget)
        if isinstance(found, ReadFailure):
            return found
        if view is View.TODOS:
            return listing.todos(found, self._source, goal, self._faults.refused)
        unproven = await self._proof.of(goal, found, budget)
        return listing.deliveries(found, self._source, goal, unproven)

    async def _pages(
        self, view: View, goal: GoalId | None, days: int, budget: Budget
    ) -> Pages | ReadFailure:
        """All pages of one list, as of one state: where it changes under our hands we begin again, once."""
        for afresh in (False, True):
            found = await self._walk(view, goal, days, budget, afresh=afresh)
            if found is not None:
                return found
        return self._failed(SourceCode.TRUNCATED, view, goal)

    async def _walk(
        self, view: View, goal: GoalId | None, days: int, budget: Budget, *, afresh: bool
    ) -> Pages | ReadFailure | None:
        """From the first page to the last; None: two of them were of different states."""
        got: list[Answered[PageWire]] = []
        offset: int | None = 0
        cut: SourceCode | None = None
        while offset is not None and cut is None:
            asked = commands.page(view, offset, goal=goal, days=days)
            answer = await self._desk.ask(asked, PageWire, budget, afresh=afresh)
            if not isinstance(answer, Answered):
                cut = self._code(answer)
                continue
            page = answer.answer
            if listing.is_foreign(page, view, goal):
                return ReadFailure(GateCode.REMOTE_SCOPE_MISMATCH, self._source)
            if got and _state(page) != _state(got[0].answer):
                return None
            got.append(answer)
            following = page.next_offset
            if page.offset != offset or (following is not None and following <= offset):
                cut = self._faults.unintelligible
            elif following is not None and len(got) == MOST_PAGES:
                cut = SourceCode.TRUNCATED
            offset = following
        if not got:
            return self._failed(cut or SourceCode.TRUNCATED, view, goal)
        return Pages([one.answer for one in got], min(one.at for one in got), cut)

    def _code(self, answer: RefusalWire | SourceCode) -> SourceCode:
        if isinstance(answer, SourceCode):
            return answer
        gone = answer.error == NO_SUCH_GOAL
        return SourceCode.NOT_FOUND_OR_NO_ACCESS if gone else self._faults.refused

    def _failed(self, code: SourceCode, view: View, goal: GoalId | None) -> ReadFailure:
        return ReadFailure(code, self._source, goal, view=None if goal is None else view)


def _days(since: datetime | None, now: datetime) -> int:
    """How many days back LoopX must look to see all that is asked for, as far as it can."""
    if since is None:
        return commands.MOST_DAYS
    return min(max(math.ceil((now - since) / timedelta(days=1)), 1), commands.MOST_DAYS)


def _state(page: PageWire) -> tuple[int | None, str | None]:
    """What all pages of one list have in common while it does not change."""
    return page.matched, page.source.source_revision
