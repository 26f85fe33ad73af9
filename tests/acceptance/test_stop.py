"""`steward serve` as an operator starts and stops it: told to end it ends soon, and what was in flight comes later."""

import asyncio
import signal
import sqlite3
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path

import pytest

from bot.simulator.faults import Op, Slow
from tests.acceptance.outside import PATIENCE, Outside, check, open_outside
from tests.children import ended, kill

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
SOON = 10.0
"""Seconds within which the process is gone."""


@asynccontextmanager
async def serve(outside: Outside) -> AsyncIterator[asyncio.subprocess.Process]:
    """The command in a process of its own, ready; killed where the block leaves it running."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bot",
        "serve",
        "--config",
        str(outside.config),
        cwd=ROOT,
        env={"PATH": ""},
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stderr is not None
    log = process.stderr
    try:
        async with asyncio.timeout(PATIENCE):
            while b"ready:" not in (line := await log.readline()):
                assert line, await process.wait()
        async with asyncio.TaskGroup() as group:
            group.create_task(_drain(log))
            try:
                yield process
            finally:
                kill(process)
    finally:
        kill(process)
        await ended(process)


async def _drain(log: asyncio.StreamReader) -> None:
    """Read it away: a full pipe would hold the process up."""
    while await log.read(65536):
        pass


async def stopped(process: asyncio.subprocess.Process) -> int:
    process.send_signal(signal.SIGTERM)
    async with asyncio.timeout(SOON):
        return await process.wait()


@pytest.mark.timeout(60)
@pytest.mark.requirement("D7")
async def test_what_is_in_flight_at_a_stop_is_taken_up_at_the_next_start(tmp_path: Path) -> None:
    async with open_outside(tmp_path, chats=3, people=4) as outside:
        outside.platform.faults.add(Op.REPLY, Slow(SOON), times=1)
        asked = [outside.say(chat, person) for chat in range(3) for person in range(4)]
        async with serve(outside) as process, asyncio.TaskGroup() as group:
            for pushed in asked:
                group.create_task(outside.deliver(pushed))
            await outside.platform.changed(lambda now: now.calls_of(Op.REPLY), PATIENCE)
            assert await stopped(process) == 0
            await _served_again(outside)
        check(outside, outside.asked[-3:])


async def _served_again(outside: Outside) -> None:
    async with serve(outside) as process:
        await outside.replied(outside.asked)
        await outside.come_to_rest()
        assert await stopped(process) == 0


@pytest.mark.requirement("D7")
@pytest.mark.parametrize(
    "stalled",
    [
        pytest.param(b"", id="nothing sent"),
        pytest.param(b"POST /lark/events HTTP/1.1\r\nHost:", id="half a head"),
        pytest.param(
            b"POST /lark/events HTTP/1.1\r\nHost: bot\r\nContent-Length: 9\r\n\r\nhalf",
            id="half a body",
        ),
        pytest.param(b"GET /healthz HTTP/1.1\r\nHost: bot\r\n\r\n", id="kept alive"),
    ],
)
async def test_clients_that_keep_their_connections_do_not_hold_up_a_stop(
    tmp_path: Path, stalled: bytes
) -> None:
    async with (
        open_outside(tmp_path) as outside,
        serve(outside) as process,
        _stalling(outside.port, stalled),
    ):
        await outside.deliver(outside.say())
        assert await stopped(process) == 0


@asynccontextmanager
async def _stalling(port: int, sent: bytes) -> AsyncIterator[None]:
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(sent)
        await writer.drain()
        yield
    finally:
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()


@pytest.mark.timeout(60)
@pytest.mark.requirement("D7")
async def test_a_store_that_another_program_locks_does_not_hold_up_a_stop(tmp_path: Path) -> None:
    async with open_outside(tmp_path) as outside:
        async with serve(outside) as process, asyncio.TaskGroup() as group:
            with closing(sqlite3.connect(tmp_path / "steward.db")) as other:
                other.execute("BEGIN IMMEDIATE")
                pushed = outside.say()
                group.create_task(outside.deliver(pushed))
                assert await stopped(process) == 0
            await _served_again(outside)
        check(outside, outside.asked[-1:])


@pytest.mark.requirement("D5")
async def test_a_second_process_on_the_same_store_says_why_it_does_not_start(
    tmp_path: Path,
) -> None:
    async with open_outside(tmp_path) as outside, serve(outside) as first:
        second = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "bot",
            "serve",
            "--config",
            str(outside.config),
            cwd=ROOT,
            env={"PATH": ""},
            stderr=asyncio.subprocess.PIPE,
        )
        async with asyncio.timeout(PATIENCE):
            _, said = await second.communicate()
        assert second.returncode == 1
        assert "another process serves this store" in said.decode()
        pushed = outside.say()
        await outside.deliver(pushed)
        await outside.replied([pushed])
        assert await stopped(first) == 0
