"""Message and audience → question, a visible no, or silence with a reason. Contracts A1, A2."""

from steward.model.audience import (
    Audience,
    AudienceKind,
    BotIdentity,
    Declined,
    DeclineReason,
    Ignored,
    IgnoreReason,
    Scope,
)
from steward.model.events import Message, PrincipalKind, TextContent
from steward.model.turn import NewQuestion
from steward.policy.language import language_of


def unwanted(message: Message, me: BotIdentity) -> Ignored | None:
    """Ourselves first, then whoever is no person: two bots never talk to each other here."""
    if message.sender.open_id == me.open_id:
        return Ignored(IgnoreReason.OWN_MESSAGE)
    if message.sender.kind is not PrincipalKind.PERSON:
        return Ignored(IgnoreReason.NOT_A_PERSON)
    return None


def admission(
    message: Message, text: str, audience: Audience, scope: Scope
) -> NewQuestion | Declined | Ignored:
    """The verdict on an addressed message. `text` is its words without our own mention."""
    if audience.kind is AudienceKind.UNKNOWN:
        return Ignored(IgnoreReason.AUDIENCE_UNKNOWN)
    if scope.empty:
        return Declined(DeclineReason.NOT_GRANTED)
    if not isinstance(message.content, TextContent):
        return Declined(DeclineReason.CONTENT_UNREADABLE)
    if not text.strip():
        return Declined(DeclineReason.EMPTY_QUESTION)
    return question(message, text, audience)


def question(message: Message, text: str, audience: Audience) -> NewQuestion | Ignored:
    """The question that an addressed message of a known sender asks."""
    asker = message.sender.open_id
    if asker is None:
        return Ignored(IgnoreReason.AUDIENCE_UNKNOWN)
    return NewQuestion(
        conversation=message.conversation,
        message=message.ref,
        asker=asker,
        audience=audience,
        in_thread=message.conversation.thread_id is not None,
        text=text.strip(),
        language=language_of(text),
        asked_at=message.sent_at,
    )
