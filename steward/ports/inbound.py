"""The one door for every transport: webhook, long connection, simulator. Control implements it."""

from typing import Protocol

from steward.model.delivery import ClickReply
from steward.model.events import Envelope, Event, Recorded, Unparsable


class Inbound(Protocol):
    """What a transport calls once an event is verified and decrypted."""

    async def record(self, envelope: Envelope) -> Recorded:
        """Record one event. Returning means durable (D1); raises StoreUnavailableError = no acknowledgement."""
        ...

    async def click(self, envelope: Envelope) -> ClickReply:
        """Record a card click, once per (card, action, operator), and answer it within 2.5 seconds."""
        ...


class Wire(Protocol):
    """Reads an event out of an envelope's bytes. Pure; knows the platform's field names, and nothing else does."""

    def event(self, envelope: Envelope) -> Event | Unparsable: ...
