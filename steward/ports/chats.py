"""The chats that we have been in, for the owner's eyes: who may read there is never decided by these rows."""

from collections.abc import Sequence
from typing import Protocol

from steward.model.audience import ChatFacts, KnownChat
from steward.model.ids import AppId, ChatId


class Chats(Protocol):
    """Facts with the time they were seen at."""

    async def note(self, app: AppId, facts: ChatFacts) -> None:
        """Remember a chat as it is now; one that we had left is one that we are in."""
        ...

    async def left(self, app: AppId, chat: ChatId) -> None: ...

    async def known(self, app: AppId) -> Sequence[KnownChat]:
        """By title."""
        ...
