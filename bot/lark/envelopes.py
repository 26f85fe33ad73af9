"""From an authentic plain document to the `Envelope` that is recorded. Shared by every transport; pure.

Nothing authentic is turned away: what cannot be placed is recorded as OTHER, and what names no id gets the hash of its
bytes, so that the platform may stop sending it (D1, D3). Reading the event itself is intake's (events.py).
"""

import hashlib
from collections.abc import Mapping
from datetime import datetime

from bot.lark.content import content
from bot.lark.instants import instant
from bot.lark.payloads import MALFORMED, MessagePayload, Opening, read
from steward.model.events import Envelope, EventKind, Lane, TextContent
from steward.model.ids import (
    AppId,
    ChatId,
    ConversationId,
    EventId,
    MessageRef,
    TenantKey,
    ThreadId,
)
from steward.policy.commands import command_in, is_urgent

_WIDE = ("\uff0f".encode(), b"\\uff0f", b"\\uFF0F")
"""The full-width slash as a document may hold it."""

KINDS: Mapping[str, EventKind] = {
    "im.message.receive_v1": EventKind.MESSAGE,
    "im.message.recalled_v1": EventKind.RECALL,
    "card.action.trigger": EventKind.CLICK,
    "im.chat.member.bot.added_v1": EventKind.MEMBERSHIP,
    "im.chat.member.bot.deleted_v1": EventKind.MEMBERSHIP,
    "im.chat.member.user.added_v1": EventKind.MEMBERSHIP,
    "im.chat.member.user.deleted_v1": EventKind.MEMBERSHIP,
    "im.chat.member.user.withdrawn_v1": EventKind.MEMBERSHIP,
    "im.chat.updated_v1": EventKind.CHAT_CHANGE,
    "im.chat.disbanded_v1": EventKind.CHAT_CHANGE,
    "contact.user.deleted_v3": EventKind.PERSON_DELETED,
    "p2p_chat_create": EventKind.FIRST_CONTACT,
    "application.bot.menu_v6": EventKind.MENU,
}
"""The event types that are acted on; every other is recorded and ignored."""


def envelope(plain: bytes, opening: Opening, app_id: AppId, received_at: datetime) -> Envelope:
    """The envelope of `plain`, whose `opening` has been proven to be this app's."""
    conversation = conversation_of(app_id, opening.chat_id, opening.thread_id)
    kind = KINDS.get(opening.event_type or "", EventKind.OTHER)
    message: MessageRef | None = None
    if kind is EventKind.MESSAGE:
        if conversation is None or opening.message_id is None:
            kind = EventKind.OTHER
        else:
            message = MessageRef(app_id, opening.message_id)
    return Envelope(
        app_id=app_id,
        event_id=EventId(opening.event_id or f"sha256:{hashlib.sha256(plain).hexdigest()}"),
        kind=kind,
        lane=_lane(kind, plain),
        conversation=conversation,
        message=message,
        tenant_key=TenantKey(opening.tenant_key) if opening.tenant_key else None,
        occurred_at=instant(opening.created) or received_at,
        received_at=received_at,
        body=plain,
    )


def _lane(kind: EventKind, plain: bytes) -> Lane:
    """Messages keep their conversation's order, but those that stop what is being answered must not wait behind it.

    A document without any slash, as most are, is not looked at a second time.
    """
    if kind is not EventKind.MESSAGE:
        return Lane.NOW
    if b"/" not in plain and not any(map(plain.__contains__, _WIDE)):
        return Lane.ORDERED
    payload = read(MessagePayload, plain)
    if payload is None:
        return Lane.ORDERED
    words = content(payload.message_type, payload.content)
    urgent = isinstance(words, TextContent) and is_urgent(command_in(words.text))
    return Lane.NOW if urgent else Lane.ORDERED


def conversation_of(
    app_id: AppId, chat_id: str | None, thread_id: str | None
) -> ConversationId | None:
    """The session key. A thread is one only where the platform says `thread_id`; a quoted reply is none.

    None where the chat is missing, or where a thread is named that cannot be read.
    """
    if chat_id is None or thread_id == MALFORMED:
        return None
    return ConversationId(app_id, ChatId(chat_id), ThreadId(thread_id) if thread_id else None)
