"""What becomes of an outbox part after a try, and how long a look-up may be waited for. Contracts D4, A1."""

from collections.abc import Callable
from datetime import datetime, timedelta

from steward.model.delivery import (
    Arrived,
    Delivery,
    Disposition,
    Fate,
    GivenUp,
    Part,
    Refused,
    Repeated,
    SendOutcome,
    SentRef,
    SteppedDown,
    TryAgain,
    Unknown,
)

SAFE_REPEAT = timedelta(minutes=50)
"""How long after the first unknown outcome the same uuid may be sent again: the platform keeps it for an hour."""

LAST_TRY = 20
"""Refusals that may pass and are the part's own are tried this often, under two hours with the longest pause.

A platform that takes nothing of the app at all is no refusal of a part: that is waited for as long as it lasts.
"""

LONGEST_HELD = timedelta(minutes=1)
"""A part that tried for all others rests no longer; those that wait since before it try first."""

LOOKED_FOR = timedelta(hours=24)
"""How long a repeat waits for a look-up that fails: where the first message stands, none is needed."""

LONGEST_PAUSE = timedelta(minutes=10)

LONGEST_ASKED_FOR = timedelta(hours=1)
"""A refusal that names a longer pause is tried again so soon all the same."""

FAR_AHEAD = timedelta(hours=2)
"""No pause is so long: what is due later than that was written before the clock was set back, and is due now."""

LOOK_PAUSE = timedelta(minutes=1)
FATE_UNKNOWN = "fate_unknown"

DIRECTORY_PATIENCE = timedelta(minutes=10)
"""A1: a question waits this long for a failed look-up, then it is owed."""


def pause(tries: int) -> timedelta:
    """The pause after the n-th try (n ≥ 1): 1, 2, 4 … seconds, at most LONGEST_PAUSE."""
    return min(timedelta(seconds=2 ** min(tries - 1, 20)), LONGEST_PAUSE)


def repeat_is_safe(delivery: Delivery, now: datetime) -> bool:
    """Whether the same uuid still cannot become a second message."""
    first = delivery.first_unknown_at
    return first is None or now < first + SAFE_REPEAT


def fate_of(outcome: SendOutcome, delivery: Delivery, now: datetime) -> Fate:
    """Decide after one try. A lower rung only after a definite refusal, while no try is unknown (D4)."""
    match outcome:
        case SentRef():
            return Arrived(outcome)
        case Unknown():
            return TryAgain(now + pause(delivery.counted), unknown=True)
        case Refused():
            return _after_refusal(outcome, delivery, now)


def _after_refusal(refused: Refused, delivery: Delivery, now: datetime) -> Fate:
    unknown = delivery.first_unknown_at is not None
    least = min(refused.retry_after or timedelta(), LONGEST_ASKED_FOR)
    match refused.disposition:
        case Disposition.RETRY:
            if delivery.counted >= LAST_TRY:
                return GivenUp(refused.failure)
            return TryAgain(now + max(pause(delivery.counted), least), unknown=unknown)
        case Disposition.HOLD | Disposition.LATER:
            rest = min(pause(delivery.tries), LONGEST_HELD)
            return TryAgain(now + max(rest, least), unknown=unknown, counted=False)
        case Disposition.STEP_DOWN:
            if unknown or not delivery.lower:
                return GivenUp(refused.failure)
            return SteppedDown(refused.failure)
        case Disposition.GIVE_UP:
            return GivenUp(refused.failure)


def too_late(
    delivery: Delivery, found: Unknown | None, now: datetime, repeat: Callable[[], Part]
) -> Fate:
    """After SAFE_REPEAT, for a part that was looked for and not found (D4).

    An empty listing proves nothing, so it is sent once more, marked, and a repeat never again. Where the look-up itself
    failed, it is made again: a platform that cannot be read takes no message either.
    """
    first = delivery.first_unknown_at
    if found is not None and not found.lasting and first is not None and now < first + LOOKED_FOR:
        return TryAgain(now + LOOK_PAUSE, unknown=False, counted=False)
    if delivery.part.is_repeat:
        return GivenUp(FATE_UNKNOWN)
    return Repeated(repeat())


def look_again(now: datetime, received_at: datetime, *, retry: bool) -> datetime | None:
    """When a failed look-up is tried again, or None: the question is owed now (A1).

    The pause grows with the time waited: 2 s at first, 30 s at most.
    """
    waited = now - received_at
    if not retry or waited >= DIRECTORY_PATIENCE:
        return None
    return now + min(max(waited / 2, timedelta(seconds=2)), timedelta(seconds=30))
