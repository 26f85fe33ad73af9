"""Stored grants: sources × goals per audience, denied by default (A2)."""

from collections.abc import Sequence
from typing import Protocol

from steward.model.audience import Grant
from steward.model.command import GrantChange, GrantPlan


class Grants(Protocol):
    """A corrupt record is a grant of nothing: it opens no source, nor does its being lost (A2)."""

    async def sync(self, grants: Sequence[Grant]) -> None:
        """Make the rows of origin config equal to these, in one transaction; what left is revoked."""
        ...

    async def of(self, audience: str) -> Sequence[Grant]:
        """The grants of exactly this audience key, by name."""
        ...

    async def all(self) -> Sequence[Grant]:
        """Every grant in force, by audience and name."""
        ...

    async def plan(self, change: GrantChange) -> GrantPlan:
        """What a change would do to what is stored now (`policy.grants`). Nothing is written."""
        ...
