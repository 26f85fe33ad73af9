"""The platform's state, and the things that people do on it. No sockets here.

server.py lets the app call it, pusher.py delivers what is `Pushed`. Everything runs in one event loop and no
method that changes state awaits, so each of them is atomic.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeVar

import orjson

from bot.simulator import documents
from bot.simulator import mentions as at
from bot.simulator.access import Access
from bot.simulator.faults import Faults
from bot.simulator.history import History
from bot.simulator.limits import Limits, Window
from bot.simulator.model import (
    EVERYONE,
    Call,
    Chat,
    ChatMode,
    Document,
    Mentioned,
    Person,
    Pushed,
    Reaction,
    SimulatedApp,
    StoredMessage,
)
from steward.model.json import Json
from steward.ports.world import Clock, Tokens

T = TypeVar("T")

CALLS_KEPT = 100_000


class Platform:
    """One tenant's view: one app, its people and chats.

    `owner` is who registered the app. `external_sharing` is what the app was published with: without it the
    API refuses external chats.
    """

    def __init__(
        self, app: SimulatedApp, clock: Clock, tokens: Tokens, limits: Limits | None = None
    ) -> None:
        self.app = app
        self.clock = clock
        self.tokens = tokens
        self.access = Access(app, clock, tokens)
        self.faults = Faults()
        self.calls: deque[Call] = deque(maxlen=CALLS_KEPT)
        self.owner: Person | None = None
        self.external_sharing = True
        limits = limits or Limits()
        self.chat_window = Window(clock, limits.per_chat_second, 1.0)
        self.message_window = Window(clock, limits.per_message_second, 1.0)
        self.second_window = Window(clock, limits.per_operation_second, 1.0)
        self.minute_window = Window(clock, limits.per_operation_minute, 60.0)
        self.bot = Person(app.bot_open_id, app.bot_name, app.tenant_key, app.app_id)
        self._people: dict[str, Person] = {}
        self._senders: dict[str, Person] = {app.app_id: self.bot}
        self._chats: dict[str, Chat] = {}
        self._private: dict[str, Chat] = {}
        self._history = History(clock, tokens)
        self._waiting: list[asyncio.Future[None]] = []

    # ---------------------------------------------------------------- what is there

    def add_person(
        self,
        name: str,
        *,
        open_id: str | None = None,
        tenant_key: str | None = None,
        app_id: str | None = None,
    ) -> Person:
        """Somebody with an account; of our tenant unless `tenant_key` says otherwise, a bot where `app_id` is given."""
        open_id, tenant_key = (
            open_id or f"ou_{self.tokens.new()}",
            tenant_key or self.app.tenant_key,
        )
        person = Person(open_id, name, tenant_key, app_id)
        self._people[open_id] = self._senders[app_id or open_id] = person
        return person

    def add_chat(
        self,
        title: str,
        *,
        mode: ChatMode = "group",
        members: Sequence[Person] = (),
        external: bool = False,
        chat_id: str | None = None,
        tenant_key: str | None = None,
        bot_present: bool = True,
    ) -> Chat:
        """A chat with these people, and with the bot unless `bot_present` is false."""
        chat = Chat(
            chat_id or f"oc_{self.tokens.new()}",
            title,
            mode,
            external,
            tenant_key or self.app.tenant_key,
            [member.open_id for member in members],
            bot_present,
        )
        self._chats[chat.chat_id] = chat
        if mode == "p2p":
            self._private[chat.members[0]] = chat
        return chat

    def private_chat(self, person: Person) -> Chat:
        """The private chat of this person and the bot; made where there was none."""
        found = self._private.get(person.open_id)
        external = person.tenant_key != self.app.tenant_key
        return found or self.add_chat(person.name, mode="p2p", members=[person], external=external)

    def person(self, open_id: str) -> Person | None:
        return self._people.get(open_id)

    def chat(self, chat_id: str) -> Chat | None:
        return self._chats.get(chat_id)

    def chat_of(self, message: StoredMessage) -> Chat:
        return self._chats[message.chat_id]

    def chats(self) -> list[Chat]:
        return list(self._chats.values())

    def message(self, message_id: str) -> StoredMessage | None:
        return self._history.message(message_id)

    def messages(self, chat_id: str) -> list[StoredMessage]:
        """Oldest first, recalled ones too."""
        return self._history.in_chat(chat_id)

    def thread(self, thread_id: str) -> list[StoredMessage]:
        """A topic's messages, oldest first; its root is one of them."""
        return self._history.in_thread(thread_id)

    def calls_of(self, op: str) -> list[Call]:
        """The finished calls of one operation, oldest first."""
        return [call for call in self.calls if call.op == op]

    # ---------------------------------------------------------------- changes

    async def changed(self, predicate: Callable[["Platform"], T], at_most: float) -> T:
        """Wait until `predicate` gives something true, and give that; TimeoutError after `at_most` real seconds.

        It is asked again at each change of state and after each call, never by polling.
        """
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(at_most):
            while not (found := predicate(self)):
                waiting: asyncio.Future[None] = loop.create_future()
                self._waiting.append(waiting)
                await waiting
        return found

    def touch(self) -> None:
        """Something changed: whoever waits looks again."""
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)

    def milliseconds(self) -> int:
        return int(self.clock.now().timestamp() * 1000)

    def forget_uuids(self) -> None:
        """As after an hour: a key that was used makes another message."""
        self._history.forget_uuids()

    def sent_under(self, operation: str, uuid: str) -> StoredMessage | None:
        """The message that `operation` made under this idempotency key within the last hour."""
        return self._history.sent_under(operation, uuid)

    def store(
        self,
        chat: Chat,
        *,
        sender: Person,
        msg_type: str,
        content: str,
        parent: StoredMessage | None = None,
        in_thread: bool = False,
        operation: Literal["create", "reply"] = "create",
        uuid: str | None = None,
        mentions: tuple[Mentioned, ...] = (),
        notifies: tuple[str, ...] = (),
    ) -> StoredMessage:
        """Keep a message; the app's own are those of `bot`."""
        message = self._history.add(
            chat,
            sender=sender,
            msg_type=msg_type,
            content=content,
            parent=parent,
            in_thread=in_thread,
            operation=operation,
            uuid=uuid,
            mentions=mentions,
            notifies=notifies,
        )
        self.touch()
        return message

    def rewrite(
        self,
        message: StoredMessage,
        content: str,
        *,
        mentions: tuple[Mentioned, ...] = (),
        notifies: tuple[str, ...] = (),
    ) -> None:
        """Other content in place of what a message held."""
        message.content, message.mentions, message.notifies = content, mentions, notifies
        message.updated = True
        message.update_time = self.milliseconds()
        self.touch()

    # ---------------------------------------------------------------- things people do

    def say(
        self,
        person: Person,
        chat: Chat,
        text: str = "",
        *,
        mention_bot: bool = False,
        mentions: Sequence[Person] = (),
        at_all: bool = False,
        reply_to: str | None = None,
        in_thread: bool = False,
        message_type: str = "text",
        content: Mapping[str, Json] | None = None,
    ) -> Pushed:
        """A person writes. `@Name` of somebody mentioned becomes a placeholder; a name not in the text is put first.

        `content` overrides what `message_type` other than text holds. `in_thread` opens a topic under `reply_to`.
        """
        named = at.named([*([self.bot] if mention_bot else []), *mentions])
        parent = self._known(reply_to) if reply_to is not None else None
        body = (
            content
            if content is not None
            else {"text": at.with_placeholders(text, named, everyone=at_all)}
        )
        everyone = (EVERYONE,) if at_all else ()
        message = self.store(
            chat,
            sender=person,
            msg_type=message_type,
            content=orjson.dumps(body).decode(),
            parent=parent,
            in_thread=in_thread,
            mentions=named,
            notifies=(*everyone, *(one.open_id for one in named)),
        )
        return self.received(message)

    def received(self, message: StoredMessage) -> Pushed:
        """The event of any message, under a new event id: also a second one, also of the app's own."""
        sender, chat = self._senders[message.sender_id], self._chats[message.chat_id]
        event = documents.message_received(message, sender, chat)
        return self._event("im.message.receive_v1", event, message)

    def recall(self, person: Person, message_id: str) -> Pushed:
        """`person` takes a message back; only their own."""
        message = self._known(message_id)
        if message.sender_id != person.open_id:
            raise ValueError("people take back their own messages")
        self.withdraw(message)
        return self._event(
            "im.message.recalled_v1", documents.recalled(message, self.milliseconds()), message
        )

    def withdraw(self, message: StoredMessage) -> None:
        """It is gone from the chat, whoever took it back."""
        message.deleted = True
        message.update_time = self.milliseconds()
        self.touch()

    def click(self, person: Person, message_id: str, value: Json, *, tag: str = "button") -> Pushed:
        """A press on a card; the platform neither knows nor checks whose card it is."""
        message = self._known(message_id)
        event = documents.card_action(message, person, f"c-{self.tokens.new()}", value, tag)
        event_id = self.tokens.new()
        microseconds = str(self.milliseconds() * 1000)
        return Pushed(
            event_id,
            documents.envelope(self.app, event_id, "card.action.trigger", microseconds, event),
            message,
        )

    def react(self, person: Person, message_id: str, emoji_type: str) -> Pushed:
        """A person puts an emoji under a message."""
        message = self._known(message_id)
        reaction = Reaction(f"r_{self.tokens.new()}", emoji_type, "user", person.open_id)
        message.reactions.append(reaction)
        self.touch()
        return self._event(
            "im.message.reaction.created_v1",
            documents.reacted(message, reaction, self.milliseconds()),
        )

    def add_member(self, chat: Chat, person: Person, *, by: Person) -> Pushed:
        """A person joins. One of another tenant makes the chat external."""
        if person.open_id not in chat.members:
            chat.members.append(person.open_id)
        chat.external = chat.external or person.tenant_key != chat.tenant_key
        self.touch()
        return self._event(
            "im.chat.member.user.added_v1", documents.members_event(chat, by, [person])
        )

    def remove_member(self, chat: Chat, person: Person, *, by: Person) -> Pushed:
        """A person leaves or is put out. The chat stays external until somebody changes that."""
        chat.members.remove(person.open_id)
        self.touch()
        return self._event(
            "im.chat.member.user.deleted_v1", documents.members_event(chat, by, [person])
        )

    def remove_person(self, person: Person) -> Pushed:
        """Somebody leaves the tenant, and with it every chat; what they wrote stays."""
        del self._people[person.open_id]
        for chat in self._chats.values():
            if person.open_id in chat.members:
                chat.members.remove(person.open_id)
        self.touch()
        return self._event("contact.user.deleted_v3", documents.person_deleted(person))

    def add_bot(self, chat: Chat, *, by: Person) -> Pushed:
        chat.bot_present = True
        self.touch()
        return self._event("im.chat.member.bot.added_v1", documents.chat_event(chat, by))

    def remove_bot(self, chat: Chat, *, by: Person) -> Pushed:
        """From here on the chat is hidden from the app."""
        chat.bot_present = False
        self.touch()
        return self._event("im.chat.member.bot.deleted_v1", documents.chat_event(chat, by))

    def disband(self, chat: Chat, *, by: Person) -> Pushed:
        chat.dissolved = True
        self.touch()
        return self._event("im.chat.disbanded_v1", documents.chat_event(chat, by))

    def rename(self, chat: Chat, title: str, *, by: Person) -> Pushed:
        before: Document = {"name": chat.title}
        chat.title = title
        self.touch()
        return self._event(
            "im.chat.updated_v1", documents.chat_updated(chat, by, before, {"name": title})
        )

    def p2p_first_contact(self, person: Person) -> Pushed:
        """A person opens a private chat with the bot: the legacy event, keyed by `uuid`."""
        chat, uuid = self.private_chat(person), self.tokens.new()
        seconds = self.clock.now().timestamp()
        return Pushed(uuid, documents.first_contact(self.app, uuid, seconds, chat, person))

    def event(self, event_type: str, event: Document) -> Pushed:
        """Any other event, such as one that the bot does not know."""
        return self._event(event_type, event)

    # ---------------------------------------------------------------- inside

    def _event(
        self, event_type: str, event: Document, message: StoredMessage | None = None
    ) -> Pushed:
        event_id = self.tokens.new()
        now = str(self.milliseconds())
        document = documents.envelope(self.app, event_id, event_type, now, event)
        return Pushed(event_id, document, message)

    def _known(self, message_id: str) -> StoredMessage:
        message = self.message(message_id)
        if message is None:
            raise ValueError(f"no message {message_id}")
        return message
