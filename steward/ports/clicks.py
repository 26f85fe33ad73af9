"""Card clicks that were recorded: each takes effect at most once."""

from typing import Protocol

from steward.model.events import Click, Envelope, Recorded


class Clicks(Protocol):
    """One method = one transaction, on the path that answers within 2.5 seconds."""

    async def record(self, envelope: Envelope, click: Click) -> Recorded:
        """Keep a click, once per (card, action, operator), with the verdict that nothing follows from it.

        `duplicate`: this event came before, or this operator pressed this button before, also under another
        event id. A click without a card, a nonce or an operator can do nothing, and is unique by its event id
        alone. Raises StoreUnavailableError where nothing was recorded.
        """
        ...
