"""What a turn with host tools rests on: the owner's own message, as the platform has it. Contract P7. Pure.

Above: control's grounds. Where there is no proof, the same question is answered without host tools, and its reader is
told so.
"""

from dataclasses import replace

from steward.model.audience import DirectoryFailure, MessageFacts
from steward.model.profile import RESTRICTED_DEFAULT, EffectiveProfile, ProfileSource
from steward.model.turn import Question


def borne_out(question: Question, copy: MessageFacts | DirectoryFailure | None) -> bool:
    """Whether the platform's copy of the asking message has this sender, this chat and these words.

    A look-up that failed proves nothing. Spaces are the clients' business; a mention, which the copy holds as a
    placeholder, makes other words, and so no proof.
    """
    if copy is None or isinstance(copy, DirectoryFailure) or copy.text is None:
        return False
    same_chat = copy.chat_id == question.conversation.chat_id == question.audience.chat_id
    same_words = copy.text.split() == question.text.split()
    return copy.sender == question.asker and same_chat and same_words


def without_proof(profile: EffectiveProfile) -> EffectiveProfile:
    """P2's row of a stored `restricted`, under the revision of what is stored: that is what the turn began with."""
    return replace(
        RESTRICTED_DEFAULT,
        source=ProfileSource.MACHINE_CONFIGURATION,
        configuration_revision=profile.configuration_revision,
    )
