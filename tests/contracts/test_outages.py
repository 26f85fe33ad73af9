"""A server that goes and comes again, and a process that stops while it holds what others wait for. Contract D7."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Event

import pytest
from sqlalchemy import Connection, text

from steward.errors import StoreUnavailableError
from steward.store import open_store
from steward.store.connect import POSTGRES_SESSION, postgres_arguments
from steward.store.connect import store_url as parsed
from steward.testing.world import FakeClock
from tests.children import ended, kill
from tests.contracts.given import envelope, recorded, rows
from tests.postgres import postgres_server

pytestmark = [pytest.mark.needs("postgres")]

HOLDER = """
import asyncio, sys
from sqlalchemy import text
from steward.store import open_store
from steward.world import SystemClock

def holding(connection):
    connection.execute(text("UPDATE conversation SET fence = fence + 1"))
    print("holding", flush=True)
    sys.stdin.readline()
    connection.execute(text("UPDATE conversation SET fence = fence + 10"))

async def main(url):
    async with await open_store(url, SystemClock()) as store:
        await store.database.write(holding)
        print("committed", flush=True)

asyncio.run(main(sys.argv[1]))
"""
ROOT = Path(__file__).parents[2]


@asynccontextmanager
async def holder(url: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """A process in the middle of a transaction over every conversation; it goes on at a line, or at the second."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        HOLDER,
        url,
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    try:
        assert await process.stdout.readline() == b"holding\n"
        yield process
    finally:
        kill(process)
        await ended(process)


@pytest.mark.slow
@pytest.mark.requirement("D1", "D7")
async def test_a_store_outlives_its_server_s_restart(clock: FakeClock) -> None:
    with postgres_server() as server:
        async with await open_store(server.url, clock) as store:
            await asyncio.gather(*(recorded(store, envelope(n)) for n in range(12)))
            await asyncio.to_thread(server.stop)
            for _ in range(3):
                with pytest.raises(StoreUnavailableError):
                    await store.inbox.record([envelope("down")])
            await asyncio.to_thread(server.start)
            await store.inbox.record([envelope("up")])
            found = await rows(store, "SELECT count(*), count(DISTINCT event_id) FROM inbox")
            assert found == [(13, 13)]


@pytest.mark.slow
@pytest.mark.requirement("D7")
async def test_a_process_that_stops_inside_a_transaction_holds_nobody_up_for_long(
    postgres: str, clock: FakeClock
) -> None:
    """It is undone, whoever waited goes on without a failure, and what it wanted is done once it goes on itself."""
    async with await open_store(postgres, clock) as store:
        await store.database.write(_empty)
        await recorded(store, envelope(1))
        async with holder(postgres) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            os.kill(process.pid, signal.SIGSTOP)
            async with asyncio.timeout(10):
                await recorded(store, envelope(2))
            process.stdin.write(b"go on\n" * 2)
            os.kill(process.pid, signal.SIGCONT)
            async with asyncio.timeout(10):
                assert await process.stdout.readline() == b"holding\n"
                assert await process.stdout.readline() == b"committed\n"
        assert await rows(store, "SELECT fence FROM conversation") == [(11,)]


@pytest.mark.parametrize(
    ("limit", "statement"),
    [
        ("lock_timeout", "UPDATE conversation SET fence = fence + 1"),
        ("statement_timeout", "SELECT pg_sleep(5)"),
    ],
)
async def test_what_takes_too_long_is_an_outage_and_leaves_nothing(
    postgres: str, clock: FakeClock, limit: str, statement: str
) -> None:
    hasty = f"{postgres}?options=-c%20{limit}%3D100ms"
    async with await open_store(postgres, clock) as store, await open_store(hasty, clock) as other:
        await store.database.write(_empty)
        await recorded(store, envelope(1))
        reached, go_on = Event(), Event()

        def holding(connection: Connection) -> None:
            connection.execute(text("UPDATE conversation SET fence = 5"))
            reached.set()
            assert go_on.wait(5)

        held = asyncio.ensure_future(store.database.write(holding))
        await asyncio.to_thread(reached.wait, 5)
        with pytest.raises(StoreUnavailableError):
            await other.database.write(lambda c: c.execute(text(statement)).rowcount)
        go_on.set()
        await held
        await recorded(other, envelope(2))
        assert await rows(other, "SELECT fence FROM conversation") == [(5,)]


async def test_every_session_has_the_limits_that_it_asked_for(
    postgres: str, clock: FakeClock
) -> None:
    async with await open_store(postgres, clock) as store:
        for name, value in POSTGRES_SESSION.items():
            assert await rows(store, f"SHOW {name}") == [(value,)]
        assert await rows(store, "SHOW application_name") == [("steward",)]


def test_what_the_url_says_of_a_session_stands_over_ours() -> None:
    url = parsed("postgresql://h/d?application_name=ours&options=-c%20lock_timeout%3D1s")
    arguments = postgres_arguments(url)
    assert "application_name" not in arguments
    assert arguments["options"].endswith("-c synchronous_commit=on -c lock_timeout=1s")


def _empty(connection: Connection) -> None:
    connection.execute(text("TRUNCATE conversation, inbox, question CASCADE"))
