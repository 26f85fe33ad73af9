"""Claim, judge, send, record. Contracts D4, A3.

What may have arrived is never sent as something new, and what may not be shown any more is not sent at all.
Above: `bot.app`. Below: the outbox, its guards and the sender. One part of a chat at a time, chats beside each other.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from steward.control.guards import Allowed, Guards, Unsaid, language_for, said_instead
from steward.control.holding import Holding
from steward.control.parts import repeat_of
from steward.control.slots import AT_ONCE, keep_working
from steward.errors import StoreUnavailableError
from steward.model.delivery import (
    Arrived,
    Delivery,
    Disposition,
    Fate,
    GivenUp,
    Part,
    Place,
    Refused,
    Repeated,
    SendOutcome,
    SentRef,
    SteppedDown,
    TryAgain,
    Unknown,
)
from steward.model.ids import WorkerId
from steward.model.turn import Language, TurnFailure
from steward.policy.retry import fate_of, repeat_is_safe, too_late
from steward.ports.conversations import Wake
from steward.ports.ledger import Ledger
from steward.ports.outbox import Outbox
from steward.ports.sender import Sender
from steward.ports.world import Clock

logger = logging.getLogger(__name__)

POLL = timedelta(seconds=1)
HELD_POLL = timedelta(milliseconds=100)
"""While nothing is taken, what is due is no reason to hurry."""
LEASE = timedelta(seconds=120)
"""Longer than any single try may take; a part found SENDING after it may have arrived."""
REMEMBERED_AGAIN_AFTER = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
"""Seconds between tries to write down a fate while the store is away; together well within the lease."""
CLOCKS_APART = timedelta(minutes=1)
"""A message that may be ours stands in the chat from the first try on, by the platform's clock."""


class Courier:
    """Delivers outbox parts until cancelled."""

    def __init__(
        self,
        *,
        worker: WorkerId,
        outbox: Outbox,
        ledger: Ledger,
        guards: Guards,
        sender: Sender,
        wake: Wake,
        clock: Clock,
        holding: Holding | None = None,
        lease: timedelta = LEASE,
    ) -> None:
        self.holding = holding or Holding(clock)
        self.outcomes: Counter[str] = Counter()
        self._worker = worker
        self._outbox = outbox
        self._ledger = ledger
        self._guards = guards
        self._sender = sender
        self._wake = wake
        self._clock = clock
        self._lease = lease

    async def run(self) -> None:
        """Deliver what is due; a hint, a due time or the poll says when to look."""
        await keep_working(self._claim, self._deliver, self._wake, self._until_due)

    async def round(self) -> int:
        """Try what is due now, each part of another chat, and see it through; how many were claimed."""
        claimed = await self._claim(AT_ONCE)
        async with asyncio.TaskGroup() as group:
            for delivery in claimed:
                group.create_task(self._deliver(delivery))
        return len(claimed)

    async def _claim(self, limit: int) -> Sequence[Delivery]:
        room = self.holding.room(limit)
        if not room:
            return ()
        try:
            claimed = await self._outbox.claim(self._worker, limit=room, ttl=self._lease)
        except StoreUnavailableError:
            logger.warning("outbox: the store is unavailable")
            return ()
        self.holding.tries(len(claimed))
        return claimed

    async def _deliver(self, delivery: Delivery) -> None:
        try:
            fate = await self._try(delivery)
            await self._finish(delivery, fate)
        except StoreUnavailableError:
            logger.warning("outbox: part %d waits for the store", delivery.id)
        except Exception:  # the loop's edge: one part never stops the others
            logger.exception("outbox: part %d failed", delivery.id)
        else:
            self._ended(delivery, fate)
        finally:
            self.holding.ended()

    def _ended(self, delivery: Delivery, fate: Fate | TurnFailure) -> None:
        self.outcomes[outcome_of(fate)] += 1
        if not isinstance(fate, TryAgain):
            self._guards.forget(delivery.id)
        if isinstance(fate, GivenUp):
            logger.warning("outbox: part %d is undeliverable: %s", delivery.id, fate.failure)
        if isinstance(fate, TurnFailure):
            logger.warning("outbox: part %d is withheld: %s", delivery.id, fate.code)

    async def _finish(self, delivery: Delivery, fate: Fate | TurnFailure) -> None:
        """Write down what became of it, again and again within the lease: else its chat waits for the lease to end."""
        for seconds in REMEMBERED_AGAIN_AFTER:
            try:
                await self._write_down(delivery, fate)
            except StoreUnavailableError:
                await self._clock.sleep(seconds)
            else:
                return
        await self._write_down(delivery, fate)

    async def _write_down(self, delivery: Delivery, fate: Fate | TurnFailure) -> None:
        if isinstance(fate, TurnFailure):
            notice = await said_instead(self._ledger, self._sender, delivery, fate)
            await self._outbox.revoke(delivery, fate, notice)
        else:
            await self._outbox.finish(delivery, fate)

    async def _try(self, delivery: Delivery) -> Fate | TurnFailure:
        leave = await self._guards.leave(delivery)
        match leave:
            case TryAgain():
                return leave
            case Unsaid():
                return await self._unsaid(delivery, leave)
            case TurnFailure() | GivenUp():
                return await self._found(delivery) or leave
            case Allowed():
                return await self._allowed(delivery, leave.place)

    async def _unsaid(self, delivery: Delivery, leave: Unsaid) -> Fate | TurnFailure:
        """A look-up failed: this chat's alone, or is the platform away?"""
        failure, chat = leave.failure, delivery.place.conversation.chat_id
        if not failure.whole_app:
            self.holding.unanswered(chat)
        if failure.whole_app or self.holding.reason is not None:
            self._guards.forget(delivery.id)
            return self._met(delivery, Refused(failure.reason, Disposition.HOLD))
        if isinstance(leave.otherwise, TryAgain):
            return leave.otherwise
        return await self._found(delivery) or leave.otherwise

    async def _found(self, delivery: Delivery) -> Arrived | None:
        found = await self._look(delivery, delivery.place)
        return Arrived(found) if isinstance(found, SentRef) else None

    async def _allowed(self, delivery: Delivery, place: Place) -> Fate:
        if repeat_is_safe(delivery, self._clock.now()):
            return self._met(delivery, await self._sender.send(delivery.part, place, delivery.kind))
        found = await self._look(delivery, place)
        if isinstance(found, SentRef):
            return Arrived(found)
        language = await language_for(self._ledger, delivery)
        return too_late(
            delivery, found, self._clock.now(), lambda: self._repeat(delivery, language)
        )

    def _met(self, delivery: Delivery, outcome: SendOutcome) -> Fate:
        """A refusal of everything counts against this part only where other parts are taken meanwhile."""
        self.holding.met(outcome, delivery.place.conversation.chat_id)
        match outcome:
            case Refused(_, Disposition.HOLD) if self.holding.passing:
                outcome = replace(outcome, disposition=Disposition.RETRY)
            case _:
                pass
        return fate_of(outcome, delivery, self._clock.now())

    def _repeat(self, delivery: Delivery, language: Language) -> Part:
        return repeat_of(self._sender.repeated(delivery.part, language), delivery.part)

    async def _look(self, delivery: Delivery, place: Place) -> SentRef | Unknown | None:
        """The part, where it stands in the chat since an earlier try. None: no such try, or nothing was found."""
        if delivery.first_unknown_at is None:
            return None
        since = delivery.first_unknown_at - CLOCKS_APART
        return await self._sender.find(delivery.part, place, since)

    async def _until_due(self) -> timedelta:
        held = self.holding.until
        if held is not None:
            return min(max(held - self._clock.now(), HELD_POLL), POLL)
        try:
            due = await self._outbox.due()
        except StoreUnavailableError:
            return POLL
        if due is None:
            return POLL
        return min(max(due - self._clock.now(), timedelta(milliseconds=10)), POLL)


def outcome_of(fate: Fate | TurnFailure) -> str:
    """What became of a try, for counting: one of a few words."""
    match fate:
        case Arrived():
            return "arrived"
        case TryAgain(unknown=True):
            return "unknown"
        case TryAgain():
            return "again"
        case Repeated():
            return "repeated"
        case SteppedDown():
            return "stepped_down"
        case GivenUp():
            return "given_up"
        case TurnFailure():
            return "withheld"
