"""Endpoints: what forms an answer, and the reader through which it sees evidence."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

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


class Reader(Protocol):
    """The gate, as an endpoint holds it for one turn. Scope was decided before; nothing here widens it."""

    async def call(self, call: ToolCall) -> ToolResult:
        """One call of the read tool: a page or a refusal as JSON text, never an exception (R5)."""
        ...

    async def scan(self, query: ScanQuery) -> Scan:
        """Every row of one view that the audience may read, stored as one reading (R14)."""
        ...


class Endpoint(Protocol):
    """`profiles` names the runtime profiles it can enforce (P2); `rerun` whether a crash may run again (T5)."""

    @property
    def name(self) -> str: ...

    @property
    def profiles(self) -> frozenset[str]: ...

    @property
    def rerun(self) -> Rerun: ...

    @property
    def max_page_chars(self) -> int: ...

    async def open(
        self, seat: Seat, *, resume: str | None, history: Sequence[str]
    ) -> Thread | TurnFailure: ...

    async def answer(
        self, thread: Thread, turn: TurnInput, reader: Reader, *, deadline: datetime
    ) -> Candidate | TurnFailure: ...

    async def review(
        self, thread: Thread, turn: TurnInput, kept: Kept, reader: Reader, *, deadline: datetime
    ) -> Candidate | TurnFailure: ...

    async def observe(self, thread: Thread, turn: TurnInput) -> Observed | TurnFailure: ...

    async def interrupt(self, thread: Thread, turn: TurnInput) -> None: ...

    async def close(self, thread: Thread) -> None: ...
