"""One question at a time to one LoopX: at most a few at once, the same one never twice, and each answer kept a while.

LoopX takes about a second for a page. What a read that ran out of time has got stays here, so that the next one gets
further; a host that is gone is remembered for some seconds, so that the reads of one turn do not each wait for it.
"""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Generic, TypeVar
from weakref import WeakValueDictionary

from steward.model.reading import SourceCode
from steward.ports.world import Clock
from steward.sources.loopx.carrier import Carrier
from steward.sources.loopx.commands import Arguments
from steward.sources.loopx.wire import RefusalWire, Wire, parsed

FAILURE_KEPT = timedelta(seconds=5)
"""Long enough for the reads of one turn, short enough for whoever repairs it and asks again."""

MOST_KEPT = 2_000
"""Answers of one source; the longest unused go first."""

_Shape = TypeVar("_Shape", bound=Wire)
_Answer = TypeVar("_Answer", bound=Wire, covariant=True)


@dataclass(frozen=True, slots=True)
class Pace:
    """`kept`: how long an answer may be given again. `at_once`: how many commands may run together."""

    kept: timedelta
    at_once: int


@dataclass(frozen=True, slots=True)
class Budget:
    """One read's time, in seconds of the loop's clock."""

    began: float
    until: float


@dataclass(frozen=True, slots=True)
class Answered(Generic[_Answer]):
    """An answer, and when it came by our wall clock."""

    answer: _Answer
    at: datetime


class Desk:
    """Everything that is asked of one source passes here."""

    def __init__(self, carrier: Carrier, clock: Clock, pace: Pace) -> None:
        self._carrier = carrier
        self._clock = clock
        self._pace = pace
        self._slots = asyncio.Semaphore(pace.at_once)
        self._asking: WeakValueDictionary[Arguments, asyncio.Lock] = WeakValueDictionary()
        self._kept: OrderedDict[Arguments, Answered[Wire]] = OrderedDict()
        self._down: tuple[SourceCode, datetime] | None = None
        self._heard = float("-inf")

    async def ask(
        self, arguments: Arguments, shape: type[_Shape], budget: Budget, *, afresh: bool = False
    ) -> Answered[_Shape] | RefusalWire | SourceCode:
        """The answer, LoopX's refusal, or the code of what kept it from us. `afresh`: no kept answer will do."""
        lock = self._asking.setdefault(arguments, asyncio.Lock())
        try:
            async with asyncio.timeout_at(budget.until), lock:
                kept = None if afresh else self._known(arguments, shape)
                return kept or await self._asked(arguments, shape)
        except TimeoutError:
            # Silence is the other side's own only where it has said nothing since this read began.
            silent = self._heard < budget.began
            return self._carrier.faults.silent if silent else SourceCode.TIMEOUT

    async def _asked(
        self, arguments: Arguments, shape: type[_Shape]
    ) -> Answered[_Shape] | RefusalWire | SourceCode:
        async with self._slots:
            if (down := self._still_down()) is not None:
                return down
            raw = await self._carrier.ask(arguments)
        now = self._clock.now()
        if isinstance(raw, SourceCode):
            self._down = (raw, now) if raw in self._carrier.faults.lasting else None
            return raw
        self._heard = asyncio.get_running_loop().time()
        found = parsed(raw, shape)
        if found is None:
            return self._carrier.faults.unintelligible
        if isinstance(found, RefusalWire):
            return found
        answered = Answered(found, now)
        self._keep(arguments, answered)
        return answered

    def _still_down(self) -> SourceCode | None:
        if self._down is None:
            return None
        code, since = self._down
        return code if self._clock.now() - since < FAILURE_KEPT else None

    def _known(self, arguments: Arguments, shape: type[_Shape]) -> Answered[_Shape] | None:
        kept = self._kept.get(arguments)
        if kept is None or self._clock.now() - kept.at >= self._pace.kept:
            return None
        self._kept.move_to_end(arguments)
        return Answered(kept.answer, kept.at) if isinstance(kept.answer, shape) else None

    def _keep(self, arguments: Arguments, answered: Answered[Wire]) -> None:
        self._kept[arguments] = answered
        self._kept.move_to_end(arguments)
        while len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)
