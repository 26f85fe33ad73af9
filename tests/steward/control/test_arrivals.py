"""The bot is added to a group: what the owner is told and may press, and what the group is told. A2, A4, A5."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from steward.model.audience import ChatMode, DirectoryFailure, Grant, GrantOrigin
from steward.model.audience import DeclineReason as Why
from steward.model.delivery import ReplyKind
from steward.model.ids import ChatId
from steward.testing.sender import Arrival
from steward.texts import approvals as texts
from steward.texts.notices import DECLINED
from tests.contracts.given import rows
from tests.steward.control.office import (
    HOME,
    MEMBER,
    OWNER,
    PLANS,
    TASKS,
    TEAM,
    Office,
    open_office,
)

TEAM_KEY = f"group:{TEAM}"
OF_CONFIG = Grant("team", TEAM_KEY, (TASKS,), None, GrantOrigin.CONFIG)
UNGRANTED = DECLINED[Why.NOT_GRANTED].what.en


@pytest.fixture
async def office() -> AsyncIterator[Office]:
    async with open_office() as opened:
        yield opened


def at(chat: str, said: list[Arrival]) -> list[list[str]]:
    return [one.text.split("\n") for one in said if one.place.conversation.chat_id == chat]


async def verdicts(office: Office) -> list[tuple[str | None, str | None]]:
    return [
        tuple(row)
        for row in await rows(office.store, "SELECT verdict, reason FROM inbox ORDER BY id")
    ]


@pytest.mark.requirement("A2", "A5")
async def test_the_owner_gets_a_button_for_each_grant_in_private_and_the_group_a_line(
    office: Office,
) -> None:
    said = await office.join(operator=OWNER)
    (card,) = at(HOME, said)
    assert card[0] == texts.ADDED_BY_YOU.en
    assert card[2:] == [
        f"Group: Team ({TEAM})",
        texts.ADDED_UNGRANTED.en,
        f"Or write: /grant {TEAM} SOURCES GOALS",
    ]
    (line,) = at(TEAM, said)
    assert line[0].startswith(UNGRANTED)
    everything, _, tasks = await office.nonces()
    carried = next(one for one in said if one.place.conversation.chat_id == HOME)
    assert (await office.press(carried, tasks)).kind is ReplyKind.SUCCESS
    assert await office.held(TEAM_KEY) == [(["tasks"], None)]
    assert (await office.press(carried, everything)).kind is ReplyKind.WARNING
    assert await office.held(TEAM_KEY) == [(["tasks"], None)]
    assert await verdicts(office) == [("command", None)] * 3


@pytest.mark.requirement("A2")
async def test_whoever_added_it_the_owner_alone_hears_more_than_the_line(office: Office) -> None:
    said = await office.join(operator=MEMBER)
    assert [card[0] for card in at(HOME, said)] == [texts.ADDED.en]
    assert len(at(TEAM, said)) == 1
    assert len(await office.nonces()) == 3


@pytest.mark.requirement("A2")
async def test_an_external_group_is_said_to_be_one_and_granted_as_one(office: Office) -> None:
    office.directory.add(TEAM, external=True)
    said = await office.join()
    assert at(HOME, said)[0][2].startswith("External group: Team")
    carried = next(one for one in said if one.place.conversation.chat_id == HOME)
    await office.press(carried, (await office.nonces())[0])
    assert await office.held(TEAM_KEY) == []
    assert await office.held(f"external:{TEAM}") == [(["plans", "tasks"], None)]


@pytest.mark.requirement("A2")
async def test_a_group_that_has_a_grant_is_only_told_of() -> None:
    async with open_office(grants=(OF_CONFIG,)) as office:
        said = await office.join()
        assert at(HOME, said)[0][-1] == "It has a grant already: tasks (every goal)"
        assert at(TEAM, said) == []
        assert await office.nonces() == []


async def test_one_source_has_one_button_and_none_has_words() -> None:
    async with open_office(sources=(PLANS,)) as office:
        await office.join()
        assert len(await office.nonces()) == 1
    async with open_office(sources=()) as office:
        said = await office.join()
        assert at(HOME, said)[0][-1] == texts.ADDED_NO_SOURCE.en
        assert await office.nonces() == []


@pytest.mark.requirement("A2")
async def test_without_an_owner_the_group_gets_its_line_once_a_day() -> None:
    async with open_office(owner=None) as office:
        assert [one.place.conversation.chat_id for one in await office.join()] == [TEAM]
        assert await office.join() == []
        office.clock.advance(timedelta(days=1))
        assert len(await office.join()) == 1


@pytest.mark.requirement("A1")
async def test_a_failed_look_up_waits_for_ten_minutes_and_is_then_only_noted(
    office: Office,
) -> None:
    office.directory.failure = DirectoryFailure(retry=True, reason="timeout")
    assert await office.join() == []
    assert await verdicts(office) == [(None, None)]
    office.clock.advance(timedelta(minutes=10))
    assert await office.join() == []
    assert (await verdicts(office))[0] == ("ignored", "applied")


@pytest.mark.requirement("A1")
@pytest.mark.parametrize("mode", [ChatMode.P2P, ChatMode.UNKNOWN])
async def test_what_is_no_group_for_certain_leads_to_nothing(
    office: Office, mode: ChatMode
) -> None:
    office.directory.add(ChatId("oc_odd"), mode)
    assert await office.join(ChatId("oc_odd")) == []
    assert await verdicts(office) == [("ignored", "audience_unknown")]


async def test_a_chat_that_was_joined_is_known_by_its_title(office: Office) -> None:
    await office.join()
    known = await office.store.chats.known(office.approvals.granting.app)
    assert [(one.chat_id, one.title, one.external) for one in known] == [(TEAM, "Team", False)]


async def test_a_chinese_group_is_spoken_of_in_chinese(office: Office) -> None:
    office.directory.add(TEAM, title="支付组")
    said = await office.join()
    assert at(HOME, said)[0][0] == texts.ADDED.zh
    assert at(TEAM, said)[0][0].startswith(DECLINED[Why.NOT_GRANTED].what.zh)
