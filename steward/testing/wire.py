"""A wire whose events are laid down beforehand. Implements ports.inbound.Wire."""

from steward.model.events import Envelope, Event, Unparsable
from steward.model.ids import EventId


class LaidWire:
    """Gives the event that was laid for an envelope's id; raises what was laid as an error."""

    def __init__(self) -> None:
        self._laid: dict[EventId, Event | Unparsable | Exception] = {}

    def lay(self, event_id: EventId, event: Event | Unparsable | Exception) -> None:
        """What the envelope of this id will be read as; laid again, the later one counts."""
        self._laid[event_id] = event

    def event(self, envelope: Envelope) -> Event | Unparsable:
        found = self._laid.get(envelope.event_id, Unparsable("event"))
        if isinstance(found, Exception):
            raise found
        return found
