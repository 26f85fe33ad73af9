"""An inbound that keeps what it was given, for tests of transports."""

from steward.errors import StoreUnavailableError
from steward.model.delivery import ClickReply, ReplyKind
from steward.model.events import Envelope, Recorded
from steward.model.ids import AppId, InboxId, MessageRef


class RecordingInbound:
    """Implements `ports.inbound.Inbound` in memory, unique as D1 says. `available = False`: the store is away."""

    def __init__(self, reply: ClickReply | None = None) -> None:
        self.recorded: list[Envelope] = []
        self.clicked: list[Envelope] = []
        self.duplicates = 0
        self.available = True
        self._reply = reply or ClickReply("ok", ReplyKind.SUCCESS)
        self._by_event: dict[tuple[AppId, str], InboxId] = {}
        self._by_message: dict[MessageRef, InboxId] = {}

    async def record(self, envelope: Envelope) -> Recorded:
        self._demand_store()
        known = self._known(envelope)
        if known is not None:
            self.duplicates += 1
            return Recorded(known, duplicate=True)
        self.recorded.append(envelope)
        item = InboxId(len(self.recorded))
        self._by_event[envelope.app_id, envelope.event_id] = item
        if envelope.message is not None:
            self._by_message[envelope.message] = item
        return Recorded(item, duplicate=False)

    async def click(self, envelope: Envelope) -> ClickReply:
        self._demand_store()
        self.clicked.append(envelope)
        return self._reply

    def _known(self, envelope: Envelope) -> InboxId | None:
        by_event = self._by_event.get((envelope.app_id, envelope.event_id))
        if by_event is not None or envelope.message is None:
            return by_event
        return self._by_message.get(envelope.message)

    def _demand_store(self) -> None:
        if not self.available:
            raise StoreUnavailableError("the recording inbound was told to be unavailable")
