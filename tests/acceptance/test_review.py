"""An interrupted answer, reviewed by whole stewards that are killed at every step of it, on both stores. V1-V5, D7.

However it goes, no endpoint is called twice, no reader gets two answers, and no notice is taken back.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio
from sqlalchemy import create_engine, text

from bot.simulator.faults import LoseReply, Op
from bot.simulator.model import Pushed
from bot.simulator.transcript import as_read
from steward.model.ids import WorkerId
from steward.store import open_store
from steward.testing.endpoint import Says
from steward.texts.coverage import SUPPLEMENT
from tests.acceptance.child import REVIEWED
from tests.acceptance.nursery import KILLED, Nursery, open_nursery
from tests.acceptance.outside import PATIENCE, Outside, open_outside
from tests.postgres import running_postgres
from tests.steward.control.interrupted import (
    READ,
    broken_off,
    cites,
    endpoint_of,
    going_on,
    interrupting,
    reviews_of,
)

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]

MARK = SUPPLEMENT.en.partition("{")[0]
TAKEOVER = 0.2
OWED = ("notice", "sent", "owed")
ANSWERED = [("notice", "sent", "answered"), ("answer", "sent", "answered")]

KILLS = [
    # stages, calls of the review, whether an answer comes of it, and what the review says of itself
    ((), 1, True, "settled"),
    (("before reviews.reserve",), 1, True, "settled"),
    (("after reviews.reserve",), 1, True, "settled"),
    (("before reviews.calling",), 1, True, "settled"),
    (("after reviews.calling",), 0, False, "interrupted"),
    (("before ledger.candidate",), 1, False, "interrupted"),
    (("after ledger.candidate",), 1, True, "settled"),
    (("before ledger.settle",), 1, True, "settled"),
    (("after ledger.settle",), 1, True, "settled"),
    (("before outbox.claim since ledger.settle",), 1, True, "settled"),
    (("before outbox.finish since ledger.settle",), 1, True, "settled"),
    (("after outbox.finish since ledger.settle",), 1, True, "settled"),
    (("after reviews.reserve", "before reviews.release"), 1, True, "settled"),
    (("after reviews.reserve", "after reviews.release"), 1, True, "settled"),
    (("after reviews.reserve", "before reviews.calling"), 0, False, "not_called"),
    (("after reviews.calling", "before reviews.fail"), 0, False, "interrupted"),
    (("after reviews.calling", "after reviews.fail"), 0, False, "interrupted"),
    (("after ledger.candidate", "before ledger.settle"), 1, True, "settled"),
    (("after ledger.candidate", "after ledger.settle"), 1, True, "settled"),
]


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def nursery() -> AsyncIterator[Nursery]:
    async with open_nursery() as opened:
        yield opened


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with running_postgres() as url:
        yield url


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.needs("postgres"))])
def postgres(request: pytest.FixtureRequest) -> str | None:
    """The URL of an empty store; None: a file."""
    if request.param == "sqlite":
        return None
    url: str = request.getfixturevalue("server")
    engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))
    engine.dispose()
    return url


async def killed_at(outside: Outside, nursery: Nursery, *stages: str) -> Pushed:
    """Ask; a steward dies at each stage; the next one is well, and goes on until the review has its end."""
    pushed = outside.say()
    await served(outside, nursery, pushed, *stages)
    return pushed


async def served(
    outside: Outside,
    nursery: Nursery,
    pushed: Pushed,
    *stages: str,
    endpoint: str = "interrupted",
) -> None:
    for number, stage in enumerate((*stages, None)):
        order = replace(outside.order(stage, endpoint), takeover=TAKEOVER)
        child = await nursery.start(order)
        if number == 0:
            await outside.deliver(pushed)
        if stage is not None:
            assert await child.ended() == KILLED
            continue
        await child.ready()
        await over(outside)
        assert await child.stop() == 0


async def over(outside: Outside) -> None:
    """Until the review is used up, and nothing waits to be sent."""
    clock = outside.platform.clock
    until = clock.monotonic() + PATIENCE
    while clock.monotonic() < until:
        ended = outside.rows("SELECT id FROM review WHERE ended_at IS NOT NULL")
        open_ = outside.rows(
            "SELECT id FROM outbox WHERE status IN ('pending', 'sending', 'unknown')"
        )
        at_work = outside.rows("SELECT id FROM question WHERE status IN ('settled', 'reviewing')")
        if ended and not open_ and not at_work:
            return
        await clock.sleep(0.05)
    raise TimeoutError


def calls(outside: Outside) -> tuple[int, int]:
    """How often the question was put to the endpoint, and how often its review was."""
    lines = (outside.folder / "calls.log").read_text(encoding="utf-8").splitlines()
    reviews = sum(line.startswith(REVIEWED) for line in lines)
    return len(lines) - reviews, reviews


def read(outside: Outside, pushed: Pushed) -> list[str]:
    return ["\n".join(as_read(one.msg_type, one.content)) for one in outside.replies(pushed)]


@pytest.mark.timeout(60)
@pytest.mark.requirement("V1", "V4", "V5", "D7")
@pytest.mark.parametrize(
    ("stages", "called", "answers", "outcome"),
    KILLS,
    ids=[", ".join(row[0]) or "no kill" for row in KILLS],
)
async def test_a_kill_at_any_step_of_a_review_makes_no_second_call_and_no_second_answer(
    tmp_path: Path,
    nursery: Nursery,
    postgres: str | None,
    stages: tuple[str, ...],
    called: int,
    answers: bool,
    outcome: str,
) -> None:
    async with open_outside(tmp_path, postgres=postgres) as outside:
        pushed = await killed_at(outside, nursery, *stages)

        assert calls(outside) == (1, called)
        assert outside.said_of(pushed) == (ANSWERED if answers else [OWED])
        assert outside.rows("SELECT outcome FROM review") == [(outcome,)]
        notice, *more = read(outside, pushed)
        assert MARK not in notice
        assert [MARK in one for one in more] == [True] * answers


@pytest.mark.timeout(60)
@pytest.mark.requirement("V5", "D4")
async def test_a_supplement_whose_acknowledgement_was_lost_is_one_message(
    tmp_path: Path, nursery: Nursery, postgres: str | None
) -> None:
    async with open_outside(tmp_path, postgres=postgres) as outside:
        pushed = outside.say()
        stage = "before outbox.claim since ledger.settle"
        order = replace(outside.order(stage, "interrupted"), takeover=TAKEOVER)
        child = await nursery.start(order)
        await outside.deliver(pushed)
        assert await child.ended() == KILLED
        outside.platform.faults.add(Op.REPLY, LoseReply())
        await served_again(outside, nursery)

        assert len(outside.replies(pushed)) == 2
        assert outside.said_of(pushed) == ANSWERED
        assert calls(outside) == (1, 1)


async def served_again(outside: Outside, nursery: Nursery, endpoint: str = "interrupted") -> None:
    child = await nursery.start(replace(outside.order(None, endpoint), takeover=TAKEOVER))
    await child.ready()
    await over(outside)
    assert await child.stop() == 0


@pytest.mark.timeout(60)
@pytest.mark.requirement("V2", "V3", "V4")
async def test_where_the_endpoint_was_switched_meanwhile_no_other_is_chosen_for_it(
    tmp_path: Path, nursery: Nursery, postgres: str | None
) -> None:
    async with open_outside(tmp_path, postgres=postgres) as outside:
        pushed = outside.say()
        stage = "before reviews.reserve"
        order = replace(outside.order(stage, "interrupted"), takeover=TAKEOVER)
        child = await nursery.start(order)
        await outside.deliver(pushed)
        assert await child.ended() == KILLED
        child = await nursery.start(replace(outside.order(None, "reporter"), takeover=TAKEOVER))
        await child.ready()
        (last,) = await outside.come_to_rest()
        await outside.platform.clock.sleep(5 * TAKEOVER)
        assert await child.stop() == 0

        assert calls(outside) == (2, 0)
        assert outside.said_of(pushed) == [OWED]
        assert len(outside.replies(last)) == 1
        assert outside.rows("SELECT id FROM review") == []


@pytest.mark.timeout(60)
@pytest.mark.requirement("V1", "V4")
@pytest.mark.parametrize(
    ("endpoint", "outcome"), [("only a gate", "nothing_accepted"), ("only an action", "action")]
)
async def test_a_review_that_returns_only_a_gate_or_an_action_leaves_the_question_owed(
    tmp_path: Path, nursery: Nursery, postgres: str | None, endpoint: str, outcome: str
) -> None:
    async with open_outside(tmp_path, postgres=postgres) as outside:
        pushed = outside.say()
        await served(outside, nursery, pushed, endpoint=endpoint)
        child = await nursery.start(replace(outside.order(None, endpoint), takeover=TAKEOVER))
        await child.ready()
        await outside.platform.clock.sleep(5 * TAKEOVER)
        assert await child.stop() == 0

        assert calls(outside) == (1, 1)
        assert outside.said_of(pushed) == [OWED]
        assert outside.rows("SELECT outcome FROM review") == [(outcome,)]


@pytest.mark.timeout(60)
@pytest.mark.requirement("V5", "D7")
async def test_a_question_that_comes_during_a_review_is_answered_after_it(
    tmp_path: Path, nursery: Nursery, postgres: str | None
) -> None:
    async with open_outside(tmp_path, postgres=postgres) as outside:
        first = outside.say()
        stage = "after ledger.candidate"
        order = replace(outside.order(stage, "interrupted"), takeover=TAKEOVER)
        child = await nursery.start(order)
        await outside.deliver(first)
        assert await child.ended() == KILLED
        child = await nursery.start(replace(outside.order(None, "reporter"), takeover=TAKEOVER))
        second = outside.say()
        await outside.deliver(second)
        await outside.replied([second])
        await over(outside)
        assert await child.stop() == 0

        assert outside.said_of(first) == ANSWERED
        assert outside.said_of(second) == [("answer", "sent", "answered")]
        assert calls(outside) == (2, 1)
        sent = outside.rows("SELECT reply_to FROM outbox WHERE kind = 'answer' ORDER BY sent_at")
        assert [message for (message,) in sent] == [
            pushed.message.message_id for pushed in (first, second) if pushed.message
        ]


@pytest.mark.timeout(60)
@pytest.mark.requirement("V1", "V5")
async def test_two_workers_that_race_for_a_review_make_one_call_and_one_answer(
    tmp_path: Path, postgres: str | None
) -> None:
    url = postgres or f"sqlite:///{tmp_path}/steward.db"
    async with interrupting(READ, Says(cites), url=url) as shop:
        await broken_off(shop)
        async with await open_store(url, shop.clock) as second:
            mine = reviews_of(shop)
            theirs = reviews_of(replace(shop, store=second), WorkerId("worker-2"))
            for _ in range(3):
                await going_on(shop, asyncio.gather(mine.sweep(), theirs.sweep()))
        await shop.deliver()

        assert len(endpoint_of(shop).asked) == len(endpoint_of(shop).reviewed) == 1
        assert [status for status, _ in await shop.ends()] == ["answered"]
        notice, answer = shop.sender.texts()
        assert (MARK in notice, MARK in answer) == (False, True)
