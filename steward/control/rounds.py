"""Reads every source soon after the start and every few minutes from then on, so that questions find them read.

Above: bot/app.py, which supervises `run`. Below: the collector. What comes of it is for nobody's eyes: files are parsed,
hosts have answered, and what each source gave is kept for when it gives nothing (R13). A source that was taken away is
noticed here too, and nothing of it is kept (lastgood).
"""

import logging
from datetime import timedelta

from steward.control.collect import READ_TIMEOUT, Collector
from steward.control.registry import Sources
from steward.model.ids import SourceId
from steward.model.reading import ReadCode, ReadFailure, ScanQuery, View
from steward.ports.world import Clock
from steward.reading.attempts import Attempt, kept_failure

logger = logging.getLogger(__name__)

EVERY = timedelta(minutes=5)

_ALL_GOALS = ScanQuery(View.PORTFOLIO, include_stopped=True)


class Rounds:
    """One round after the other; `every` is the pause between two."""

    def __init__(self, sources: Sources, clock: Clock, every: timedelta = EVERY) -> None:
        self._sources = sources
        self._clock = clock
        self._every = every
        self._states: dict[SourceId, ReadCode | None] = {}

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            await self.once()
            await self._clock.sleep(self._every.total_seconds())

    async def once(self) -> None:
        """Read the goals of every source, all at once."""
        deadline = self._clock.now() + READ_TIMEOUT
        collector = Collector(self._clock, deadline, self._sources.last_good)
        for attempt in await collector.read(list(self._sources), _ALL_GOALS):
            self._note(attempt)

    def _note(self, attempt: Attempt) -> None:
        """For the operator's log: a source that stopped or began to answer, once each time."""
        failure = _failure(attempt)
        state = None if failure is None else failure.code
        if state == self._states.get(attempt.source):
            return
        self._states[attempt.source] = state
        if state is None:
            logger.info("source %s can be read again", attempt.source)
        else:
            logger.info("source %s cannot be read: %s", attempt.source, state.value)


def _failure(attempt: Attempt) -> ReadFailure | None:
    """Why nothing came of this read, whatever an earlier one gave."""
    outcome = attempt.outcome
    return outcome if isinstance(outcome, ReadFailure) else kept_failure(outcome)
