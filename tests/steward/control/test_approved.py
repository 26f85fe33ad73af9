"""Presses that approve, over the store: by whom, where, when, over which plan; profiles and names too. A5, P7, P8."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from steward.model.action import ClickRefusal
from steward.model.approval import ApprovalRefusal
from steward.model.audit import AuditAct
from steward.model.command import ApplyGrants, SetGrant
from steward.model.delivery import ReplyKind
from steward.model.effect import ByOperator, Done
from steward.model.events import ChatType
from steward.model.ids import ChatId, MessageRef, OpenId
from steward.model.machine import PlanAction
from steward.model.profile import NothingStored, RuntimeProfile, StoredProfile
from steward.model.turn import Language
from steward.policy.requesting import CLAIMS_WITHIN, MOST_CLAIMS, MOST_CLAIMS_EACH
from steward.texts import approvals as texts
from steward.texts.profile import APPLIED as PROFILE_APPLIED
from steward.texts.profile import NAMES, STALE
from tests.steward.control.office import (
    APP,
    APPLIED,
    GRANT,
    HOME,
    IAM,
    MEMBER,
    NOT_NOW,
    OWNER,
    PROFILE,
    TASKS,
    TEAM,
    TEAM_KEY,
    THEIRS,
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


# ---------------------------------------------------------------- presses


@pytest.mark.requirement("A5", "P7")
async def test_a_press_by_anybody_else_or_anywhere_else_approves_nothing(office: Office) -> None:
    (card,) = await office.tell(GRANT, TEAM)
    (nonce,) = await office.nonces()
    for pressed in (
        await office.press(card, nonce, MEMBER),
        await office.press(card, nonce, None),
        await office.press(card, nonce, OWNER, tenant=THEIRS),
    ):
        assert pressed == no(ClickRefusal.UNKNOWN)
    assert await office.press(card, nonce, chat=TEAM) == no(ClickRefusal.FOREIGN_CARD)
    elsewhere = await office.click(MessageRef(APP, "om_forwarded"), nonce)
    assert elsewhere == no(ClickRefusal.FOREIGN_CARD)
    assert await office.held(TEAM_KEY) == []
    acts = [row.act for row in await office.audited()]
    assert acts[:6] == [AuditAct.REFUSED] * 5 + [AuditAct.COMMAND]
    assert await office.press(card, nonce) == APPLIED


@pytest.mark.requirement("P8", "A5")
async def test_a_press_after_a_quarter_of_an_hour_approves_nothing(office: Office) -> None:
    (card,) = await office.tell(GRANT, TEAM)
    office.clock.advance(timedelta(minutes=15))
    assert await office.press(card, (await office.nonces())[0]) == no(ClickRefusal.EXPIRED)
    assert await office.held(TEAM_KEY) == []


@pytest.mark.requirement("P9", "P7")
async def test_what_was_offered_to_an_earlier_owner_is_void_also_once_they_come_back(
    office: Office,
) -> None:
    (card,) = await office.tell(GRANT, TEAM)
    (nonce,) = await office.nonces()
    for owner in (OpenId("ou_next"), None, OWNER):
        await office.store.owners.follow(APP, owner)
        for operator in (OWNER, OpenId("ou_next")):
            assert await office.press(card, nonce, operator) == no(ClickRefusal.UNKNOWN)
    assert await office.held(TEAM_KEY) == []


@pytest.mark.requirement("P8")
async def test_a_stale_plan_does_nothing_and_brings_a_new_preview(office: Office) -> None:
    (card,) = await office.tell(GRANT, TEAM, "plans")
    (other,) = await office.tell(GRANT, TEAM, "tasks")
    first, second = await office.nonces()
    assert await office.press(other, second) == APPLIED
    assert await office.press(card, first) == toast(texts.CHANGED, ReplyKind.WARNING)
    assert await office.held(TEAM_KEY) == [(["tasks"], None)]
    _, again = await office.deliver()
    assert lines(again)[0] == texts.PREVIEW_AGAIN.en
    assert "May be read now: tasks (every goal)" in lines(again)
    assert await office.press(card, first) == no(ClickRefusal.USED)
    assert await office.press(again, (await office.nonces())[2]) == APPLIED
    assert await office.held(TEAM_KEY) == [(["plans"], None)]


@pytest.mark.requirement("P8")
async def test_a_press_for_a_chat_that_cannot_be_looked_up_waits_for_another(
    office: Office,
) -> None:
    (card,) = await office.tell(GRANT, TEAM)
    (nonce,) = await office.nonces()
    office.directory.failure = NOT_NOW
    assert await office.press(card, nonce) == no(ClickRefusal.NOT_NOW)
    office.directory.failure = None
    assert await office.press(card, nonce) == APPLIED


# ---------------------------------------------------------------- profile


async def stored(office: Office) -> RuntimeProfile | None:
    found = await office.approvals.profiles.stored()
    return found.profile if isinstance(found, StoredProfile) else None


@pytest.mark.requirement("P8", "P7")
async def test_a_profile_is_shown_previewed_pressed_and_read_back(office: Office) -> None:
    (shown,) = await office.tell(PROFILE)
    assert NAMES[RuntimeProfile.RESTRICTED].en in shown.text
    assert isinstance(await office.approvals.profiles.stored(), NothingStored)
    (card,) = await office.tell(PROFILE, "trusted_owner", language=Language.ZH)
    (nonce,) = await office.nonces()
    assert await stored(office) is None
    assert await office.press(card, nonce) == toast(texts.APPROVED, ReplyKind.SUCCESS, Language.ZH)
    assert await stored(office) is RuntimeProfile.TRUSTED_OWNER
    (readback,) = await office.deliver()
    name = NAMES[RuntimeProfile.TRUSTED_OWNER].zh
    assert lines(readback)[0] == PROFILE_APPLIED.zh.format(desired=name)
    row = (await office.audited())[0]
    assert (row.act, row.reason) == (AuditAct.PROFILE_APPLIED, "trusted_owner")


@pytest.mark.requirement("P8")
async def test_a_profile_that_was_changed_meanwhile_is_previewed_again(office: Office) -> None:
    (card,) = await office.tell(PROFILE, "trusted_owner")
    (other,) = await office.tell(PROFILE, "restricted")
    first, second = await office.nonces()
    await office.press(other, second)
    assert await office.press(card, first) == toast(texts.CHANGED, ReplyKind.WARNING)
    assert await stored(office) is RuntimeProfile.RESTRICTED
    _, again = await office.deliver()
    assert lines(again)[0] == STALE.en
    await office.press(again, (await office.nonces())[2])
    assert await stored(office) is RuntimeProfile.TRUSTED_OWNER


@pytest.mark.requirement("P8")
async def test_a_plan_that_another_card_applied_is_not_applied_again(office: Office) -> None:
    cards = [(await office.tell(PROFILE, "trusted_owner"))[0] for _ in range(2)]
    first, second = await office.nonces()
    assert await office.press(cards[0], first) == toast(texts.APPROVED, ReplyKind.SUCCESS)
    again = await office.press(cards[1], second)
    assert again.kind is ReplyKind.INFO
    assert len(await office.deliver()) == 1
    plan = await office.approvals.profiles.preview(RuntimeProfile.TRUSTED_OWNER)
    assert plan.action is PlanAction.NONE


async def test_a_profile_that_there_is_not_is_refused_with_those_that_there_are(
    office: Office,
) -> None:
    said = await office.tell(PROFILE, "root")
    await refused(office, said, ApprovalRefusal.PROFILE_UNKNOWN)
    assert lines(said[0])[1] == texts.PROFILES_ARE.en


# ---------------------------------------------------------------- names


@pytest.mark.requirement("A5", "A4")
async def test_names_are_claimed_by_anybody_decided_by_the_owner_and_told_where_they_were_claimed(
    office: Office,
) -> None:
    said = await office.tell(IAM, "Wei", "小魏", sender=MEMBER, chat=TEAM, chat_type=ChatType.GROUP)
    asked = next(one for one in said if one.place.conversation.chat_id == TEAM)
    card = next(one for one in said if one.place.conversation.chat_id == HOME)
    assert lines(asked) == [
        texts.NAMES_ASKED.en.format(names="Wei, 小魏"),
        texts.NAMES_ASKED_NEXT.en,
    ]
    assert lines(card)[2:] == [
        f"Who: {MEMBER}",
        "Names: Wei, 小魏",
        texts.NAMES_EFFECT.en,
    ]
    (nonce,) = await office.nonces()
    assert await office.store.people.names(APP, MEMBER) == ()
    assert await office.press(card, nonce, MEMBER) == no(ClickRefusal.UNKNOWN)
    assert await office.press(card, nonce) == toast(texts.APPROVED, ReplyKind.SUCCESS)
    assert await office.store.people.names(APP, MEMBER) == ("Wei", "小魏")
    told = await office.deliver()
    assert {one.place.conversation.chat_id for one in told} == {HOME, TEAM}
    yours = next(one for one in told if one.place.conversation.chat_id == TEAM)
    assert yours.place.reply_to == asked.place.reply_to
    assert lines(yours) == [texts.NAMES_YOURS.en.format(names="Wei, 小魏")]
    rows = await office.audited()
    assert [row.act for row in rows if row.act is not AuditAct.REFUSED][:2] == [
        AuditAct.NAMES_APPROVED,
        AuditAct.NAMES_CLAIMED,
    ]
    assert not any("Wei" in str(row) for row in rows)


@pytest.mark.requirement("A5")
async def test_the_owner_sees_what_a_claimer_is_called_and_who_else_is_called_so(
    office: Office,
) -> None:
    other = OpenId("ou_other")
    await office.store.people.sync(APP, {MEMBER: ("Wei",), other: ("LIN", "Lin")})
    said = await office.tell(IAM, "lin", "Wei", sender=MEMBER, chat=TEAM)
    card = next(one for one in said if one.place.conversation.chat_id == HOME)
    assert lines(card)[4:6] == [
        texts.NAMES_HELD.en.format(names="Wei"),
        texts.NAMES_TAKEN.en.format(ids=other),
    ]
    asked = next(one for one in said if one.place.conversation.chat_id == TEAM)
    assert other not in asked.text


@pytest.mark.requirement("A6")
async def test_nobody_buries_the_owner_in_claims(office: Office) -> None:
    for number in range(MOST_CLAIMS_EACH):
        assert len(await office.tell(IAM, f"Wei{number}", sender=MEMBER, chat=TEAM)) == 2
    offered = await office.nonces()
    (said,) = await office.tell(IAM, "Wei", sender=MEMBER, chat=TEAM)
    assert lines(said) == [texts.REFUSED[ApprovalRefusal.CLAIMED_OFTEN].en]
    assert await office.nonces() == offered
    assert len(await office.tell(IAM, "Ann", sender=OpenId("ou_ann"), chat=TEAM)) == 2
    for number in range(MOST_CLAIMS):
        await office.tell(IAM, "Ann", sender=OpenId(f"ou_{number}"), chat=TEAM)
    assert len(await office.nonces()) == MOST_CLAIMS
    office.clock.advance(CLAIMS_WITHIN)
    assert len(await office.tell(IAM, "Wei", sender=MEMBER, chat=TEAM)) == 2


async def test_without_an_owner_a_claim_says_who_must_name_one() -> None:
    async with open_office(owner=None) as office:
        said = await office.tell(IAM, "Wei", sender=MEMBER)
        await refused(office, said, ApprovalRefusal.NO_OWNER)


async def test_names_that_cannot_be_used_and_strangers_are_refused(office: Office) -> None:
    await refused(office, await office.tell(IAM, sender=MEMBER), ApprovalRefusal.NAMES_UNUSABLE)
    said = await office.tell(IAM, "Wei", sender=MEMBER, tenant=THEIRS)
    await refused(office, said, ApprovalRefusal.NOT_PERMITTED)


@pytest.mark.requirement("P7")
async def test_a_card_to_an_owner_whose_chat_is_not_known_yet_proves_it_by_where_it_stands() -> (
    None
):
    async with open_office(home=None) as office:
        said = await office.tell(IAM, "Wei", sender=MEMBER, chat=ChatId("oc_private"))
        card = next(one for one in said if str(one.place.conversation.chat_id) == OWNER)
        (nonce,) = await office.nonces()
        office.directory.said(card.sent.message, HOME, None, None)
        assert await office.press(card, nonce, chat=TEAM) == no(ClickRefusal.FOREIGN_CARD)
        assert await office.press(card, nonce) == toast(texts.APPROVED, ReplyKind.SUCCESS)
        record = await office.approvals.authorities.owner()
        assert record is not None
        assert record.private_chat == HOME


@pytest.mark.requirement("P8")
async def test_what_the_operator_changed_meanwhile_makes_a_card_s_plan_stale(
    office: Office,
) -> None:
    (card,) = await office.tell(GRANT, TEAM, "plans")
    (nonce,) = await office.nonces()
    change = SetGrant(TEAM_KEY, (TASKS,), None)
    plan = await office.store.grants.plan(change)
    done = await office.store.effects.commit(
        ByOperator(), ApplyGrants(change, plan.plan_revision), audit=(), reply=()
    )
    assert isinstance(done, Done)
    assert await office.press(card, nonce) == toast(texts.CHANGED, ReplyKind.WARNING)
    assert await office.held(TEAM_KEY) == [(["tasks"], None)]
