"""Whether the run index behind a goal's deliveries could be read at all, which its page does not say.

LoopX skips lines of the index that it cannot read and reports the rest as read; an index that is gone looks as one
that never was. Its `history` counts lines and runs, so the difference shows; what an index once held is remembered.
"""

from steward.model.ids import GoalId, SourceId
from steward.model.reading import ReadFailure, SourceCode, View
from steward.sources.loopx import commands
from steward.sources.loopx.asking import Answered, Budget, Desk
from steward.sources.loopx.carrier import Faults
from steward.sources.loopx.listing import Pages, is_readable
from steward.sources.loopx.wire import DuplicatesWire, HistoryWire, IndexWire, RefusalWire


class Proof:
    """Remembers, in this process alone, how many records each goal's index has held."""

    def __init__(self, source: SourceId, desk: Desk, faults: Faults) -> None:
        self._source = source
        self._desk = desk
        self._faults = faults
        self._held: dict[GoalId, int] = {}

    async def of(self, goal: GoalId, found: Pages, budget: Budget) -> ReadFailure | None:
        """What keeps the deliveries from being all that were recorded; None: nothing does."""
        held = self._held.get(goal, 0)
        if not is_readable(found):
            return await self._unreadable(goal, held, budget)
        records = found.pages[0].source.coverage.index_records
        if records is None:
            return self._gap(SourceCode.TRUNCATED, goal)
        self._held[goal] = max(held, records)
        if records < held:
            return self._gap(SourceCode.TRUNCATED, goal, held - records)
        if records == 0:
            return self._gap(SourceCode.NOT_CONFIGURED, goal)  # R9: an empty file is no empty list
        if records == found.matched:
            return None  # every line of the index is a delivery that was matched, so every line was read
        return await self._lines(goal, budget)

    async def _lines(self, goal: GoalId, budget: Budget) -> ReadFailure | None:
        index = await self._index(goal, budget)
        if not isinstance(index, IndexWire):
            return self._gap(index, goal)
        lost = index.raw_index_records - index.unique_runs
        if lost > 0:
            repeated = await self._desk.ask(commands.duplicates(goal), DuplicatesWire, budget)
            if isinstance(repeated, Answered):
                lost -= repeated.answer.duplicate_row_count
        if lost <= 0:
            return None
        code = SourceCode.PARSE_FAILED if index.unique_runs else SourceCode.CORRUPT
        return self._gap(code, goal, lost)

    async def _unreadable(self, goal: GoalId, held: int, budget: Budget) -> ReadFailure:
        """LoopX could not read it: not there, no longer there, or there and broken."""
        index = await self._index(goal, budget)
        if not isinstance(index, IndexWire):
            return self._gap(index, goal)
        if index.index_exists:
            return self._gap(SourceCode.CORRUPT, goal)
        gone = SourceCode.NOT_FOUND_OR_NO_ACCESS if held else SourceCode.NOT_CONFIGURED
        return self._gap(gone, goal)

    async def _index(self, goal: GoalId, budget: Budget) -> IndexWire | SourceCode:
        answer = await self._desk.ask(commands.history(goal), HistoryWire, budget)
        match answer:
            case Answered():
                found = [index for index in answer.answer.goals if index.id == goal]
                return found[0] if found else self._faults.unintelligible
            case RefusalWire():
                return self._faults.refused
            case _:
                return answer

    def _gap(self, code: SourceCode, goal: GoalId, count: int = 1) -> ReadFailure:
        return ReadFailure(code, self._source, goal, count, view=View.DELIVERIES)
