"""What rides along with the reply to a command, so that a press on its buttons is answered as its reader asked. Contract A5."""

from dataclasses import dataclass
from typing import Self

from steward.model.audience import Audience, AudienceKind
from steward.model.ids import ConversationId
from steward.model.turn import Language


@dataclass(frozen=True, slots=True)
class CommandSubject:
    """The outbox subject of such a reply, as `command:LANGUAGE:AUDIENCE:APP/CHAT/THREAD:KEY`.

    `kind`: before whom it was written; a press judges anew whether that holds. `key`: a message id, or a card's, with
    the press.
    """

    language: Language
    kind: AudienceKind
    conversation: ConversationId
    key: str

    @property
    def audience(self) -> Audience:
        """The audience that the reply was written for."""
        return Audience(self.kind, self.conversation.chat_id)

    def __str__(self) -> str:
        return f"command:{self.language}:{self.kind}:{self.conversation}:{self.key}"

    @classmethod
    def parse(cls, subject: str) -> Self:
        """Undo `str`; raises ValueError where it is no such subject."""
        word, language, kind, conversation, key = subject.split(":", 4)
        if word != "command":
            raise ValueError("not the subject of a command's reply")
        return cls(Language(language), AudienceKind(kind), ConversationId.parse(conversation), key)
