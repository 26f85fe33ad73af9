"""Three stewards on one PostgreSQL store: one answer each, whoever hears, dies or stands still. D5, D7, T4, T8.

What the endpoints did stands in a ledger outside of the store, of endpoints that must never run again.
"""

import asyncio
import random
import signal
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from itertools import count
from pathlib import Path

import pytest
import pytest_asyncio
from sqlalchemy import create_engine, text
from sqlalchemy.engine import make_url

from bot.simulator.model import Pushed
from steward.store.connect import store_url
from tests.acceptance.nursery import Nursery, open_nursery
from tests.acceptance.outside import check
from tests.acceptance.several import Several, open_several
from tests.postgres import postgres_server, running_postgres

pytestmark = [
    pytest.mark.slow,
    pytest.mark.needs("postgres"),
    pytest.mark.timeout(60),
    pytest.mark.asyncio(loop_scope="module"),
]

LONG = 60.0
"""Seconds of a lease that no test waits for."""

_numbers = count(1)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with running_postgres() as url:
        yield url


@pytest.fixture
def store(server: str) -> Iterator[str]:
    """The URL of an empty database."""
    with _database(server) as url:
        yield url


@contextmanager
def _database(server: str) -> Iterator[str]:
    name = f"several_{next(_numbers)}"
    admin = create_engine(store_url(server), isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
        yield str(make_url(server).set(database=name))
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    admin.dispose()


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def nurseries() -> AsyncIterator[Sequence[Nursery]]:
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(open_nursery()) for _ in range(3)]


async def came_to_rest(several: Several) -> None:
    """Everything is answered or told, once, in order, by one call each."""
    last = await several.outside.come_to_rest()
    await several.stop()
    check(several.outside, last)
    several.check_runs()


@pytest.mark.requirement("D1", "D7", "T4")
async def test_events_that_reach_every_process_are_answered_once(
    tmp_path: Path, store: str, nurseries: Sequence[Nursery]
) -> None:
    async with open_several(tmp_path, store, nurseries, chats=4, people=4) as several:
        await several.start(0, 1, 2)
        asked = [several.outside.say(chat, person) for person in range(4) for chat in range(4)]
        async with asyncio.TaskGroup() as group:
            for pushed in asked:
                group.create_task(several.deliver(pushed, 0, 1, 2))
        await several.outside.replied(asked)
        await came_to_rest(several)
        kinds = several.outside.rows("SELECT DISTINCT kind, status FROM outbox")
        assert kinds == [("answer", "sent")]


@pytest.mark.requirement("D7", "T4", "T7")
@pytest.mark.parametrize("end", ["killed", "stopped"])
async def test_a_process_that_goes_in_mid_turn_leaves_its_chat_to_the_others(
    tmp_path: Path, store: str, nurseries: Sequence[Nursery], end: str
) -> None:
    """Its call is not made again; killed it is missed long before its lease is over, stopped when that is."""
    async with open_several(tmp_path, store, nurseries, people=2) as several:
        await several.start(0, endpoint="hanging", lease=LONG if end == "killed" else 2)
        first = several.outside.say()
        await several.deliver(first, 0)
        await several.ran(first)
        await several.start(1, 2)
        second = several.outside.say(person=1)
        await several.deliver(second, 1)
        if end == "killed":
            await several.kill(0)
        else:
            several.signal(0, signal.SIGSTOP)
        await several.outside.replied([first, second], 15)
        if end == "stopped":
            several.signal(0, signal.SIGCONT)
            await several.stop(0)
        await several.stop(1, 2)
        assert [run.question for run in several.runs()] == [0, 1]
        assert several.outside.said_of(first) == [("notice", "sent", "owed")]
        assert [kind for kind, _, _ in several.outside.said_of(second)] == ["answer"]


@pytest.mark.requirement("T8", "T4", "D7")
async def test_a_process_that_was_thought_dead_in_a_turn_cannot_settle_and_its_answer_comes_late(
    tmp_path: Path, store: str, nurseries: Sequence[Nursery]
) -> None:
    async with open_several(tmp_path, store, nurseries, chats=2) as several:
        await several.start(0, stage="stop before ledger.candidate")
        asked = several.outside.say()
        await several.deliver(asked, 0)
        await several.stands_still(0)
        await several.start(1, 2)
        await several.outside.replied([asked])
        assert several.outside.said_of(asked)[0][0] == "notice"
        several.signal(0, signal.SIGCONT)
        await several.rows_become(
            "SELECT outbox.kind, outbox.status, question.status FROM outbox"
            " JOIN question ON question.id = outbox.question_id ORDER BY outbox.id",
            [("notice", "sent", "answered"), ("answer", "sent", "answered")],
        )
        later = several.outside.say(1)
        await several.deliver(later, 0)
        await several.outside.replied([later])
        await several.stop()
        assert len(several.outside.replies(asked)) == 2
        assert [run.question for run in several.runs()] == [0, 1]
        assert several.outside.rows("SELECT count(*) FROM turn") == [(2,)]


@pytest.mark.requirement("T3", "T4", "T8", "D7")
@pytest.mark.parametrize("stage", ["ledger.settle", "outbox.finish"])
async def test_what_others_settled_or_sent_meanwhile_is_not_done_twice(
    tmp_path: Path, store: str, nurseries: Sequence[Nursery], stage: str
) -> None:
    """An answer that was stored is settled, and a part found in sending is sent under its own key, by others."""
    async with open_several(tmp_path, store, nurseries) as several:
        await several.start(0, stage=f"stop before {stage}")
        asked = several.outside.say()
        await several.deliver(asked, 0)
        await several.stands_still(0)
        await several.start(1, 2)
        await several.rows_become("SELECT status FROM outbox", [("sent",)])
        several.signal(0, signal.SIGCONT)
        await came_to_rest(several)
        assert several.outside.said_of(asked) == [("answer", "sent", "answered")]
        assert several.outside.rows("SELECT count(*) FROM answer") == [(2,)]


@pytest.mark.requirement("D1", "D7", "T4")
async def test_forty_questions_survive_kills_of_one_process_after_another(
    tmp_path: Path, store: str, nurseries: Sequence[Nursery]
) -> None:
    seed = random.SystemRandom().getrandbits(32)
    print(f"seed {seed}")  # noqa: T201 -- shown where the test fails
    chance = random.Random(seed)  # noqa: S311 -- to be repeated, not to be secret
    async with open_several(tmp_path, store, nurseries, chats=5, people=8) as several:
        await several.start(0, 1, 2, lease=LONG)
        places = [(chat, person) for chat in range(5) for person in range(8)]
        chance.shuffle(places)
        asked = [several.outside.say(chat, person) for chat, person in places]
        async with asyncio.TaskGroup() as group:
            for pushed in asked:
                heard = (0, 1, 2) if chance.random() < 0.3 else (chance.randrange(3),)
                group.create_task(several.deliver(pushed, *heard))
            for _ in range(6):
                await _some_way(several, asked, chance)
                number = chance.randrange(3)
                await several.kill(number)
                await several.start(number, lease=LONG)
        await several.outside.replied(asked)
        await came_to_rest(several)


@pytest.mark.requirement("D1", "D7", "T5")
async def test_forty_questions_survive_processes_that_stand_still_beyond_their_leases(
    tmp_path: Path, store: str, nurseries: Sequence[Nursery]
) -> None:
    """Others run again what the silent one began; what it still writes once it goes on is refused."""
    seed = random.SystemRandom().getrandbits(32)
    print(f"seed {seed}")  # noqa: T201 -- shown where the test fails
    chance = random.Random(seed)  # noqa: S311 -- to be repeated, not to be secret
    async with open_several(tmp_path, store, nurseries, chats=5, people=8) as several:
        await several.start(0, 1, 2, endpoint="reporter", lease=1)
        asked = [several.outside.say(chat, person) for chat in range(5) for person in range(8)]
        async with asyncio.TaskGroup() as group:
            for pushed in asked:
                group.create_task(several.deliver(pushed, *chance.sample(range(3), 2)))
            for _ in range(4):
                await _some_way(several, asked, chance)
                number = chance.randrange(3)
                several.signal(number, signal.SIGSTOP)
                await several.outside.platform.clock.sleep(2)
                several.signal(number, signal.SIGCONT)
        await several.outside.replied(asked)
        last = await several.outside.come_to_rest()
        await several.stop()
        check(several.outside, last)
        kinds = several.outside.rows("SELECT DISTINCT kind FROM outbox")
        assert kinds == [("answer",)]


@pytest.mark.requirement("D1", "D7")
async def test_questions_survive_a_restart_of_the_server_under_every_process(
    tmp_path: Path, nurseries: Sequence[Nursery]
) -> None:
    with postgres_server() as server:
        async with open_several(tmp_path, server.url, nurseries, chats=4, people=4) as several:
            await several.start(0, 1, 2, endpoint="reporter", takeover=1)
            asked = [several.outside.say(chat, person) for person in range(4) for chat in range(4)]
            async with asyncio.TaskGroup() as group:
                for number, pushed in enumerate(asked):
                    group.create_task(several.deliver(pushed, number % 3))
                await several.outside.platform.changed(lambda now: len(now.calls) > 4, 15)
                await asyncio.to_thread(server.stop)
                await several.outside.platform.clock.sleep(0.5)
                await asyncio.to_thread(server.start)
            await several.outside.replied(asked)
            last = await several.outside.come_to_rest()
            await several.stop()
            check(several.outside, last)


async def _some_way(several: Several, asked: Sequence[Pushed], chance: random.Random) -> None:
    """Some replies more, then some milliseconds."""
    outside = several.outside
    goal = len(outside.platform.calls) + chance.choice([1, 3, 6, 12])
    await outside.platform.changed(
        lambda now: len(now.calls) >= goal or all(map(outside.replies, asked)), 15
    )
    await outside.platform.clock.sleep(chance.uniform(0, 0.1))
