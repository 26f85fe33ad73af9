"""A steward that serves reads its sources without being asked."""

import asyncio
import os
from pathlib import Path

from tests.acceptance.house import PATIENCE, open_house
from tests.steward.sources.loopx.machine import Machine


async def test_a_source_is_read_before_anybody_asks(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    bell = tmp_path / "bell"
    os.mkfifo(bell)
    machine.install(f"echo read >{bell}")
    source = f'[source.loop]\nkind = "loopx"\ncommand = "{machine.program}"\n'
    rung, loop = asyncio.Event(), asyncio.get_running_loop()
    heard = os.open(bell, os.O_RDWR | os.O_NONBLOCK)
    loop.add_reader(heard, rung.set)
    try:
        async with open_house(tmp_path, sources=source), asyncio.timeout(PATIENCE):
            await rung.wait()
    finally:
        loop.remove_reader(heard)
        os.close(heard)
