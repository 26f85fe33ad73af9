"""Who may use which command where. Contracts A4, A5. One pure table; whoever carries a command out asks it first.

Asking, operating and approving are three permissions. What belongs to the owner answers elsewhere exactly as what does
not exist, and an audience without a grant hears of nothing but that.
"""

from enum import StrEnum
from typing import TypeGuard

from steward.model.audience import AudienceKind
from steward.model.command import Command, CommandName, UnknownCommand
from steward.texts.commands import COMMANDS

OWNERS = frozenset(
    {
        CommandName.CHATS,
        CommandName.GRANT,
        CommandName.REVOKE,
        CommandName.PROFILE,
        CommandName.AUDIT,
    }
)
"""The owner's in private alone; anybody else's, and the owner's elsewhere, are unknown commands."""

APPROVALS = (OWNERS - {CommandName.CHATS, CommandName.AUDIT}) | {CommandName.IAM}
"""What previews and asks for an approval, or leads to one."""

_OPERATING = frozenset({CommandName.NEW, CommandName.STOP, CommandName.IAM})
_OF_A_STRANGER = frozenset({CommandName.WHOAMI, CommandName.IAM})
"""In private, for any person of the tenant: how somebody learns and says who they are before anything is granted."""


class Permission(StrEnum):
    """UNKNOWN: answered as an unknown command. NOT_GRANTED: as a question without a grant. NOT_HERE: not in this chat."""

    ALLOWED = "allowed"
    UNKNOWN = "unknown_command"
    NOT_HERE = "not_here"
    NOT_GRANTED = "not_granted"
    SILENT = "silent"


def permitted(
    command: Command | UnknownCommand, kind: AudienceKind, *, granted: bool
) -> Permission:
    """How a command is answered before this audience. `granted`: its scope is not empty."""
    if kind is AudienceKind.UNKNOWN:
        return Permission.SILENT
    name = command.name if isinstance(command, Command) else None
    if kind is AudienceKind.OWNER_PRIVATE:
        return Permission.UNKNOWN if name is None else Permission.ALLOWED
    if kind is AudienceKind.MEMBER_PRIVATE and name in _OF_A_STRANGER:
        return Permission.ALLOWED
    if not granted:
        return Permission.NOT_GRANTED
    if name is None or name in OWNERS:
        return Permission.UNKNOWN
    if kind is AudienceKind.EXTERNAL and name in _OPERATING:
        return Permission.NOT_HERE
    return Permission.ALLOWED


def leads_to_approval(command: Command | UnknownCommand) -> TypeGuard[Command]:
    """Whether it previews a change, or claims one, for the owner to approve."""
    return isinstance(command, Command) and command.name in APPROVALS


def heard(command: Command | UnknownCommand, kind: AudienceKind, *, granted: bool) -> bool:
    """Whether a command is answered as one; else the message is judged as a question would be: declined, or ignored."""
    may = permitted(command, kind, granted=granted)
    return may not in {Permission.SILENT, Permission.NOT_GRANTED}


def allowed_here(kind: AudienceKind, *, granted: bool) -> tuple[CommandName, ...]:
    """The commands that /help names, in the order of the table."""
    return tuple(
        name
        for name in COMMANDS
        if permitted(Command(name), kind, granted=granted) is Permission.ALLOWED
    )
