"""Identities. Every id of the platform is an id of one app: open_id, message and chat ids mean nothing alone."""

from dataclasses import dataclass
from typing import NewType

AppId = NewType("AppId", str)
EventId = NewType("EventId", str)
OpenId = NewType("OpenId", str)
TenantKey = NewType("TenantKey", str)
ChatId = NewType("ChatId", str)
ThreadId = NewType("ThreadId", str)

InboxId = NewType("InboxId", int)
QuestionId = NewType("QuestionId", int)
PartId = NewType("PartId", int)

WorkerId = NewType("WorkerId", str)
AttemptToken = NewType("AttemptToken", str)
CitationId = NewType("CitationId", str)
SourceId = NewType("SourceId", str)
GoalId = NewType("GoalId", str)


@dataclass(frozen=True, slots=True, order=True)
class ConversationId:
    """The session key: one chat, or one topic of it, as one app sees it.

    `thread_id` only where the platform says so; a quoted reply is no thread. Outbox order and pacing are
    per `chat_id`, everything else is per conversation.
    """

    app_id: AppId
    chat_id: ChatId
    thread_id: ThreadId | None = None

    def __str__(self) -> str:
        return f"{self.app_id}/{self.chat_id}/{self.thread_id or ''}"

    @classmethod
    def parse(cls, text: str) -> "ConversationId":
        """Undo `str`; raises ValueError where the text has not three parts."""
        app_id, chat_id, thread_id = text.split("/")
        return cls(AppId(app_id), ChatId(chat_id), ThreadId(thread_id) if thread_id else None)


@dataclass(frozen=True, slots=True, order=True)
class MessageRef:
    """A message as one app names it."""

    app_id: AppId
    message_id: str
