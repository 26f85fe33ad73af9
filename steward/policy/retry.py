"""What becomes of an outbox part after a try, and how long a look-up may be waited for. Contracts D4, A1."""

from datetime import datetime, timedelta

from steward.model.delivery import (
    Arrived,
    Delivery,
    Disposition,
    Fate,
    GivenUp,
    Refused,
    SendOutcome,
    SentRef,
    SteppedDown,
    TryAgain,
    Unknown,
)

SAFE_REPEAT = timedelta(minutes=50)
"""How long after the first unknown outcome the same uuid may be sent again: the platform keeps it for an hour."""

LAST_TRY = 20
"""Definite refusals that may pass are tried this often, about two hours with the longest pause."""

LONGEST_PAUSE = timedelta(minutes=10)

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
            return TryAgain(now + pause(delivery.tries), unknown=True)
        case Refused():
            return _after_refusal(outcome, delivery, now)


def _after_refusal(refused: Refused, delivery: Delivery, now: datetime) -> Fate:
    unknown = delivery.first_unknown_at is not None
    again = TryAgain(
        now + max(pause(delivery.tries), refused.retry_after or timedelta()), unknown=unknown
    )
    match refused.disposition:
        case Disposition.RETRY:
            return again if delivery.tries < LAST_TRY else GivenUp(refused.failure)
        case Disposition.STEP_DOWN:
            if unknown or not delivery.lower:
                return GivenUp(refused.failure)
            return SteppedDown(refused.failure)
        case Disposition.GIVE_UP:
            return GivenUp(refused.failure)


def look_again(now: datetime, received_at: datetime, *, retry: bool) -> datetime | None:
    """When a failed look-up is tried again, or None: the question is owed now (A1).

    The pause grows with the time waited: 2 s at first, 30 s at most.
    """
    waited = now - received_at
    if not retry or waited >= DIRECTORY_PATIENCE:
        return None
    return now + min(max(waited / 2, timedelta(seconds=2)), timedelta(seconds=30))
