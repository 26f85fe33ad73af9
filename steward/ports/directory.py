"""What the platform says of chats, messages and ourselves."""

from typing import Protocol

from steward.model.audience import (
    BotIdentity,
    ChatFacts,
    DirectoryFailure,
    Members,
    MessageFacts,
)
from steward.model.ids import ConversationId, MessageRef


class Directory(Protocol):
    """Facts may be up to 5 minutes old; a failed look-up is a value, and no audience (A1)."""

    @property
    def knows_itself(self) -> bool:
        """Whether `me` has succeeded once; our id does not change."""
        ...

    async def me(self) -> BotIdentity | DirectoryFailure: ...

    async def chat(self, conversation: ConversationId) -> ChatFacts | DirectoryFailure: ...

    async def members(self, conversation: ConversationId) -> Members | DirectoryFailure:
        """Who is in a group, for a preview: it decides nothing."""
        ...

    async def message(self, ref: MessageRef) -> MessageFacts | DirectoryFailure | None:
        """The platform's own copy, asked for anew each time; None: there is no such message (P7)."""
        ...

    def forget(self, conversation: ConversationId) -> None:
        """Something about this chat changed: the next look-up asks the platform."""
        ...
