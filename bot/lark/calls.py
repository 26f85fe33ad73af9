"""A call of the platform's HTTP interface as a value. sdk.py makes them, client.py sends them."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, TypeAlias

MsgType: TypeAlias = Literal["interactive", "post", "text"]
"""The forms of message that we send."""


class Operation(StrEnum):
    """What a call does. The same error code means different things to different operations."""

    TENANT_TOKEN = "tenant_token"  # noqa: S105 - the name of an operation
    BOT_INFO = "bot_info"
    TENANT = "tenant"
    CREATE_MESSAGE = "create_message"
    REPLY_MESSAGE = "reply_message"
    PATCH_MESSAGE = "patch_message"
    GET_MESSAGE = "get_message"
    LIST_MESSAGES = "list_messages"
    ADD_REACTION = "add_reaction"
    GET_CHAT = "get_chat"
    CHAT_MEMBERS = "chat_members"


@dataclass(frozen=True, slots=True)
class LarkCall:
    """One request: `path` below the domain with its ids quoted in, `body` the JSON document as bytes.

    A body may hold a secret or people's words: it is never shown by `repr`.
    """

    operation: Operation
    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    body: bytes | None = field(default=None, repr=False)
