"""Who is taken for the owner, and what becomes of whoever only claims to be. P7, P9, A1."""

from datetime import timedelta

import pytest

from steward.model.audience import ChatMode, DirectoryFailure
from steward.model.audit import AuditAct
from steward.model.events import ChatType, EventKind, Lane, Message, PersonDeleted
from steward.model.ids import ChatId, OpenId, TenantKey
from steward.model.turn import QuestionStatus
from tests.steward.control.test_intake import statuses, verdicts
from tests.steward.control.workshop import (
    APP,
    MEMBER,
    OWNER,
    TEAM,
    Workshop,
    open_workshop,
    private_chat,
)

DOWN = DirectoryFailure(retry=True, reason="unreachable")
ATTACKER = OpenId("ou_attacker")
OWN_CHAT = private_chat(OWNER)


async def claim(
    shop: Workshop, text: str = "And?", *, chat: ChatId = OWN_CHAT, kept: bool = False
) -> Message:
    """An event that says: the owner wrote this, in private."""
    return await shop.say(
        text, sender=OWNER, chat=chat, chat_type=ChatType.P2P, mentions=(), kept=kept
    )


async def own_chat(shop: Workshop) -> ChatId | None:
    record = await shop.store.owners.current(APP)
    assert record is not None
    return record.private_chat


@pytest.mark.requirement("P7")
async def test_the_owners_first_message_pins_the_private_chat() -> None:
    async with open_workshop() as shop:
        assert await own_chat(shop) is None
        message = await shop.in_private("And?", OWNER)
        await shop.through()
        assert await own_chat(shop) == OWN_CHAT
        assert shop.directory.proved[0] == message.ref
        assert len(shop.sender.arrived) == 1


@pytest.mark.requirement("P7")
async def test_a_message_that_the_platform_does_not_have_is_nobodys() -> None:
    async with open_workshop() as shop:
        shop.directory.add(OWN_CHAT, ChatMode.P2P)
        await claim(shop)
        await shop.through()
        assert await verdicts(shop) == [("ignored", "not_proven")]
        assert await own_chat(shop) is None
        assert shop.sender.texts() == []
        (entry,) = await shop.store.audit.recent(most=9, acts=(AuditAct.REFUSED,))
        assert (entry.row.reason, entry.row.actor) == ("not_proven", "unknown")


@pytest.mark.requirement("P7")
async def test_a_message_of_somebody_else_is_not_the_owners() -> None:
    async with open_workshop() as shop:
        theirs = private_chat(ATTACKER)
        shop.directory.add(theirs, ChatMode.P2P)
        forged = await claim(shop, chat=theirs)
        shop.directory.said(forged.ref, theirs, ATTACKER, "And?")
        await shop.through()
        assert await verdicts(shop) == [("ignored", "not_proven")]
        assert shop.sender.texts() == []


@pytest.mark.requirement("P7")
async def test_in_the_owners_own_chat_a_message_of_another_chat_is_not_the_owners_either() -> None:
    """A reply follows the message that it answers, whatever chat an event names."""
    async with open_workshop() as shop:
        await shop.in_private("And?", OWNER)
        await shop.judge()
        forged = await claim(shop)
        shop.directory.said(forged.ref, private_chat(ATTACKER), ATTACKER, "And?")
        await shop.judge()
        assert await verdicts(shop) == [("admitted", None), ("ignored", "not_proven")]


@pytest.mark.requirement("P7")
@pytest.mark.parametrize(
    ("mode", "external"), [(ChatMode.GROUP, False), (ChatMode.TOPIC, False), (ChatMode.P2P, True)]
)
async def test_what_the_owner_wrote_elsewhere_makes_no_private_chat_of_it(
    mode: ChatMode, external: bool
) -> None:
    async with open_workshop() as shop:
        shop.directory.add(TEAM, mode, external=external)
        await claim(shop, chat=TEAM, kept=True)
        await shop.through()
        assert await verdicts(shop) == [("ignored", "not_proven")]
        assert await own_chat(shop) is None
        assert shop.sender.texts() == []


@pytest.mark.requirement("P7")
async def test_an_edited_message_is_asked_as_it_stands_and_not_as_its_event_says() -> None:
    async with open_workshop() as shop:
        message = await shop.in_private("first words", OWNER)
        shop.directory.said(message.ref, OWN_CHAT, OWNER, "second words")
        await shop.through()
        assert [turn.question for turn in shop.endpoint.asked] == ["second words"]


@pytest.mark.requirement("P7", "A1")
async def test_the_owner_waits_while_the_platform_cannot_be_asked_and_is_answered_then() -> None:
    async with open_workshop() as shop:
        await shop.in_private("warm up", OWNER)
        await shop.through()
        shop.directory.failure = DOWN
        await shop.in_private("And?", OWNER)
        await shop.judge()
        assert (await verdicts(shop))[1:] == [(None, None)]
        shop.directory.failure = None
        shop.clock.advance(timedelta(seconds=5))
        await shop.through()
        assert [turn.question for turn in shop.endpoint.asked] == ["warm up", "And?"]


@pytest.mark.requirement("P7", "A1")
async def test_after_ten_minutes_without_proof_the_owners_question_is_owed() -> None:
    async with open_workshop() as shop:
        await shop.in_private("warm up", OWNER)
        await shop.judge()
        shop.directory.failure = DOWN
        await shop.in_private("And?", OWNER)
        for _ in range(30):
            await shop.judge()
            shop.clock.advance(timedelta(seconds=30))
        assert (await statuses(shop))[1:] == [QuestionStatus.OWED]


@pytest.mark.requirement("P9")
async def test_an_owner_who_left_the_tenant_is_a_member_from_the_next_message_on() -> None:
    async with open_workshop() as shop:
        await shop.in_private("And?", OWNER)
        await shop.event(PersonDeleted(OWNER), EventKind.PERSON_DELETED, Lane.NOW, None)
        await shop.judge()
        await shop.judge(Lane.NOW)
        await shop.in_private("And now?", OWNER)
        await shop.judge()
        assert await verdicts(shop) == [
            ("admitted", None),
            ("ignored", "applied"),
            ("declined", "not_granted"),
        ]
        assert await shop.store.owners.follow(APP, OWNER) is None


async def test_somebody_else_who_left_the_tenant_changes_nothing() -> None:
    async with open_workshop() as shop:
        await shop.event(PersonDeleted(MEMBER), EventKind.PERSON_DELETED, Lane.NOW, None)
        await shop.judge(Lane.NOW)
        await shop.in_private("And?", OWNER)
        await shop.judge()
        assert await verdicts(shop) == [("ignored", "no_action"), ("admitted", None)]


@pytest.mark.requirement("P9", "A1")
async def test_a_member_who_becomes_the_owner_and_one_again_is_each_at_once() -> None:
    async with open_workshop() as shop:
        for owner in (OWNER, MEMBER, OWNER):
            await shop.store.owners.follow(APP, owner)
            assert await own_chat(shop) is None
            await shop.in_private("And?", OWNER)
            await shop.in_private("And?", MEMBER)
            await shop.judge()
        admitted, declined = ("admitted", None), ("declined", "not_granted")
        assert await verdicts(shop) == [
            *(admitted, declined),
            *(declined, admitted),
            *(admitted, declined),
        ]


@pytest.mark.requirement("A1")
async def test_the_owners_id_of_another_tenant_is_a_strangers() -> None:
    async with open_workshop() as shop:
        await shop.in_private("And?", OWNER, tenant=TenantKey("tenant_other"))
        await shop.judge()
        assert await verdicts(shop) == [("declined", "not_granted")]


@pytest.mark.requirement("A1")
async def test_a_namesake_of_the_owner_is_nobody_special() -> None:
    async with open_workshop() as shop:
        await shop.in_private("I am the owner", OpenId("ou_owner_2"))
        await shop.judge()
        assert await verdicts(shop) == [("declined", "not_granted")]
        assert shop.directory.proved == []


@pytest.mark.requirement("A1")
async def test_two_people_in_a_group_are_a_group_also_where_one_is_the_owner() -> None:
    async with open_workshop(grants=()) as shop:
        await shop.say(sender=OWNER)
        await shop.judge()
        assert await verdicts(shop) == [("declined", "not_granted")]
