"""`--as owner|member|group:CHAT`: an audience to look through, always restricted."""

from bot.settings import Settings
from steward.errors import SettingsError
from steward.model.audience import Audience, AudienceKind
from steward.model.ids import ChatId

HERE = ChatId("oc_command_line")
"""The chat of audiences that are not one chat: a command line has none."""


def parse_audience(text: str) -> Audience:
    """The audience that `text` names; raises SettingsError for `--as`, which names the three forms."""
    kind, _, chat = text.partition(":")
    match kind, bool(chat):
        case "owner", False:
            return Audience(AudienceKind.OWNER_PRIVATE, HERE)
        case "member", False:
            return Audience(AudienceKind.MEMBER_PRIVATE, HERE)
        case "group", True:
            return Audience(AudienceKind.GROUP, ChatId(chat))
        case _:
            raise SettingsError(
                "--as", "must be owner, member, or group: and a chat id such as group:oc_…"
            )


def asker_of(audience: Audience, settings: Settings) -> str:
    """The open_id under which a private question of this audience is asked."""
    if audience.kind is AudienceKind.OWNER_PRIVATE and settings.owner.open_id:
        return settings.owner.open_id
    return "ou_command_line"
