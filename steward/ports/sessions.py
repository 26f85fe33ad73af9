"""Sessions and visible history, per conversation. Contract S. They are written by the ledger and by effects."""

from collections.abc import Sequence
from typing import Protocol

from steward.model.ids import ConversationId
from steward.model.session import Exchange, Session


class Sessions(Protocol):
    """Reading alone. What is stored reports; nothing decides by it who may do what (S1)."""

    async def of(self, conversation: ConversationId) -> Session | None: ...

    async def all(self) -> Sequence[Session]:
        """Every session, the newest turn first (S4)."""
        ...

    async def history(self, conversation: ConversationId, *, most: int) -> Sequence[Exchange]:
        """The newest exchanges that were wholly answered and begun since `visible_from`, oldest first."""
        ...
