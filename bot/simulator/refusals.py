"""How the platform says no: the code in the body decides, the HTTP status rarely does.

Codes and sentences are those of the platform's reference; a code means what it means for one endpoint.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from steward.model.json import Json


@dataclass(frozen=True, slots=True)
class Refusal:
    """`{"code", "msg", "error"?}` under an HTTP status."""

    code: int
    msg: str
    status: int = 400
    headers: Mapping[str, str] = field(default_factory=dict)
    error: Json = None


def invalid(ext: str) -> Refusal:
    """A parameter of the messages API is wrong; `ext` names it."""
    return Refusal(230001, f"Your request contains an invalid request parameter, ext={ext}")


def missing_field(name: str) -> Refusal:
    """The gateway's check of required fields."""
    return Refusal(
        99992402,
        "field validation failed",
        error={"field_violations": [{"field": name, "description": f"{name} is required"}]},
    )


def missing_scope(scopes: tuple[str, ...]) -> Refusal:
    """The app was not granted any of these."""
    return Refusal(
        99991672,
        f"Access denied. One of the following scopes is required: [{', '.join(scopes)}].",
        error={
            "permission_violations": [
                {"type": "action_scope_required", "subject": scope} for scope in scopes
            ]
        },
    )


def rate_limited(reset: float = 1.0, limit: int = 50) -> Refusal:
    """The gateway's limit: HTTP 429, and how many seconds until the next window."""
    seconds = max(1, -int(-reset // 1))
    headers = {"x-ogw-ratelimit-limit": str(limit), "x-ogw-ratelimit-reset": str(seconds)}
    return Refusal(99991400, "request trigger frequency limit", status=429, headers=headers)


def card_refused(code: int, reason: str, value: str = "") -> Refusal:
    """The card inside a message is wrong; the real reason hides in the sentence."""
    tail = f"; ErrorValue: {value}" if value else ""
    return Refusal(
        230099, f"Failed to create card content, ext=ErrCode: {code}; ErrMsg: {reason}{tail}; "
    )


NOT_JSON = Refusal(9499, "Invalid parameter type in json")
NO_TOKEN = Refusal(
    99991661, "Missing access token for authorization. Please make a request with token attached."
)
WRONG_TOKEN_KIND = Refusal(
    99991671, "Invalid access token for authorization. Please make a request with a tenant token."
)
INVALID_TOKEN = Refusal(
    99991663, "Invalid access token for authorization. Please make a request with token attached."
)
UNKNOWN_APP = Refusal(10003, "invalid param", status=200)
WRONG_SECRET = Refusal(10014, "app secret invalid", status=200)

BOT_OUTSIDE = Refusal(230002, "The bot can not be outside the group.")
RECALLED = Refusal(230011, "The message is recalled.")
TOO_FREQUENT = Refusal(230020, "This operation triggers the frequency limit.")
TOO_LONG = Refusal(230025, "The length of the message content reaches its limit.")
BAD_RECEIVER = Refusal(230034, "The receive_id is invalid.")
CROSS_TENANT_PRIVATE = Refusal(230038, "Cross tenant p2p chat operate forbid.")
NO_PERMISSION = Refusal(230027, "Lack of necessary permissions.")
NOT_THE_SENDER = Refusal(
    230027, "Lack of necessary permissions, ext=the operator is not the sender."
)
CARD_TOO_OLD = Refusal(230031, "The message has exceeded the time that can be updated.")
WRONG_TYPE = Refusal(230054, "This operation is not supported for this message type.")
NOT_A_CARD = Refusal(
    230001, "Your request contains an invalid request parameter, ext=This message is NOT a card."
)
NOT_THE_EDITOR = Refusal(230071, "The operator is not the sender of the message.")
EDITED_OUT = Refusal(230072, "The message has reached the number of times it can be edited.")
BAD_EMOJI = Refusal(231001, "reaction type is invalid.")
MAY_NOT_REACT = Refusal(231002, "The operator has no permission to react on the specific message.")
NOTHING_TO_REACT_TO = Refusal(231003, "The message is not found, maybe not exist or deleted.")
NO_REACTION = Refusal(231007, "The reaction_id is invalid.")
UNKNOWN_APPLICATION = Refusal(210502, "app id not exist")
WRONG_ID_KIND = Refusal(99992361, "open_id cross app")
DISSOLVED = Refusal(232009, "Your request specifies a chat which has already been dissolved.")
BAD_CHAT = Refusal(232006, "Your request specifies a chat_id which is invalid.")
OUTSIDE_CHAT = Refusal(232011, "Operator can NOT be out of the chat.")
EXTERNAL_CHAT = Refusal(232033, "The operator has no permission to operate external chats.")
