"""What follows from each way in which a turn can end without an answer. Contracts T6, T4, V1. Pure.

Above: the notice and its button, the review, lists. One row for every code; a code without one is a KeyError.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from steward.model.turn import TurnCode


@dataclass(frozen=True, slots=True)
class Ending:
    """`owed`: the question stays on record as unanswered.

    `again`: the same words may be answered when they are asked again, at once or when what the notice names is seen
    to. `review`: where its reads were finished, an answer may still be formed from them (V1).
    """

    owed: bool
    again: bool
    review: bool


_OVER = Ending(owed=False, again=False, review=False)
_OWED = Ending(owed=True, again=False, review=False)
_AGAIN = Ending(owed=True, again=True, review=False)
_REVIEW = Ending(owed=True, again=True, review=True)

ENDINGS: Mapping[TurnCode, Ending] = {
    TurnCode.AUTH_REQUIRED: _AGAIN,
    TurnCode.SESSION_UNAVAILABLE: _AGAIN,
    TurnCode.CAPABILITY_MISSING: _AGAIN,
    TurnCode.ENDPOINT_UNSUPPORTED: _AGAIN,
    TurnCode.EXECUTOR_TIMEOUT: _REVIEW,
    TurnCode.IDLE_TIMEOUT: _REVIEW,
    TurnCode.TRANSPORT_LOST: _REVIEW,
    TurnCode.OVERLOADED: _REVIEW,
    TurnCode.PROVIDER_RATE_LIMITED: _REVIEW,
    TurnCode.QUOTA_EXHAUSTED: _REVIEW,
    TurnCode.CONTEXT_WINDOW_EXCEEDED: _OWED,  # the same words in the same conversation are as long again
    TurnCode.CONTENT_POLICY: _OWED,  # the same words are refused again
    TurnCode.RESULT_MISSING: _REVIEW,
    TurnCode.RESULT_TRUNCATED: _REVIEW,
    TurnCode.RESULT_INVALID: _AGAIN,  # an answer came: there is none to be formed (V2)
    TurnCode.INTERRUPTED: _REVIEW,
    TurnCode.STOPPED: _OVER,
    TurnCode.WITHDRAWN: _OVER,
    TurnCode.DIRECTORY_UNAVAILABLE: _AGAIN,
    TurnCode.STORE_UNAVAILABLE: _AGAIN,
    TurnCode.CONTEXT_FAILURE: _AGAIN,
    TurnCode.AUTHORIZATION_CHANGED: _OWED,  # what was asked under another permission is not asked again (S3)
    TurnCode.PROFILE_CHANGED: _AGAIN,
    TurnCode.READBACK_MISMATCH: _AGAIN,
    TurnCode.UNCLASSIFIED: _AGAIN,  # nobody knows what was finished
}
