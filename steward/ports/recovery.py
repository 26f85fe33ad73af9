"""What only recovery may do, and only under the store's lock (D5)."""

from typing import Protocol


class Leases(Protocol):
    """Claims of processes that are gone."""

    async def break_all(self) -> None:
        """End every lease of inbox rows and conversations; parts found in SENDING become UNKNOWN and due."""
        ...
