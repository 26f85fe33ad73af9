"""A review over the whole of control: what it sees, what it may come to, and what it leaves as it was. V1-V5."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from steward.model.profile import Readback, RuntimeProfile, Sandbox
from steward.model.reading import ScanQuery, ToolCall, View
from steward.model.review import ReviewOutcome
from steward.model.turn import TurnCode, TurnFailure
from steward.reading.schema import CONTEXT_TOOL
from steward.testing.endpoint import (
    Calls,
    Fails,
    Hangs,
    Raises,
    Says,
    Scans,
    Seen,
)
from steward.texts.notices import FAILED
from tests.steward.control.interrupted import (
    ASKED,
    FORMED,
    HERE,
    LOST,
    MARK,
    READ,
    USED,
    Shown,
    broken_off,
    cites,
    endpoint_of,
    interrupting,
    nothing_more,
    review_row,
    said,
    swept,
)
from tests.steward.control.sessions import apply
from tests.steward.control.workshop import OWNER


@pytest.mark.requirement("V1", "V3", "V5")
async def test_an_answer_is_formed_from_what_was_read_and_answers_the_original_message() -> None:
    async with interrupting(*FORMED) as shop:
        message = await broken_off(shop)
        shop.clock.advance(timedelta(hours=1))

        assert await swept(shop) == 1
        await shop.deliver()

        assert await shop.ends() == [("answered", TurnCode.TRANSPORT_LOST)]
        notice, answer = shop.sender.texts()
        assert FAILED[TurnCode.TRANSPORT_LOST].what.en in notice
        assert "Callback signature" in answer
        assert answer.count(MARK) == 1
        assert [one.place for one in shop.sender.arrived] == [shop.sender.arrived[0].place] * 2
        assert shop.sender.arrived[1].place.reply_to == message.ref
        assert len(endpoint_of(shop).asked) == len(endpoint_of(shop).reviewed) == 1
        assert await review_row(shop) == (*USED, "settled")
        assert await swept(shop) == 0


@pytest.mark.requirement("V3")
async def test_it_is_given_the_readings_that_were_kept_and_the_question_as_it_was_put() -> None:
    async with interrupting(*FORMED) as shop:
        await broken_off(shop)
        kept_before = await shop.store.ledger.readings((await shop.store.reviews.due(limit=1))[0])
        await swept(shop)

        ((_, turn, kept),) = endpoint_of(shop).reviewed
        assert kept.readings == kept_before
        assert [cited.row.title for one in kept.readings for cited in one.rows] == [
            "Callback signature"
        ]
        assert (turn.question, turn.topic) == (ASKED, None)


@pytest.mark.requirement("V3")
async def test_its_reader_gives_what_was_read_again_and_opens_nothing() -> None:
    gave: list[Seen] = []

    def looks(seen: Seen) -> bytes:
        gave.append(seen)
        return cites(seen)

    other = Scans(ScanQuery(View.HANDOFFS))
    call = Calls(ToolCall(CONTEXT_TOOL, "call-1", {"view": "todos"}))
    async with interrupting(READ, other, call, Says(looks)) as shop:
        await broken_off(shop)
        shop.source.play(RuntimeError("opened"))  # type: ignore[arg-type] # nobody may get so far
        await swept(shop)

        ((again, refused), (result,)) = gave[0].scans, gave[0].results
        assert len(again.rows) == 1
        assert (len(refused.rows), len(refused.failures)) == (0, 1)
        assert not result.ok
        assert await review_row(shop) == (*USED, "settled")


@pytest.mark.requirement("V3", "V4", "S2")
async def test_it_sits_in_a_thread_of_its_own_that_is_closed_after_it() -> None:
    async with interrupting(*FORMED) as shop:
        await broken_off(shop)
        before = await shop.store.sessions.of(HERE)
        await swept(shop)

        (_, first, _), (seat, resume, _) = endpoint_of(shop).opened
        assert (first, resume) == (None, None)
        assert seat.profile.runtime_profile is RuntimeProfile.RESTRICTED
        assert seat.profile.sandbox is Sandbox.READ_ONLY
        ((thread, _, _),) = endpoint_of(shop).reviewed
        assert thread in endpoint_of(shop).closed
        assert before is not None
        assert await shop.store.sessions.of(HERE) == replace(before, review_only=True)


@pytest.mark.requirement("V2", "V3")
async def test_the_failed_turn_is_looked_at_by_its_own_thread_twice_and_once_more() -> None:
    async with interrupting(*FORMED) as shop:
        await broken_off(shop)
        await swept(shop)

        looks = endpoint_of(shop).looks
        assert len(looks) == 3
        assert {thread.upstream for thread, _ in looks} == {"scripted-1"}


@pytest.mark.requirement("V4", "S1")
async def test_the_next_ordinary_turn_clears_the_mark_and_goes_on_with_its_thread() -> None:
    async with interrupting(*FORMED) as shop:
        await broken_off(shop)
        await swept(shop)
        await shop.say("and then?")
        await shop.judge()
        await shop.answer()

        session = await shop.store.sessions.of(HERE)
        assert session is not None
        assert not session.review_only
        assert endpoint_of(shop).opened[-1][1] == "scripted-1"


GATE = said(gate="Shall I merge it?", claims=[])
ACTION = said(
    actions=[{"merge": 1}],
    claims=[{"text": "x", "cites": [], "kind": "absence", "scope": {"view": "todos"}}],
)
UNCITED = said(claims=[{"text": "All is well", "cites": ["E1-nobody"], "kind": "fact"}])


@pytest.mark.requirement("V4")
@pytest.mark.parametrize(
    ("script", "outcome"),
    [
        ([Says(GATE)], ReviewOutcome.NOTHING_ACCEPTED),
        ([Says(ACTION)], ReviewOutcome.ACTION),
        ([Says(UNCITED)], ReviewOutcome.NOTHING_ACCEPTED),
        ([Says(b"{}")], ReviewOutcome.NOTHING_ACCEPTED),
        ([Fails(TurnFailure(TurnCode.QUOTA_EXHAUSTED))], ReviewOutcome.FAILED),
        ([Raises(RuntimeError("broke"))], ReviewOutcome.FAILED),
        ([Hangs()], ReviewOutcome.FAILED),
    ],
    ids=["gate", "action", "uncited", "refused", "fails", "raises", "hangs"],
)
async def test_one_that_gives_no_answer_leaves_the_question_owed_and_is_used_up(
    script: list[Any], outcome: ReviewOutcome
) -> None:
    async with interrupting(*script) as shop:
        await broken_off(shop)
        assert await swept(shop) == 1

        assert await review_row(shop) == (*USED, outcome)
        assert await nothing_more(shop)
        assert len(endpoint_of(shop).asked) == 1


@pytest.mark.requirement("V3", "P10")
async def test_a_process_that_is_not_restricted_is_not_called() -> None:
    async with interrupting(*FORMED) as shop:
        await broken_off(shop)
        profile = replace(endpoint_of(shop).opened[0][0].profile, sandbox=Sandbox.FULL_ACCESS)
        endpoint_of(shop)._readback = Readback(profile, "restricted-1")
        assert await swept(shop) == 1
        assert await review_row(shop) == (False, True, False, None)
        assert await swept(shop) == 1

        assert await review_row(shop) == (False, True, True, ReviewOutcome.NOT_CALLED)
        assert endpoint_of(shop).reviewed == []
        assert await nothing_more(shop)


@pytest.mark.requirement("V3", "P4")
async def test_the_review_of_a_turn_with_host_tools_has_none() -> None:
    both = frozenset({"restricted", "trusted_owner"})
    endpoint = Shown({ASKED: [READ, Fails(LOST)]}, reviews={ASKED: list(FORMED)}, profiles=both)
    async with interrupting(endpoint=endpoint) as shop:
        await apply(shop.store, RuntimeProfile.TRUSTED_OWNER)
        await shop.in_private(ASKED, OWNER)
        await shop.through()
        await swept(shop)

        profiles = [seat.profile.runtime_profile for seat, _, _ in endpoint.opened]
        assert profiles == [RuntimeProfile.TRUSTED_OWNER, RuntimeProfile.RESTRICTED]
        assert await review_row(shop) == (*USED, "settled")


@pytest.mark.requirement("V3", "S3")
async def test_it_knows_what_was_said_before_its_question_and_nothing_said_since() -> None:
    async with interrupting(*FORMED) as shop:
        for text in ("Earlier?", ASKED, "Since?"):
            shop.clock.advance(timedelta(seconds=1))
            await broken_off(shop, text)
        assert await swept(shop) == 1

        history = "\n".join(endpoint_of(shop).opened[-1][2])
        assert "asked> Earlier?" in history
        assert "Since?" not in history
