"""A directory that is told its facts. Implements ports.directory.Directory."""

from dataclasses import replace

from steward.model.audience import (
    BotIdentity,
    ChatFacts,
    ChatMode,
    DirectoryFailure,
    Members,
    MessageFacts,
    Person,
)
from steward.model.ids import ChatId, ConversationId, MessageRef, OpenId, TenantKey
from steward.ports.world import Clock
from steward.testing.sender import Arrival

UNKNOWN_CHAT = DirectoryFailure(retry=False, reason="chat_gone")


class FakeDirectory:
    """Knows the chats that were added; every other is refused as the platform refuses what it does not show.

    `failure`, while set, is the answer to everything, `unseen` to every look at a message. `asked` and `forgotten` list
    the chats in order, `proved` the messages that were asked for.
    """

    def __init__(self, clock: Clock, me: BotIdentity | None = None) -> None:
        self._clock = clock
        self._me = me or BotIdentity(OpenId("ou_bot"), "Steward", TenantKey("tenant_ours"))
        self._chats: dict[ChatId, ChatFacts] = {}
        self._members: dict[ChatId, tuple[Person, ...]] = {}
        self._messages: dict[MessageRef, MessageFacts] = {}
        self._knows_itself = False
        self.failure: DirectoryFailure | None = None
        self.unseen: DirectoryFailure | None = None
        self.asked: list[ChatId] = []
        self.proved: list[MessageRef] = []
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

    def said(self, ref: MessageRef, chat: ChatId, sender: OpenId | None, text: str | None) -> None:
        """The platform has this message; or has it now with other words."""
        self._messages[ref] = MessageFacts(chat, sender, text)

    def sent(self, arrival: Arrival) -> None:
        """The platform has what we sent, as it has everybody's."""
        self.said(arrival.sent.message, arrival.place.conversation.chat_id, self._me.open_id, None)

    def recall(self, ref: MessageRef) -> None:
        """The message is gone."""
        self._messages.pop(ref, None)

    def people(self, chat_id: ChatId, *people: Person) -> None:
        """Who is in a chat."""
        self._members[chat_id] = people

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

    async def members(self, conversation: ConversationId) -> Members | DirectoryFailure:
        facts = await self.chat(conversation)
        if isinstance(facts, DirectoryFailure):
            return facts
        people = self._members.get(conversation.chat_id, ())
        return Members(conversation.chat_id, people, complete=True, as_of=self._clock.now())

    async def message(self, ref: MessageRef) -> MessageFacts | DirectoryFailure | None:
        self.proved.append(ref)
        return self.failure or self.unseen or self._messages.get(ref)

    def forget(self, conversation: ConversationId) -> None:
        self.forgotten.append(conversation.chat_id)
