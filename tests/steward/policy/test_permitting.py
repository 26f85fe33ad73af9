"""Who may use which command where: the whole table. Contracts A4, A5."""

import pytest

from steward.model.audience import AudienceKind
from steward.model.command import Command, CommandName, UnknownCommand
from steward.policy.permitting import (
    OWNERS,
    Permission,
    allowed_here,
    heard,
    leads_to_approval,
    permitted,
)

UNKNOWN = UnknownCommand("halp")
EVERYBODYS = set(CommandName) - OWNERS
A, U, H, N, S = (
    Permission.ALLOWED,
    Permission.UNKNOWN,
    Permission.NOT_HERE,
    Permission.NOT_GRANTED,
    Permission.SILENT,
)

ASKING = {
    CommandName.HELP,
    CommandName.STATUS,
    CommandName.SOURCES,
    CommandName.OWED,
    CommandName.WHOAMI,
}


@pytest.mark.requirement("A5")
@pytest.mark.parametrize("granted", [True, False])
@pytest.mark.parametrize("name", CommandName)
def test_the_owner_in_private_may_do_everything(name: CommandName, granted: bool) -> None:
    assert permitted(Command(name), AudienceKind.OWNER_PRIVATE, granted=granted) is A


@pytest.mark.requirement("A4")
@pytest.mark.parametrize(
    "kind", [AudienceKind.MEMBER_PRIVATE, AudienceKind.GROUP, AudienceKind.EXTERNAL]
)
@pytest.mark.parametrize("granted", [True, False])
@pytest.mark.parametrize("name", sorted(OWNERS))
def test_what_is_the_owners_answers_elsewhere_as_what_does_not_exist(
    name: CommandName, granted: bool, kind: AudienceKind
) -> None:
    there = permitted(Command(name), kind, granted=granted)
    assert there is permitted(UNKNOWN, kind, granted=granted)
    assert there is (U if granted else N)


@pytest.mark.requirement("A5")
@pytest.mark.parametrize("name", sorted(EVERYBODYS))
def test_whoever_may_ask_in_a_group_may_ask_and_operate(name: CommandName) -> None:
    assert permitted(Command(name), AudienceKind.GROUP, granted=True) is A
    assert permitted(Command(name), AudienceKind.MEMBER_PRIVATE, granted=True) is A


@pytest.mark.requirement("A5")
@pytest.mark.parametrize("name", sorted(EVERYBODYS))
def test_in_an_external_chat_one_may_ask_and_not_operate(name: CommandName) -> None:
    wanted = A if name in ASKING else H
    assert permitted(Command(name), AudienceKind.EXTERNAL, granted=True) is wanted


@pytest.mark.parametrize("command", [*map(Command, CommandName), UNKNOWN])
def test_without_a_grant_nothing_is_answered_but_that(command: Command | UnknownCommand) -> None:
    for kind in (AudienceKind.GROUP, AudienceKind.EXTERNAL):
        assert permitted(command, kind, granted=False) is N
        assert not heard(command, kind, granted=False)


@pytest.mark.parametrize("name", CommandName)
def test_a_stranger_in_private_may_learn_and_say_who_they_are(name: CommandName) -> None:
    wanted = A if name in {CommandName.WHOAMI, CommandName.IAM} else N
    assert permitted(Command(name), AudienceKind.MEMBER_PRIVATE, granted=False) is wanted


@pytest.mark.parametrize("granted", [True, False])
@pytest.mark.parametrize("command", [*map(Command, CommandName), UNKNOWN])
def test_an_unknown_audience_hears_nothing(
    command: Command | UnknownCommand, granted: bool
) -> None:
    assert permitted(command, AudienceKind.UNKNOWN, granted=granted) is S
    assert not heard(command, AudienceKind.UNKNOWN, granted=granted)


@pytest.mark.requirement("A4")
def test_help_names_only_what_is_allowed_there() -> None:
    assert set(allowed_here(AudienceKind.OWNER_PRIVATE, granted=True)) == set(CommandName)
    assert set(allowed_here(AudienceKind.GROUP, granted=True)) == EVERYBODYS
    assert set(allowed_here(AudienceKind.EXTERNAL, granted=True)) == ASKING


def test_approvals_are_what_changes_a_grant_the_profile_or_a_name() -> None:
    names = {name for name in CommandName if leads_to_approval(Command(name))}
    assert names == {
        CommandName.GRANT,
        CommandName.REVOKE,
        CommandName.PROFILE,
        CommandName.IAM,
    }
    assert not leads_to_approval(UNKNOWN)
