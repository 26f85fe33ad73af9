"""Whether anything is sent at the moment, and since when not. Contract D4.

Above: the courier, and whoever shows it (/readyz, /metrics). Below: policy.breaker. Of one process and of one app: what
others meet they find out themselves, with one part each.
"""

import logging
from collections import Counter
from datetime import datetime, timedelta

from steward.model.delivery import Disposition, Refused, SendOutcome, SentRef, Unknown
from steward.model.ids import ChatId
from steward.policy.breaker import Held, Silence, hold, silence, wait_on
from steward.policy.retry import FAR_AHEAD
from steward.ports.world import Clock

logger = logging.getLogger(__name__)

SEVERAL = 3
"""Chats: of one that gets no answer nothing follows for the others."""
UNANSWERED = "unanswered"

PASSED_LATELY = timedelta(minutes=1)
"""Where something was taken since, a refusal of everything is meant for the one part after all."""


class Holding:
    """`silences`: what was too long to be kept from the owner, oldest first; whoever tells it takes it out.

    `refusals`: how often everything was refused, by our word for it.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._held: Held | None = None
        self._trying = False
        self._passed_at: datetime | None = None
        self._unanswered: set[ChatId] = set()
        self.refusals: Counter[str] = Counter()
        self.silences: list[Silence] = []

    @property
    def reason(self) -> str | None:
        """Why nothing is sent, in our word; None: it is."""
        return None if self._held is None else self._held.reason

    @property
    def until(self) -> datetime | None:
        """When a part is tried next; None: nothing is held."""
        return None if self._held is None else self._held.until

    @property
    def passing(self) -> bool:
        """Whether something was taken within the last minute."""
        passed = self._passed_at
        return passed is not None and self._clock.now() - passed < PASSED_LATELY

    def room(self, limit: int) -> int:
        """How many parts may be claimed now: all, none, or, when the pause is over, one that tries for all."""
        if self._held is None:
            return limit
        left = self._held.until - self._clock.now()
        if self._trying or timedelta() < left <= FAR_AHEAD:
            return 0
        return 1

    def tries(self, claimed: int) -> None:
        """So many parts were claimed; while nothing is taken, none other is until it is known what became of them."""
        self._trying = self._held is not None and claimed > 0

    def ended(self) -> None:
        """What was claimed has an end, whatever it is."""
        self._trying = False

    def met(self, outcome: SendOutcome, chat: ChatId) -> None:
        """What the platform said to a part for this chat."""
        now = self._clock.now()
        match outcome:
            case Refused(failure, Disposition.HOLD, retry_after):
                self.refused(failure, retry_after)
            case Refused(_, Disposition.LATER):
                pass
            case Unknown():
                self.unanswered(chat)
            case SentRef() | Refused():
                self._taken(now)

    def unanswered(self, chat: ChatId) -> None:
        """Nobody knows what became of a call for this chat; in several, with nothing taken between, the platform is away."""
        now = self._clock.now()
        if self._held is not None:
            self._held = wait_on(self._held, now)
            return
        self._unanswered.add(chat)
        if len(self._unanswered) >= SEVERAL:
            self.refused(UNANSWERED)

    def refused(self, reason: str, least: timedelta | None = None) -> None:
        """Nothing of this app is taken."""
        self.refusals[reason] += 1
        if self._held is None:
            logger.warning("outbox: nothing is sent: %s", reason)
        self._held = hold(self._held, reason, least, self._clock.now())

    def _taken(self, now: datetime) -> None:
        """It was taken, or refused for what it is: either way somebody looked at it."""
        self._passed_at = now
        self._unanswered.clear()
        if self._held is None:
            return
        over, self._held = self._held, None
        logger.warning("outbox: sending goes on, after %s", over.reason)
        was = silence(over, now)
        if was is not None:
            self.silences.append(was)
