"""The way to a LoopX command line: here, or on another host. All that differs between the kinds `loopx` and `ssh`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from steward.model.reading import SourceCode


@dataclass(frozen=True, slots=True)
class Faults:
    """What to call each fault that shows only in the answer, or in that there is none.

    `silent`: nothing came in time. `unintelligible`: no JSON, or of another shape. `refused`: LoopX said no, or that
    it could not read. `lasting`: codes of the way itself, which the next command would meet too.
    """

    silent: SourceCode
    unintelligible: SourceCode
    refused: SourceCode
    lasting: frozenset[SourceCode]


class Carrier(Protocol):
    """Runs one read command to its end. Parsing is the caller's."""

    @property
    def faults(self) -> Faults: ...

    async def ask(self, arguments: Sequence[str]) -> bytes | SourceCode:
        """What the command wrote, or why there is none."""
        ...
