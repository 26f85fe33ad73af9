"""Requests and approvals over the store: what is proven, previewed, pressed, and what stands then. A2, A5, P7, P8, D2."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from steward.model.action import ClickRefusal
from steward.model.approval import ApprovalRefusal
from steward.model.audit import AuditAct
from steward.model.command import CommandName
from steward.model.delivery import ReplyKind
from steward.model.events import ChatType
from steward.model.ids import ChatId, OpenId
from steward.model.reading import ReadFailure, SourceCode
from steward.policy.scope import Access
from steward.texts import approvals as texts
from steward.texts.notices import REPLY_CHANGED
from tests.steward.control.office import (
    APP,
    APPLIED,
    GRANT,
    HOME,
    MEMBER,
    NOT_NOW,
    OF_CONFIG,
    OWNER,
    PROFILE,
    REVOKE,
    TASKS,
    TEAM,
    TEAM_KEY,
    Office,
    lines,
    no,
    open_office,
    refused,
    toast,
)


@pytest.fixture
async def office() -> AsyncIterator[Office]:
    async with open_office() as opened:
        yield opened


# ---------------------------------------------------------------- grants


@pytest.mark.requirement("A2", "P8", "P7", "A5")
async def test_a_grant_is_previewed_pressed_and_read_back(office: Office) -> None:
    (card,) = await office.tell(GRANT, TEAM, "plans", "payments")
    assert lines(card)[0] == texts.GRANT_PREVIEW.en
    assert lines(card)[2:] == [
        f"Group: Team ({TEAM})",
        "Who will read it: 2 in all, 1 of another organisation",
        "May be read now: nothing",
        "May be read once you approve: plans (only the goals payments)",
    ]
    assert card.place.conversation.chat_id == HOME
    assert await office.held(TEAM_KEY) == []
    (nonce,) = await office.nonces()
    assert await office.press(card, nonce) == APPLIED
    assert await office.held(TEAM_KEY) == [(["plans"], ["payments"])]
    (readback,) = await office.deliver()
    assert lines(readback)[0] == texts.GRANTED.en
    assert lines(readback)[-1] == "May be read from now on: plans (only the goals payments)"
    assert readback.place.conversation.chat_id == HOME
    granted, asked, *_ = await office.audited()
    assert (granted.act, granted.actor, granted.audience) == (AuditAct.GRANTED, OWNER, TEAM_KEY)
    assert (asked.act, asked.subject) == (AuditAct.COMMAND, f"grant {TEAM_KEY}")


@pytest.mark.requirement("P8")
async def test_an_approval_takes_effect_once(office: Office) -> None:
    (card,) = await office.tell(GRANT, TEAM)
    (nonce,) = await office.nonces()
    pressed = await asyncio.gather(*(office.press(card, nonce) for _ in range(2)))
    assert APPLIED in pressed
    assert await office.press(card, nonce) == no(ClickRefusal.USED)
    assert len(await office.deliver()) == 1
    assert [row.act for row in await office.audited()].count(AuditAct.GRANTED) == 1


@pytest.mark.requirement("A2")
async def test_a_grant_of_everything_names_every_source_and_replaces_the_owner_s_earlier_one(
    office: Office,
) -> None:
    for arguments in ((TEAM, "plans", "payments"), (TEAM, "*", "*")):
        (card,) = await office.tell(GRANT, *arguments)
        await office.press(card, (await office.nonces())[-1])
        await office.deliver()
    assert await office.held(TEAM_KEY) == [(["plans", "tasks"], None)]


@pytest.mark.requirement("A2")
async def test_a_revocation_takes_the_configuration_s_grants_too() -> None:
    async with open_office(grants=(OF_CONFIG,)) as office:
        (card,) = await office.tell(REVOKE, TEAM)
        assert lines(card)[0] == texts.REVOKE_PREVIEW.en
        assert lines(card)[-2:] == [
            "May be read now: tasks (every goal)",
            "May be read once you approve: nothing",
        ]
        await office.press(card, (await office.nonces())[0])
        await office.store.grants.sync([OF_CONFIG])
        assert await office.held(TEAM_KEY) == []
        assert (await office.audited())[0].act is AuditAct.REVOKED


@pytest.mark.requirement("A2")
async def test_a_chat_that_the_platform_shows_no_more_can_still_be_revoked() -> None:
    async with open_office(grants=(OF_CONFIG,)) as office:
        office.directory.remove(TEAM)
        await refused(office, await office.tell(GRANT, TEAM), ApprovalRefusal.CHAT_FAILED)
        (card,) = await office.tell(REVOKE, TEAM)
        assert await office.press(card, (await office.nonces())[0]) == APPLIED
        assert await office.held(TEAM_KEY) == []


@pytest.mark.requirement("A2")
async def test_an_external_chat_is_said_to_be_one_and_granted_as_one(office: Office) -> None:
    office.directory.add(TEAM, external=True)
    (card,) = await office.tell(GRANT, TEAM, "plans")
    assert lines(card)[2].startswith("External group: Team")
    await office.press(card, (await office.nonces())[0])
    assert await office.held(TEAM_KEY) == []
    assert await office.held(f"external:{TEAM}") == [(["plans"], None)]


@pytest.mark.requirement("A2")
async def test_a_chat_that_became_external_since_its_preview_is_previewed_again(
    office: Office,
) -> None:
    (card,) = await office.tell(GRANT, TEAM, "plans")
    office.directory.add(TEAM, external=True)
    assert await office.press(card, (await office.nonces())[0]) == toast(
        texts.CHANGED, ReplyKind.WARNING
    )
    (again,) = await office.deliver()
    assert lines(again)[0] == texts.PREVIEW_AGAIN.en
    assert lines(again)[2].startswith("External group")
    assert await office.held(TEAM_KEY) == await office.held(f"external:{TEAM}") == []
    assert await office.press(again, (await office.nonces())[1]) == APPLIED
    assert await office.held(f"external:{TEAM}") == [(["plans"], None)]


@pytest.mark.requirement("A2")
@pytest.mark.parametrize("key", ["owner", "members"])
async def test_private_chats_are_granted_by_their_word(office: Office, key: str) -> None:
    (card,) = await office.tell(GRANT, key, "tasks")
    assert await office.press(card, (await office.nonces())[0]) == APPLIED
    assert await office.held(key) == [(["tasks"], None)]
    (readback,) = await office.deliver()
    assert lines(readback)[-1] == "May be read from now on: tasks (every goal)"


@pytest.mark.requirement("A2")
async def test_a_grant_that_the_configuration_keeps_shut_says_so() -> None:
    async with open_office(access=Access(groups=True, members_private=False)) as office:
        (card,) = await office.tell(GRANT, "members")
        assert lines(card)[-1] == texts.CLOSED.en
        (other,) = await office.tell(GRANT, TEAM)
        assert texts.CLOSED.en not in other.text


@pytest.mark.requirement("A2")
async def test_what_is_so_already_offers_no_button(office: Office) -> None:
    (card,) = await office.tell(REVOKE, TEAM)
    assert lines(card)[0] == texts.SAME.en
    assert await office.nonces() == []


@pytest.mark.requirement("A2")
async def test_namesakes_are_told_apart_by_their_ids_alone(office: Office) -> None:
    office.directory.add(ChatId("oc_twin"), title="Team")
    for chat in (TEAM, ChatId("oc_twin")):
        await office.join(chat)
    before = await office.nonces()
    (said,) = await office.tell(GRANT, "Team")
    assert lines(said) == [
        texts.REFUSED[ApprovalRefusal.AUDIENCE_BY_TITLE].en,
        texts.CHOOSE_ID.en,
        f"{TEAM}: Team",
        "oc_twin: Team",
    ]
    assert await office.nonces() == before
    (card,) = await office.tell(GRANT, "oc_tw")
    assert f"({ChatId('oc_twin')})" in card.text


@pytest.mark.requirement("A2")
@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ((), ApprovalRefusal.AUDIENCE_MISSING),
        (("oc_gone",), ApprovalRefusal.CHAT_FAILED),
        ((HOME,), ApprovalRefusal.CHAT_UNCLEAR),
        ((TEAM, "plan"), ApprovalRefusal.SOURCE_UNKNOWN),
        ((TEAM, "plans", "search"), ApprovalRefusal.GOAL_UNKNOWN),
    ],
)
async def test_what_cannot_be_granted_is_refused_by_name(
    office: Office, arguments: tuple[str, ...], why: ApprovalRefusal
) -> None:
    await refused(office, await office.tell(GRANT, *arguments), why)


@pytest.mark.requirement("A2")
async def test_goals_of_a_source_that_cannot_be_read_are_granted_and_said_to_be_unchecked(
    office: Office,
) -> None:
    office.sources[TASKS].play(ReadFailure(SourceCode.TIMEOUT))
    (card,) = await office.tell(GRANT, TEAM, "*", "payments,nobody")
    assert lines(card)[-1] == texts.GOALS_UNCHECKED.en.format(sources="tasks")


# ---------------------------------------------------------------- proof


CHANGES: list[tuple[CommandName, tuple[str, ...]]] = [
    (GRANT, (TEAM,)),
    (REVOKE, (TEAM,)),
    (PROFILE, ("trusted_owner",)),
]


@pytest.mark.requirement("P7")
@pytest.mark.parametrize(("name", "arguments"), CHANGES)
@pytest.mark.parametrize("kept", [None, "/grant oc_team tasks"])
async def test_a_command_that_the_platform_does_not_have_in_these_words_is_refused(
    office: Office, name: CommandName, arguments: tuple[str, ...], kept: str | None
) -> None:
    said = await office.tell(name, *arguments, kept=kept)
    await refused(office, said, ApprovalRefusal.NOT_PROVEN)


@pytest.mark.requirement("P7")
@pytest.mark.parametrize(("name", "arguments"), CHANGES)
async def test_a_command_that_cannot_be_verified_is_refused_for_now(
    office: Office, name: CommandName, arguments: tuple[str, ...]
) -> None:
    office.directory.failure = NOT_NOW
    await refused(office, await office.tell(name, *arguments), ApprovalRefusal.NOT_VERIFIED)


@pytest.mark.requirement("A5")
@pytest.mark.parametrize(("name", "arguments"), [*CHANGES, (PROFILE, ())])
async def test_nobody_else_and_nowhere_else_is_anything_offered(
    office: Office, name: CommandName, arguments: tuple[str, ...]
) -> None:
    for said in (
        await office.tell(name, *arguments, sender=MEMBER),
        await office.tell(name, *arguments, chat=TEAM, chat_type=ChatType.GROUP),
    ):
        await refused(office, said, ApprovalRefusal.NOT_PERMITTED)


@pytest.mark.requirement("A4", "A3")
@pytest.mark.parametrize(
    ("name", "arguments"), [*CHANGES, (PROFILE, ()), (GRANT, (TEAM, "plan")), (GRANT, ("Team",))]
)
async def test_what_is_the_owner_s_is_not_shown_to_who_is_the_owner_no_more(
    office: Office, name: CommandName, arguments: tuple[str, ...]
) -> None:
    await office.tell(name, *arguments, deliver=False)
    await office.store.owners.follow(APP, OpenId("ou_next"))
    (said,) = await office.deliver()
    assert lines(said)[0].startswith(REPLY_CHANGED.what.en)
    assert not any(word in said.text for word in ("plans", "trusted", TEAM, "preview"))
