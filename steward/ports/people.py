"""How evidence names people: labels, never permissions. Contract A1."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from steward.model.ids import AppId, OpenId


class People(Protocol):
    """Names from the configuration, and those that the owner approved."""

    async def sync(self, app: AppId, configured: Mapping[OpenId, tuple[str, ...]]) -> None:
        """Make the rows of origin config equal to these."""
        ...

    async def names(self, app: AppId, person: OpenId) -> tuple[str, ...]:
        """Approved and configured names, configured ones first; empty: evidence does not know this person."""
        ...

    async def called(self, app: AppId, names: Sequence[str]) -> Sequence[OpenId]:
        """Everybody who is known by one of these names, approved or configured, in whatever case it is written."""
        ...
