"""What is done by the clock: forgetting, tidying, and what is said without being asked. Contracts D6, W4, A4.

Above: bot.upkeep, which knows when. Below: the store's upkeep, which sees to it that several processes do each thing
once. Every method raises StoreUnavailableError; all of it is as well done later.
"""

import logging
from dataclasses import dataclass
from datetime import datetime, tzinfo

from steward.control.authorities import Authorities
from steward.control.parts import Subject, parts_of
from steward.control.to_owner import private_language, private_place
from steward.model.audience import KnownChat
from steward.model.delivery import NewPart, Place
from steward.model.ids import ChatId, ConversationId
from steward.model.owed import OwedQuestion
from steward.model.owner import OwnerRecord
from steward.model.turn import Written
from steward.model.upkeep import Horizon, JobSlot
from steward.policy import upkeep as policy
from steward.policy.command_answers import Reader
from steward.ports.chats import Chats
from steward.ports.conversations import Wake
from steward.ports.grants import Grants
from steward.ports.ledger import Ledger
from steward.ports.sender import Sender
from steward.ports.upkeep import Upkeep
from steward.ports.world import Clock

logger = logging.getLogger(__name__)

AT_A_TIME = 8
"""Questions, or readings, that one commit forgets at most."""
LONG = 0.025
"""Seconds that one such commit may take: the next one forgets less. Readings may be large, and others wait to write."""
SWEPT_AT_A_TIME = 64
MOST_OWED = 1_000
"""Of which the age is looked at."""


@dataclass(frozen=True, slots=True)
class Keeper:
    """Of one app."""

    upkeep: Upkeep
    ledger: Ledger
    grants: Grants
    chats: Chats
    authorities: Authorities
    sender: Sender
    deliveries: Wake
    clock: Clock
    zone: tzinfo

    async def be_seen(self) -> None:
        """Say that we serve; where nobody did for long, say so in each granted chat first, once (W4)."""
        app, now = self.authorities.app, self.clock.now()
        seen_at = await self.upkeep.seen(app)
        if seen_at is not None and policy.was_away(seen_at, now):
            await self._tell_away(seen_at, now)
        await self.upkeep.note_seen(app)

    async def forget(self) -> None:
        """Let go of what was kept long enough: words first, then whole records. Each hour by one process (D6, D1)."""
        now = self.clock.now()
        if await self.upkeep.claim(JobSlot("forget", f"{now:%Y-%m-%dT%H}")) is Written.REPLAY:
            return
        horizon, forgotten, swept = Horizon.at(now), 0, 0
        most = AT_A_TIME
        started = self.clock.monotonic()
        while done := await self.upkeep.forget(horizon, most=most):
            forgotten += done
            ended = self.clock.monotonic()
            most = max(most // 2, 1) if ended - started > LONG else min(most + 1, AT_A_TIME)
            started = ended
        while done := await self.upkeep.sweep(horizon, most=SWEPT_AT_A_TIME):
            swept += done
        if forgotten or swept:
            logger.info("upkeep: %d rows lost their words, %d are gone", forgotten, swept)

    async def tidy(self) -> None:
        """Cut the store's log back."""
        await self.upkeep.tidy()

    async def remind(self) -> None:
        """Tell the owner in private what has been owed for long: once a day at most, and only where that changed."""
        now = self.clock.now()
        job = policy.reminder(now, self.zone)
        if job is None:
            return
        app = self.authorities.app
        owed = policy.aged(await self.ledger.owed(app, most=MOST_OWED), now)
        detail = policy.fingerprint(owed)
        if not owed or await self.upkeep.last_detail(job.name) == detail:
            return
        owner = await self.authorities.owner()
        if owner is None:
            if await self.upkeep.claim(job, detail) is Written.DONE:
                logger.warning("upkeep: %d questions are owed, and there is no owner", len(owed))
            return
        await self._tell(job, await self._reminder(job, owed, owner, now), detail)

    async def _reminder(
        self, job: JobSlot, owed: list[OwedQuestion], owner: OwnerRecord, now: datetime
    ) -> list[NewPart]:
        app = self.authorities.app
        known: dict[ChatId, KnownChat] = {
            chat.chat_id: chat for chat in await self.chats.known(app)
        }
        reader = Reader(await private_language(self.ledger, owner), now, self.zone)
        subject = Subject(f"owner:{job.name}:{job.slot}:{owner.id}", 1, private_place(owner))
        return parts_of(self.sender, policy.ageing(reader, owed, known), subject)

    async def _tell_away(self, start: datetime, end: datetime) -> None:
        job, parts = policy.outage(start), list[NewPart]()
        app = self.authorities.app
        known = await self.chats.known(app)
        for chat in policy.granted_chats(await self.grants.all(), known):
            language = await self.upkeep.chat_language(app, chat)
            place = Place(ConversationId(app, chat), None, in_thread=False)
            subject = Subject(f"{job.name}:{job.slot}:{chat}", 1, place)
            said = policy.away(start, end, language, self.zone)
            parts += parts_of(self.sender, said, subject)
        await self._tell(job, parts, end.isoformat())

    async def _tell(self, job: JobSlot, parts: list[NewPart], detail: str) -> None:
        if await self.upkeep.tell(job, parts, detail) is Written.DONE:
            self.deliveries.wake(None)
