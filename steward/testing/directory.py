"""A directory that is told its facts. Implements ports.directory.Directory."""

from dataclasses import replace

from steward.model.audience import BotIdentity, ChatFacts, ChatMode, DirectoryFailure
from steward.model.ids import ChatId, ConversationId, OpenId, TenantKey
from steward.ports.world import Clock

UNKNOWN_CHAT = DirectoryFailure(retry=False, reason="chat_gone")


class FakeDirectory:
    """Knows the chats that were added; every other is refused as the platform refuses what it does not show.

    `failure`, while set, is the answer to everything. `asked` and `forgotten` list the chats in order.
    """

    def __init__(self, clock: Clock, me: BotIdentity | None = None) -> None:
        self._clock = clock
        self._me = me or BotIdentity(OpenId("ou_bot"), "Steward", TenantKey("tenant_ours"))
        self._chats: dict[ChatId, ChatFacts] = {}
        self._knows_itself = False
        self.failure: DirectoryFailure | None = None
        self.asked: list[ChatId] = []
        self.forgotten: list[ChatId] = []

    def add(
        self,
        chat_id: ChatId,
        mode: ChatMode = ChatMode.GROUP,
        *,
        external: bool | None = False,
        tenant_key: TenantKey | None = TenantKey("tenant_ours"),  # noqa: B008 - a constant string
        title: str = "Team",
    ) -> None:
        """Add a chat, or change what is said of it."""
        facts = ChatFacts(chat_id, mode, external, tenant_key, title, self._clock.now())
        self._chats[chat_id] = facts

    def remove(self, chat_id: ChatId) -> None:
        """The chat is gone, or we are no longer in it."""
        del self._chats[chat_id]

    @property
    def knows_itself(self) -> bool:
        return self._knows_itself

    async def me(self) -> BotIdentity | DirectoryFailure:
        if self.failure is not None and not self._knows_itself:
            return self.failure
        self._knows_itself = True
        return self._me

    async def chat(self, conversation: ConversationId) -> ChatFacts | DirectoryFailure:
        self.asked.append(conversation.chat_id)
        if self.failure is not None:
            return self.failure
        facts = self._chats.get(conversation.chat_id)
        return UNKNOWN_CHAT if facts is None else replace(facts, as_of=self._clock.now())

    def forget(self, conversation: ConversationId) -> None:
        self.forgotten.append(conversation.chat_id)
