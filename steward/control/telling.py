"""What intake says by itself, as outbox rows: refusals in sight, lost messages, questions that are owed from the start.

Above: intake, which commits them with the verdict. Below: parts, the texts of policy.presentation. Nothing here shows
anything of evidence.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from steward.control.parts import Subject, answering, parts_of, place_of
from steward.model.audience import Audience, AudienceKind, Declined, DeclineReason, Limits
from steward.model.delivery import NewPart
from steward.model.events import Event, EventKind, Message, Taken, TextContent, Unparsable
from steward.model.ids import ConversationId
from steward.model.turn import Language, NewQuestion, TurnFailure
from steward.policy.language import language_of
from steward.policy.presentation import decline, notice, unparsable_line
from steward.ports.sender import Sender


@dataclass(frozen=True, slots=True)
class Telling:
    """Plans every line for the sender that will carry it."""

    sender: Sender
    limits: Limits

    def declined(
        self, item: Taken, message: Message, audience: Audience, why: Declined
    ) -> Sequence[NewPart]:
        """A visible no, in the language of what was asked; the owner, narrowed to nothing, hears it each time."""
        empty = why.reason is DeclineReason.EMPTY_QUESTION
        language = None if empty else _language(message)
        owners = audience.kind is AudienceKind.OWNER_PRIVATE
        ungranted = why.reason is DeclineReason.NOT_GRANTED and not owners
        key = _once(audience, item) if ungranted else f"inbox:{item.id}"
        place = answering(message.conversation, message.ref)
        said = decline(why.reason, language=language, limits=self.limits)
        return parts_of(self.sender, said, Subject(key, 1, place))

    def ungranted(
        self, item: Taken, where: ConversationId, audience: Audience, language: Language
    ) -> Sequence[NewPart]:
        """The same line where nobody has asked yet: a group that the bot was just added to."""
        said = decline(DeclineReason.NOT_GRANTED, language=language, limits=self.limits)
        subject = Subject(_once(audience, item), 1, answering(where, None))
        return parts_of(self.sender, said, subject)

    def owed(self, asked: NewQuestion, failure: TurnFailure) -> Sequence[NewPart]:
        """The notice of a question that nothing was done for."""
        subject = Subject(f"message:{asked.message.message_id}", 1, place_of(asked))
        return parts_of(self.sender, notice(failure, language=asked.language), subject)

    def unparsable(self, item: Taken, event: Event | Unparsable | None = None) -> Sequence[NewPart]:
        """D3: one typed line where the chat is known and a message of a person may have been lost.

        `event`: what could be read of it all the same.
        """
        envelope = item.envelope
        if envelope.kind is not EventKind.MESSAGE or envelope.conversation is None:
            return ()
        place = answering(envelope.conversation, envelope.message)
        subject = Subject(f"inbox:{item.id}", 1, place)
        language = _language(event) if isinstance(event, Message) else None
        return parts_of(self.sender, unparsable_line(language), subject)


def _language(message: Message) -> Language | None:
    """That of its words; None: it has none."""
    return language_of(message.content.text) if isinstance(message.content, TextContent) else None


def _once(audience: Audience, item: Taken) -> str:
    """An ungranted group hears of it once a day, a stranger in private once."""
    chat = audience.chat_id
    if audience.kind is AudienceKind.GROUP:
        return f"not_granted:{chat}:{item.envelope.received_at.date().isoformat()}"
    return f"not_granted:{chat}"
