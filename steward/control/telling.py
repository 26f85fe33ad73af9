"""What intake says by itself, as outbox rows: refusals in sight, lost messages, questions that are owed from the start.

Above: intake, which commits them with the verdict. Below: parts, the texts of policy.presentation. Nothing here shows
anything of evidence.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from steward.control.parts import Subject, answering, parts_of, place_of
from steward.model.audience import Audience, AudienceKind, Declined, DeclineReason, Limits
from steward.model.delivery import NewPart
from steward.model.events import EventKind, Message, Taken, TextContent
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
        text = message.content.text if isinstance(message.content, TextContent) else None
        language = Language.ZH if text is None else language_of(text)
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

    def unparsable(self, item: Taken) -> Sequence[NewPart]:
        """D3: one typed line where the chat is known and a message of a person may have been lost."""
        envelope = item.envelope
        if envelope.kind is not EventKind.MESSAGE or envelope.conversation is None:
            return ()
        place = answering(envelope.conversation, envelope.message)
        subject = Subject(f"inbox:{item.id}", 1, place)
        return parts_of(self.sender, unparsable_line(Language.ZH), subject)


def _once(audience: Audience, item: Taken) -> str:
    """An ungranted group hears of it once a day, a stranger in private once."""
    chat = audience.chat_id
    if audience.kind is AudienceKind.GROUP:
        return f"not_granted:{chat}:{item.envelope.received_at.date().isoformat()}"
    return f"not_granted:{chat}"
