"""Stored grants: sources × goals per audience, denied by default (A2)."""

from collections.abc import Sequence
from typing import Protocol

from steward.model.audience import Grant


class Grants(Protocol):
    """A corrupt record is no grant."""

    async def sync(self, grants: Sequence[Grant]) -> None:
        """Make the rows of origin config equal to these, in one transaction; what left is revoked."""
        ...

    async def of(self, audience: str) -> Sequence[Grant]:
        """The grants of exactly this audience key, by name."""
        ...
