"""How a test ends a child process: with every pipe read to its end, so that nothing of it outlives the test's loop."""

import asyncio
from contextlib import suppress

PATIENCE = 15.0
"""Seconds that a child has to go once nothing more is wanted of it."""


async def ended(process: asyncio.subprocess.Process, *, within: float = PATIENCE) -> int:
    """How the child ended; killed where it does not within that many seconds.

    asyncio closes its side of a child only after the child's end *and* the end of its output: a loop that is closed
    between the two leaves an open transport behind, which whatever test runs next is blamed for.
    """
    pipes = [pipe for pipe in (process.stdout, process.stderr) if pipe is not None]
    reading = asyncio.gather(process.wait(), *(pipe.read() for pipe in pipes))
    try:
        async with asyncio.timeout(within):
            await asyncio.shield(reading)
    except TimeoutError:
        kill(process)
    async with asyncio.timeout(PATIENCE):
        await reading
    return await process.wait()


def kill(process: asyncio.subprocess.Process) -> None:
    """End it without warning, if it still runs."""
    with suppress(ProcessLookupError):
        process.kill()
