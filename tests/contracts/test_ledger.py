"""The ledger: every step of a turn is one commit, guarded by its token. Contracts T3 to T8, D7."""

import asyncio
from dataclasses import replace
from datetime import timedelta, timezone

import pytest

from steward.errors import ContractError
from steward.model.answer import Answer, AnswerClaim, Citation, ClaimKind
from steward.model.delivery import Arrived, SentRef
from steward.model.ids import AttemptToken, CitationId, GoalId, MessageRef, QuestionId, SourceId
from steward.model.profile import RuntimeProfile
from steward.model.reading import (
    Cited,
    ContextCode,
    Coverage,
    CoverageStatus,
    GateCode,
    PairCoverage,
    ReadFailure,
    Reading,
    Row,
    RowStatus,
    ScanQuery,
    SourceCode,
    SourceCoverage,
    View,
)
from steward.model.turn import (
    Candidate,
    Orphan,
    QuestionStatus,
    TurnCode,
    TurnFailure,
    TurnStage,
    Written,
)
from steward.store import Store
from steward.testing.world import EPOCH, FakeClock
from tests.contracts.given import (
    APP,
    OTHER,
    READBACK,
    TTL,
    admitted,
    answer,
    begin,
    begun,
    claimed,
    closed,
    conversation,
    leased,
    notice,
    part,
    rows,
)
from tests.contracts.test_grants import execute
from tests.contracts.test_machine import changed

NOBODY = AttemptToken("nobody's")
FAILURE = TurnFailure(TurnCode.EXECUTOR_TIMEOUT, detail="60 s", context=None)
SHANGHAI = timezone(timedelta(hours=8))

ROW = Row(
    view=View.TODOS,
    source=SourceId("plans"),
    goal=GoalId("payments"),
    id="todo_1",
    title="回调签名 \x00 'quoted' \u2028",
    status=RowStatus.BLOCKED,
    due=EPOCH.date(),
    updated=EPOCH.astimezone(SHANGHAI),
    aliases=("支付网关",),
)
COVERAGE = Coverage(
    discovered=2,
    attempted=2,
    read=1,
    stale=0,
    unreadable=1,
    partial=0,
    not_read=0,
    complete=False,
    pairs=(
        PairCoverage(SourceId("plans"), GoalId("payments"), CoverageStatus.READ, as_of=EPOCH),
        PairCoverage(
            SourceId("lab"),
            None,
            CoverageStatus.UNREADABLE,
            ReadFailure(SourceCode.FORBIDDEN, SourceId("lab")),
        ),
    ),
    sources=(SourceCoverage(SourceId("lab"), "Lab", CoverageStatus.UNREADABLE),),
)


def reading(*, rows_of: int = 1, refused: ReadFailure | None = None) -> Reading:
    return Reading(
        tool="scan",
        query=ScanQuery(View.TODOS, goal=GoalId("payments"), since=EPOCH - timedelta(days=7)),
        rows=tuple(
            Cited(CitationId(f"cite-{n}"), replace(ROW, id=f"todo_{n}")) for n in range(rows_of)
        ),
        counts={"blocked": rows_of},
        coverage=COVERAGE,
        failures=(ReadFailure(SourceCode.FORBIDDEN, SourceId("lab"), count=3),),
        as_of=EPOCH,
        window_start=EPOCH - timedelta(days=7),
        window_end=None,
        unknown_reasons=("forbidden",),
        refused=refused,
        matched=rows_of,
    )


def full_answer() -> Answer:
    return replace(
        answer(),
        claims=(AnswerClaim("Signature is blocked.", ClaimKind.FACT, (1,)),),
        citations=(Citation(1, CitationId("cite-0"), ROW, "Plans", EPOCH),),
        coverage=COVERAGE,
        failures=(ReadFailure(SourceCode.FORBIDDEN, SourceId("lab")),),
    )


async def status(store: Store, question: QuestionId) -> QuestionStatus:
    return (await store.ledger.question(question)).status


async def test_a_question_that_is_not_there_is_a_bug(store: Store) -> None:
    with pytest.raises(ContractError):
        await store.ledger.question(QuestionId(7))


@pytest.mark.requirement("T3", "T7", "W3")
async def test_a_turn_from_begin_to_delivery(store: Store) -> None:
    question, token = await begun(store, 1)
    assert await status(store, question) is QuestionStatus.ACTING
    assert await store.ledger.calling(token) is Written.DONE
    assert await store.ledger.read(token, reading()) is Written.DONE
    assert await store.ledger.candidate(token, Candidate(b"{}", {"tokens": 7})) is Written.DONE
    assert await store.ledger.settle(token, full_answer(), [part()]) is Written.DONE
    assert await status(store, question) is QuestionStatus.SETTLED
    assert await store.ledger.answer(question) == full_answer()
    assert not await closed(store, question)
    (delivery,) = await claimed(store)
    assert delivery.question == question
    sent = Arrived(SentRef(MessageRef(APP, "om_reply")))
    assert await store.outbox.finish(delivery, sent) is Written.DONE
    assert await status(store, question) is QuestionStatus.ANSWERED
    assert await closed(store, question)


@pytest.mark.requirement("S1")
async def test_beginning_notes_what_the_session_was_started_with(
    store: Store, clock: FakeClock
) -> None:
    await begun(store, 1)
    stored = await rows(
        store,
        "SELECT conversation, manager_runtime_profile, manager_runtime_configuration_revision,"
        " manager_runtime_status, manager_runtime_sandbox, manager_runtime_standing_grant,"
        " manager_runtime_tool_classes FROM session",
    )
    assert stored == [
        (
            str(conversation()),
            "restricted",
            "absent",
            "ready",
            "read-only",
            "none",
            '["steward_evidence"]',
        )
    ]


@pytest.mark.requirement("T3")
async def test_the_answer_its_parts_and_the_status_are_one_commit(store: Store) -> None:
    question, token = await begun(store, 1)
    twice = [part(), part()]
    with pytest.raises(ContractError):
        await store.ledger.settle(token, answer(), twice)
    assert await status(store, question) is QuestionStatus.ACTING
    assert await store.ledger.answer(question) is None
    assert await claimed(store) == []


async def test_a_question_never_ends_without_a_word(store: Store) -> None:
    question, token = await begun(store, 1)
    with pytest.raises(ContractError):
        await store.ledger.settle(token, answer(), [])
    with pytest.raises(ContractError):
        await store.ledger.fail(token, FAILURE, [])
    assert await status(store, question) is QuestionStatus.ACTING


@pytest.mark.requirement("P9")
async def test_a_settle_under_another_profile_than_the_turn_began_with_writes_nothing(
    store: Store,
) -> None:
    question, token = await begun(store, 1)
    await changed(store, RuntimeProfile.RESTRICTED)
    assert await store.ledger.settle(token, answer(), [part()]) is Written.CHANGED
    assert await store.ledger.answer(question) is None
    assert await claimed(store) == []
    assert await status(store, question) is QuestionStatus.ACTING
    assert await store.ledger.fail(token, FAILURE, [notice()]) is Written.DONE


@pytest.mark.requirement("T4")
async def test_a_settle_that_is_repeated_writes_nothing_again(store: Store) -> None:
    question, token = await begun(store, 1)
    assert await store.ledger.settle(token, answer(), [part()]) is Written.DONE
    assert await store.ledger.settle(token, answer("Another."), [part()]) is Written.REPLAY
    assert await store.ledger.answer(question) == answer()
    assert len(await claimed(store)) == 1
    assert await store.ledger.fail(token, FAILURE, [notice()]) is Written.LOST
    assert await store.ledger.requeue(token) is Written.LOST


@pytest.mark.requirement("T4")
async def test_a_call_is_announced_once(store: Store) -> None:
    _, token = await begun(store, 1)
    assert await store.ledger.calling(token) is Written.DONE
    assert await store.ledger.calling(token) is Written.REPLAY


async def test_a_begin_that_is_repeated_is_a_replay(store: Store) -> None:
    question = await admitted(store, 1)
    lease = await leased(store)
    token = AttemptToken("t")
    assert await begin(store, lease, question, token) is Written.DONE
    assert await begin(store, lease, question, token) is Written.REPLAY


async def test_an_unknown_token_writes_nothing(store: Store) -> None:
    await begun(store, 1)
    assert await store.ledger.calling(NOBODY) is Written.LOST
    assert await store.ledger.read(NOBODY, reading()) is Written.LOST
    assert await store.ledger.candidate(NOBODY, Candidate(b"{}")) is Written.LOST
    assert await store.ledger.settle(NOBODY, answer(), [part()]) is Written.LOST
    assert await store.ledger.fail(NOBODY, FAILURE, [notice()]) is Written.LOST
    assert await store.ledger.requeue(NOBODY) is Written.LOST


@pytest.mark.requirement("W3", "T7")
async def test_a_failed_turn_leaves_its_question_owed_with_a_notice(store: Store) -> None:
    question, token = await begun(store, 1)
    await store.ledger.calling(token)
    assert await store.ledger.fail(token, FAILURE, [notice()]) is Written.DONE
    assert await store.ledger.fail(token, FAILURE, [notice()]) is Written.REPLAY
    assert await status(store, question) is QuestionStatus.OWED
    (delivery,) = await claimed(store)
    await store.outbox.finish(delivery, Arrived(SentRef(MessageRef(APP, "om_reply"))))
    assert await closed(store, question)
    assert await status(store, question) is QuestionStatus.OWED


@pytest.mark.requirement("T7")
async def test_a_question_may_be_owed_before_any_call(store: Store) -> None:
    question = await admitted(store, 1)
    lease = await leased(store)
    failure = TurnFailure(
        TurnCode.CONTEXT_FAILURE, context=ContextCode.EXTERNAL_AUTHORIZATION_UNAVAILABLE
    )
    old = replace(lease, fence=lease.fence - 1)
    assert await store.ledger.owe(old, question, failure, [notice()]) is Written.LOST
    assert await store.ledger.owe(lease, question, failure, [notice()]) is Written.DONE
    assert await store.ledger.owe(lease, question, failure, [notice()]) is Written.LOST
    assert await status(store, question) is QuestionStatus.OWED
    assert len(await claimed(store)) == 1


@pytest.mark.requirement("T8")
async def test_the_candidate_of_a_turn_that_was_thought_dead_is_kept(store: Store) -> None:
    question, token = await begun(store, 1)
    await store.ledger.calling(token)
    await store.ledger.fail(token, FAILURE, [notice()])
    late = Candidate(b'{"late": 1}')
    assert await store.ledger.candidate(token, late) is Written.LOST
    assert await store.ledger.settle(token, answer(), [part()]) is Written.LOST
    assert await status(store, question) is QuestionStatus.OWED
    ((kept, stage),) = await rows(store, "SELECT candidate, stage FROM turn")
    assert (bytes(kept), stage) == (late.raw, "failed")


async def test_an_orphan_is_found_with_all_it_had(store: Store) -> None:
    question, token = await begun(store, 1)
    await store.ledger.calling(token)
    refused = ReadFailure(GateCode.GOAL_OUTSIDE_AVAILABLE_SCOPE)
    readings = (reading(), reading(rows_of=1234), reading(rows_of=0, refused=refused))
    for one in readings:
        await store.ledger.read(token, one)
    candidate = Candidate(b'{"raw": "\x00\xff"}', {"input": 3})
    await store.ledger.candidate(token, candidate)
    await store.leases.break_all()
    assert await store.ledger.orphans() == [
        Orphan(
            question=await store.ledger.question(question),
            attempt=token,
            stage=TurnStage.CANDIDATE,
            endpoint="reporter",
            readback=READBACK,
            scope_revision="scope-1",
            started_at=EPOCH,
            readings=readings,
            candidate=candidate,
        )
    ]


async def test_a_turn_under_a_live_lease_is_no_orphan(store: Store, clock: FakeClock) -> None:
    await begun(store, 1)
    assert await store.ledger.orphans() == []
    clock.advance(TTL)
    assert [orphan.stage for orphan in await store.ledger.orphans()] == [TurnStage.BEGUN]


@pytest.mark.requirement("T5", "D7")
async def test_a_requeued_question_keeps_its_place_and_its_old_turn_has_lost(store: Store) -> None:
    first, old = await begun(store, 1)
    await admitted(store, 2)
    assert await store.ledger.requeue(old) is Written.DONE
    await store.leases.break_all()
    lease = await leased(store, OTHER)
    assert await store.conversations.next(lease) == first
    new = AttemptToken("second try")
    assert await begin(store, lease, first, new) is Written.DONE
    assert (await store.ledger.question(first)).attempt == 1
    assert await store.ledger.settle(old, answer("Old."), [part()]) is Written.LOST
    assert await store.ledger.settle(new, answer("New."), [part()]) is Written.DONE
    assert await store.ledger.answer(first) == answer("New.")


@pytest.mark.requirement("T4", "D7")
async def test_of_many_settles_at_once_one_is_written(store: Store) -> None:
    question, token = await begun(store, 1)
    async with asyncio.timeout(10):
        written = await asyncio.gather(
            *(store.ledger.settle(token, answer(f"{n}"), [part()]) for n in range(12))
        )
    assert sorted(w.value for w in written) == ["done"] + ["replay"] * 11
    assert await status(store, question) is QuestionStatus.SETTLED
    assert len(await claimed(store)) == 1


@pytest.mark.requirement("T4")
async def test_of_many_begins_at_once_one_holds_the_conversation(store: Store) -> None:
    question = await admitted(store, 1)
    lease = await leased(store)
    async with asyncio.timeout(10):
        written = await asyncio.gather(
            *(begin(store, lease, question, AttemptToken(f"t{n}")) for n in range(12))
        )
    assert sorted(w.value for w in written) == ["done"] + ["lost"] * 11


@pytest.mark.requirement("D3")
async def test_text_that_no_store_can_hold_does_not_stop_a_turn(store: Store) -> None:
    question, token = await begun(store, 1)
    spoilt = replace(ROW, title="a\ud800b\x00c")
    one = replace(reading(), rows=(Cited(CitationId("c"), spoilt),))
    assert await store.ledger.read(token, one) is Written.DONE
    await store.leases.break_all()
    (orphan,) = await store.ledger.orphans()
    assert orphan.readings[0].rows[0].row.title == "a\ufffdb\x00c"
    said = answer("x\x00y\udfffz")
    assert await store.ledger.settle(token, said, [part()]) is Written.DONE
    stored = await store.ledger.answer(question)
    assert stored == answer("x\x00y\ufffdz")


@pytest.mark.requirement("D7")
@pytest.mark.parametrize(
    "spoilt",
    [
        "UPDATE reading SET body = 'nonsense' WHERE turn_id = 1",
        "UPDATE turn SET readback = 'nonsense' WHERE id = 1",
        "UPDATE turn SET usage = 'nonsense' WHERE id = 1",
    ],
)
async def test_an_orphan_that_cannot_be_read_whole_is_found_as_one_without_a_result(
    store: Store, spoilt: str
) -> None:
    tokens = []
    for name, chat in ((1, "oc_a"), (2, "oc_b")):
        _, token = await begun(store, name, chat=chat)
        await store.ledger.calling(token)
        await store.ledger.read(token, reading())
        await store.ledger.candidate(token, Candidate(b"{}", {"input": 1}))
        tokens.append(token)
    await store.leases.break_all()
    await execute(store, spoilt)
    first, second = await store.ledger.orphans()
    assert (first.attempt, first.readings, first.candidate) == (tokens[0], (), None)
    assert (second.attempt, second.candidate) == (tokens[1], Candidate(b"{}", {"input": 1}))
    failure = TurnFailure(TurnCode.INTERRUPTED)
    assert await store.ledger.fail(tokens[0], failure, [notice()]) is Written.DONE
