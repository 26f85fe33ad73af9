"""Whether a reply would stand where its readers are: a reply follows the message that it answers. Contract A3.

Above: the courier's guards. Below: the platform's own copy of a message. Whoever knows the app's keys can make up an event
that names one chat, and a message of another: what is meant for the first would be read in the second.
"""

from collections import OrderedDict
from dataclasses import replace
from enum import Enum
from typing import TypeAlias

from steward.model.audience import DirectoryFailure
from steward.model.delivery import Place
from steward.model.ids import ChatId, MessageRef
from steward.ports.directory import Directory

REMEMBERED = 4096
"""Messages whose chat is known: it does not change, and an answer may have several parts."""


class Nowhere(Enum):
    """Why a reply has no place."""

    ELSEWHERE = "not_proven"
    """Its message is another chat's."""
    MISSING = "message_gone"
    """The platform shows no such message: recalled, never written, or too new."""


Standpoint: TypeAlias = Place | DirectoryFailure | Nowhere


class Places:
    """Of one courier."""

    def __init__(self, directory: Directory) -> None:
        self._directory = directory
        self._chats: OrderedDict[MessageRef, ChatId] = OrderedDict()

    async def of(self, place: Place) -> Standpoint:
        """The place, where the platform bears it out that its message is of its chat.

        Without the permission to look (in groups it is one of its own), the part goes into the chat by the chat's id, and
        answers no message.
        """
        message, chat = place.reply_to, place.conversation.chat_id
        if message is None:
            return place
        found = self._chats.get(message)
        if found is None:
            copy = await self._directory.message(message)
            if isinstance(copy, DirectoryFailure):
                return copy if copy.retry else replace(place, reply_to=None, in_thread=False)
            if copy is None:
                return Nowhere.MISSING
            found = self._remembered(message, copy.chat_id)
        return place if found == chat else Nowhere.ELSEWHERE

    def _remembered(self, message: MessageRef, chat: ChatId) -> ChatId:
        self._chats[message] = chat
        while len(self._chats) > REMEMBERED:
            self._chats.popitem(last=False)
        return chat
