"""The audit log: most rows are written with what they tell (`ports.effects`, the inbox, the ledger, the outbox)."""

from collections.abc import Sequence
from typing import Protocol

from steward.model.audit import AuditAct, AuditEntry, AuditRow


class Audit(Protocol):
    """Append and read."""

    async def note(self, row: AuditRow) -> None:
        """A row on its own: for acts that write nothing else."""
        ...

    async def recent(
        self, *, most: int, before: int | None = None, acts: Sequence[AuditAct] = ()
    ) -> Sequence[AuditEntry]:
        """Newest first, from below the id `before`; of these acts, or of all."""
        ...
