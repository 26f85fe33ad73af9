"""The ways of an endpoint that control must bear: each of them can be scripted."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from steward.errors import ContractError
from steward.model.profile import RESTRICTED_DEFAULT, Readback
from steward.model.reading import GateCode, ScanQuery, ToolCall, View
from steward.model.turn import (
    Candidate,
    Kept,
    Language,
    Observed,
    Rerun,
    Seat,
    Thread,
    TurnCode,
    TurnFailure,
    TurnInput,
)
from steward.testing.endpoint import (
    Calls,
    Fails,
    Hangs,
    Raises,
    Says,
    Scans,
    Script,
    ScriptedEndpoint,
    Waits,
)
from steward.testing.world import EPOCH
from tests.steward.policy.readings import PLANS, Evidence, goal, held, todo

SEAT = Seat(RESTRICTED_DEFAULT, Language.EN, "restricted-1")
READBACK = Readback(RESTRICTED_DEFAULT, "restricted-1")
DEADLINE = EPOCH + timedelta(seconds=5)
TURN = TurnInput("q", Language.EN, "Asia/Shanghai", EPOCH)
TODOS = Scans(ScanQuery(View.TODOS))
RAW = b'{"classification": "any", "claims": "of any form"}'


def evidence() -> Evidence:
    return Evidence({PLANS: held(goal(), todo("sign"))})


def playing(*script: object, **options: object) -> ScriptedEndpoint:
    steps: Script = script  # type: ignore[assignment]  # steps of any kind, as a test lists them
    return ScriptedEndpoint({"q": steps}, **options)  # type: ignore[arg-type]  # passed through


async def asked(
    endpoint: ScriptedEndpoint, reader: Evidence | None = None
) -> Candidate | TurnFailure:
    thread = await endpoint.open(SEAT, resume=None, history=())
    assert isinstance(thread, Thread)
    return await endpoint.answer(thread, TURN, reader or evidence(), deadline=DEADLINE)


async def test_bytes_are_handed_over_as_they_are() -> None:
    assert await asked(playing(Says(RAW))) == Candidate(RAW)


async def test_it_reads_before_it_speaks() -> None:
    reader = evidence()
    call = ToolCall("loopx_context_read", "call-1", b"no json")

    outcome = await asked(
        playing(TODOS, Calls(call), Says(lambda seen: seen.results[0].text.encode())), reader
    )

    assert isinstance(outcome, Candidate)
    assert GateCode.INVALID_ARGUMENTS.value.encode() in outcome.raw
    assert [reading.tool for reading in reader.readings] == ["scan", "loopx_context_read"]


async def test_it_may_end_in_a_failure_that_is_a_value() -> None:
    failure = TurnFailure(TurnCode.UNCLASSIFIED)

    assert await asked(playing(TODOS, Fails(failure))) == failure


async def test_it_may_die_after_a_read() -> None:
    reader = evidence()

    with pytest.raises(ConnectionResetError):
        await asked(playing(TODOS, Raises(ConnectionResetError())), reader)

    assert len(reader.readings) == 1


async def test_it_may_complete_late_and_be_found_complete_afterwards() -> None:
    endpoint = playing(Hangs())
    thread = Thread("scripted-1", READBACK)
    late = replace(TURN, now=DEADLINE - timedelta(milliseconds=20))

    assert await endpoint.answer(thread, late, evidence(), deadline=DEADLINE) == TurnFailure(
        TurnCode.EXECUTOR_TIMEOUT
    )
    assert await endpoint.observe(thread, late) == Observed(closed=True, final=None)
    endpoint.completes("q", RAW)
    assert await endpoint.observe(thread, late) == Observed(closed=True, final=RAW)


async def test_it_waits_until_it_is_released() -> None:
    endpoint = playing(Waits(), Says(RAW))
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        running = group.create_task(asked(endpoint))
        for _ in range(5):
            await asyncio.sleep(0)
        assert await endpoint.observe(Thread("scripted-1", READBACK), TURN) == Observed(
            closed=False, final=None
        )
        endpoint.release("q")

    assert running.result() == Candidate(RAW)


async def test_it_resumes_the_thread_it_is_told_to() -> None:
    endpoint = playing(Says(RAW))

    new = await endpoint.open(SEAT, resume=None, history=())
    resumed = await endpoint.open(SEAT, resume="thread-7", history=("a", "b"))

    assert (new, resumed) == (Thread("scripted-1", READBACK), Thread("thread-7", READBACK))
    assert endpoint.opened[1] == (SEAT, "thread-7", ("a", "b"))


async def test_it_may_start_with_another_profile_than_it_was_told_or_not_at_all() -> None:
    lying = playing(readback=Readback(RESTRICTED_DEFAULT, "another"))
    closed = playing(refuses=TurnFailure(TurnCode.UNCLASSIFIED))

    thread = await lying.open(SEAT, resume=None, history=())
    refused = await closed.open(SEAT, resume=None, history=())

    assert thread == Thread("scripted-1", Readback(RESTRICTED_DEFAULT, "another"))
    assert refused == TurnFailure(TurnCode.UNCLASSIFIED)


@pytest.mark.requirement("T5")
async def test_a_review_has_a_script_of_its_own_and_a_harmless_endpoint_has_none() -> None:
    thread = Thread("scripted-1", READBACK)
    endpoint = playing(Hangs(), reviews={"q": [Says(RAW)]})
    harmless = playing(Says(RAW), rerun=Rerun.HARMLESS)

    assert await endpoint.review(
        thread, TURN, Kept(()), evidence(), deadline=DEADLINE
    ) == Candidate(RAW)
    with pytest.raises(ContractError):
        await harmless.review(thread, TURN, Kept(()), evidence(), deadline=DEADLINE)


async def test_a_question_without_a_script_or_a_script_without_an_end_is_a_mistake() -> None:
    with pytest.raises(ContractError):
        await asked(ScriptedEndpoint({}))
    with pytest.raises(ContractError):
        await asked(playing(TODOS))


async def test_a_time_out_inside_a_script_is_not_the_deadline() -> None:
    with pytest.raises(TimeoutError):
        await asked(playing(Raises(TimeoutError())))


async def test_it_remembers_what_was_asked_and_closed() -> None:
    endpoint = playing(Says(RAW))
    await asked(endpoint)
    thread = Thread("scripted-1", READBACK)
    await endpoint.close(thread)

    assert (endpoint.asked, endpoint.closed) == ([TURN], [thread])
