"""One call of an endpoint: it ends by itself, at its time, or because it is told to. Contracts P9, T4.

Above: turns. However a call ends, nothing of it goes on behind our back: what did not end by itself is interrupted,
and its thread, which may be a process of a host, is closed.
"""

import asyncio
import logging
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from steward.model.profile import Readback
from steward.model.reading import Scan, ScanQuery, ToolCall, ToolResult
from steward.model.turn import (
    Candidate,
    Kept,
    Rerun,
    Thread,
    TurnCode,
    TurnFailure,
    TurnInput,
)
from steward.policy.turn_codes import ENDINGS
from steward.ports.endpoint import Endpoint, Reader

logger = logging.getLogger(__name__)

STEPS = 4
"""Interrupt, wait, cancel, close: together they take no longer than the grace, so that a stop is not held up (D7)."""

LONGEST_IDLE = timedelta(seconds=45)
"""How long an endpoint may go without reading anything or handing anything over."""


@dataclass(frozen=True, slots=True)
class Over:
    """A call was ended from outside. `failure` None: the question is this turn's no more (withdrawn, or taken over)."""

    failure: TurnFailure | None


class _Lively:
    """A reader that notices when it was last used. While it reads, the endpoint waits for us, and is not idle."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._reads = 0
        self._last = asyncio.get_running_loop().time()

    def quiet(self, now: float) -> float:
        """Seconds without a sign of life from the endpoint."""
        return 0.0 if self._reads else now - self._last

    async def call(self, call: ToolCall) -> ToolResult:
        with self._busy():
            return await self._reader.call(call)

    async def scan(self, query: ScanQuery) -> Scan:
        with self._busy():
            return await self._reader.scan(query)

    @contextmanager
    def _busy(self) -> Iterator[None]:
        self._reads += 1
        try:
            yield
        finally:
            self._reads -= 1
            self._last = asyncio.get_running_loop().time()


class Call:
    """`result` is awaited once; `end` may come at any time, from any task, and the first one counts.

    `kept`: what a review may speak of; without it the question is answered (V3).
    """

    def __init__(
        self,
        endpoint: Endpoint,
        thread: Thread,
        turn: TurnInput,
        grace: timedelta,
        kept: Kept | None = None,
        idle: timedelta = LONGEST_IDLE,
    ) -> None:
        self._idle = idle
        self._endpoint = endpoint
        self._thread = thread
        self._turn = turn
        self._grace = grace
        self._kept = kept
        self._over: Over | None = None
        self._ending = asyncio.Event()

    def end(self, failure: TurnFailure | None) -> None:
        """Whatever comes of the call is not used any more."""
        if self._over is None:
            self._over = Over(failure)
            self._ending.set()

    async def result(self, reader: Reader, deadline: datetime) -> Candidate | TurnFailure | Over:
        """What the endpoint hands over, or why there is nothing. An endpoint that outstays its time is given up."""
        if self._ending.is_set():
            await self.close()
            return self._over or Over(None)
        limit = deadline - self._turn.now + self._grace
        lively = _Lively(reader)
        call = asyncio.ensure_future(self._begun(lively, deadline))
        ending = asyncio.ensure_future(self._ending.wait())
        try:
            late = await self._waited((call, ending), lively, limit)
            if self._over is None and call.done():
                return _outcome(call)
            return self._over or TurnFailure(late)
        finally:
            ending.cancel()
            if self._over is not None or not call.done():
                await self._put_down(call)

    async def _waited(
        self,
        ends: tuple[asyncio.Future[Any], ...],
        lively: "_Lively",
        limit: timedelta,
    ) -> TurnCode:
        """Until one of `ends`; else which time ran out: the whole, or that without a sign of life."""
        until = asyncio.get_running_loop().time() + limit.total_seconds()
        while True:
            now = asyncio.get_running_loop().time()
            quiet = self._idle.total_seconds() - lively.quiet(now)
            if min(quiet, until - now) <= 0:
                return TurnCode.EXECUTOR_TIMEOUT if until <= now else TurnCode.IDLE_TIMEOUT
            done, _ = await asyncio.wait(
                ends, timeout=min(quiet, until - now), return_when=asyncio.FIRST_COMPLETED
            )
            if done:
                return TurnCode.EXECUTOR_TIMEOUT

    async def _begun(self, reader: Reader, deadline: datetime) -> Candidate | TurnFailure:
        endpoint, thread, turn = self._endpoint, self._thread, self._turn
        if self._kept is None:
            return await endpoint.answer(thread, turn, reader, deadline=deadline)
        return await endpoint.review(thread, turn, self._kept, reader, deadline=deadline)

    async def close(self) -> None:
        """End what the thread still holds; a thread may be closed twice."""
        await closed(self._endpoint, self._thread, self._grace / STEPS)

    async def ran(self) -> tuple[str, ...]:
        """The tools of the host that this call ran to their end, as far as the upstream says; asked once it failed (T3)."""
        if self._endpoint.rerun is Rerun.HARMLESS:
            return ()
        try:
            async with asyncio.timeout(self._grace.total_seconds()):
                observed = await self._endpoint.observe(self._thread, self._turn)
        except Exception:  # the loop's edge: a notice is sent whether or not this can be known
            logger.exception("what a failed call had done cannot be observed")
            return ()
        if isinstance(observed, TurnFailure):
            return ()
        return tuple(call.name for call in observed.calls if call.completed and call.host)

    async def _put_down(self, call: asyncio.Future[Candidate | TurnFailure]) -> None:
        step = self._grace / STEPS
        if not call.done():
            await _in_time(self._endpoint.interrupt(self._thread, self._turn), step)
            await asyncio.wait((call,), timeout=step.total_seconds())
        call.cancel()
        await asyncio.wait((call,), timeout=step.total_seconds())
        if call.done() and not call.cancelled():
            call.exception()  # looked at, so that nobody is told that it never was
        await self.close()


async def closed(endpoint: Endpoint, thread: Thread, grace: timedelta) -> None:
    """Close a thread; that it cannot be closed stops nothing."""
    await _in_time(endpoint.close(thread), grace)


async def retired(endpoint: Endpoint, upstream: str, readback: Readback, grace: timedelta) -> None:
    """Close an earlier thread of a conversation, which is known by its upstream id alone."""
    await closed(endpoint, Thread(upstream, readback), grace)


def _outcome(call: asyncio.Future[Candidate | TurnFailure]) -> Candidate | TurnFailure:
    try:
        outcome = call.result()
    except Exception:  # the loop's edge: an endpoint's fault ends its turn, not the process
        logger.exception("an endpoint failed")
        return TurnFailure(TurnCode.UNCLASSIFIED)
    if isinstance(outcome, TurnFailure) and not ENDINGS[outcome.code].owed:
        return TurnFailure(
            TurnCode.INTERRUPTED
        )  # only its asker ends a question: an endpoint was cut off
    return outcome


async def _in_time(step: Awaitable[None], grace: timedelta) -> None:
    try:
        async with asyncio.timeout(grace.total_seconds()):
            await step
    except Exception:  # the loop's edge: one step of an end never keeps the others from happening
        logger.exception("an endpoint's call could not be ended cleanly")
