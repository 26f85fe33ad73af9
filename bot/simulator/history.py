"""Every message that was ever sent, by chat, by thread, and for an hour by idempotency key.

platform.py owns one. Threads are opened here: a reply inside a thread hangs from the thread's root, whatever
message it answered.
"""

from collections import defaultdict
from typing import Literal

from bot.simulator.model import Chat, Mentioned, Person, StoredMessage
from steward.ports.world import Clock, Tokens

UUID_SECONDS = 3600.0
"""Within this time one idempotency key makes at most one message."""


class History:
    """Messages in the order in which they came; recalled ones stay, marked."""

    def __init__(self, clock: Clock, tokens: Tokens) -> None:
        self._clock = clock
        self._tokens = tokens
        self._by_id: dict[str, StoredMessage] = {}
        self._by_chat: defaultdict[str, list[StoredMessage]] = defaultdict(list)
        self._by_thread: defaultdict[str, list[StoredMessage]] = defaultdict(list)
        self._by_uuid: dict[tuple[str, str], tuple[float, StoredMessage]] = {}

    def message(self, message_id: str) -> StoredMessage | None:
        return self._by_id.get(message_id)

    def in_chat(self, chat_id: str) -> list[StoredMessage]:
        return list(self._by_chat.get(chat_id, ()))

    def in_thread(self, thread_id: str) -> list[StoredMessage]:
        return list(self._by_thread.get(thread_id, ()))

    def forget_uuids(self) -> None:
        """As after an hour: the same key makes another message."""
        self._by_uuid.clear()

    def sent_under(self, operation: str, uuid: str) -> StoredMessage | None:
        """The message that `operation` made under this idempotency key within the last hour.

        Sending and replying count apart: that they share keys is promised nowhere.
        """
        horizon = self._clock.monotonic() - UUID_SECONDS
        while self._by_uuid:
            oldest, (at, _) = next(iter(self._by_uuid.items()))
            if at > horizon:
                break
            del self._by_uuid[oldest]
        found = self._by_uuid.get((operation, uuid))
        return found[1] if found else None

    def add(
        self,
        chat: Chat,
        *,
        sender: Person,
        msg_type: str,
        content: str,
        parent: StoredMessage | None,
        in_thread: bool,
        operation: Literal["create", "reply"],
        uuid: str | None,
        mentions: tuple[Mentioned, ...],
        notifies: tuple[str, ...],
    ) -> StoredMessage:
        """Keep a message in its place in chat and thread."""
        now = int(self._clock.now().timestamp() * 1000)
        thread_id, parent_id, root_id = self._place(chat, parent, in_thread=in_thread)
        message = StoredMessage(
            message_id=f"om_{self._tokens.new()}",
            chat_id=chat.chat_id,
            root_id=root_id,
            parent_id=parent_id,
            thread_id=thread_id,
            msg_type=msg_type,
            content=content,
            sender_id=sender.app_id or sender.open_id,
            sender_type="app" if sender.app_id else "user",
            sender_tenant=sender.tenant_key,
            create_time=now,
            update_time=now,
            uuid=uuid,
            mentions=mentions,
            notifies=notifies,
        )
        self._by_id[message.message_id] = message
        self._by_chat[chat.chat_id].append(message)
        if thread_id is not None:
            self._by_thread[thread_id].append(message)
        if uuid is not None:
            self._by_uuid[operation, uuid] = (self._clock.monotonic(), message)
        return message

    def _place(
        self, chat: Chat, parent: StoredMessage | None, *, in_thread: bool
    ) -> tuple[str | None, str | None, str | None]:
        """Thread, parent and root."""
        if parent is None:
            return (f"omt_{self._tokens.new()}" if chat.mode == "topic" else None), None, None
        root_id = parent.root_id or parent.message_id
        if parent.thread_id is not None:
            return parent.thread_id, root_id, root_id
        if not in_thread:
            return None, parent.message_id, root_id
        parent.thread_id = f"omt_{self._tokens.new()}"
        self._by_thread[parent.thread_id].append(parent)
        return parent.thread_id, parent.message_id, parent.message_id
