"""Tells the owner what did not arrive, and from when to when nothing could be sent. Contract W3.

Above: bot.app, which supervises `run`. Below: the outbox and the courier's holding. Several losses make one message, at
most one each ten minutes; the loss of such a message is told to nobody. Beside that it keeps the outbox's gauges.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta, tzinfo

from steward.control.authorities import Authorities
from steward.control.holding import Holding
from steward.control.parts import Subject, parts_of
from steward.control.to_owner import private_language, private_place
from steward.errors import StoreUnavailableError
from steward.model.answer import Outgoing
from steward.model.delivery import LostMessage, NewPart, OutboxDepth
from steward.model.owner import OwnerRecord
from steward.policy.breaker import Silence
from steward.policy.undelivered import EVERY, LISTED, silent, undelivered
from steward.ports.chats import Chats
from steward.ports.conversations import Wake
from steward.ports.ledger import Ledger
from steward.ports.outbox import Outbox
from steward.ports.sender import Sender
from steward.ports.world import Clock

logger = logging.getLogger(__name__)

LOOKS = timedelta(seconds=15)


@dataclass(slots=True)
class Undelivered:
    """`depth` is as of the last look."""

    authorities: Authorities
    outbox: Outbox
    chats: Chats
    ledger: Ledger
    sender: Sender
    holding: Holding
    deliveries: Wake
    clock: Clock
    zone: tzinfo
    depth: OutboxDepth = field(default_factory=lambda: OutboxDepth({}, None))

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            try:
                await self.look()
            except StoreUnavailableError:
                logger.warning("undelivered: the store is unavailable")
            await self.clock.sleep(LOOKS.total_seconds())

    async def look(self) -> None:
        """Count, and tell what is to be told. Raises StoreUnavailableError."""
        app = self.authorities.app
        self.depth = await self.outbox.depth(app)
        if self.holding.reason is not None:
            return  # nothing could be told now; what is lost stays on record
        while self.holding.silences:
            await self._tell_silence(self.holding.silences[0])
            self.holding.silences.pop(0)
        found = await self.outbox.lost(app, most=LISTED)
        waited = found.told_at is None or self.clock.now() - found.told_at >= EVERY
        if found.messages and waited:
            await self._tell_lost(found.messages)

    async def _tell_silence(self, was: Silence) -> None:
        owner = await self.authorities.owner()
        if owner is None:
            logger.warning("undelivered: nobody is to be told of a time without sending")
            return
        outgoing = silent(was, await private_language(self.ledger, owner), self.zone)
        slot = int(was.start.timestamp() // EVERY.total_seconds())
        await self._write(self._parts(owner, outgoing, f"owner:silence:{slot}"))

    async def _tell_lost(self, messages: Sequence[LostMessage]) -> None:
        owner = await self.authorities.owner()
        if owner is None:
            logger.warning("undelivered: %d messages, and there is no owner", len(messages))
            await self._write((), messages)
            return
        chats = {chat.chat_id: chat for chat in await self.chats.known(self.authorities.app)}
        outgoing = undelivered(
            messages, chats, await private_language(self.ledger, owner), self.zone
        )
        slot = int(self.clock.now().timestamp() // EVERY.total_seconds())
        await self._write(self._parts(owner, outgoing, f"owner:lost:{slot}"), messages)

    async def _write(self, parts: Sequence[NewPart], lost: Sequence[LostMessage] = ()) -> None:
        await self.outbox.tell(parts, lost)
        self.deliveries.wake(None)

    def _parts(self, owner: OwnerRecord, outgoing: Outgoing, key: str) -> list[NewPart]:
        subject = Subject(f"{key}:{owner.id}", 1, private_place(owner))
        return parts_of(self.sender, outgoing, subject)
