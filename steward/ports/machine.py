"""The machine document: where the runtime profile is stored, and nowhere else (P1)."""

from typing import Protocol

from steward.model.machine import Receipt


class Machine(Protocol):
    """Reading alone: a change is an effect (`ports.effects`), so that it commits with its audit row (P8)."""

    async def document(self) -> bytes | None:
        """The stored bytes, valid or not; None: nothing is stored.

        Raises StoreUnavailableError: that is neither absent nor corrupt (P3).
        """
        ...

    async def receipt(self, plan_revision: str) -> Receipt | None:
        """What the apply of this plan did, if it was applied."""
        ...

    async def last_transaction(self) -> str | None:
        """The receipt's revision of the last change; None: there was none yet. A plan stands after this one alone (P8)."""
        ...
