"""One session of each serving process beside its pool, of ports/peers.py: it holds the worker's lock, and listens.

The lock is the server's own, and goes with the session however the process dies; leases.py looks for it. Both the
session and what it hears may be lost at any time: a lease that runs out and a look each second stand beneath them.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, func, select
from sqlalchemy.engine import URL

from steward.errors import StoreUnavailableError
from steward.model.hint import Hint
from steward.model.ids import WorkerId
from steward.ports.world import Clock
from steward.store.connect import postgres_arguments
from steward.store.hints import CHANNEL

if TYPE_CHECKING:
    import psycopg

logger = logging.getLogger(__name__)

LONGEST_PAUSE = 15.0
_HINTS = {hint.value: hint for hint in Hint}
_JOIN = "SELECT pg_advisory_lock_shared(hashtextextended(%s, 0))"
"""Shared: a session that the server still believes in does not keep the same worker's next one waiting."""
_PART = "SELECT pg_advisory_unlock_shared(hashtextextended(%s, 0))"
_GOODBYE_SECONDS = 1.0


class NoPeers:
    """A store that one process serves: nobody looks, and nobody tells."""

    @asynccontextmanager
    async def joined(self, worker: WorkerId) -> AsyncIterator[None]:
        yield

    async def listen(self, heard: Callable[[Hint], None]) -> None:
        await asyncio.get_running_loop().create_future()


class PostgresPeers:
    """Implements ports.peers.Peers."""

    def __init__(self, url: URL, clock: Clock) -> None:
        self._url = url
        self._clock = clock
        self._session: psycopg.AsyncConnection[Any] | None = None
        self._key = ""

    @asynccontextmanager
    async def joined(self, worker: WorkerId) -> AsyncIterator[None]:
        self._key = _key(worker)
        await self._join()
        try:
            yield
        finally:
            await self._part()

    async def listen(self, heard: Callable[[Hint], None]) -> None:
        failures = 0
        while True:
            try:
                session = self._session
                if session is None:
                    session = await self._join()
                    for hint in Hint:
                        heard(hint)
                failures = 0
                await _hear(session, heard)
            except StoreUnavailableError:
                logger.warning(
                    "peers: the server is not heard; what is due is looked for all the same"
                )
            await self._leave()
            failures += 1
            await self._clock.sleep(min(0.5 * 2 ** (failures - 1), LONGEST_PAUSE))

    async def _join(self) -> "psycopg.AsyncConnection[Any]":
        import psycopg  # noqa: PLC0415 - an optional driver

        _, arguments = self._url.get_dialect()().create_connect_args(self._url)
        arguments = {**arguments, **postgres_arguments(self._url)}
        try:
            session = await psycopg.AsyncConnection.connect(**arguments, autocommit=True)
            self._session = session
            await session.execute(_JOIN, (self._key,))
            await session.execute(f"LISTEN {CHANNEL}")
        except (psycopg.Error, OSError) as error:
            await self._leave()
            raise StoreUnavailableError("the store's server takes no listening session") from error
        return session

    async def _part(self) -> None:
        """Leave knowingly: the server notices a closed session in its own time, and the next start looks at once."""
        import psycopg  # noqa: PLC0415 - an optional driver

        if self._session is not None:
            with suppress(psycopg.Error, OSError, TimeoutError):
                async with asyncio.timeout(_GOODBYE_SECONDS):
                    await self._session.execute(_PART, (self._key,))
        await self._leave()

    async def _leave(self) -> None:
        if self._session is not None:
            session, self._session = self._session, None
            await session.close()


async def _hear(session: "psycopg.AsyncConnection[Any]", heard: Callable[[Hint], None]) -> None:
    import psycopg  # noqa: PLC0415 - an optional driver

    try:
        async for said in session.notifies():
            if (hint := _HINTS.get(said.payload)) is not None:
                heard(hint)
    except (psycopg.Error, OSError) as error:
        raise StoreUnavailableError("the listening session was lost") from error


def is_gone(connection: Connection, worker: str) -> bool:
    """Whether no session on the server stands for this worker at this moment; nobody is kept out for longer."""
    key = func.hashtextextended(_key(worker), 0)
    return bool(connection.execute(select(func.pg_try_advisory_xact_lock(key))).scalar_one())


def _key(worker: str) -> str:
    return f"worker {worker}"
