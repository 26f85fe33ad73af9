"""Is a message meant for us, and what does it ask once our own mention is taken out of it. Pure."""

import re

from steward.model.events import Mention, Message, TextContent
from steward.model.ids import OpenId


def addressed_to(message: Message, me: OpenId) -> bool:
    """Whether the message mentions `me`, by exact id. Everyone is not us, and neither is a namesake."""
    return any(_is(mention, me) for mention in message.mentions)


def question_text(message: Message, me: OpenId) -> str:
    """The words of the message: our own mention gone, everybody else's placeholder replaced by `@name`.

    Keys end in a number and are matched whole, so that one which begins another is not found inside it. Empty where there are no words.
    """
    if not isinstance(message.content, TextContent):
        return ""
    by_key = {mention.key: mention for mention in message.mentions if mention.key}
    if not by_key:
        return message.content.text.strip()
    keys = "|".join(re.escape(key) for key in sorted(by_key, key=len, reverse=True))
    return re.sub(
        rf"({keys})(?![0-9])([ \t\xa0]?)",
        lambda match: _shown(by_key[match[1]], me, match[2]),
        message.content.text,
    ).strip()


def _shown(mention: Mention, me: OpenId, space: str) -> str:
    if _is(mention, me):
        return ""
    name = " ".join(mention.name.split())
    return (f"@{name}" if name else mention.key) + space


def _is(mention: Mention, me: OpenId) -> bool:
    return mention.open_id is not None and mention.open_id == me and not mention.everyone
