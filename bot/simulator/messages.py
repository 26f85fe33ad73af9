"""What the app may do with messages, rule by rule. Each function answers one operation of the API.

The first broken rule refuses. Nothing here awaits: what is checked still holds when the message is stored.
"""

from typing import Literal

from bot.simulator import cards, content, refusals, wire
from bot.simulator.model import Chat, Document, StoredMessage
from bot.simulator.platform import Platform
from bot.simulator.refusals import Refusal
from bot.simulator.request import Request, page_token
from steward.model.json import Json

MOST_EDITS = 20
LONGEST_UUID = 50
CARD_LIFE_MS = 14 * 24 * 3600 * 1000
MOST_PER_PAGE = 50
ID_KINDS = {"chat_id": "oc_", "open_id": "ou_", "union_id": "on_"}
OTHER_ID_KINDS = frozenset({"user_id", "email"})


def create(platform: Platform, request: Request) -> Document | Refusal:
    """Send into a chat, or to a person by one of their ids."""
    kind, receiver = request.query.get("receive_id_type", ""), request.text("receive_id")
    for name, value in (("receive_id_type", kind), ("receive_id", receiver)):
        if not value:
            return refusals.missing_field(name)
    chat = _receiver(platform, kind, receiver)
    if isinstance(chat, Refusal):
        return chat
    return _send(platform, request, chat, "create", parent=None, in_thread=False)


def reply(platform: Platform, request: Request) -> Document | Refusal:
    """Answer a message, in its thread where it has one or where a new one is asked for."""
    parent = platform.message(request.path["message_id"])
    if parent is None:
        return refusals.invalid("invalid message_id")
    chat = platform.chat_of(parent)
    return _send(
        platform,
        request,
        chat,
        "reply",
        parent=parent,
        in_thread=request.flag("reply_in_thread"),
    )


def get(platform: Platform, request: Request) -> Document | Refusal:
    """One message in a list, as the platform shows it."""
    stored = platform.message(request.path["message_id"])
    if stored is None:
        return refusals.invalid("invalid message_id")
    chat = platform.chat_of(stored)
    if refusal := _unreachable(platform, chat) or _unreadable(platform, chat):
        return refusal
    shown = wire.message(stored, card_as_sent=_card_as_sent(request))
    if stored.deleted:
        shown["body"] = {}
    return {"data": {"items": [shown]}}


def listing(platform: Platform, request: Request) -> Document | Refusal:
    """A chat's or a thread's history, by pages. Replies in a group's threads are listed by thread alone."""
    found = _container(platform, request)
    if isinstance(found, Refusal):
        return found
    size, offset = request.size("page_size", 20, MOST_PER_PAGE), request.offset()
    if size is None or offset is None:
        return refusals.invalid("invalid page_size or page_token")
    if request.query.get("sort_type") == "ByCreateTimeDesc":
        found.reverse()
    page, more = found[offset : offset + size], len(found) > offset + size
    items: list[Json] = [wire.message(one, card_as_sent=_card_as_sent(request)) for one in page]
    following: Document = {"page_token": page_token(offset + size)} if more else {}
    return {"data": {"has_more": more, "items": items, **following}}


def recall(platform: Platform, request: Request) -> Document | Refusal:
    """Take back a message of the app's own."""
    stored = _own(platform, request.path["message_id"], refusals.NOT_THE_SENDER)
    if isinstance(stored, Refusal):
        return stored
    platform.withdraw(stored)
    return {"data": {}}


def edit(platform: Platform, request: Request) -> Document | Refusal:
    """Other words for a text or post of the app's own, at most twenty times."""
    stored = _own(platform, request.path["message_id"], refusals.NOT_THE_EDITOR)
    if isinstance(stored, Refusal):
        return stored
    msg_type = request.text("msg_type")
    if stored.msg_type not in {"text", "post"} or msg_type not in {"text", "post"}:
        return refusals.WRONG_TYPE
    if stored.edits >= MOST_EDITS:
        return refusals.EDITED_OUT
    judged = content.judge(msg_type, request.text("content"), platform.person)
    if isinstance(judged, Refusal):
        return judged
    stored.edits += 1
    stored.msg_type = msg_type
    platform.rewrite(
        stored, request.text("content"), mentions=judged.mentions, notifies=judged.notifies
    )
    return {"data": wire.message(stored)}


def patch(platform: Platform, request: Request) -> Document | Refusal:
    """Another card in place of one of the app's own."""
    stored = _own(platform, request.path["message_id"], refusals.NOT_THE_SENDER)
    if isinstance(stored, Refusal):
        return stored
    if stored.msg_type != "interactive":
        return refusals.NOT_A_CARD
    before, after = (
        content.json_object(stored.content),
        content.json_object(request.text("content")),
    )
    if not (before and after and cards.updatable(before) and cards.updatable(after)):
        return refusals.invalid("update_multi is not true, or content is no card")
    if platform.milliseconds() - stored.create_time > CARD_LIFE_MS:
        return refusals.CARD_TOO_OLD
    judged = content.judge("interactive", request.text("content"), platform.person)
    if isinstance(judged, Refusal):
        return judged
    if platform.message_window.wait(stored.message_id):
        return refusals.TOO_FREQUENT
    platform.message_window.use(stored.message_id)
    platform.rewrite(
        stored, request.text("content"), mentions=judged.mentions, notifies=judged.notifies
    )
    return {"data": {}}


def _send(
    platform: Platform,
    request: Request,
    chat: Chat,
    operation: Literal["create", "reply"],
    *,
    parent: StoredMessage | None,
    in_thread: bool,
) -> Document | Refusal:
    msg_type, text, uuid = request.text("msg_type"), request.text("content"), request.text("uuid")
    for name, value in (("msg_type", msg_type), ("content", text)):
        if not value:
            return refusals.missing_field(name)
    if len(uuid) > LONGEST_UUID:
        return refusals.invalid("uuid is too long")
    if uuid and (sent := platform.sent_under(operation, uuid)):
        return {"data": wire.message(sent)}
    if refusal := _unreachable(platform, chat):
        return refusal
    if parent is not None and parent.deleted:
        return refusals.RECALLED
    judged = content.judge(msg_type, text, platform.person)
    if isinstance(judged, Refusal):
        return judged
    if platform.chat_window.wait(chat.chat_id):
        return refusals.TOO_FREQUENT
    platform.chat_window.use(chat.chat_id)
    stored = platform.store(
        chat,
        sender=platform.bot,
        msg_type=msg_type,
        content=text,
        parent=parent,
        in_thread=in_thread,
        uuid=uuid or None,
        operation=operation,
        mentions=judged.mentions,
        notifies=judged.notifies,
    )
    return {"data": wire.message(stored)}


def _receiver(platform: Platform, kind: str, receiver: str) -> Chat | Refusal:
    if kind in OTHER_ID_KINDS:
        return refusals.BAD_RECEIVER
    prefix = ID_KINDS.get(kind)
    if prefix is None:
        return refusals.invalid("invalid receive_id_type")
    if not receiver.startswith(prefix):
        return (
            refusals.WRONG_ID_KIND if kind != "chat_id" else refusals.invalid("invalid receive_id")
        )
    if kind == "chat_id":
        return platform.chat(receiver) or refusals.BAD_RECEIVER
    open_id = receiver if kind == "open_id" else f"ou_{receiver.removeprefix('on_')}"
    person = platform.person(open_id)
    return platform.private_chat(person) if person else refusals.BAD_RECEIVER


def _unreachable(platform: Platform, chat: Chat) -> Refusal | None:
    if chat.dissolved:
        return refusals.DISSOLVED
    if not chat.bot_present:
        return refusals.BOT_OUTSIDE
    if chat.external and not platform.external_sharing:
        private = chat.mode == "p2p"
        return refusals.CROSS_TENANT_PRIVATE if private else refusals.NO_PERMISSION
    return None


def _unreadable(platform: Platform, chat: Chat) -> Refusal | None:
    """A group's messages are read with a scope of their own."""
    if chat.mode != "p2p" and "im:message.group_msg" not in platform.access.scopes:
        return refusals.NO_PERMISSION
    return None


def _container(platform: Platform, request: Request) -> list[StoredMessage] | Refusal:
    kind, container = (
        request.query.get("container_id_type", ""),
        request.query.get("container_id", ""),
    )
    for name, value in (("container_id_type", kind), ("container_id", container)):
        if not value:
            return refusals.missing_field(name)
    if kind == "thread":
        found = platform.thread(container)
        chat = platform.chat(found[0].chat_id) if found else None
    elif kind == "chat":
        chat = platform.chat(container)
        found = [one for one in platform.messages(container) if _listed(one, chat)]
        since, until = request.query.get("start_time", ""), request.query.get("end_time", "")
        if not (since or "0").isdecimal() or not (until or "0").isdecimal():
            return refusals.invalid("invalid start_time or end_time")
        found = [one for one in found if _within(one, since, until)]
    else:
        return refusals.invalid("invalid container_id_type")
    if chat is None:
        return refusals.invalid("invalid container_id")
    if refusal := _unreachable(platform, chat):
        return refusal
    return [] if _unreadable(platform, chat) else found


def _listed(one: StoredMessage, chat: Chat | None) -> bool:
    in_thread = one.thread_id is not None and one.root_id is not None
    return not in_thread or (chat is not None and chat.mode == "topic")


def _within(one: StoredMessage, since: str, until: str) -> bool:
    seconds = one.create_time // 1000
    return (not since or seconds >= int(since)) and (not until or seconds <= int(until))


def _own(platform: Platform, message_id: str, foreign: Refusal) -> StoredMessage | Refusal:
    """A message that the app sent and that is still there."""
    stored = platform.message(message_id)
    if stored is None:
        return refusals.invalid("invalid message_id")
    if refusal := _unreachable(platform, platform.chat_of(stored)):
        return refusal
    if stored.sender_id != platform.app.app_id:
        return foreign
    return refusals.RECALLED if stored.deleted else stored


def _card_as_sent(request: Request) -> bool:
    return request.query.get("card_msg_content_type") == "user_card_content"
