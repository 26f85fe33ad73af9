"""`--as owner|members|group:CHAT|external:CHAT`: an audience to look through, named as in a grant; always restricted."""

import re

from bot.settings import Settings
from steward.errors import SettingsError
from steward.model.audience import Audience, AudienceKind
from steward.model.ids import ChatId

HERE = ChatId("oc_command_line")
"""The chat of audiences that are not one chat: a command line has none."""

_CHAT = re.compile(r"(group|external):(oc_[A-Za-z0-9_-]+)")


def parse_audience(text: str) -> Audience:
    """The audience that `text` names; raises SettingsError for `--as`, which names the forms."""
    if text == "owner":
        return Audience(AudienceKind.OWNER_PRIVATE, HERE)
    if text in {"members", "member"}:
        return Audience(AudienceKind.MEMBER_PRIVATE, HERE)
    chat = _CHAT.fullmatch(text)
    if chat is None:
        raise SettingsError(
            "--as", "must be owner, members, or group: or external: and a chat id such as oc_…"
        )
    return Audience(AudienceKind(chat[1]), ChatId(chat[2]))


def asker_of(audience: Audience, settings: Settings) -> str:
    """The open_id under which a private question of this audience is asked."""
    if audience.kind is AudienceKind.OWNER_PRIVATE and settings.owner.open_id:
        return settings.owner.open_id
    return "ou_command_line"
