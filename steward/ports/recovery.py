"""What recovery may take from processes that are gone. Contract D5."""

from typing import Protocol


class Leases(Protocol):
    """Claims of processes that are gone, on inbox rows, conversations and parts.

    Ended, they are anybody's at once; parts found in SENDING become UNKNOWN and due (D4). What a live process holds
    stays its own until it runs out.
    """

    async def break_all(self) -> None:
        """Once at a start, on SQLite under the store's lock: end every one of them."""
        ...

    async def break_gone(self) -> None:
        """Again and again while serving: end those of processes that were gone at the last look already.

        A process that lost its session and lives has that long to come back. Nothing on SQLite, where nobody else is.
        """
        ...
