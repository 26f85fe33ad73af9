"""What a person who pressed a button is told at once. Pure.

Above: whoever answers a press: control, and the transport where nothing was recorded. Below: texts.
"""

from steward.model.delivery import ClickReply, ReplyKind
from steward.model.turn import Language
from steward.texts.catalogue import Text


def toast(text: Text, kind: ReplyKind, language: Language | None = None) -> ClickReply:
    """A toast in the reader's language; where that is not known, the client picks."""
    if language is not None:
        return ClickReply(text.of(language), kind)
    return ClickReply(text.en, kind, {one: text.of(one) for one in Language})
