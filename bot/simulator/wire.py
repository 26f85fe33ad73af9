"""Messages and chats as the API shows them: not quite as events do, and not quite as they were sent."""

import orjson

from bot.simulator.content import shown_text
from bot.simulator.model import Chat, Document, Person, SimulatedApp, StoredMessage
from steward.model.json import Json

RECALLED = "This message was recalled"
UPGRADE = "请升级至最新版本客户端，以查看内容"
"""What the API gives in place of a card's words, unless the card as sent is asked for."""


def message(stored: StoredMessage, *, card_as_sent: bool = False) -> Document:
    """One entry of `items`, and the `data` of what was sent. `mentions[].id` is a string here."""
    shown: Document = {
        "message_id": stored.message_id,
        "msg_type": stored.msg_type,
        "create_time": str(stored.create_time),
        "update_time": str(stored.update_time),
        "deleted": stored.deleted,
        "updated": stored.updated,
        "chat_id": stored.chat_id,
        "sender": {
            "id": stored.sender_id,
            "id_type": "open_id" if stored.sender_type == "user" else "app_id",
            "sender_type": stored.sender_type,
            "tenant_key": stored.sender_tenant,
        },
        "body": {"content": body(stored, card_as_sent=card_as_sent)},
    }
    optional = {
        "root_id": stored.root_id,
        "parent_id": stored.parent_id,
        "thread_id": stored.thread_id,
    }
    shown |= {name: value for name, value in optional.items() if value is not None}
    if stored.mentions and not stored.deleted:
        shown["mentions"] = [
            {
                "key": one.key,
                "id": one.open_id,
                "id_type": "open_id",
                "name": one.name,
                "tenant_key": one.tenant_key,
            }
            for one in stored.mentions
        ]
    return shown


def body(stored: StoredMessage, *, card_as_sent: bool) -> str:
    """`body.content`: nothing of what was recalled, little of a card unless asked."""
    if stored.deleted:
        return RECALLED
    if stored.msg_type == "interactive" and not card_as_sent:
        return _simplified(stored.content)
    if stored.msg_type == "text" and stored.sender_type == "app":
        return shown_text(stored.content, stored.mentions)
    return stored.content


def _simplified(content: str) -> str:
    card = orjson.loads(content)
    header = card.get("header") if isinstance(card, dict) else None
    title = header.get("title") if isinstance(header, dict) else None
    words = title.get("content") if isinstance(title, dict) else None
    notice: Json = [[{"tag": "text", "text": UPGRADE}]]
    return orjson.dumps({"title": words, "elements": notice}).decode()


def chat(shown: Chat, owner: Person | None) -> Document:
    """The `data` of a chat. Only here it says `topic`, and only here it says that a chat is external."""
    facts: Document = {
        "name": "" if shown.mode == "p2p" else shown.title,
        "chat_mode": shown.mode,
        "chat_type": "private",
        "chat_tag": "inner",
        "external": shown.external,
        "tenant_key": shown.tenant_key,
        "user_count": str(len(shown.members)),
        "bot_count": "1" if shown.bot_present else "0",
        "chat_status": "dissolved" if shown.dissolved else "normal",
    }
    if shown.mode != "p2p":
        facts["group_message_type"] = "thread" if shown.mode == "topic" else "chat"
    if owner is not None:
        facts |= {"owner_id": owner.open_id, "owner_id_type": "open_id"}
    return facts


def member(person: Person) -> Document:
    return {
        "member_id_type": "open_id",
        "member_id": person.open_id,
        "name": person.name,
        "tenant_key": person.tenant_key,
    }


def bot(app: SimulatedApp) -> Document:
    return {
        "activate_status": 2,
        "app_name": app.bot_name,
        "avatar_url": "",
        "ip_white_list": [],
        "open_id": app.bot_open_id,
    }


def application(app: SimulatedApp, owner: Person | None) -> Document:
    """Who registered the app: where an owner may be looked for, never proof of one."""
    facts: Document = {"app_id": app.app_id, "app_name": app.bot_name, "status": 1, "scene_type": 0}
    if owner is not None:
        facts |= {
            "creator_id": owner.open_id,
            "owner": {"type": 2, "owner_id": owner.open_id},
        }
    return facts
