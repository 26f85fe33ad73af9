"""What one source remembers between reads, in this process alone: parsed files, and which goals there were.

A fresh process remembers nothing: a file that was cut at the end of a record before it started reads as a
shorter file. Only what shrinks or vanishes while we watch can be told from what never was (R10).
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from steward.model.ids import GoalId
from steward.model.reading import SourceCode
from steward.sources.folder.files import FileKey
from steward.sources.folder.records import FileFailure, GoalFile


@dataclass(frozen=True, slots=True)
class Parsed:
    """A file as it was last parsed; `digest` is of its bytes."""

    key: FileKey
    digest: bytes
    outcome: GoalFile | FileFailure
    cut: bool = False


@dataclass(slots=True)
class Memory:
    """Owned by the source's worker thread; nothing else reads or writes it."""

    parsed: dict[str, Parsed] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    goal_of: dict[str, GoalId] = field(default_factory=dict)
    goals: set[GoalId] = field(default_factory=set)

    def learn(self, name: str, goal: GoalId) -> None:
        """This file holds this goal."""
        self.goal_of[name] = goal
        self.goals.add(goal)

    def gone(self, accounted: Iterable[GoalId]) -> list[FileFailure]:
        """Goals that were there before and that neither a file nor a failure accounts for."""
        missing = sorted(self.goals.difference(accounted))
        return [FileFailure(SourceCode.NOT_FOUND_OR_NO_ACCESS, goal) for goal in missing]

    def forget_files(self, present: Iterable[str]) -> None:
        """Keep no text of files that are no longer there; their goals stay known."""
        for name in self.parsed.keys() - set(present):
            del self.parsed[name]
