"""Who a message mentions. A mention is somebody's by exact id; names are whatever their owners chose."""

from collections.abc import Sequence

from bot.lark.payloads import MentionId, MentionPayload
from steward.model.events import Mention
from steward.model.ids import OpenId

EVERYONE = "@_all"
"""The placeholder of "everyone" in a text. The platform may list it with an empty id, or not at all."""

_EVERYONE_ID = "all"
_OPEN_ID = "ou_"


def mentions(listed: Sequence[MentionPayload], text: str) -> tuple[Mention, ...]:
    """The mentions of a message whose readable words are `text`."""
    found = tuple(_mention(each) for each in listed if each.key)
    if EVERYONE in text and not any(each.key == EVERYONE for each in found):
        return (*found, Mention(EVERYONE, None, _EVERYONE_ID, everyone=True))
    return found


def _mention(payload: MentionPayload) -> Mention:
    identity = payload.id.open_id if isinstance(payload.id, MentionId) else payload.id
    if payload.key == EVERYONE or identity == _EVERYONE_ID:
        return Mention(payload.key, None, payload.name or _EVERYONE_ID, everyone=True)
    is_person = identity is not None and identity.startswith(_OPEN_ID)
    return Mention(payload.key, OpenId(identity) if is_person and identity else None, payload.name)
