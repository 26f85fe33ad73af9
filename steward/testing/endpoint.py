"""An endpoint that plays a script for each question. Implements ports.endpoint.Endpoint.

It reads, answers, fails, raises, hangs, completes late, lies or dies as it is told; what it hands over is never
looked at. Deadlines and interrupts end it as they end a real endpoint. A question without a script is a ContractError.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from steward.endpoints.running import Running
from steward.errors import ContractError
from steward.model.profile import Readback, RuntimeProfile
from steward.model.reading import Scan, ScanQuery, ToolCall, ToolResult
from steward.model.turn import (
    Candidate,
    Kept,
    Observed,
    Rerun,
    Seat,
    Thread,
    TurnFailure,
    TurnInput,
)
from steward.ports.endpoint import Reader


@dataclass(slots=True)
class Seen:
    """What a script has read so far, for steps that cite it."""

    scans: list[Scan]
    results: list[ToolResult]


@dataclass(frozen=True, slots=True)
class Scans:
    """Read one view."""

    query: ScanQuery


@dataclass(frozen=True, slots=True)
class Calls:
    """Call the read tool."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class Says:
    """Hand over these bytes, or what is made of the rows read; the last step of a script."""

    raw: bytes | Callable[[Seen], bytes]


@dataclass(frozen=True, slots=True)
class Fails:
    """End as a failure that is a value."""

    failure: TurnFailure


@dataclass(frozen=True, slots=True)
class Raises:
    """Break, as an endpoint with a fault does: the exception leaves `answer`."""

    error: Exception


@dataclass(frozen=True, slots=True)
class Hangs:
    """Wait until the deadline or an interrupt."""


@dataclass(frozen=True, slots=True)
class Waits:
    """Wait until `release` is called for this question."""


@dataclass(frozen=True, slots=True)
class Meanwhile:
    """Let something happen elsewhere, and go on once it has."""

    happens: Callable[[], Awaitable[None]]


Step: TypeAlias = Scans | Calls | Says | Fails | Raises | Hangs | Waits | Meanwhile
Script: TypeAlias = Sequence[Step]


class ScriptedEndpoint:
    """`scripts` by question, `reviews` likewise. `completes` keeps a final result that came after the call was over.

    `opened`, `asked`, `reviewed`, `interrupted`, `closed` and `results` record what control did and what it gave out;
    `running` is what has not ended. `before_opening`, while set, happens at each opening.
    """

    def __init__(
        self,
        scripts: Mapping[str, Script],
        *,
        reviews: Mapping[str, Script] | None = None,
        name: str = "scripted",
        profiles: frozenset[str] = frozenset({RuntimeProfile.RESTRICTED.value}),
        rerun: Rerun = Rerun.NEVER,
        max_page_chars: int = 8_000,
        readback: Readback | None = None,
        refuses: TurnFailure | None = None,
    ) -> None:
        self.opened: list[tuple[Seat, str | None, tuple[str, ...]]] = []
        self.asked: list[TurnInput] = []
        self.reviewed: list[tuple[Thread, TurnInput, Kept]] = []
        self.interrupted: list[Thread] = []
        self.closed: list[Thread] = []
        self.results: list[ToolResult] = []
        self.before_opening: Callable[[], Awaitable[None]] | None = None
        self._scripts = scripts
        self._reviews = {} if reviews is None else reviews
        self._name = name
        self._profiles = profiles
        self._rerun = rerun
        self._max_page_chars = max_page_chars
        self._readback = readback
        self._refuses = refuses
        self._running = Running()
        self._released: dict[str, asyncio.Event] = {}
        self._called: dict[str, asyncio.Event] = {}
        self._finals: dict[str, bytes | None] = {}
        self._observed: dict[str, Observed | TurnFailure] = {}
        self._under_way: set[str] = set()

    @property
    def running(self) -> frozenset[str]:
        """The questions whose turns are under way."""
        return frozenset(self._under_way)

    @property
    def name(self) -> str:
        return self._name

    @property
    def profiles(self) -> frozenset[str]:
        return self._profiles

    @property
    def rerun(self) -> Rerun:
        return self._rerun

    @property
    def max_page_chars(self) -> int:
        return self._max_page_chars

    async def open(
        self, seat: Seat, *, resume: str | None, history: Sequence[str]
    ) -> Thread | TurnFailure:
        """A thread that resumes what it is told to, and reads back the seat, or what the test has it read back."""
        self.opened.append((seat, resume, tuple(history)))
        if self.before_opening is not None:
            await self.before_opening()
        if self._refuses is not None:
            return self._refuses
        upstream = resume or f"{self._name}-{len(self.opened)}"
        return Thread(upstream, self._readback or Readback(seat.profile, seat.prompt_revision))

    async def answer(
        self, thread: Thread, turn: TurnInput, reader: Reader, *, deadline: datetime
    ) -> Candidate | TurnFailure:
        """Play the question's script."""
        self.asked.append(turn)
        self._under_way_event(turn.question).set()
        script = _script(self._scripts, turn)
        return await self._bounded(script, thread, turn, reader, deadline)

    async def review(
        self, thread: Thread, turn: TurnInput, kept: Kept, reader: Reader, *, deadline: datetime
    ) -> Candidate | TurnFailure:
        """Play the question's review script."""
        if self._rerun is Rerun.HARMLESS:
            raise ContractError(f"{self._name} has no review: its turns simply run again")
        self.reviewed.append((thread, turn, kept))
        script = _script(self._reviews, turn)
        return await self._bounded(script, thread, turn, reader, deadline)

    async def _bounded(
        self, script: Script, thread: Thread, turn: TurnInput, reader: Reader, deadline: datetime
    ) -> Candidate | TurnFailure:
        self._under_way.add(turn.question)
        try:
            return await self._running.until(
                deadline, thread, turn, lambda: self._play(script, turn, reader)
            )
        finally:
            self._under_way.discard(turn.question)

    async def _play(
        self, script: Script, turn: TurnInput, reader: Reader
    ) -> Candidate | TurnFailure:
        seen = Seen([], [])
        for step in script:
            match step:
                case Scans(query):
                    seen.scans.append(await reader.scan(query))
                case Calls(call):
                    seen.results.append(await reader.call(call))
                    self.results.append(seen.results[-1])
                case Waits():
                    await self._event(turn.question).wait()
                case Meanwhile(happens):
                    await happens()
                case Hangs():
                    await asyncio.get_running_loop().create_future()
                case Fails(failure):
                    return failure
                case Raises(error):
                    raise error
                case Says(raw):
                    made = raw if isinstance(raw, bytes) else raw(seen)
                    self._finals[turn.question] = made
                    return Candidate(made)
        raise ContractError(f"the script of {turn.question!r} does not end")

    async def until_asked(self, question: str) -> None:
        """Wait until `answer` was called for this question; the caller bounds the wait."""
        await self._under_way_event(question).wait()

    def release(self, question: str) -> None:
        """Let a script that waits go on."""
        self._event(question).set()

    def completes(self, question: str, raw: bytes) -> None:
        """The upstream comes to a final result although nobody waits for it any more (V2)."""
        self._finals[question] = raw

    def shows(self, question: str, observed: Observed | TurnFailure) -> None:
        """What `observe` says of this question's turn from now on, whatever was played."""
        self._observed[question] = observed

    def _event(self, question: str) -> asyncio.Event:
        return self._released.setdefault(question, asyncio.Event())

    def _under_way_event(self, question: str) -> asyncio.Event:
        return self._called.setdefault(question, asyncio.Event())

    async def observe(self, thread: Thread, turn: TurnInput) -> Observed | TurnFailure:
        """Whether the turn is over, and the final result where one came, in time or late; or what `shows` was told."""
        if (told := self._observed.get(turn.question)) is not None:
            return told
        closed = turn.question not in self._under_way
        return Observed(closed=closed, final=self._finals.get(turn.question) if closed else None)

    async def interrupt(self, thread: Thread, turn: TurnInput) -> None:
        """End a running turn as INTERRUPTED."""
        self.interrupted.append(thread)
        self._running.interrupt(thread, turn)

    async def close(self, thread: Thread) -> None:
        """Remember that the thread was closed."""
        self.closed.append(thread)


def _script(scripts: Mapping[str, Script], turn: TurnInput) -> Script:
    script = scripts.get(turn.question)
    if script is None:
        raise ContractError(f"no script for {turn.question!r}")
    return script
