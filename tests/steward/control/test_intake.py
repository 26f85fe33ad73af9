"""Every recorded event gets one verdict, with its reason; what must not wait behind a question does not."""

import asyncio
from datetime import timedelta

import pytest

from steward.control.intake import MOST_ATTEMPTS
from steward.model.audience import (
    ChatFacts,
    ChatMode,
    DeclineReason,
    DirectoryFailure,
    Grant,
    GrantOrigin,
)
from steward.model.delivery import Mark
from steward.model.events import (
    ChatType,
    EventKind,
    Lane,
    Membership,
    Other,
    Principal,
    PrincipalKind,
    Recall,
    Unparsable,
    UnreadableContent,
)
from steward.model.ids import ChatId, ConversationId, MessageRef, OpenId, TenantKey
from steward.model.turn import Language, QuestionStatus
from steward.policy.presentation import decline, unparsable_line
from steward.testing.directory import FakeDirectory
from steward.testing.endpoint import Says
from tests.contracts.given import rows
from tests.steward.control.workshop import (
    APP,
    BOT,
    GOOD,
    MEMBER,
    OWNER,
    TEAM,
    TEAM_GRANT,
    Workshop,
    foreign,
    open_workshop,
    private_chat,
)

DOWN = DirectoryFailure(retry=True, reason="unreachable")


async def verdicts(shop: Workshop) -> list[tuple[str | None, str | None]]:
    found = await rows(shop.store, "SELECT verdict, reason FROM inbox ORDER BY id")
    return [(row[0], row[1]) for row in found]


async def statuses(shop: Workshop) -> list[str]:
    return [row[0] for row in await rows(shop.store, "SELECT status FROM question ORDER BY id")]


@pytest.mark.requirement("T7", "A1")
async def test_a_question_in_a_granted_group_is_admitted_and_marked_as_received() -> None:
    async with open_workshop() as shop:
        message = await shop.say()
        await shop.judge()
        assert await verdicts(shop) == [("admitted", None)]
        assert await statuses(shop) == [QuestionStatus.QUEUED]
        async with asyncio.timeout(5), asyncio.TaskGroup() as group:
            marking = group.create_task(shop.marks.run())
            await shop.sender.until_marked(message.ref, Mark.RECEIVED)
            marking.cancel()
        assert shop.sender.marks == [(message.ref, Mark.RECEIVED)]


@pytest.mark.parametrize(
    ("sender", "kind", "mentions", "reason"),
    [
        (BOT, PrincipalKind.BOT, (BOT,), "own_message"),
        (OpenId("ou_other_bot"), PrincipalKind.BOT, (BOT,), "not_a_person"),
        (MEMBER, PrincipalKind.UNKNOWN, (BOT,), "not_a_person"),
        (MEMBER, PrincipalKind.PERSON, (), "not_addressed"),
        (MEMBER, PrincipalKind.PERSON, (OpenId("ou_somebody"),), "not_addressed"),
        (None, PrincipalKind.PERSON, (BOT,), "audience_unknown"),
    ],
)
async def test_what_is_not_a_persons_word_to_us_is_ignored_in_silence(
    sender: OpenId | None, kind: PrincipalKind, mentions: tuple[OpenId, ...], reason: str
) -> None:
    async with open_workshop() as shop:
        await shop.say(sender=sender, kind=kind, mentions=mentions)
        await shop.through()
        assert await verdicts(shop) == [("ignored", reason)]
        assert shop.sender.texts() == []


async def test_a_reply_to_a_message_of_ours_is_meant_for_us_and_any_other_reply_is_not() -> None:
    async with open_workshop() as shop:
        await shop.say()
        await shop.through()
        ours = shop.sender.arrived[0].sent.message
        await shop.say(mentions=(), parent=ours)
        await shop.say(mentions=(), parent=MessageRef(APP, "om_somebody_elses"))
        await shop.judge()
        assert await verdicts(shop) == [
            ("admitted", None),
            ("admitted", None),
            ("ignored", "not_addressed"),
        ]


async def test_in_private_every_message_is_a_question() -> None:
    async with open_workshop() as shop:
        await shop.in_private("And?", OWNER)
        await shop.judge()
        assert await verdicts(shop) == [("admitted", None)]


@pytest.mark.requirement("A2")
async def test_a_group_without_a_grant_hears_of_it_once_a_day_and_a_stranger_once() -> None:
    async with open_workshop(grants=()) as shop:
        for _ in range(2):
            await shop.say()
            await shop.in_private("Hello?", MEMBER)
        await shop.through()
        first_day = len(shop.sender.arrived)
        shop.clock.advance(timedelta(days=1))
        await shop.say()
        await shop.in_private("Hello again?", MEMBER)
        await shop.through()
        assert await verdicts(shop) == [("declined", "not_granted")] * 6
        assert first_day == 2
        assert len(shop.sender.arrived) == 3
        assert shop.endpoint.asked == []


@pytest.mark.requirement("A2")
async def test_the_owner_whom_a_grant_narrows_to_nothing_hears_of_it_each_time() -> None:
    nothing = Grant("mine", "owner", (), None, GrantOrigin.CONFIG)
    async with open_workshop(grants=(nothing,)) as shop:
        for _ in range(2):
            await shop.in_private("Hello?", OWNER)
            await shop.through()
        assert await verdicts(shop) == [("declined", "not_granted")] * 2
        assert len(shop.sender.arrived) == 2


@pytest.mark.requirement("A1")
@pytest.mark.parametrize(
    ("chat_type", "mode", "external", "tenant"),
    [
        (ChatType.UNKNOWN, ChatMode.GROUP, False, TenantKey("tenant_ours")),
        (ChatType.GROUP, ChatMode.UNKNOWN, False, TenantKey("tenant_ours")),
        (ChatType.GROUP, ChatMode.GROUP, None, TenantKey("tenant_ours")),
        (ChatType.GROUP, ChatMode.GROUP, False, None),
    ],
)
async def test_an_audience_that_is_not_certain_is_refused_in_silence(
    chat_type: ChatType, mode: ChatMode, external: bool | None, tenant: TenantKey | None
) -> None:
    async with open_workshop() as shop:
        shop.directory.add(TEAM, mode, external=external)
        await shop.say(chat_type=chat_type, tenant=tenant)
        await shop.through()
        assert await verdicts(shop) == [("ignored", "audience_unknown")]
        assert shop.sender.texts() == []


@pytest.mark.requirement("A2")
async def test_a_groups_grant_is_void_once_the_chat_is_external() -> None:
    async with open_workshop() as shop:
        shop.directory.add(TEAM, external=True)
        await shop.say()
        await shop.through()
        assert await verdicts(shop) == [("declined", "not_granted")]
        assert shop.endpoint.asked == []


@pytest.mark.requirement("A1")
async def test_a_failed_look_up_is_waited_for_and_what_stands_behind_it_keeps_its_order() -> None:
    async with open_workshop(grants=(TEAM_GRANT, foreign(TEAM_GRANT, ChatId("oc_2")))) as shop:
        shop.directory.add(ChatId("oc_2"))
        await shop.say("warm up", chat=ChatId("oc_2"))
        await shop.judge()
        shop.directory.failure = DOWN
        await shop.say("first")
        await shop.say("second")
        await shop.judge()
        assert (await verdicts(shop))[1:] == [(None, None), (None, None)]
        shop.directory.failure = None
        shop.clock.advance(timedelta(seconds=5))
        await shop.judge()
        await shop.answer()
        asked = [turn.question for turn in shop.endpoint.asked]
        assert asked == ["warm up", "first", "second"]


@pytest.mark.requirement("A1", "T6", "W3")
async def test_after_ten_minutes_without_the_directory_the_question_is_owed_with_one_notice() -> (
    None
):
    async with open_workshop() as shop:
        await shop.in_private("warm up", OWNER)
        await shop.judge()
        shop.directory.failure = DOWN
        await shop.say()
        for _ in range(40):
            await shop.judge()
            shop.clock.advance(timedelta(seconds=30))
        await shop.deliver()
        assert (await statuses(shop))[1:] == [QuestionStatus.OWED]
        assert len(shop.sender.arrived) == 1
        assert shop.endpoint.asked == []


@pytest.mark.requirement("A1")
async def test_a_look_up_that_cannot_succeed_owes_the_question_at_once() -> None:
    async with open_workshop() as shop:
        shop.directory.remove(TEAM)
        await shop.say()
        await shop.through()
        assert await statuses(shop) == [QuestionStatus.OWED]
        assert len(shop.sender.arrived) == 1


async def test_while_we_do_not_know_ourselves_a_group_hears_nothing_and_loses_nothing() -> None:
    async with open_workshop() as shop:
        shop.directory.failure = DOWN
        await shop.say()
        for _ in range(60):
            await shop.judge()
            shop.clock.advance(timedelta(seconds=30))
        assert await verdicts(shop) == [(None, None)]
        assert shop.sender.texts() == []
        shop.directory.failure = None
        shop.clock.advance(timedelta(minutes=10))
        await shop.judge()
        assert await verdicts(shop) == [("admitted", None)]


@pytest.mark.requirement("D2")
async def test_a_recall_that_comes_first_leaves_the_question_withdrawn() -> None:
    async with open_workshop() as shop:
        gone = MessageRef(APP, "om_1")
        chat = ConversationId(APP, TEAM)
        await shop.event(Recall(gone, chat), EventKind.RECALL, Lane.NOW, chat)
        await shop.judge(Lane.NOW)
        shop.said = 0
        await shop.say()
        await shop.through()
        assert await statuses(shop) == [QuestionStatus.WITHDRAWN]
        assert shop.sender.texts() == []
        assert shop.endpoint.asked == []


@pytest.mark.requirement("D2")
async def test_a_recall_does_not_wait_behind_questions_and_takes_a_queued_one_back() -> None:
    async with open_workshop() as shop:
        message = await shop.say()
        await shop.judge()
        recall = Recall(message.ref, message.conversation)
        await shop.event(recall, EventKind.RECALL, Lane.NOW, message.conversation)
        await shop.judge(Lane.NOW)
        await shop.answer()
        await shop.deliver()
        assert await statuses(shop) == [QuestionStatus.WITHDRAWN]
        assert shop.sender.texts() == []


async def test_a_membership_event_makes_the_directory_ask_again() -> None:
    async with open_workshop() as shop:
        chat = ConversationId(APP, TEAM)
        change = Membership(
            chat,
            bot=False,
            joined=True,
            external=True,
            operator=Principal(None, None, PrincipalKind.PERSON),
        )
        await shop.event(change, EventKind.MEMBERSHIP, Lane.NOW, chat)
        await shop.judge(Lane.NOW)
        assert shop.directory.forgotten == [TEAM]
        assert await verdicts(shop) == [("ignored", "applied")]


async def test_an_event_that_nothing_acts_on_is_kept_with_its_reason() -> None:
    async with open_workshop() as shop:
        await shop.event(Other("vc.meeting.started_v1"), EventKind.OTHER, Lane.NOW, None)
        await shop.judge(Lane.NOW)
        assert await verdicts(shop) == [("ignored", "no_action")]


async def test_a_picture_is_declined_in_sight_and_an_empty_mention_too() -> None:
    async with open_workshop() as shop:
        await shop.say(content=UnreadableContent("image"))
        await shop.say("@_user_1 ")
        await shop.through()
        assert await verdicts(shop) == [
            ("declined", "content_unreadable"),
            ("declined", "empty_question"),
        ]
        assert len(shop.sender.arrived) == 2


@pytest.mark.requirement("D3")
async def test_a_message_that_cannot_be_read_is_told_to_its_chat_and_the_next_one_goes_on() -> None:
    async with open_workshop() as shop:
        chat = ConversationId(APP, TEAM)
        lost = MessageRef(APP, "om_lost")
        await shop.event(Unparsable("message.content"), EventKind.MESSAGE, Lane.ORDERED, chat, lost)
        await shop.say()
        await shop.through()
        assert await verdicts(shop) == [("unparsable", "message.content"), ("admitted", None)]
        assert len(shop.sender.arrived) == 2


@pytest.mark.requirement("D3")
async def test_a_row_whose_intake_keeps_failing_is_given_up_after_five_attempts() -> None:
    async with open_workshop(scripts={"next": [Says(GOOD)]}) as shop:
        chat = ConversationId(APP, TEAM)
        broken = RuntimeError("a fault of ours")
        bad = MessageRef(APP, "om_bad")
        await shop.event(broken, EventKind.MESSAGE, Lane.ORDERED, chat, bad)
        await shop.say("next")
        for attempt in range(1, MOST_ATTEMPTS + 1):
            assert await verdicts(shop) == [(None, None), (None, None)], attempt
            await shop.judge()
            shop.clock.advance(timedelta(minutes=1))
        await shop.judge()
        await shop.answer()
        await shop.deliver()
        assert await verdicts(shop) == [("unparsable", "intake_failed"), ("admitted", None)]
        assert [turn.question for turn in shop.endpoint.asked] == ["next"]
        assert len(shop.sender.arrived) == 2


class Failing(FakeDirectory):
    """Breaks at each look at a chat."""

    async def chat(self, conversation: ConversationId) -> ChatFacts | DirectoryFailure:
        raise RuntimeError("out of order")


@pytest.mark.requirement("D3", "W5")
@pytest.mark.parametrize(("words", "language"), [("进展如何", Language.ZH), ("Hello", Language.EN)])
async def test_a_row_that_is_given_up_is_told_in_the_language_of_its_words(
    words: str, language: Language
) -> None:
    async with open_workshop(lookup=Failing) as shop:
        await shop.say(words)
        for _ in range(MOST_ATTEMPTS):
            await shop.judge()
            shop.clock.advance(timedelta(minutes=1))
        assert await rows(shop.store, "SELECT verdict, reason FROM inbox") == [
            ("unparsable", "intake_failed")
        ]
        assert await said(shop) == [unparsable_line(language).headline]


async def said(shop: Workshop) -> list[str]:
    found = await rows(shop.store, "SELECT body FROM outbox ORDER BY id")
    return [bytes(row[0]).decode() for row in found]


@pytest.mark.requirement("D3", "W5")
async def test_whoever_sends_no_words_is_told_in_both_languages() -> None:
    async with open_workshop() as shop:
        await shop.say(content=UnreadableContent("image"))
        await shop.say("@_user_1 ")
        lost = MessageRef(APP, "om_lost")
        here = ConversationId(APP, TEAM)
        await shop.event(Unparsable("message.content"), EventKind.MESSAGE, Lane.ORDERED, here, lost)
        await shop.through()
        assert await said(shop) == [
            decline(DeclineReason.CONTENT_UNREADABLE, language=None).headline,
            decline(DeclineReason.EMPTY_QUESTION, language=None).headline,
            unparsable_line(None).headline,
        ]


@pytest.mark.requirement("T7", "P7", "D2")
async def test_a_stop_ends_a_question_that_waits_for_a_look_up() -> None:
    async with open_workshop() as shop:
        shop.directory.failure = DOWN
        await shop.in_private("How is it going?", OWNER)
        await shop.judge()
        private = private_chat(OWNER)
        await shop.say(
            "/stop", sender=OWNER, chat=private, chat_type=ChatType.P2P, mentions=(), lane=Lane.NOW
        )
        await shop.judge(Lane.NOW)
        shop.directory.failure = None
        shop.clock.advance(timedelta(minutes=1))
        await shop.through()
        assert await statuses(shop) == ["withdrawn"]
        assert shop.endpoint.asked == []
        assert len(shop.sender.arrived) == 1
