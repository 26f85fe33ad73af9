"""The chats that we are in, written down for the owner's eyes: no decision is taken by it.

Above: audiences and intake. Below: the store's chats, asked only where something is new: most messages come from a chat
that was written down before.
"""

from collections import OrderedDict
from datetime import timedelta

from steward.model.audience import ChatFacts
from steward.model.ids import AppId, ChatId
from steward.ports.chats import Chats

NOTED_AGAIN = timedelta(hours=1)
REMEMBERED = 4096


class Chatbook:
    """Of one app; one instance serves every worker. Methods raise StoreUnavailableError."""

    def __init__(self, app: AppId, chats: Chats) -> None:
        self._app = app
        self._chats = chats
        self._noted: OrderedDict[ChatId, ChatFacts] = OrderedDict()

    async def seen(self, facts: ChatFacts) -> None:
        """A chat was looked up: noted where it changed, or where the last note is an hour old."""
        noted = self._noted.get(facts.chat_id)
        if noted is not None and _same(noted, facts):
            return
        await self._chats.note(self._app, facts)
        self._noted[facts.chat_id] = facts
        self._noted.move_to_end(facts.chat_id)
        if len(self._noted) > REMEMBERED:
            self._noted.popitem(last=False)

    async def left(self, chat: ChatId) -> None:
        """We are not in it any more, or it is gone."""
        self._noted.pop(chat, None)
        await self._chats.left(self._app, chat)


def _same(noted: ChatFacts, facts: ChatFacts) -> bool:
    unchanged = (noted.title, noted.external) == (facts.title, facts.external)
    return unchanged and facts.as_of < noted.as_of + NOTED_AGAIN
