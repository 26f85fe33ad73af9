"""Turns with host tools: who gets one, on what proof, and how it ends at once where it may be no more. P4, P5, P7, P9."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import text

from steward.control.grounds import Ground
from steward.errors import StoreError, StoreUnavailableError
from steward.model.audience import DirectoryFailure, Grant, GrantOrigin
from steward.model.effect import ByOperator, StopQuestions
from steward.model.events import EventKind, Lane, Message, Recall
from steward.model.ids import AppId, ConversationId, OpenId, QuestionId
from steward.model.profile import ProfileStatus, RuntimeProfile
from steward.model.reading import ScanQuery, ToolCall, View
from steward.model.turn import Candidate, Observed, ObservedCall, TurnCode, TurnFailure
from steward.policy.scope import Access
from steward.reading.schema import MANAGER_TOOL
from steward.testing.endpoint import (
    Calls,
    Fails,
    Hangs,
    Meanwhile,
    Raises,
    Says,
    Scans,
    Script,
    ScriptedEndpoint,
    Waits,
)
from steward.texts.coverage import UNPROVEN
from tests.contracts.given import rows
from tests.steward.control.sessions import apply, put_document, session
from tests.steward.control.workshop import (
    APP,
    GOOD,
    MEMBER,
    OWNER,
    PLANS,
    TEAM,
    TEAM_GRANT,
    TTL,
    WORKER,
    Workshop,
    open_workshop,
    private_chat,
)

ASKED = "What is on my plate?"
BOTH = frozenset({"restricted", "trusted_owner"})
RESTRICTED, TRUSTED = RuntimeProfile.RESTRICTED, RuntimeProfile.TRUSTED_OWNER
HOME = ConversationId(APP, private_chat(OWNER))
READ = Calls(ToolCall(MANAGER_TOOL, "call-1", {"view": "todos"}))
CHANGED = ("owed", TurnCode.PROFILE_CHANGED)
SECOND = timedelta(seconds=1)


@asynccontextmanager
async def trusting(
    *script: Any, profiles: frozenset[str] = BOTH, **more: Any
) -> AsyncIterator[Workshop]:
    """A workshop where trusted_owner is stored, and its endpoint can hold it."""
    scripts: dict[str, Script] = {ASKED: script or [Says(GOOD)], "and then?": [Says(GOOD)]}
    endpoint = ScriptedEndpoint(scripts, profiles=profiles)
    workshop = open_workshop(endpoint=endpoint, scripts=scripts, **more)
    async with workshop as shop, asyncio.timeout(20):
        await apply(shop.store, TRUSTED)
        yield shop


async def asked(shop: Workshop, text: str = ASKED) -> Message:
    """The owner asks in private, and the platform has the message."""
    message = await shop.in_private(text, OWNER)
    await shop.judge()
    return message


def seated(shop: Workshop) -> list[RuntimeProfile | None]:
    """Under which profile each thread was opened."""
    return [seat.profile.runtime_profile for seat, _, _ in shop.endpoint.opened]


def nothing_is_left(shop: Workshop) -> bool:
    """Whether no turn runs, and the thread of the last one is closed."""
    return not shop.endpoint.running and len(shop.endpoint.closed) > 0


async def restricts(shop: Workshop) -> None:
    await apply(shop.store, RESTRICTED)


async def changes_owner(shop: Workshop) -> None:
    await shop.store.owners.follow(APP, MEMBER)


async def comes_back(shop: Workshop) -> None:
    """Another owner, and then all as it was before: what was begun before is not trusted on that account."""
    await shop.store.owners.follow(APP, MEMBER)
    await shop.store.owners.follow(APP, OWNER)
    await apply(shop.store, TRUSTED)


CHANGES: tuple[Callable[[Workshop], Awaitable[None]], ...] = (restricts, changes_owner, comes_back)


@pytest.mark.requirement("P4", "P7", "S1")
async def test_the_owner_in_private_has_host_tools_where_the_platform_bears_the_message_out() -> (
    None
):
    async with trusting() as shop:
        message = await asked(shop)
        await shop.answer()
        await shop.deliver()

        assert seated(shop) == [TRUSTED]
        assert message.ref in shop.directory.proved
        assert await shop.ends() == [("answered", None)]
        assert (await session(shop, HOME)).fields.sandbox == "danger-full-access"
        (text,) = shop.sender.texts()
        assert UNPROVEN.en not in text


OPEN = (
    TEAM_GRANT,
    Grant("members", "members", (PLANS,), None, GrantOrigin.CONFIG),
    Grant("guests", f"external:{TEAM}", (PLANS,), None, GrantOrigin.OWNER),
    Grant("mine", "owner", (PLANS,), None, GrantOrigin.OWNER),
)


@pytest.mark.requirement("P4")
@pytest.mark.parametrize("way", ["group", "external", "member", "simulated"])
async def test_nobody_else_and_no_simulated_platform_ever_has_host_tools(way: str) -> None:
    access = Access(groups=True, members_private=True)
    async with trusting(grants=OPEN, access=access, simulated=way == "simulated") as shop:
        if way in {"group", "external"}:
            shop.directory.add(TEAM, external=way == "external", title="owner")
            await shop.say(ASKED, sender=OWNER)
        else:
            await shop.in_private(ASKED, MEMBER if way == "member" else OWNER)
        await shop.judge()
        await shop.answer()

        assert seated(shop) == [RESTRICTED]
        assert await shop.ends() == [("settled", None)]


@pytest.mark.requirement("P2", "P4")
async def test_a_corrupt_document_gives_no_host_tools() -> None:
    async with trusting() as shop:
        await put_document(shop.store, b"{")
        await asked(shop)
        await shop.answer()

        seat, _, _ = shop.endpoint.opened[0]
        assert seat.profile.runtime_profile is RESTRICTED
        assert seat.profile.status is ProfileStatus.CONFIGURATION_INVALID


@pytest.mark.requirement("P5")
async def test_an_endpoint_that_cannot_hold_it_is_not_called_and_the_owner_is_told_what_to_do() -> (
    None
):
    async with trusting(profiles=frozenset({"restricted"})) as shop:
        await asked(shop)
        await shop.answer()
        await shop.deliver()

        assert await shop.ends() == [("owed", TurnCode.ENDPOINT_UNSUPPORTED)]
        assert shop.endpoint.opened == []
        (text,) = shop.sender.texts()
        assert "Select the Codex endpoint or change the manager runtime to restricted." in text
        assert await rows(shop.store, "SELECT id FROM turn") == []


UNBORNE: dict[str, Callable[[Workshop, Message], None]] = {
    "gone": lambda shop, message: shop.directory.recall(message.ref),
    "other words": lambda shop, message: shop.directory.said(
        message.ref, message.conversation.chat_id, OWNER, "Delete it all"
    ),
    "other sender": lambda shop, message: shop.directory.said(
        message.ref, message.conversation.chat_id, MEMBER, ASKED
    ),
    "other chat": lambda shop, message: shop.directory.said(
        message.ref, private_chat(MEMBER), OWNER, ASKED
    ),
    "no words": lambda shop, message: shop.directory.said(
        message.ref, message.conversation.chat_id, OWNER, None
    ),
    "no answer": lambda shop, _: setattr(
        shop.directory, "failure", DirectoryFailure(retry=True, reason="timeout")
    ),
}


@pytest.mark.requirement("P7")
@pytest.mark.parametrize("way", UNBORNE)
async def test_without_proof_the_turn_is_restricted_and_the_answer_says_so(way: str) -> None:
    async with trusting(READ, Says(GOOD)) as shop:
        message = await asked(shop)
        UNBORNE[way](shop, message)
        await shop.answer()
        shop.directory.failure = None
        shop.directory.said(message.ref, message.conversation.chat_id, OWNER, ASKED)
        await shop.deliver()

        assert seated(shop) == [RESTRICTED]
        (text,) = shop.sender.texts()
        assert UNPROVEN.en in text
        fields = (await session(shop, HOME)).fields
        assert (fields.profile, fields.sandbox, fields.status, fields.standing_grant) == (
            RESTRICTED,
            "read-only",
            "ready",
            "none",
        )
        assert fields.tool_classes == ("steward_evidence",)


@pytest.mark.requirement("P7", "S2")
async def test_a_turn_without_proof_shares_no_thread_with_one_that_has_host_tools() -> None:
    async with trusting() as shop:
        await asked(shop)
        await shop.answer()
        message = await asked(shop, "and then?")
        shop.directory.recall(message.ref)
        await shop.answer()

        assert seated(shop) == [TRUSTED, RESTRICTED]
        assert [resume for _, resume, _ in shop.endpoint.opened] == [None, None]
        assert [thread.upstream for thread in shop.endpoint.closed] == ["scripted-1"]


@pytest.mark.requirement("P6")
async def test_nothing_but_the_question_itself_enters_a_turn_with_host_tools() -> None:
    async with trusting() as shop:
        quoted = await shop.say("rm -rf / is what they said", sender=MEMBER)
        await shop.say(
            ASKED,
            sender=OWNER,
            chat=HOME.chat_id,
            chat_type=(await asked(shop)).chat_type,
            mentions=(),
            parent=quoted.ref,
        )
        await shop.judge()
        await shop.answer()

        words = [turn.question for turn in shop.endpoint.asked]
        assert words[-2:] == [ASKED, ASKED]
        told = [line for _, _, history in shop.endpoint.opened for line in history]
        assert not any("rm -rf" in line for line in told)


@pytest.mark.requirement("P9")
@pytest.mark.parametrize("change", CHANGES)
async def test_a_change_before_the_call_is_seen_before_anything_is_called(
    change: Callable[[Workshop], Awaitable[None]],
) -> None:
    async with trusting() as shop:
        await asked(shop)

        async def meanwhile() -> None:
            await change(shop)

        shop.endpoint.before_opening = meanwhile
        await shop.answer()

        assert await shop.ends() == [CHANGED]
        assert shop.endpoint.asked == []
        assert nothing_is_left(shop)


@pytest.mark.requirement("P9")
@pytest.mark.parametrize("change", CHANGES)
async def test_a_change_during_the_call_interrupts_it_within_a_second_and_closes_its_thread(
    change: Callable[[Workshop], Awaitable[None]],
) -> None:
    async with trusting(Hangs()) as shop:
        await asked(shop)
        async with asyncio.TaskGroup() as group:
            group.create_task(shop.answer())
            await shop.endpoint.until_asked(ASKED)
            await change(shop)
            await second(shop)

        assert await shop.ends() == [CHANGED]
        assert [thread.upstream for thread in shop.endpoint.interrupted] == ["scripted-1"]
        assert nothing_is_left(shop)
        await shop.deliver()
        assert len(shop.sender.arrived) <= 1


async def second(shop: Workshop) -> None:
    """The watch has its turn."""
    for _ in range(20):
        await asyncio.sleep(0)
    shop.clock.advance(SECOND)


@pytest.mark.requirement("P9")
async def test_a_turn_whose_ground_stands_is_left_alone_by_its_watch() -> None:
    async with trusting(Waits(), Says(GOOD)) as shop:
        await asked(shop)
        async with asyncio.TaskGroup() as group:
            group.create_task(shop.answer())
            await shop.endpoint.until_asked(ASKED)
            for _ in range(3):
                await second(shop)
            shop.endpoint.release(ASKED)

        assert await shop.ends() == [("settled", None)]
        assert shop.endpoint.closed == []


@pytest.mark.requirement("P9")
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("read", [READ, Scans(ScanQuery(View.TODOS))])
async def test_a_change_before_a_tool_result_gives_nothing_out(
    read: Calls | Scans, change: Callable[[Workshop], Awaitable[None]]
) -> None:
    async with trusting() as shop:
        shop.scripts[ASKED] = [Meanwhile(lambda: change(shop)), read, Hangs()]
        await asked(shop)
        await shop.answer()

        assert await shop.ends() == [CHANGED]
        assert all(not result.ok for result in shop.endpoint.results)
        assert await rows(shop.store, "SELECT id FROM reading") == []
        assert nothing_is_left(shop)


@pytest.mark.requirement("P9")
@pytest.mark.parametrize("change", CHANGES)
async def test_a_change_before_the_settle_refuses_it(
    change: Callable[[Workshop], Awaitable[None]],
) -> None:
    async with trusting() as shop:
        shop.scripts[ASKED] = [Meanwhile(lambda: change(shop)), Says(GOOD)]
        await asked(shop)
        await shop.answer()

        assert await shop.ends() == [CHANGED]
        assert await rows(shop.store, "SELECT id FROM answer") == []
        assert nothing_is_left(shop)


@pytest.mark.requirement("P9")
async def test_a_change_that_comes_with_the_settle_itself_refuses_it() -> None:
    async with trusting() as shop:
        await asked(shop)

        async def names(app: AppId, person: OpenId) -> tuple[str, ...]:
            if shop.endpoint.asked:
                await restricts(shop)
            return ()

        shop.store.people.names = names  # type: ignore[method-assign]
        await shop.answer()

        assert await shop.ends() == [CHANGED]
        assert nothing_is_left(shop)


@pytest.mark.requirement("P9")
async def test_a_restricted_turn_is_not_settled_under_another_revision_either() -> None:
    scripts: dict[str, Script] = {}
    async with open_workshop(scripts=scripts) as shop:
        scripts[ASKED] = [Meanwhile(lambda: restricts(shop)), Says(GOOD)]
        await shop.say(ASKED)
        await shop.through()

        assert await shop.ends() == [CHANGED]


async def away() -> None:
    raise StoreUnavailableError("away")


@pytest.mark.requirement("P3", "P9")
async def test_where_the_owner_cannot_be_read_no_turn_has_host_tools_or_keeps_them() -> None:
    async with trusting() as shop:
        await asked(shop)
        question = await shop.store.ledger.question(QuestionId(1))
        ground = await shop.grounds.of(question)
        assert isinstance(ground, Ground)
        assert ground.trusted
        blind = replace(shop.grounds, owns=away)

        assert await shop.grounds.changed(question, ground) is None
        assert await blind.of(question) == TurnFailure(TurnCode.STORE_UNAVAILABLE)
        assert await blind.changed(question, ground) == TurnFailure(TurnCode.STORE_UNAVAILABLE)


@pytest.mark.requirement("P9", "T4")
async def test_a_stop_ends_the_running_turn_at_once_and_leaves_no_thread_behind() -> None:
    async with trusting(Hangs()) as shop:
        await asked(shop)
        async with asyncio.TaskGroup() as group:
            group.create_task(shop.answer())
            await shop.endpoint.until_asked(ASKED)
            await stopped(shop)
            shop.turns.stop([QuestionId(1)])

        assert await shop.ends() == [("withdrawn", None)]
        assert nothing_is_left(shop)


@pytest.mark.requirement("P9")
async def test_a_stop_in_another_process_is_seen_within_a_second() -> None:
    async with trusting(Hangs()) as shop:
        await asked(shop)
        async with asyncio.TaskGroup() as group:
            group.create_task(shop.answer())
            await shop.endpoint.until_asked(ASKED)
            await stopped(shop)
            await second(shop)

        assert await shop.ends() == [("withdrawn", None)]
        assert nothing_is_left(shop)


async def stopped(shop: Workshop) -> None:
    effect = StopQuestions(HOME, asker=OWNER)
    await shop.store.effects.commit(ByOperator(), effect, audit=[], reply=[])


@pytest.mark.requirement("P9", "T4")
async def test_a_stop_also_ends_a_restricted_turn_and_no_other() -> None:
    scripts: dict[str, Script] = {"one": [Hangs()], "two": [Waits(), Says(GOOD)]}
    async with open_workshop(scripts=scripts, grants=(TEAM_GRANT,)) as shop, asyncio.timeout(20):
        await shop.say("one")
        await shop.judge()
        async with asyncio.TaskGroup() as group:
            group.create_task(shop.answer())
            await shop.endpoint.until_asked("one")
            shop.turns.stop([QuestionId(7)])
            assert shop.endpoint.running == {"one"}
            shop.turns.stop([QuestionId(1)])

        assert [thread.upstream for thread in shop.endpoint.closed] == ["scripted-1"]


@pytest.mark.requirement("D2", "T4")
async def test_a_recall_ends_the_running_turn_at_once() -> None:
    async with trusting(Hangs()) as shop:
        message = await asked(shop)
        async with asyncio.TaskGroup() as group:
            group.create_task(shop.answer())
            await shop.endpoint.until_asked(ASKED)
            taken_back = Recall(message.ref, HOME)
            await shop.event(taken_back, EventKind.RECALL, Lane.NOW, HOME)
            await shop.judge(Lane.NOW)

        assert await shop.ends() == [("withdrawn", None)]
        assert nothing_is_left(shop)


@pytest.mark.requirement("T4")
async def test_a_turn_that_learns_of_its_end_from_a_read_leaves_no_thread_behind() -> None:
    async with trusting() as shop:
        shop.scripts[ASKED] = [Meanwhile(lambda: stopped(shop)), READ, Hangs()]
        await asked(shop)
        await shop.answer()

        assert await shop.ends() == [("withdrawn", None)]
        assert nothing_is_left(shop)


@pytest.mark.requirement("T4", "D7")
async def test_a_worker_that_is_cancelled_leaves_no_thread_behind() -> None:
    async with trusting(Hangs()) as shop:
        await asked(shop)
        (lease,) = await shop.store.conversations.claim(WORKER, limit=1, ttl=TTL)
        async with asyncio.TaskGroup() as group:
            work = group.create_task(shop.turns.work(lease))
            await shop.endpoint.until_asked(ASKED)
            work.cancel()

        assert nothing_is_left(shop)
        assert await shop.ends() == [("acting", None)]


@pytest.mark.requirement("T4", "D7")
async def test_a_turn_that_breaks_after_its_call_leaves_no_thread_behind() -> None:
    async with trusting() as shop:

        async def breaks() -> None:
            statement = text("DROP TABLE machine_configuration")
            await shop.store.database.write(lambda connection: connection.execute(statement))

        shop.scripts[ASKED] = [Meanwhile(breaks), Says(GOOD)]
        await asked(shop)
        with suppress(StoreError):
            await shop.answer()

        assert nothing_is_left(shop)


@pytest.mark.requirement("P9", "D7")
@pytest.mark.parametrize("change", [None, restricts, changes_owner])
async def test_a_stored_candidate_is_settled_only_under_the_profile_it_was_made_under(
    change: Callable[[Workshop], Awaitable[None]] | None,
) -> None:
    async with trusting(Waits(), Says(GOOD)) as shop:
        await asked(shop)
        (lease,) = await shop.store.conversations.claim(WORKER, limit=1, ttl=TTL)
        async with asyncio.TaskGroup() as group:
            work = group.create_task(shop.turns.work(lease))
            await shop.endpoint.until_asked(ASKED)
            work.cancel()
        shop.clock.advance(TTL)
        (orphan,) = await shop.store.ledger.orphans()
        await shop.store.ledger.candidate(orphan.attempt, Candidate(GOOD))
        if change is not None:
            await change(shop)
        await shop.recovery.take_over()

        (end,) = await shop.ends()
        assert end[0] == ("settled" if change is None else "owed")
        assert len(shop.endpoint.asked) == 1


RAN = (
    ObservedCall("shell", known=True, completed=True, host=True),
    ObservedCall("git", known=True, completed=False, host=True),
    ObservedCall("loopx_manager_read", known=True, completed=True, host=False),
)


@pytest.mark.requirement("T3", "T6")
@pytest.mark.parametrize(
    ("step", "code"),
    [
        (Says(b'{"classification": {}}'), TurnCode.RESULT_INVALID),
        (Fails(TurnFailure(TurnCode.TRANSPORT_LOST)), TurnCode.TRANSPORT_LOST),
        (Raises(RuntimeError("broken")), TurnCode.UNCLASSIFIED),
    ],
)
async def test_a_notice_lists_what_the_host_had_already_run(step: Any, code: TurnCode) -> None:
    async with trusting(step) as shop:
        shop.endpoint.shows(ASKED, Observed(closed=True, final=None, calls=RAN))
        await asked(shop)
        await shop.answer()
        await shop.deliver()

        assert await shop.ends() == [("owed", code)]
        assert "Before that the host had already run: shell." in shop.sender.texts()[-1]


@pytest.mark.requirement("T3")
async def test_an_answer_lists_nothing_of_the_host() -> None:
    async with trusting(Says(GOOD)) as shop:
        shop.endpoint.shows(ASKED, Observed(closed=True, final=GOOD, calls=RAN))
        await asked(shop)
        await shop.answer()
        await shop.deliver()

        assert "shell" not in shop.sender.texts()[-1]
