"""What control may rely on of every endpoint: the scripted one, and the reporter. Ports: endpoint.

An endpoint joins by an entry of SUBJECTS: itself, a question that it answers from what it reads, and one whose
answer never comes.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta

import orjson
import pytest

from steward.endpoints.reporter.reporter import Reporter
from steward.model.profile import RESTRICTED_DEFAULT, Readback
from steward.model.reading import ScanQuery, View
from steward.model.turn import (
    Candidate,
    Language,
    Rerun,
    Seat,
    Thread,
    TurnCode,
    TurnFailure,
    TurnInput,
)
from steward.ports.endpoint import Endpoint
from steward.testing.endpoint import Hangs, Says, Scans, ScriptedEndpoint, Seen
from steward.testing.source import Hang
from steward.testing.world import EPOCH
from tests.steward.policy.readings import PLANS, ZONE, Evidence, goal, held, todo

QUESTION = "How is the payment gateway going?"
SEAT = Seat(RESTRICTED_DEFAULT, Language.EN, "restricted-1")
SOON = timedelta(milliseconds=50)


def cites_all(seen: Seen) -> bytes:
    cites = [cited.citation for scan in seen.scans for cited in scan.rows]
    claim = {"text": "Sign is open", "cites": cites, "kind": "fact"}
    return orjson.dumps({"classification": "progress", "claims": [claim]})


@dataclass(frozen=True)
class Subject:
    """An endpoint under the suite. `hangs` reads from a reader that never answers, or hangs by itself."""

    endpoint: Endpoint
    answered: str
    hangs: str


def scripted() -> Subject:
    endpoint = ScriptedEndpoint(
        {
            QUESTION: [Scans(ScanQuery(View.TODOS)), Says(cites_all)],
            "hangs": [Scans(ScanQuery(View.TODOS)), Hangs()],
        }
    )
    return Subject(endpoint, QUESTION, "hangs")


def reporter() -> Subject:
    return Subject(Reporter(ZONE), QUESTION, QUESTION)


SUBJECTS: Mapping[str, Callable[[], Subject]] = {"scripted": scripted, "reporter": reporter}


@pytest.fixture(params=SUBJECTS)
async def subject(request: pytest.FixtureRequest) -> AsyncIterator[Subject]:
    async with asyncio.timeout(10):
        yield SUBJECTS[request.param]()


def evidence(*, hangs: bool = False) -> Evidence:
    return Evidence({PLANS: Hang() if hangs else held(goal(), todo("sign"))})


def turn(question: str) -> TurnInput:
    return TurnInput(question, Language.EN, "Asia/Shanghai", EPOCH)


async def opened(endpoint: Endpoint, *, resume: str | None = None) -> Thread:
    thread = await endpoint.open(SEAT, resume=resume, history=("earlier",))
    assert isinstance(thread, Thread)
    return thread


async def until_running() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


@pytest.mark.requirement("P2", "T5", "R7")
async def test_an_endpoint_says_what_it_can_enforce_and_whether_it_may_run_again(
    subject: Subject,
) -> None:
    endpoint = subject.endpoint

    assert endpoint.name
    assert "restricted" in endpoint.profiles
    assert isinstance(endpoint.rerun, Rerun)
    assert 1_000 <= endpoint.max_page_chars <= 24_000


@pytest.mark.requirement("P10", "S1")
async def test_a_thread_reads_back_the_seat_that_it_was_opened_with(subject: Subject) -> None:
    thread = await opened(subject.endpoint)

    assert thread.readback == Readback(SEAT.profile, SEAT.prompt_revision)


async def test_a_thread_can_be_opened_again_and_closed_twice(subject: Subject) -> None:
    first = await opened(subject.endpoint)
    again = await opened(subject.endpoint, resume=first.upstream)

    assert again == first
    await subject.endpoint.close(first)
    await subject.endpoint.close(first)


@pytest.mark.requirement("T1", "R14")
async def test_an_answer_is_bytes_that_rest_on_what_the_reader_gave(subject: Subject) -> None:
    thread, reader = await opened(subject.endpoint), evidence()

    outcome = await subject.endpoint.answer(
        thread, turn(subject.answered), reader, deadline=EPOCH + timedelta(seconds=60)
    )

    assert isinstance(outcome, Candidate)
    cites = {cite for claim in orjson.loads(outcome.raw)["claims"] for cite in claim["cites"]}
    read = {cited.citation for reading in reader.readings for cited in reading.rows}
    assert cites
    assert cites <= read


@pytest.mark.requirement("T6")
async def test_a_deadline_ends_a_turn_as_a_value(subject: Subject) -> None:
    thread = await opened(subject.endpoint)

    outcome = await subject.endpoint.answer(
        thread, turn(subject.hangs), evidence(hangs=True), deadline=EPOCH + SOON
    )

    assert outcome == TurnFailure(TurnCode.EXECUTOR_TIMEOUT)


@pytest.mark.requirement("T6")
async def test_a_deadline_that_is_past_reads_nothing(subject: Subject) -> None:
    thread, reader = await opened(subject.endpoint), evidence()

    outcome = await subject.endpoint.answer(
        thread, turn(subject.answered), reader, deadline=EPOCH - SOON
    )

    assert outcome == TurnFailure(TurnCode.EXECUTOR_TIMEOUT)
    assert reader.readings == []


@pytest.mark.requirement("T6")
async def test_an_interrupt_ends_its_own_turn_and_no_other(subject: Subject) -> None:
    endpoint, thread = subject.endpoint, await opened(subject.endpoint)
    stopped = turn(subject.hangs)
    other = replace(stopped, now=EPOCH - timedelta(seconds=1))
    deadline = EPOCH + timedelta(seconds=1)

    async with asyncio.TaskGroup() as group:
        mine = group.create_task(
            endpoint.answer(thread, stopped, evidence(hangs=True), deadline=deadline)
        )
        theirs = group.create_task(
            endpoint.answer(thread, other, evidence(hangs=True), deadline=deadline)
        )
        await until_running()
        await endpoint.interrupt(thread, stopped)
        await endpoint.interrupt(thread, stopped)
        assert await mine == TurnFailure(TurnCode.INTERRUPTED)
        assert not theirs.done()
        await endpoint.interrupt(thread, other)

    assert theirs.result() == TurnFailure(TurnCode.INTERRUPTED)


async def test_an_interrupt_of_a_turn_that_is_not_running_does_nothing(subject: Subject) -> None:
    endpoint, thread = subject.endpoint, await opened(subject.endpoint)
    asked = turn(subject.answered)

    await endpoint.interrupt(thread, asked)
    outcome = await endpoint.answer(
        thread, asked, evidence(), deadline=EPOCH + timedelta(seconds=60)
    )
    await endpoint.interrupt(thread, asked)

    assert isinstance(outcome, Candidate)


async def test_cancelling_the_call_is_no_outcome(subject: Subject) -> None:
    thread = await opened(subject.endpoint)
    call = asyncio.ensure_future(
        subject.endpoint.answer(
            thread,
            turn(subject.hangs),
            evidence(hangs=True),
            deadline=EPOCH + timedelta(seconds=60),
        )
    )
    await until_running()
    call.cancel()

    with pytest.raises(asyncio.CancelledError):
        await call


async def test_turns_that_run_at_once_do_not_mix_what_they_read(subject: Subject) -> None:
    thread = await opened(subject.endpoint)
    full, empty = evidence(), Evidence({})

    outcomes = await asyncio.gather(
        *(
            subject.endpoint.answer(
                thread, turn(subject.answered), reader, deadline=EPOCH + timedelta(seconds=60)
            )
            for reader in (full, empty)
        )
    )

    cited = [b'"E1-' in outcome.raw for outcome in outcomes if isinstance(outcome, Candidate)]
    assert cited == [True, False]


async def test_a_turn_that_is_over_is_seen_closed(subject: Subject) -> None:
    endpoint, thread = subject.endpoint, await opened(subject.endpoint)
    asked = turn(subject.answered)
    await endpoint.answer(thread, asked, evidence(), deadline=EPOCH + timedelta(seconds=60))

    observed = await endpoint.observe(thread, asked)

    assert not isinstance(observed, TurnFailure)
    assert observed.closed
