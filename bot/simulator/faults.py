"""Faults on demand: what a call of one operation, or of any, meets instead of an answer.

A test or a demo adds them here; server.py takes them as calls come. Slowness adds up with what follows it;
of the faults that end a call each call meets one, in the order in which they were added.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from bot.simulator.refusals import Refusal


class Op(StrEnum):
    """The operations of the platform that an app may call."""

    TOKEN = "token"  # noqa: S105 -- the name of an operation
    BOT = "bot"
    CREATE = "create"
    REPLY = "reply"
    GET = "get"
    LIST = "list"
    RECALL = "recall"
    PATCH = "patch"
    EDIT = "edit"
    REACT = "react"
    UNREACT = "unreact"
    CHAT = "chat"
    MEMBERS = "members"
    TENANT = "tenant"
    APPLICATION = "application"


@dataclass(frozen=True, slots=True)
class Page:
    """A gateway's HTML page in place of JSON; nothing was done."""

    status: int = 502


@dataclass(frozen=True, slots=True)
class Drop:
    """The connection is cut before anything was done."""


@dataclass(frozen=True, slots=True)
class LoseReply:
    """It was done, and the connection is cut before the answer."""


@dataclass(frozen=True, slots=True)
class Slow:
    """Seconds on the platform's clock before the call is looked at."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Answer:
    """This refusal, whatever was asked; nothing was done."""

    refusal: Refusal


Fault: TypeAlias = Page | Drop | LoseReply | Slow | Answer


@dataclass(slots=True)
class _Switch:
    op: Op | None
    fault: Fault
    left: int | None


class Faults:
    """The switches that are on."""

    def __init__(self) -> None:
        self._switches: list[_Switch] = []

    def add(self, op: Op | None, fault: Fault, *, times: int | None = 1) -> None:
        """For the next `times` calls of `op` (None: of any operation); `times` None: until cleared."""
        self._switches.append(_Switch(op, fault, times))

    def refuse(
        self,
        op: Op | None,
        code: int,
        msg: str = "simulated",
        *,
        status: int = 400,
        times: int | None = 1,
    ) -> None:
        """`add` an `Answer` of this code; for a frequency limit add `Answer(refusals.rate_limited())`."""
        self.add(op, Answer(Refusal(code, msg, status=status)), times=times)

    def clear(self, op: Op | None = None) -> None:
        """Switch off what was added for `op`; None: everything."""
        self._switches = [
            switch for switch in self._switches if op is not None and switch.op is not op
        ]

    def take(self, op: Op) -> tuple[float, Fault | None]:
        """What this call meets: seconds of waiting, then the fault that ends it, if any."""
        seconds, ending = 0.0, None
        for switch in self._switches:
            if switch.op not in {None, op}:
                continue
            if isinstance(switch.fault, Slow):
                seconds += switch.fault.seconds
            elif ending is None:
                ending = switch.fault
            else:
                continue
            if switch.left is not None:
                switch.left -= 1
        self._switches = [switch for switch in self._switches if switch.left != 0]
        return seconds, ending
