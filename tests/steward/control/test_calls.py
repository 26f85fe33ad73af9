"""A call ends, whatever its endpoint does about it, and nothing of it is used that came after its end."""

import asyncio
from datetime import datetime, timedelta

import pytest

from steward.control.calls import Call, Over
from steward.model.profile import RESTRICTED_DEFAULT, Readback
from steward.model.reading import Scan, ScanQuery, ToolCall, ToolResult, View
from steward.model.turn import (
    Candidate,
    Language,
    Observed,
    ObservedCall,
    Rerun,
    Thread,
    TurnCode,
    TurnFailure,
    TurnInput,
)
from steward.ports.endpoint import Reader
from steward.testing.endpoint import Fails, Hangs, Raises, Says, Scans, ScriptedEndpoint, Waits
from steward.testing.world import EPOCH
from tests.steward.policy.readings import Evidence

GRACE = timedelta(milliseconds=20)
THREAD = Thread("thread-1", Readback(RESTRICTED_DEFAULT, "prompt-1"))
STOPPED = TurnFailure(TurnCode.PROFILE_CHANGED)


class Deaf(ScriptedEndpoint):
    """It hears no interrupt, outstays every deadline and cancellation, and its threads cannot be closed in time."""

    def __init__(self) -> None:
        super().__init__({})
        self.over = asyncio.Event()

    async def answer(
        self, thread: Thread, turn: TurnInput, reader: Reader, *, deadline: datetime
    ) -> Candidate | TurnFailure:
        while not self.over.is_set():
            try:
                await self.over.wait()
            except asyncio.CancelledError:
                continue
        return Candidate(b"too late")

    async def interrupt(self, thread: Thread, turn: TurnInput) -> None:
        await super().interrupt(thread, turn)
        raise RuntimeError("no")

    async def close(self, thread: Thread) -> None:
        await super().close(thread)
        await asyncio.get_running_loop().create_future()


def turn(question: str = "one") -> TurnInput:
    return TurnInput(question, Language.EN, "Asia/Shanghai", EPOCH)


async def result(call: Call, seconds: float = 5) -> Candidate | TurnFailure | Over:
    async with asyncio.timeout(10):
        return await call.result(Evidence({}), EPOCH + timedelta(seconds=seconds))


@pytest.mark.requirement("T4", "P9")
async def test_a_call_that_is_told_to_end_is_over_with_the_first_reason_given() -> None:
    endpoint = ScriptedEndpoint({"one": [Hangs()]})
    call = Call(endpoint, THREAD, turn(), GRACE)
    running = asyncio.ensure_future(result(call))
    await endpoint.until_asked("one")
    call.end(STOPPED)
    call.end(None)

    assert await running == Over(STOPPED)
    assert endpoint.interrupted == endpoint.closed == [THREAD]
    assert not endpoint.running


def called(name: str, *, completed: bool = True, host: bool = True) -> ObservedCall:
    return ObservedCall(name, known=True, completed=completed, host=host)


@pytest.mark.requirement("T3")
async def test_what_the_host_had_run_is_what_its_upstream_saw_completed() -> None:
    endpoint = ScriptedEndpoint({"one": [Says(b"{}")]})
    call = Call(endpoint, THREAD, turn(), GRACE)
    seen = (called("shell"), called("git", completed=False), called("read", host=False))
    endpoint.shows("one", Observed(closed=True, final=None, calls=seen))

    assert await call.ran() == ("shell",)


@pytest.mark.requirement("T3")
async def test_an_endpoint_that_is_harmless_is_not_asked_what_it_did() -> None:
    endpoint = ScriptedEndpoint({"one": [Says(b"{}")]}, rerun=Rerun.HARMLESS)
    endpoint.shows("one", Observed(closed=True, final=None, calls=(called("shell"),)))

    assert await Call(endpoint, THREAD, turn(), GRACE).ran() == ()


class Mute(ScriptedEndpoint):
    """Nothing can be learned of its turns: it raises, or never says."""

    def __init__(self, error: Exception | None) -> None:
        super().__init__({})
        self._error = error

    async def observe(self, thread: Thread, turn: TurnInput) -> Observed | TurnFailure:
        if self._error is not None:
            raise self._error
        return await asyncio.get_running_loop().create_future()


@pytest.mark.requirement("T3")
@pytest.mark.parametrize("error", [RuntimeError("gone"), None])
async def test_what_cannot_be_observed_holds_nothing_up(error: Exception | None) -> None:
    async with asyncio.timeout(5):
        assert await Call(Mute(error), THREAD, turn(), GRACE).ran() == ()


@pytest.mark.requirement("T3")
async def test_an_observation_that_fails_is_nothing() -> None:
    endpoint = ScriptedEndpoint({})
    endpoint.shows("one", TurnFailure(TurnCode.SESSION_UNAVAILABLE))

    assert await Call(endpoint, THREAD, turn(), GRACE).ran() == ()


@pytest.mark.requirement("P9")
async def test_a_call_that_was_ended_before_it_began_is_never_made() -> None:
    endpoint = ScriptedEndpoint({"one": [Says(b"{}")]})
    call = Call(endpoint, THREAD, turn(), GRACE)
    call.end(None)

    assert await result(call) == Over(None)
    assert endpoint.asked == []
    assert endpoint.closed == [THREAD]


@pytest.mark.requirement("P9")
async def test_a_result_that_comes_together_with_the_end_is_not_used() -> None:
    endpoint = ScriptedEndpoint({"one": [Waits(), Says(b"{}")]})
    call = Call(endpoint, THREAD, turn(), GRACE)
    running = asyncio.ensure_future(result(call))
    await endpoint.until_asked("one")
    endpoint.release("one")
    call.end(STOPPED)

    assert await running == Over(STOPPED)
    assert endpoint.closed == [THREAD]


async def test_a_result_is_handed_on_and_its_thread_left_open() -> None:
    endpoint = ScriptedEndpoint({"one": [Says(b"{}")]})

    assert await result(Call(endpoint, THREAD, turn(), GRACE)) == Candidate(b"{}")
    assert endpoint.closed == []


@pytest.mark.requirement("T6")
async def test_a_fault_of_an_endpoint_is_a_failure_without_its_words() -> None:
    endpoint = ScriptedEndpoint({"one": [Raises(RuntimeError("secret"))]})

    failure = await result(Call(endpoint, THREAD, turn(), GRACE))
    assert failure == TurnFailure(TurnCode.UNCLASSIFIED)


@pytest.mark.requirement("T6")
@pytest.mark.parametrize("ended", [True, False])
async def test_an_endpoint_that_hears_nothing_is_given_up(ended: bool) -> None:
    endpoint = Deaf()
    call = Call(endpoint, THREAD, turn(), GRACE)
    running = asyncio.ensure_future(result(call, seconds=0))
    if ended:
        await asyncio.sleep(0)
        call.end(STOPPED)

    expected = Over(STOPPED) if ended else TurnFailure(TurnCode.EXECUTOR_TIMEOUT)
    assert await running == expected
    assert endpoint.interrupted == endpoint.closed == [THREAD]
    endpoint.over.set()


@pytest.mark.requirement("T6", "T7")
@pytest.mark.parametrize("code", [TurnCode.STOPPED, TurnCode.WITHDRAWN])
async def test_an_endpoint_takes_no_question_back(code: TurnCode) -> None:
    endpoint = ScriptedEndpoint({"one": [Fails(TurnFailure(code))]})

    outcome = await result(Call(endpoint, THREAD, turn(), GRACE))

    assert outcome == TurnFailure(TurnCode.INTERRUPTED)


IDLE = timedelta(milliseconds=20)


@pytest.mark.requirement("T6")
async def test_an_endpoint_without_a_sign_of_life_is_given_up_long_before_its_time() -> None:
    endpoint = ScriptedEndpoint({"one": [Hangs()]})
    call = Call(endpoint, THREAD, turn(), GRACE, idle=IDLE)

    assert await result(call, 60) == TurnFailure(TurnCode.IDLE_TIMEOUT)
    assert endpoint.interrupted == endpoint.closed == [THREAD]


class SlowReader:
    """A read takes longer than an endpoint may be idle."""

    async def call(self, call: ToolCall) -> ToolResult:
        raise NotImplementedError

    async def scan(self, query: ScanQuery) -> Scan:
        over = asyncio.Event()
        asyncio.get_running_loop().call_later(5 * IDLE.total_seconds(), over.set)
        await over.wait()
        return await Evidence({}).scan(query)


@pytest.mark.requirement("T6")
async def test_an_endpoint_that_waits_for_what_it_reads_is_not_idle() -> None:
    endpoint = ScriptedEndpoint({"one": [Scans(ScanQuery(View.PORTFOLIO)), Says(b"{}")]})
    call = Call(endpoint, THREAD, turn(), GRACE, idle=IDLE)

    async with asyncio.timeout(10):
        outcome = await call.result(SlowReader(), EPOCH + timedelta(seconds=60))
    assert outcome == Candidate(b"{}")
