"""Reads the event out of a recorded envelope: the platform's half of `ports.inbound.Wire`. Pure; never raises.

What an event needs to be acted on must be there, or it is `Unparsable` with the field's name; everything else
that is missing is unknown, which policy refuses or ignores.
"""

from collections.abc import Callable, Mapping

from bot.lark.content import content
from bot.lark.envelopes import KINDS, conversation_of
from bot.lark.instants import instant
from bot.lark.mentions import mentions
from bot.lark.payloads import (
    ActionValue,
    ChatPayload,
    ClickPayload,
    FirstContactPayload,
    MenuPayload,
    MessagePayload,
    Opening,
    PersonPayload,
    RecallPayload,
    read,
)
from steward.model.events import (
    ChatChange,
    ChatType,
    Click,
    Envelope,
    Event,
    EventKind,
    FirstContact,
    Membership,
    Menu,
    Message,
    Other,
    PersonDeleted,
    Principal,
    PrincipalKind,
    Recall,
    TextContent,
    Unparsable,
)
from steward.model.ids import ChatId, MessageRef, OpenId, TenantKey

_CHAT_TYPES = {"p2p": ChatType.P2P, "group": ChatType.GROUP}
_PRINCIPALS = {"user": PrincipalKind.PERSON, "bot": PrincipalKind.BOT, "app": PrincipalKind.BOT}
_BOT_EVENTS = "im.chat.member.bot."
_ADDED = ".added_v1"
_DISBANDED = "im.chat.disbanded_v1"
_NO_DOCUMENT = Unparsable("document")


class LarkWire:
    """Implements `ports.inbound.Wire`."""

    def event(self, envelope: Envelope) -> Event | Unparsable:
        """The event in `envelope.body`: by the kind it was recorded as, else by the event type it names itself."""
        known = _READERS.get(envelope.kind)
        if known is not None:
            return known(envelope)
        opening = read(Opening, envelope.body)
        if opening is None:
            return _NO_DOCUMENT
        if not opening.event_type:
            return Unparsable("event_type")
        kind = KINDS.get(opening.event_type, EventKind.OTHER)
        if kind is EventKind.MEMBERSHIP:
            return _membership(envelope, opening.event_type)
        reader = _READERS.get(kind)
        return reader(envelope) if reader else Other(opening.event_type)


def _message(envelope: Envelope) -> Message | Unparsable:
    payload = read(MessagePayload, envelope.body)
    if payload is None:
        return _NO_DOCUMENT
    conversation = conversation_of(envelope.app_id, payload.chat_id, payload.thread_id)
    if payload.message_id is None:
        return Unparsable("message_id")
    if conversation is None:
        return Unparsable("chat_id" if payload.chat_id is None else "thread_id")
    words = content(payload.message_type, payload.content)
    return Message(
        ref=MessageRef(envelope.app_id, payload.message_id),
        conversation=conversation,
        chat_type=_CHAT_TYPES.get(payload.chat_type or "", ChatType.UNKNOWN),
        sender=_principal(
            payload.sender_open_id,
            payload.sender_tenant_key,
            _PRINCIPALS.get(payload.sender_type or "", PrincipalKind.UNKNOWN),
        ),
        parent=_ref(envelope, payload.parent_id),
        mentions=mentions(
            payload.mentions or (), words.text if isinstance(words, TextContent) else ""
        ),
        content=words,
        sent_at=instant(payload.create_time) or envelope.occurred_at,
    )


def _recall(envelope: Envelope) -> Recall | Unparsable:
    payload = read(RecallPayload, envelope.body)
    ref = _ref(envelope, payload.message_id if payload else None)
    if payload is None or ref is None:
        return Unparsable("message_id")
    return Recall(ref, conversation_of(envelope.app_id, payload.chat_id, None))


def _click(envelope: Envelope) -> Click | Unparsable:
    payload = read(ClickPayload, envelope.body)
    if payload is None:
        return _NO_DOCUMENT
    return Click(
        message=_ref(envelope, payload.message_id),
        conversation=conversation_of(envelope.app_id, payload.chat_id, None),
        operator=_person(payload.operator_open_id, payload.operator_tenant_key),
        nonce=payload.nonce or _nonce_in(payload.text_value),
    )


def _nonce_in(value: str | None) -> str | None:
    """The platform hands a card's value back as an object, or as a string that holds one."""
    action = read(ActionValue, value.encode()) if value else None
    return action.nonce if action else None


def _membership(envelope: Envelope, event_type: str) -> Membership | Unparsable:
    payload = read(ChatPayload, envelope.body)
    conversation = conversation_of(envelope.app_id, payload.chat_id if payload else None, None)
    if payload is None or conversation is None:
        return Unparsable("chat_id")
    outsiders = envelope.tenant_key is not None and any(
        user.tenant_key not in {None, envelope.tenant_key} for user in payload.users or ()
    )
    return Membership(
        conversation=conversation,
        bot=event_type.startswith(_BOT_EVENTS),
        joined=event_type.endswith(_ADDED),
        external=True if outsiders else payload.external,
        operator=_person(payload.operator_open_id, payload.operator_tenant_key),
    )


def _chat_change(envelope: Envelope) -> ChatChange | Unparsable:
    payload = read(ChatPayload, envelope.body)
    conversation = conversation_of(envelope.app_id, payload.chat_id if payload else None, None)
    if payload is None or conversation is None:
        return Unparsable("chat_id")
    return ChatChange(conversation, disbanded=payload.event_type == _DISBANDED)


def _person_deleted(envelope: Envelope) -> PersonDeleted | Unparsable:
    payload = read(PersonPayload, envelope.body)
    if payload is None or payload.open_id is None:
        return Unparsable("open_id")
    return PersonDeleted(OpenId(payload.open_id))


def _first_contact(envelope: Envelope) -> FirstContact | Unparsable:
    """The event names the app's tenant even for an outside person, so the person's own stays unknown."""
    payload = read(FirstContactPayload, envelope.body)
    if payload is None or payload.chat_id is None:
        return Unparsable("chat_id")
    person = _person(payload.user_open_id or payload.operator_open_id, None)
    return FirstContact(ChatId(payload.chat_id), person)


def _menu(envelope: Envelope) -> Menu | Unparsable:
    payload = read(MenuPayload, envelope.body)
    if payload is None or not payload.key:
        return Unparsable("event_key")
    return Menu(_person(payload.operator_open_id, None), payload.key)


def _ref(envelope: Envelope, message_id: str | None) -> MessageRef | None:
    return MessageRef(envelope.app_id, message_id) if message_id else None


def _person(open_id: str | None, tenant_key: str | None) -> Principal:
    return _principal(open_id, tenant_key, PrincipalKind.PERSON)


def _principal(open_id: str | None, tenant_key: str | None, kind: PrincipalKind) -> Principal:
    return Principal(
        OpenId(open_id) if open_id else None, TenantKey(tenant_key) if tenant_key else None, kind
    )


_READERS: Mapping[EventKind, Callable[[Envelope], Event | Unparsable]] = {
    EventKind.MESSAGE: _message,
    EventKind.RECALL: _recall,
    EventKind.CLICK: _click,
    EventKind.CHAT_CHANGE: _chat_change,
    EventKind.PERSON_DELETED: _person_deleted,
    EventKind.FIRST_CONTACT: _first_contact,
    EventKind.MENU: _menu,
}
