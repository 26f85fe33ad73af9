"""What the platform says of chats, messages and ourselves."""

from typing import Protocol

from steward.model.audience import BotIdentity, ChatFacts, DirectoryFailure
from steward.model.ids import ConversationId


class Directory(Protocol):
    """Facts may be up to 5 minutes old; a failed look-up is a value, and no audience (A1)."""

    @property
    def knows_itself(self) -> bool:
        """Whether `me` has succeeded once; our id does not change."""
        ...

    async def me(self) -> BotIdentity | DirectoryFailure: ...

    async def chat(self, conversation: ConversationId) -> ChatFacts | DirectoryFailure: ...

    def forget(self, conversation: ConversationId) -> None:
        """Something about this chat changed: the next look-up asks the platform."""
        ...
