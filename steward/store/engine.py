"""Transactions off the event loop: plain functions of a Connection, run whole by threads that the store owns.

SQLite has one writing connection in one thread behind a fair queue, and a few reading ones; PostgreSQL has a pool
of equal threads. An awaiting task that is cancelled never cuts a transaction short. Above are the Sql* classes;
below are SQLAlchemy and the drivers, none of whose exceptions pass this module.
"""

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.engine import URL

from steward.errors import StoreUnavailableError
from steward.store.connect import is_memory, is_sqlite, postgres_engine, sqlite_engine
from steward.store.failures import FOREIGN, is_conflict, translated
from steward.store.queue import FairQueue, Job

T = TypeVar("T")

_READERS = 3
_POSTGRES_THREADS = 8
_RUNS = 3
"""How often a transaction is run before a conflict with others counts as a failure."""


class Threads:
    """Some threads that run jobs, one transaction each, on one engine."""

    def __init__(self, name: str, engine: Engine, count: int) -> None:
        self._engine = engine
        self._queue = FairQueue()
        # Daemons: a process that forgot to close its store must still be able to end. Whatever is
        # running then is undone by the store itself, as after any other death.
        self._threads = [
            threading.Thread(target=self._run, name=f"{name}-{number}", daemon=True)
            for number in range(count)
        ]
        for thread in self._threads:
            thread.start()

    async def run(self, work: Callable[[Connection], T], *, first: bool = False) -> T:
        """The work's result once its transaction is committed; raises StoreError where it was not."""
        job = Job(work)
        if not self._queue.put(job, first=first):
            raise StoreUnavailableError("the store is closed")
        result: T = await asyncio.wrap_future(job.done)
        return result

    async def aclose(self) -> None:
        """Finish what was accepted, then let go of threads and connections."""
        self._queue.close()
        await asyncio.to_thread(self._join)

    def _join(self) -> None:
        for thread in self._threads:
            thread.join()
        self._engine.dispose()

    def _run(self) -> None:
        while (job := self._queue.take()) is not None:
            if not job.done.set_running_or_notify_cancel():
                continue
            try:
                result = self._transaction(job.work)
            except BaseException as error:  # noqa: BLE001 - it is raised where the job is awaited
                job.done.set_exception(error)
            else:
                job.done.set_result(result)
            del job

    def _transaction(self, work: Callable[[Connection], T]) -> T:
        for run in range(1, _RUNS + 1):
            try:
                with self._engine.begin() as connection:
                    return work(connection)
            except FOREIGN as error:
                if run < _RUNS and is_conflict(error):
                    continue
                raise translated(error) from error
        raise AssertionError("unreachable: the last run returns or raises")


class Database:
    """One store's transactions. `work` may run more than once, so it changes nothing but the store."""

    def __init__(self, url: URL) -> None:
        self.url = url
        if not is_sqlite(url):
            self._writer = self._readers = Threads(
                "store", postgres_engine(url, _POSTGRES_THREADS), _POSTGRES_THREADS
            )
            return
        self._writer = Threads("store-writer", sqlite_engine(url, writes=True), 1)
        # A memory store lives in its one connection.
        self._readers = (
            self._writer
            if is_memory(url)
            else Threads("store-reader", sqlite_engine(url, writes=False), _READERS)
        )

    async def write(self, work: Callable[[Connection], T], *, first: bool = False) -> T:
        """Run one transaction that may write. Returning means committed and on disk.

        `first` is for the group commit alone. Raises StoreUnavailableError, StoreRejectedError, or what `work` raises
        (ContractError); nothing was written then, except where the connection broke during the commit.
        """
        return await self._writer.run(work, first=first)

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run one transaction that only reads, over one snapshot; on SQLite beside the writer."""
        return await self._readers.run(work)

    async def aclose(self) -> None:
        """Run what was accepted to its end and close every connection. A second call does nothing."""
        await self._readers.aclose()
        if self._writer is not self._readers:
            await self._writer.aclose()
