"""What a change of grants would do: preview before apply, both by this one function. Contracts A2, P8."""

import hashlib
import json
from collections.abc import Sequence

from steward.model.audience import Grant, GrantOrigin
from steward.model.command import GrantChange, GrantPlan, RevokeGrants, SetGrant


def plan(before: Sequence[Grant], change: GrantChange) -> GrantPlan:
    """The plan over the grants in force of the change's audience.

    The owner's grant stands beside those of the configuration, named after its audience; a later one replaces it.
    A revocation takes every grant of the audience, the configuration's too.
    """
    after = after_change(before, change)
    current, desired = revision(before), revision(after)
    return GrantPlan(
        change=change,
        before=tuple(before),
        after=after,
        current_revision=current,
        plan_revision=_digest([current, desired, change.audience]),
        writes_required=current != desired,
    )


def after_change(before: Sequence[Grant], change: GrantChange) -> tuple[Grant, ...]:
    """The grants of the audience once the change is applied."""
    match change:
        case RevokeGrants():
            return ()
        case SetGrant():
            kept = [grant for grant in before if grant.origin is not GrantOrigin.OWNER]
            own = Grant(
                change.audience, change.audience, change.sources, change.goals, GrantOrigin.OWNER
            )
            return (*kept, own)


def revision(grants: Sequence[Grant]) -> str:
    """Changes with every grant of the audience; the order does not matter."""
    return _digest(sorted(_plain(grant) for grant in grants))


def _plain(grant: Grant) -> list[object]:
    goals = ["*"] if grant.goals is None else ["goals", *sorted(grant.goals)]
    return [grant.origin.value, grant.name, grant.audience, sorted(grant.sources), goals]


def _digest(document: object) -> str:
    text = json.dumps(document, ensure_ascii=True, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()
