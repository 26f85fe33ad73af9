"""A turn from its question to its answer or its debt; every end is a value, and is told."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta

import pytest

from steward.model.delivery import Mark
from steward.model.ids import ChatId, QuestionId
from steward.model.profile import RESTRICTED_DEFAULT, Readback
from steward.model.reading import ScanQuery, View
from steward.model.turn import TurnCode, TurnFailure, Written
from steward.testing.endpoint import Fails, Hangs, Raises, Says, Scans, ScriptedEndpoint, Waits
from tests.contracts.given import recall
from tests.steward.control.workshop import (
    APP,
    GOOD,
    MEMBER,
    TEAM,
    TEAM_GRANT,
    TTL,
    WORKER,
    foreign,
    open_workshop,
)

ASKED = "How is it going?"


@pytest.mark.requirement("T3", "T7", "D7")
async def test_a_question_is_answered_in_a_reply_to_it_and_only_then_counts_as_answered() -> None:
    async with open_workshop() as shop:
        message = await shop.say()
        await shop.judge()
        await shop.answer()
        settled = await shop.ends()
        await shop.deliver()
        (arrival,) = shop.sender.arrived
        assert settled == [("settled", None)]
        assert await shop.ends() == [("answered", None)]
        assert (arrival.place.reply_to, arrival.place.in_thread) == (message.ref, False)


@pytest.mark.requirement("T4")
async def test_questions_of_a_conversation_are_answered_one_at_a_time_in_the_order_they_came() -> (
    None
):
    async with open_workshop() as shop:
        for text in ("one", "two", "three"):
            await shop.say(text)
        await shop.through()
        assert [turn.question for turn in shop.endpoint.asked] == ["one", "two", "three"]
        places = [arrival.place.reply_to for arrival in shop.sender.arrived]
        assert places == sorted(places, key=lambda ref: ref.message_id if ref else "")


@pytest.mark.requirement("T6", "W3")
@pytest.mark.parametrize(
    ("script", "code"),
    [
        ([Says(b"not json")], TurnCode.RESULT_INVALID),
        ([Says(b'{"classification": false, "claims": []}')], TurnCode.RESULT_INVALID),
        ([Fails(TurnFailure(TurnCode.EXECUTOR_TIMEOUT))], TurnCode.EXECUTOR_TIMEOUT),
        ([Raises(RuntimeError("secret detail"))], TurnCode.UNCLASSIFIED),
    ],
)
async def test_a_turn_that_fails_leaves_the_question_owed_and_says_so_once(
    script: Sequence[Says | Fails | Raises], code: TurnCode
) -> None:
    async with open_workshop(scripts={ASKED: script}) as shop:
        await shop.say()
        await shop.through()
        assert await shop.ends() == [("owed", code)]
        (text,) = shop.sender.texts()
        assert "secret detail" not in text
        assert code.value not in text


@pytest.mark.requirement("T6")
async def test_an_endpoint_that_hangs_is_given_up_at_the_deadline() -> None:
    scripts = {ASKED: [Hangs()]}
    async with open_workshop(scripts=scripts, total=timedelta(milliseconds=50)) as shop:
        await shop.say()
        await shop.judge()
        async with asyncio.timeout(5):
            await shop.answer()
        assert await shop.ends() == [("owed", TurnCode.EXECUTOR_TIMEOUT)]


@pytest.mark.requirement("W3")
async def test_the_notice_of_a_failed_turn_shows_what_was_read_and_calls_it_no_answer() -> None:
    script = [
        Scans(ScanQuery(View.TODOS)),
        Fails(TurnFailure(TurnCode.EXECUTOR_TIMEOUT)),
    ]
    async with open_workshop(scripts={ASKED: script}) as shop:
        await shop.say()
        await shop.through()
        (text,) = shop.sender.texts()
        assert "owed" in text or "still" in text.lower()


@pytest.mark.requirement("P10", "S1")
async def test_a_turn_starts_only_where_the_host_reads_back_what_was_asked_for() -> None:
    endpoint = ScriptedEndpoint(
        {ASKED: [Says(GOOD)]}, readback=Readback(RESTRICTED_DEFAULT, "some other prompt")
    )
    async with open_workshop(endpoint=endpoint) as shop:
        await shop.say()
        await shop.through()
        assert await shop.ends() == [("owed", TurnCode.READBACK_MISMATCH)]
        assert endpoint.asked == []


async def test_an_endpoint_that_cannot_be_opened_owes_the_question() -> None:
    endpoint = ScriptedEndpoint({}, refuses=TurnFailure(TurnCode.EXECUTOR_TIMEOUT))
    async with open_workshop(endpoint=endpoint) as shop:
        await shop.say()
        await shop.through()
        assert await shop.ends() == [("owed", TurnCode.EXECUTOR_TIMEOUT)]


@pytest.mark.requirement("A3")
async def test_a_grant_that_is_revoked_while_the_turn_runs_withholds_the_answer() -> None:
    scripts = {ASKED: [Waits(), Says(GOOD)]}
    async with open_workshop(scripts=scripts) as shop:
        await shop.say()
        await shop.judge()
        async with asyncio.timeout(5), asyncio.TaskGroup() as group:
            group.create_task(shop.answer())
            await shop.endpoint.until_asked(ASKED)
            await shop.store.grants.sync(())
            shop.endpoint.release(ASKED)
        await shop.deliver()
        assert await shop.ends() == [("owed", TurnCode.AUTHORIZATION_CHANGED)]
        assert len(shop.sender.arrived) == 1


@pytest.mark.requirement("T4", "T8")
async def test_a_recall_during_the_turn_discards_its_answer() -> None:
    scripts = {ASKED: [Waits(), Says(GOOD)]}
    async with open_workshop(scripts=scripts) as shop:
        message = await shop.say()
        await shop.judge()
        async with asyncio.timeout(5), asyncio.TaskGroup() as group:
            group.create_task(shop.answer())
            await shop.endpoint.until_asked(ASKED)
            (item,) = await shop.store.inbox.record([recall("1", chat=str(TEAM))])
            await shop.store.inbox.withdraw(item.inbox, message.ref)
            shop.endpoint.release(ASKED)
        await shop.deliver()
        assert await shop.ends() == [("withdrawn", None)]
        assert shop.sender.texts() == []


@pytest.mark.requirement("T4")
async def test_a_second_worker_cannot_write_into_a_turn_whose_conversation_it_lost() -> None:
    scripts = {ASKED: [Waits(), Says(GOOD)]}
    async with open_workshop(scripts=scripts) as shop:
        await shop.say()
        await shop.judge()
        (lease,) = await shop.store.conversations.claim(WORKER, limit=1, ttl=TTL)
        async with asyncio.timeout(5), asyncio.TaskGroup() as group:
            running = group.create_task(shop.turns.run(lease, QuestionId(1)))
            await shop.endpoint.until_asked(ASKED)
            shop.clock.advance(TTL * 2)
            (orphan,) = await shop.store.ledger.orphans()
            assert await shop.store.ledger.requeue(orphan.attempt) is Written.DONE
            shop.endpoint.release(ASKED)
        assert running.result() is Written.LOST
        assert await shop.ends() == [("queued", None)]


async def test_a_failed_question_is_marked_on_the_message_that_asked_it() -> None:
    async with open_workshop(scripts={ASKED: [Says(b"")]}) as shop:
        message = await shop.say()
        await shop.judge()
        await shop.answer()
        async with asyncio.timeout(5), asyncio.TaskGroup() as group:
            marking = group.create_task(shop.marks.run())
            await shop.sender.until_marked(message.ref, Mark.FAILED)
            marking.cancel()
        assert shop.sender.marks == [(message.ref, Mark.RECEIVED), (message.ref, Mark.FAILED)]


async def test_conversations_do_not_wait_for_each_other() -> None:
    other = ChatId("oc_2")
    scripts = {"slow": [Waits(), Says(GOOD)], "quick": [Says(GOOD)]}
    async with open_workshop(
        scripts=scripts, grants=(TEAM_GRANT, foreign(TEAM_GRANT, other))
    ) as shop:
        shop.directory.add(other)
        await shop.say("slow")
        await shop.say("quick", chat=other)
        await shop.judge()
        first, second = await shop.store.conversations.claim(WORKER, limit=2, ttl=TTL)
        async with asyncio.timeout(5), asyncio.TaskGroup() as group:
            group.create_task(shop.turns.work(first))
            await shop.turns.work(second)
            halfway = await shop.ends()
            shop.endpoint.release("slow")
        assert halfway == [("acting", None), ("settled", None)]


async def test_an_endpoint_is_told_how_evidence_names_the_asker_at_this_moment() -> None:
    async with open_workshop() as shop:
        await shop.store.people.sync(APP, {MEMBER: ("Lin", "小林")})
        await shop.say()
        await shop.through()
        await shop.store.people.sync(APP, {})
        await shop.say("And now?")
        await shop.through()
        assert [asked.asker_names for asked in shop.endpoint.asked] == [("Lin", "小林"), ()]
