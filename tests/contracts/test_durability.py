"""What was acknowledged survives a kill, and a stored event is found again. Contracts D1, D7."""

import asyncio
import sys
from pathlib import Path

import pytest

from steward.store import Store, open_store
from steward.testing.world import FakeClock
from tests.children import ended
from tests.contracts.given import envelope, rows

RECORDER = """
import asyncio, sys
from steward.store import open_store
from steward.world import SystemClock
from tests.contracts.given import envelope

async def main(url: str) -> None:
    store = await open_store(url, SystemClock())
    for batch in range(10_000):
        names = [f"{batch}_{n}" for n in range(7)]
        await store.inbox.record([envelope(name, chat=f"oc_{name[-1]}") for name in names])
        sys.stdout.write("".join(f"{name}\\n" for name in names))
        sys.stdout.flush()

asyncio.run(main(sys.argv[1]))
"""
ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.requirement("D1", "D7")
@pytest.mark.parametrize("after", [10, 333])
async def test_a_kill_loses_nothing_that_was_acknowledged(
    store: Store, store_url: str, clock: FakeClock, after: int
) -> None:
    await store.aclose()
    acknowledged = await _killed_after(store_url, after)
    async with await open_store(store_url, clock) as again:
        found = await again.inbox.record([envelope(name) for name in acknowledged])
        assert all(row.duplicate for row in found)
        stored = await rows(again, "SELECT count(*), count(DISTINCT event_id) FROM inbox")
        assert stored[0][0] == stored[0][1] >= len(acknowledged)


async def _killed_after(url: str, lines: int) -> list[str]:
    """The events that a recording process acknowledged before it was killed without warning."""
    async with asyncio.timeout(15):
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            RECORDER,
            url,
            cwd=ROOT,
            env={"PYTHONPATH": str(ROOT), "PATH": ""},
            stdout=asyncio.subprocess.PIPE,
        )
        assert process.stdout is not None
        seen = [await process.stdout.readline() for _ in range(lines)]
        process.kill()
        seen += (await process.stdout.read()).splitlines(keepends=True)
        await ended(process)
    whole = [line.decode().strip() for line in seen if line.endswith(b"\n")]
    assert len(whole) >= lines
    return whole
