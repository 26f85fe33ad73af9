"""The event documents that the platform pushes, field by field as its reference gives them.

Pure: platform.py decides what happened, this writes it down, pusher.py delivers it. Times inside `event` are
millisecond strings; card callbacks carry microseconds; the legacy shape carries seconds with a fraction.
"""

from collections.abc import Sequence

from bot.simulator.model import (
    Chat,
    Document,
    Mentioned,
    Person,
    Reaction,
    SimulatedApp,
    StoredMessage,
)
from steward.model.json import Json


def person_id(person: Person) -> Document:
    """Of a person's three ids the two that need no extra scope."""
    return {"union_id": person.union_id, "open_id": person.open_id}


def envelope(
    app: SimulatedApp, event_id: str, event_type: str, create_time: str, event: Document
) -> Document:
    """Schema 2.0: a header that authenticates, and the event."""
    header: Document = {
        "event_id": event_id,
        "token": app.verification_token,
        "create_time": create_time,
        "event_type": event_type,
        "tenant_key": app.tenant_key,
        "app_id": app.app_id,
    }
    return {"schema": "2.0", "header": header, "event": event}


def message_received(message: StoredMessage, sender: Person, chat: Chat) -> Document:
    """The body of `im.message.receive_v1`."""
    body: Document = {
        "message_id": message.message_id,
        "create_time": str(message.create_time),
        "update_time": str(message.update_time),
        "chat_id": chat.chat_id,
        "chat_type": chat.chat_type,
        "message_type": message.msg_type,
        "content": message.content,
    }
    optional = {
        "root_id": message.root_id,
        "parent_id": message.parent_id,
        "thread_id": message.thread_id,
    }
    body |= {name: value for name, value in optional.items() if value is not None}
    if message.mentions:
        body["mentions"] = [mention_in_event(one) for one in message.mentions]
    return {
        "sender": {
            "sender_id": person_id(sender),
            "sender_type": "bot" if sender.app_id else "user",
            "tenant_key": sender.tenant_key,
        },
        "message": body,
    }


def mention_in_event(mention: Mentioned) -> Document:
    return {
        "key": mention.key,
        "id": {
            "union_id": f"on_{mention.open_id.removeprefix('ou_')}",
            "open_id": mention.open_id,
        },
        "mentioned_type": "bot" if mention.bot else "user",
        "name": mention.name,
        "tenant_key": mention.tenant_key,
    }


def recalled(message: StoredMessage, at: int) -> Document:
    """The body of `im.message.recalled_v1`; it does not say who did it."""
    return {
        "message_id": message.message_id,
        "chat_id": message.chat_id,
        "recall_time": str(at),
        "recall_type": "message_owner",
    }


def card_action(
    message: StoredMessage, operator: Person, token: str, value: Json, tag: str
) -> Document:
    """The body of `card.action.trigger`; `value` comes back exactly as the card held it."""
    return {
        "operator": {"tenant_key": operator.tenant_key, **person_id(operator)},
        "token": token,
        "action": {"value": value, "tag": tag, "timezone": "Asia/Shanghai"},
        "host": "im_message",
        "context": {"open_message_id": message.message_id, "open_chat_id": message.chat_id},
    }


def chat_event(chat: Chat, operator: Person) -> Document:
    """What every event about a chat holds."""
    return {
        "chat_id": chat.chat_id,
        "operator_id": person_id(operator),
        "external": chat.external,
        "operator_tenant_key": operator.tenant_key,
        "name": chat.title,
        "i18n_names": {"zh_cn": chat.title, "en_us": chat.title},
    }


def members_event(chat: Chat, operator: Person, people: Sequence[Person]) -> Document:
    """People came or went."""
    users: list[Json] = [
        {"name": one.name, "tenant_key": one.tenant_key, "user_id": person_id(one)}
        for one in people
    ]
    return {**chat_event(chat, operator), "users": users}


def person_deleted(person: Person) -> Document:
    """The body of `contact.user.deleted_v3`: somebody left the tenant."""
    gone: Document = {**person_id(person), "name": person.name, "status": {"is_resigned": True}}
    return {"object": gone, "old_object": {}}


def chat_updated(chat: Chat, operator: Person, before: Document, after: Document) -> Document:
    """The body of `im.chat.updated_v1`."""
    return {
        "chat_id": chat.chat_id,
        "operator_id": person_id(operator),
        "external": chat.external,
        "operator_tenant_key": operator.tenant_key,
        "before_change": before,
        "after_change": after,
    }


def reacted(message: StoredMessage, reaction: Reaction, at: int) -> Document:
    """The body of `im.message.reaction.created_v1`; the app's own reactions come back with `app`."""
    document: Document = {
        "message_id": message.message_id,
        "reaction_type": {"emoji_type": reaction.emoji_type},
        "operator_type": reaction.operator_type,
        "action_time": str(at),
    }
    if reaction.operator_type == "app":
        document["app_id"] = reaction.operator_id
    else:
        document["user_id"] = {"open_id": reaction.operator_id}
    return document


def first_contact(
    app: SimulatedApp, uuid: str, seconds: float, chat: Chat, person: Person
) -> Document:
    """`p2p_chat_create`, the one event that still comes in the legacy shape alone."""
    who: Document = {"name": person.name, "open_id": person.open_id}
    return {
        "ts": f"{seconds:.7f}",
        "uuid": uuid,
        "token": app.verification_token,
        "type": "event_callback",
        "event": {
            "type": "p2p_chat_create",
            "app_id": app.app_id,
            "tenant_key": app.tenant_key,
            "chat_id": chat.chat_id,
            "operator": {"open_id": person.open_id},
            "user": who,
        },
    }


def challenge(app: SimulatedApp, text: str) -> Document:
    """The platform's question when a request URL is configured."""
    return {"challenge": text, "token": app.verification_token, "type": "url_verification"}


def readdressed(
    document: Document,
    *,
    app_id: str | None = None,
    tenant_key: str | None = None,
    token: str | None = None,
) -> Document:
    """A copy that claims another app, tenant or verification token; the original stays as it is."""
    legacy = "header" not in document
    header = document if legacy else document["header"]
    event = document.get("event")
    changed = dict(header) if isinstance(header, dict) else {}
    inner = dict(event) if isinstance(event, dict) else {}
    addressed = inner if legacy else changed
    if app_id is not None:
        addressed["app_id"] = app_id
    if tenant_key is not None:
        addressed["tenant_key"] = tenant_key
    if token is not None:
        changed["token"] = token
    if legacy:
        return changed | ({"event": inner} if event is not None else {})
    return {**document, "header": changed}
