"""Implements ports.directory.Directory: what the platform says of us, of chats and of messages.

Above: intake and turns. Below: client.py. What is said of a chat is at most 5 minutes old, with one look-up at a time
for each chat, whoever else asks waits for it; a failure is kept for moments only, and is never an audience (A1). A
message is asked for anew each time: it is a proof (P7).
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import timedelta
from math import inf
from typing import Generic, TypeVar

from bot.lark.client import LarkClient
from bot.lark.content import content
from bot.lark.errors import WHOLE_APP, FailureClass, LarkFailure
from bot.lark.replies import (
    BotReply,
    ChatReply,
    ListedMessage,
    ListedSender,
    MembersReply,
    MessagesReply,
    TenantReply,
)
from steward.model.audience import (
    BotIdentity,
    ChatFacts,
    ChatMode,
    DirectoryFailure,
    Members,
    MessageFacts,
    Person,
)
from steward.model.events import TextContent
from steward.model.ids import ChatId, ConversationId, MessageRef, OpenId, TenantKey
from steward.ports.world import Clock

FACTS_KEPT = timedelta(minutes=5)
FAILURES_KEPT = timedelta(seconds=2)
CHATS_REMEMBERED = 4096
MEMBER_PAGES = 10
"""Of 100 people each; who is in a larger chat is listed in part."""

_LASTING = frozenset(
    {
        FailureClass.PERMISSION,
        FailureClass.APP_REFUSED,
        FailureClass.CHAT_GONE,
        FailureClass.CHAT_CLOSED,
        FailureClass.BAD_REQUEST,
    }
)
"""Failures of a look-up that asking again soon does not mend."""

_MODES = {mode.value: mode for mode in (ChatMode.P2P, ChatMode.GROUP, ChatMode.TOPIC)}


_NO_SUCH_MESSAGE = frozenset({FailureClass.TARGET_GONE, FailureClass.CHAT_GONE})
_INVALID_PARAMETER = 230001
"""What the platform says of a message id that it never gave out: the one parameter of that call."""

FactsT = TypeVar("FactsT")


@dataclass(slots=True)
class _Known(Generic[FactsT]):
    """What the last look-up gave, and until when that holds, in monotonic seconds."""

    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    answer: FactsT | DirectoryFailure | None = None
    until: float = 0.0


class _Memory(Generic[FactsT]):
    """Facts by chat, the chats that were asked for last."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._chats: OrderedDict[ChatId, _Known[FactsT]] = OrderedDict()

    async def facts(
        self, chat: ChatId, ask: Callable[[ChatId], Awaitable[FactsT | DirectoryFailure]]
    ) -> FactsT | DirectoryFailure:
        """What is known of `chat`, or what `ask` says now."""
        known = self._known(chat)
        async with known.turn:
            if known.answer is not None and self._clock.monotonic() < known.until:
                return known.answer
            asked_at = self._clock.monotonic()
            answer = known.answer = await ask(chat)
            kept = FAILURES_KEPT if isinstance(answer, DirectoryFailure) else FACTS_KEPT
            known.until = asked_at + kept.total_seconds()
            return answer

    def forget(self, chat: ChatId) -> None:
        """A look-up that is under way answers who waits for it, and is not kept."""
        self._chats.pop(chat, None)

    def _known(self, chat: ChatId) -> _Known[FactsT]:
        known = self._chats.setdefault(chat, _Known())
        self._chats.move_to_end(chat)
        if len(self._chats) > CHATS_REMEMBERED:
            self._chats.popitem(last=False)
        return known


class LarkDirectory:
    """Of the client's app."""

    def __init__(self, client: LarkClient, clock: Clock) -> None:
        self._client = client
        self._clock = clock
        self._me_turn = asyncio.Lock()
        self._me: BotIdentity | None = None
        self._me_until = 0.0
        self._me_failed: tuple[float, DirectoryFailure] | None = None
        self._chats = _Memory[ChatFacts](clock)
        self._members = _Memory[Members](clock)

    @property
    def knows_itself(self) -> bool:
        return self._me is not None

    @property
    def tenant(self) -> TenantKey | None:
        """The app's own tenant, once the platform has said it."""
        return None if self._me is None else self._me.tenant_key

    async def me(self) -> BotIdentity | DirectoryFailure:
        """Ourselves. Without the scope for it the tenant is None, and asked for again after 5 minutes."""
        async with self._me_turn:
            if self._me is not None and self._clock.monotonic() < self._me_until:
                return self._me
            if self._me_failed is not None and self._clock.monotonic() < self._me_failed[0]:
                return self._me or self._me_failed[1]
            found = await self._identity()
            now = self._clock.monotonic()
            if isinstance(found, DirectoryFailure):
                self._me_failed = now + FAILURES_KEPT.total_seconds(), found
                return self._me or found
            self._me = found
            self._me_until = inf if found.tenant_key else now + FACTS_KEPT.total_seconds()
            return found

    async def chat(self, conversation: ConversationId) -> ChatFacts | DirectoryFailure:
        if conversation.app_id != self._client.app_id:
            return _FOREIGN
        return await self._chats.facts(conversation.chat_id, self._facts)

    async def members(self, conversation: ConversationId) -> Members | DirectoryFailure:
        if conversation.app_id != self._client.app_id:
            return _FOREIGN
        return await self._members.facts(conversation.chat_id, self._listed)

    async def message(self, ref: MessageRef) -> MessageFacts | DirectoryFailure | None:
        if ref.app_id != self._client.app_id:
            return _FOREIGN
        call = self._client.sdk.get_message(ref.message_id)
        reply = await self._client.call(call, MessagesReply, idempotent=True)
        if isinstance(reply, LarkFailure):
            gone = reply.kind in _NO_SUCH_MESSAGE or reply.code == _INVALID_PARAMETER
            return None if gone else _failure(reply)
        said = next((one for one in reply.data.items if one.message_id == ref.message_id), None)
        return None if said is None or said.deleted else _said(said)

    def forget(self, conversation: ConversationId) -> None:
        self._chats.forget(conversation.chat_id)
        self._members.forget(conversation.chat_id)

    async def _identity(self) -> BotIdentity | DirectoryFailure:
        sdk = self._client.sdk
        bot = await self._client.call(sdk.bot_info(), BotReply, idempotent=True)
        if isinstance(bot, LarkFailure):
            return _failure(bot)
        tenant = await self._client.call(sdk.tenant(), TenantReply, idempotent=True)
        key: TenantKey | None = None
        if isinstance(tenant, TenantReply):
            key = TenantKey(tenant.data.tenant.tenant_key)
        elif tenant.kind is not FailureClass.PERMISSION:
            return _failure(tenant)
        return BotIdentity(OpenId(bot.bot.open_id), bot.bot.app_name, key)

    async def _facts(self, chat_id: ChatId) -> ChatFacts | DirectoryFailure:
        as_of = self._clock.now()
        call = self._client.sdk.get_chat(chat_id)
        reply = await self._client.call(call, ChatReply, idempotent=True)
        if isinstance(reply, LarkFailure):
            return _failure(reply)
        said = reply.data
        return ChatFacts(
            chat_id=chat_id,
            mode=_MODES.get(said.chat_mode, ChatMode.UNKNOWN),
            external=said.external,
            tenant_key=TenantKey(said.tenant_key) if said.tenant_key else None,
            title=said.name,
            as_of=as_of,
        )

    async def _listed(self, chat_id: ChatId) -> Members | DirectoryFailure:
        as_of, people, token = self._clock.now(), list[Person](), None
        for _ in range(MEMBER_PAGES):
            call = self._client.sdk.chat_members(chat_id, page_token=token)
            reply = await self._client.call(call, MembersReply, idempotent=True)
            if isinstance(reply, LarkFailure):
                return _failure(reply)
            people += [
                Person(OpenId(one.member_id), TenantKey(one.tenant_key) if one.tenant_key else None)
                for one in reply.data.items
            ]
            token = reply.data.page_token
            if not reply.data.has_more:
                return Members(chat_id, tuple(people), complete=True, as_of=as_of)
            if not token:
                break
        return Members(chat_id, tuple(people), complete=False, as_of=as_of)


_FOREIGN = DirectoryFailure(retry=False, reason="foreign_app")


def _failure(failure: LarkFailure) -> DirectoryFailure:
    return DirectoryFailure(
        retry=failure.kind not in _LASTING,
        reason=failure.kind.value,
        whole_app=failure.kind in WHOLE_APP,
    )


def _said(message: ListedMessage) -> MessageFacts | DirectoryFailure:
    """The words are read as those of an event are, so that the two can be compared."""
    if not message.chat_id:
        return DirectoryFailure(retry=False, reason="chat_unnamed")
    words = content(message.msg_type, message.body.content)
    return MessageFacts(
        chat_id=ChatId(message.chat_id),
        sender=_person(message.sender),
        text=words.text if isinstance(words, TextContent) else None,
    )


def _person(sender: ListedSender) -> OpenId | None:
    person = sender.sender_type == "user" and sender.id_type == "open_id"
    return OpenId(sender.id) if person and sender.id else None
