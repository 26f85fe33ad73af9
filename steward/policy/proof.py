"""Does the platform's own copy of a message bear out what its event claims? Contract P7. Pure.

Above: control's audiences. Whoever knows the app's keys can make an event up; nobody can make the platform hold a
message that was not written.
"""

from dataclasses import replace
from enum import StrEnum

from steward.model.audience import ChatFacts, ChatMode, MessageFacts
from steward.model.events import Message, TextContent
from steward.model.ids import TenantKey


class Proof(StrEnum):
    """What the copy says of the claim."""

    PROVEN = "proven"
    """Sender, chat and words are the same."""
    REWORDED = "reworded"
    """Sender and chat are; the words are others, as after an edit."""
    CONTRADICTED = "contradicted"
    """No such message, or another person's, or in another chat."""


def proof_of(message: Message, copy: MessageFacts | None) -> Proof:
    """Compare an event's message with the platform's copy; None: there is none."""
    if copy is None or copy.sender is None or copy.sender != message.sender.open_id:
        return Proof.CONTRADICTED
    if copy.chat_id != message.conversation.chat_id:
        return Proof.CONTRADICTED
    claimed = message.content.text if isinstance(message.content, TextContent) else None
    if _words(claimed) == _words(copy.text):
        return Proof.PROVEN
    return Proof.CONTRADICTED if copy.text is None else Proof.REWORDED


def as_kept(message: Message, copy: MessageFacts) -> Message:
    """The message with the words that the platform has: those of its event are nobody's."""
    return message if copy.text is None else replace(message, content=TextContent(copy.text))


def is_private(facts: ChatFacts, tenant: TenantKey) -> bool:
    """Whether a chat is one of two, inside the tenant: a person's own message also stands in their groups."""
    ours = facts.external is False and facts.tenant_key in {None, tenant}
    return ours and facts.mode is ChatMode.P2P


def _words(text: str | None) -> list[str] | None:
    """Spaces are the clients' business."""
    return None if text is None else text.split()
