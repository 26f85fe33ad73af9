"""Opening a store: the schema brought up to date or refused, and the ports' implementations around it.

Above: the composition root, the only one who knows that there are several. One `Store`, one set of threads.
"""

import asyncio
import os
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from sqlalchemy.engine import URL

from steward.errors import SchemaVersionError, StoreUnavailableError
from steward.ports.audit import Audit
from steward.ports.chats import Chats
from steward.ports.clicks import Clicks
from steward.ports.conversations import Conversations
from steward.ports.effects import Effects
from steward.ports.grants import Grants
from steward.ports.inbox import Inbox
from steward.ports.ledger import Ledger
from steward.ports.machine import Machine
from steward.ports.outbox import Outbox
from steward.ports.owners import Owners
from steward.ports.peers import Peers
from steward.ports.people import People
from steward.ports.questions import Questions
from steward.ports.recovery import Leases
from steward.ports.restored import Restored
from steward.ports.reviews import Reviews
from steward.ports.sessions import Sessions
from steward.ports.upkeep import Upkeep
from steward.ports.world import Clock
from steward.store.audit import SqlAudit
from steward.store.chats import SqlChats
from steward.store.clicks import SqlClicks
from steward.store.connect import is_memory, is_sqlite, store_url
from steward.store.conversations import SqlConversations
from steward.store.effects import SqlEffects
from steward.store.engine import Database
from steward.store.grants import SqlGrants
from steward.store.inbox import SqlInbox
from steward.store.leases import SqlLeases
from steward.store.ledger import SqlLedger
from steward.store.listing import SqlQuestions
from steward.store.machine import SqlMachine
from steward.store.migrations import HEAD
from steward.store.outbox import SqlOutbox
from steward.store.owners import SqlOwners
from steward.store.peers import NoPeers, PostgresPeers
from steward.store.people import SqlPeople
from steward.store.restoring import SqlRestored
from steward.store.reviews import SqlReviews
from steward.store.sessions import SqlSessions
from steward.store.upkeep import SqlUpkeep
from steward.store.versions import SchemaState, make_current, revision_of, schema_state


@dataclass(frozen=True, slots=True)
class Store:
    """Every port that the store implements, on one database. Close it, or use it as `async with`."""

    inbox: Inbox
    clicks: Clicks
    conversations: Conversations
    ledger: Ledger
    outbox: Outbox
    grants: Grants
    leases: Leases
    audit: Audit
    people: People
    chats: Chats
    sessions: Sessions
    machine: Machine
    owners: Owners
    reviews: Reviews
    effects: Effects
    questions: Questions
    upkeep: Upkeep
    restored: Restored
    peers: Peers
    database: Database

    async def aclose(self) -> None:
        """Finish what was begun, and let go of every connection."""
        await self.database.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()


async def open_store(url: str, clock: Clock, *, upgrade: bool = False) -> Store:
    """The store at `sqlite:///FILE`, `sqlite://` (private, in memory) or `postgresql://…`, ready to be used.

    An empty store gets its schema. An older one is upgraded on SQLite, after a copy was made beside it; elsewhere
    only with `upgrade`, and otherwise SchemaVersionError names the command. A newer one is refused. Raises
    StoreUnavailableError where the store cannot be reached, SettingsError where `url` makes no sense.
    """
    parsed = store_url(url)
    if is_sqlite(parsed) and not is_memory(parsed):
        _private_file(parsed)
    database = Database(parsed)
    try:
        await _prepare(database, upgrade=upgrade)
    except BaseException:
        await database.aclose()
        raise
    return Store(
        inbox=SqlInbox(database, clock),
        clicks=SqlClicks(database, clock),
        conversations=SqlConversations(database, clock),
        ledger=SqlLedger(database, clock),
        outbox=SqlOutbox(database, clock),
        grants=SqlGrants(database, clock),
        leases=SqlLeases(database, clock),
        audit=SqlAudit(database, clock),
        people=SqlPeople(database, clock),
        chats=SqlChats(database, clock),
        sessions=SqlSessions(database),
        machine=SqlMachine(database),
        owners=SqlOwners(database, clock),
        reviews=SqlReviews(database, clock),
        effects=SqlEffects(database, clock),
        questions=SqlQuestions(database),
        upkeep=SqlUpkeep(database, clock),
        restored=SqlRestored(database, clock),
        peers=NoPeers() if is_sqlite(parsed) else PostgresPeers(parsed, clock),
        database=database,
    )


async def store_state(url: str) -> SchemaState | None:
    """Look at a store without changing it; None where there is none yet. Raises as `open_store` does."""
    parsed = store_url(url)
    if is_sqlite(parsed) and not os.path.exists(parsed.database or ""):  # noqa: ASYNC240 - once, at a command's start
        return None
    database = Database(parsed)
    try:
        return await database.read(schema_state)
    finally:
        await database.aclose()


async def store_revision(url: str) -> str | None:
    """The schema's revision, whoever's it is; None where there is no store yet. Raises as `open_store` does."""
    parsed = store_url(url)
    if is_sqlite(parsed) and not os.path.exists(parsed.database or ""):  # noqa: ASYNC240 - as above
        return None
    database = Database(parsed)
    try:
        return await database.read(revision_of)
    finally:
        await database.aclose()


async def _prepare(database: Database, *, upgrade: bool) -> None:
    match await database.write(schema_state):
        case SchemaState.CURRENT:
            return
        case SchemaState.OLDER if is_sqlite(database.url):
            await asyncio.to_thread(_copy, database.url)
        case SchemaState.OLDER if not upgrade:
            raise SchemaVersionError(
                "the store is of an older version of this program: run `steward upgrade`"
            )
    await database.write(make_current)


def _private_file(url: URL) -> None:
    """Make the file before SQLite does: it will hold people's words, so it is its owner's alone."""
    path = Path(url.database or "")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    except OSError as error:
        raise StoreUnavailableError("the store's file cannot be opened for writing") from error


def _copy(url: URL) -> None:
    """A copy of the older store beside it, by SQLite's own means: the log is part of the store."""
    path = Path(url.database or "")
    target = path.with_name(f"{path.name}.before-{HEAD}")
    try:
        os.close(os.open(target, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600))
        source, copy = sqlite3.connect(path), sqlite3.connect(target)
        try:
            source.backup(copy)
        finally:
            source.close()
            copy.close()
    except (OSError, sqlite3.Error) as error:
        raise StoreUnavailableError(
            "the older store could not be copied before its upgrade"
        ) from error
