"""One source's answer to one query, narrowed to what the audience may see. What coverage and pages count over.

Nothing of a goal outside the scope survives `narrowed`: no row, no name, no failure that mentions it.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from steward.model.audience import Scope
from steward.model.ids import GoalId, SourceId
from steward.model.reading import UNDATED, ReadFailure, Snapshot, SourceCode


@dataclass(frozen=True, slots=True)
class Attempt:
    """What came of reading a source. `max_age`: how old its content may be and still be fresh (R10)."""

    source: SourceId
    outcome: Snapshot | ReadFailure
    max_age: timedelta


def narrowed(
    attempt: Attempt, scope: Scope, goal: GoalId | None, since: datetime | None
) -> Attempt:
    """The attempt within the scope and the asked goal; what the snapshot only implies becomes a gap."""
    snapshot = attempt.outcome
    if isinstance(snapshot, ReadFailure):
        return attempt
    allowed: dict[GoalId, bool] = {}

    def visible(candidate: GoalId) -> bool:
        if candidate not in allowed:
            allowed[candidate] = goal in {None, candidate} and scope.allows(
                attempt.source, candidate
            )
        return allowed[candidate]

    gaps = [
        replace(gap, part=True) for gap in snapshot.gaps if gap.goal is None or visible(gap.goal)
    ]
    return replace(
        attempt,
        outcome=replace(
            snapshot,
            rows=[row for row in snapshot.rows if visible(row.goal)],
            goals={name: row for name, row in snapshot.goals.items() if visible(name)},
            gaps=(*gaps, *_implied(attempt.source, snapshot, since)),
        ),
    )


def _implied(source: SourceId, snapshot: Snapshot, since: datetime | None) -> list[ReadFailure]:
    reach = snapshot.reaches_back_to
    short = since is not None and reach is not None and since < reach
    unexplained = not snapshot.complete and not snapshot.gaps
    return [ReadFailure(SourceCode.TRUNCATED, source, part=True)] if short or unexplained else []


def as_of(snapshot: Snapshot, goal: GoalId) -> datetime | None:
    """The time of one goal's content; None where nobody knows it."""
    return dated(snapshot.goal_as_of.get(goal, snapshot.as_of))


def dated(at: datetime) -> datetime | None:
    """A time as it may be shown."""
    return None if at == UNDATED else at


def is_stale(attempt: Attempt, goal: GoalId, now: datetime) -> bool:
    """Whether what was read of this goal is older than the source's `max_age` (R10), or from an earlier read."""
    snapshot = attempt.outcome
    if isinstance(snapshot, ReadFailure):
        return False
    at = as_of(snapshot, goal)
    return kept_failure(snapshot) is not None or at is None or now - at > attempt.max_age


def kept_failure(snapshot: Snapshot) -> ReadFailure | None:
    """Why the present read failed, where this is what an earlier one gave."""
    return next((gap for gap in snapshot.gaps if gap.kept), None)
