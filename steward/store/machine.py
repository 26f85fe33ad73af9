"""The machine document of ports/machine.py: one row of bytes, and every change of it with its receipt. Contract P8."""

from steward.model.machine import Receipt
from steward.store.engine import Database


class SqlMachine:
    """Implements ports.machine.Machine."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def document(self) -> bytes | None:
        raise NotImplementedError

    async def receipt(self, plan_revision: str) -> Receipt | None:
        raise NotImplementedError

    async def last_transaction(self) -> str | None:
        raise NotImplementedError
