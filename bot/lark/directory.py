"""Implements ports.directory.Directory: what the platform says of us and of chats, at most 5 minutes old.

Above: intake and turns. Below: client.py. One look-up at a time for each chat, whoever else asks waits for it; a
failure is kept for moments only, and is never an audience (A1).
"""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import timedelta
from math import inf

from bot.lark.client import LarkClient
from bot.lark.errors import FailureClass, LarkFailure
from bot.lark.replies import BotReply, ChatReply, TenantReply
from steward.model.audience import BotIdentity, ChatFacts, ChatMode, DirectoryFailure
from steward.model.ids import ChatId, ConversationId, OpenId, TenantKey
from steward.ports.world import Clock

FACTS_KEPT = timedelta(minutes=5)
FAILURES_KEPT = timedelta(seconds=2)
CHATS_REMEMBERED = 4096

_LASTING = frozenset(
    {
        FailureClass.PERMISSION,
        FailureClass.CHAT_GONE,
        FailureClass.CHAT_CLOSED,
        FailureClass.BAD_REQUEST,
    }
)
"""Failures of a look-up that asking again soon does not mend."""

_MODES = {mode.value: mode for mode in (ChatMode.P2P, ChatMode.GROUP, ChatMode.TOPIC)}


@dataclass(slots=True)
class _Known:
    """What the last look-up gave, and until when that holds, in monotonic seconds."""

    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    answer: ChatFacts | DirectoryFailure | None = None
    until: float = 0.0


class LarkDirectory:
    """Of the client's app."""

    def __init__(self, client: LarkClient, clock: Clock) -> None:
        self._client = client
        self._clock = clock
        self._me_turn = asyncio.Lock()
        self._me: BotIdentity | None = None
        self._me_until = 0.0
        self._me_failed: tuple[float, DirectoryFailure] | None = None
        self._chats: OrderedDict[ChatId, _Known] = OrderedDict()

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
            return DirectoryFailure(retry=False, reason="foreign_app")
        known = self._known(conversation.chat_id)
        async with known.turn:
            if known.answer is not None and self._clock.monotonic() < known.until:
                return known.answer
            asked_at = self._clock.monotonic()
            known.answer = await self._facts(conversation.chat_id)
            failed = isinstance(known.answer, DirectoryFailure)
            kept = FAILURES_KEPT if failed else FACTS_KEPT
            known.until = asked_at + kept.total_seconds()
            return known.answer

    def forget(self, conversation: ConversationId) -> None:
        """A look-up that is under way answers who waits for it, and is not kept."""
        self._chats.pop(conversation.chat_id, None)

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

    def _known(self, chat_id: ChatId) -> _Known:
        known = self._chats.setdefault(chat_id, _Known())
        self._chats.move_to_end(chat_id)
        if len(self._chats) > CHATS_REMEMBERED:
            self._chats.popitem(last=False)
        return known


def _failure(failure: LarkFailure) -> DirectoryFailure:
    return DirectoryFailure(retry=failure.kind not in _LASTING, reason=failure.kind.value)
