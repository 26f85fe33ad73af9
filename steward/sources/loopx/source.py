"""A LoopX, here or on another host, as a Source: its inventory of goals, and the lists of those that are asked for."""

import asyncio
import hashlib
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from steward.model.ids import GoalId, SourceId
from steward.model.reading import (
    GateCode,
    Health,
    ReadFailure,
    Row,
    RowStatus,
    Snapshot,
    SourceCode,
    SourceQuery,
    View,
)
from steward.ports.world import Clock
from steward.reading.windows import within
from steward.sources.loopx.asking import Budget, Desk, Pace
from steward.sources.loopx.carrier import Carrier
from steward.sources.loopx.listing import Listing, unlisted
from steward.sources.loopx.proof import Proof
from steward.sources.loopx.reading import Reader

VIEWS = frozenset({View.PORTFOLIO, View.TODOS, View.DELIVERIES})
"""Handoffs are LoopX's own affair: its command line does not show them."""

MARGIN = timedelta(seconds=1)
"""Kept back of the caller's time, to hand over what was got before the caller gives up."""

_OF_A_GOAL = frozenset({SourceCode.NOT_FOUND_OR_NO_ACCESS, SourceCode.TRUNCATED})
"""Faults of one list that say nothing about the way to it."""

PROBE_TIMEOUT = timedelta(seconds=9)


class LoopxSource:
    """One configured LoopX. Goals that were listed before stay known: one that is gone is told (R10)."""

    def __init__(self, source: SourceId, carrier: Carrier, clock: Clock, pace: Pace) -> None:
        self._id = source
        self._clock = clock
        desk = Desk(carrier, clock, pace)
        proof = Proof(source, desk, carrier.faults)
        self._reader = Reader(source, desk, proof, carrier.faults, clock)
        self._known: set[GoalId] = set()

    @property
    def id(self) -> SourceId:
        return self._id

    @property
    def views(self) -> frozenset[View]:
        return VIEWS

    async def probe(self) -> Health | ReadFailure:
        """Whether LoopX lists a goal now."""
        found = await self._inventory(_budget(PROBE_TIMEOUT))
        if isinstance(found, ReadFailure):
            return found
        if not found.rows:
            return found.gaps[0]
        return Health(found.as_of, len(found.rows))

    async def read(self, query: SourceQuery, *, deadline: datetime) -> Snapshot | ReadFailure:
        """The inventory, and the lists of the goals that are asked for; one that failed is a gap beside the rest."""
        remaining = deadline - self._clock.now()
        if remaining <= timedelta():
            return ReadFailure(SourceCode.TIMEOUT, self._id)
        budget = _budget(max(remaining - MARGIN, remaining / 2))
        inventory = await self._inventory(budget)
        if isinstance(inventory, ReadFailure):
            return inventory
        asked = [row for row in inventory.rows if query.goal in {None, row.goal}]
        if query.view is View.PORTFOLIO:
            return self._snapshot(query, inventory, asked, {})
        lists = await self._lists(asked, query, budget)
        if (failure := self._of_all(lists)) is not None:
            return failure
        got = {
            goal: unlisted(found, inventory.as_of) if isinstance(found, ReadFailure) else found
            for goal, found in lists.items()
        }
        return self._snapshot(query, inventory, asked, got)

    async def aclose(self) -> None:
        """Nothing is held open: a command that runs belongs to the read that waits for it."""

    async def _inventory(self, budget: Budget) -> Listing | ReadFailure:
        found = await self._reader.inventory(budget)
        if isinstance(found, Listing):
            self._known.update(row.goal for row in found.rows)
        return found

    async def _lists(
        self, asked: Iterable[Row], query: SourceQuery, budget: Budget
    ) -> Mapping[GoalId, Listing | ReadFailure]:
        """Every list at once, as far as the desk lets them; goals that are going on come first."""
        ordered = sorted(asked, key=lambda row: row.status is not RowStatus.ACTIVE)
        async with asyncio.TaskGroup() as group:
            tasks = {
                row.goal: group.create_task(
                    self._reader.list_of(row.goal, query.view, query.since, budget)
                )
                for row in ordered
            }
        return {goal: task.result() for goal, task in tasks.items()}

    def _of_all(self, lists: Mapping[GoalId, Listing | ReadFailure]) -> ReadFailure | None:
        """A failure that is the source's and no goal's: it answered for another, or every list met the same fault."""
        codes = [found.code for found in lists.values() if isinstance(found, ReadFailure)]
        foreign = any(code is GateCode.REMOTE_SCOPE_MISMATCH for code in codes)
        of_goals = any(code in _OF_A_GOAL for code in codes)
        if foreign or (codes and len(codes) == len(lists) and not of_goals):
            code = next((one for one in codes if isinstance(one, GateCode)), codes[0])
            return ReadFailure(code, self._id)
        return None

    def _snapshot(
        self,
        query: SourceQuery,
        inventory: Listing,
        asked: Iterable[Row],
        lists: Mapping[GoalId, Listing],
    ) -> Snapshot:
        portfolio = query.view is View.PORTFOLIO
        rows = list(asked) if portfolio else _rows(lists.values(), query)
        gaps = [
            *self._inventory_gaps(inventory, query),
            *(gap for found in lists.values() for gap in found.gaps),
        ]
        times = dict(inventory.times) if portfolio else {}
        times |= {goal: found.as_of for goal, found in lists.items()}
        reached = [found.reaches_back_to for found in lists.values() if found.reaches_back_to]
        return Snapshot(
            rows=rows,
            goals={row.goal: row for row in inventory.rows},
            as_of=min([inventory.as_of, *times.values()]),
            revision=_revision(inventory, lists.values()),
            complete=not gaps,
            gaps=tuple(gaps),
            reaches_back_to=max(reached, default=None),
            goal_as_of=times,
        )

    def _inventory_gaps(self, inventory: Listing, query: SourceQuery) -> Iterable[ReadFailure]:
        """What of the inventory concerns this query: its own gaps, a goal's condition, and goals that are gone."""
        for gap in inventory.gaps:
            if gap.goal is None or (
                query.view is View.PORTFOLIO and query.goal in {None, gap.goal}
            ):
                yield gap
        for goal in sorted(self._known.difference(row.goal for row in inventory.rows)):
            if query.goal in {None, goal}:
                yield ReadFailure(SourceCode.NOT_FOUND_OR_NO_ACCESS, self._id, goal)


def _rows(lists: Iterable[Listing], query: SourceQuery) -> list[Row]:
    return [
        row
        for found in lists
        for row in found.rows
        if query.view is not View.DELIVERIES
        or (row.at is not None and within(row.at, query.since, query.until))
    ]


def _revision(inventory: Listing, lists: Iterable[Listing]) -> str:
    digests = [inventory.digest, *(found.digest for found in lists)]
    return f"sha256:{hashlib.sha256(' '.join(digests).encode()).hexdigest()}"


def _budget(time: timedelta) -> Budget:
    now = asyncio.get_running_loop().time()
    return Budget(now, now + time.total_seconds())
