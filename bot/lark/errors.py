"""Why a call of the platform failed, as a value: a closed class, the platform's code, and when to come back.

The code in the body decides, by operation: HTTP statuses vary for the same refusal, and a code means different
things to different operations. Nothing of the platform's own text is kept.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from bot.lark.calls import Operation


class FailureClass(StrEnum):
    """What a failure means to the caller. All but AMBIGUOUS are definite: nothing was done."""

    AMBIGUOUS = "ambiguous"
    """It may have been done: an answer that never came, or that nobody can read."""
    UNREACHABLE = "unreachable"
    RATE_LIMITED = "rate_limited"
    TOKEN = "token"  # noqa: S105 - the name of a class
    QUOTA = "quota"
    APP_REFUSED = "app_refused"
    """Nothing of this app is taken: a scope is missing, it is switched off, or our address is not allowed."""
    PERMISSION = "permission"
    """This is not allowed to us, here."""
    TARGET_GONE = "target_gone"
    """The message that is answered or changed: recalled, deleted, hidden, its topic gone."""
    CHAT_GONE = "chat_gone"
    """Dissolved, of another tenant, or we are not in it."""
    CHAT_CLOSED = "chat_closed"
    """The chat's settings, or the person there, let us say nothing."""
    THREAD_REFUSED = "thread_refused"
    FORM = "form"
    """This form of message is refused; a plainer one may pass."""
    TOO_LONG = "too_long"
    CONTENT_BLOCKED = "content_blocked"
    EXPIRED = "expired"
    """The message may no longer be changed."""
    BAD_REQUEST = "bad_request"
    """We asked wrongly: a bug, or ids of another app."""
    UNCLASSIFIED = "unclassified"


@dataclass(frozen=True, slots=True)
class LarkFailure:
    """A call that failed. `code` is the platform's number, None where no readable answer came."""

    kind: FailureClass
    code: int | None = None
    retry_after: timedelta | None = None


TOKEN_CODES = frozenset({99991663, 99991664, 99991665, 99991668, 99991671})
"""The token is not accepted (any more): worth one new token and one more try."""

_EVERYWHERE: Mapping[FailureClass, tuple[int, ...]] = {
    FailureClass.RATE_LIMITED: (99991400, 230020, 11232, 11233, 11247),
    FailureClass.AMBIGUOUS: (
        *(230049, 18121, 231015),  # the same uuid, or the same reaction, is being worked on
        *(2200, 1500, 1663, 5000, 10101, 300120),  # internal: it broke somewhere along the way
    ),
    FailureClass.TOKEN: (*TOKEN_CODES, 99991661, 10003, 10014),
    FailureClass.QUOTA: (99991403,),
    FailureClass.APP_REFUSED: (99991401, 99991662, 99991673, 230006),
    FailureClass.PERMISSION: (99991672, 99991679, 230027, 231002, 231008, 231021, 232033),
    FailureClass.TARGET_GONE: (230011, 231003, 230110, 230050, 230019, 18113),
    FailureClass.CHAT_GONE: (230002, 10030, 10002, 232006, 232009, 232010, 232011),
    FailureClass.CHAT_CLOSED: (230013, 230053, 230029, 230018, 230035, 230038, 11242),
    FailureClass.CONTENT_BLOCKED: (230022, 230028, 11248, 11312),
    FailureClass.TOO_LONG: (230025, 19036),
    FailureClass.FORM: (230099, 230054, 230055, 230075),
    FailureClass.BAD_REQUEST: (230001, 9499, 99992402, 19002, 230034, 99992351, 99992361, 231001),
}

_SEND: Mapping[FailureClass, tuple[int, ...]] = {
    FailureClass.APP_REFUSED: (99991672, 99991679),
}
"""The scope that is missing is the one to send at all; elsewhere it is one permission of many."""

_REPLY: Mapping[FailureClass, tuple[int, ...]] = {
    FailureClass.THREAD_REFUSED: (230071, 230072),
}

_CHANGE: Mapping[FailureClass, tuple[int, ...]] = {
    FailureClass.EXPIRED: (230031, 230072, 230075),
    FailureClass.BAD_REQUEST: (230071,),
}


def _by_code(*tables: Mapping[FailureClass, tuple[int, ...]]) -> dict[int, FailureClass]:
    return {code: kind for table in tables for kind, codes in table.items() for code in codes}


_ANY = _by_code(_EVERYWHERE)
_OF_OPERATION = {
    Operation.CREATE_MESSAGE: _by_code(_EVERYWHERE, _SEND),
    Operation.REPLY_MESSAGE: _by_code(_EVERYWHERE, _SEND, _REPLY),
    Operation.PATCH_MESSAGE: _by_code(_EVERYWHERE, _CHANGE),
}

WHOLE_APP = frozenset(
    {
        FailureClass.UNREACHABLE,
        FailureClass.TOKEN,
        FailureClass.QUOTA,
        FailureClass.APP_REFUSED,
    }
)
"""Failures that every call of this app would meet now."""

SERVER_ERROR = 500


def refusal(
    operation: Operation, code: int, status: int, retry_after: timedelta | None
) -> LarkFailure:
    """Classify a readable answer with a code other than 0.

    A code without a row is definite unless the status says that the platform itself broke.
    """
    known = _OF_OPERATION.get(operation, _ANY).get(code)
    if known is None:
        known = FailureClass.AMBIGUOUS if status >= SERVER_ERROR else FailureClass.UNCLASSIFIED
    wait = retry_after if known is FailureClass.RATE_LIMITED else None
    return LarkFailure(known, code, wait)


TOO_MANY_REQUESTS = 429
UNDECIDED = frozenset({408, 425, 499})
"""Statuses below 500 that say nothing about whether the request was worked on."""


def unreadable(status: int, retry_after: timedelta | None) -> LarkFailure:
    """Classify an answer that is not the platform's JSON: a gateway's page, nothing, or half a document."""
    if status == TOO_MANY_REQUESTS:
        return LarkFailure(FailureClass.RATE_LIMITED, None, retry_after)
    refused_on_the_way = 300 <= status < SERVER_ERROR and status not in UNDECIDED
    return LarkFailure(FailureClass.UNREACHABLE if refused_on_the_way else FailureClass.AMBIGUOUS)
