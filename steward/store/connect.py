"""How each store is connected to: its settings, and where its transactions begin."""

import sqlite3
from typing import Any

from sqlalchemy import Connection, Engine, StaticPool, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.pool import ConnectionPoolEntry, QueuePool

from steward.errors import SettingsError

_BUSY_SECONDS = 5
"""How long SQLite waits for another process's lock, such as a backup's."""

_WAL_LIMIT_BYTES = 64 * 1024 * 1024
"""What the write-ahead log is cut back to after a checkpoint."""

POSTGRES_SESSION = {
    # A worker that was stopped in mid-transaction must not hold its row locks for ever: who waits for one gets it
    # before his own patience is over.
    "idle_in_transaction_session_timeout": "3s",
    "lock_timeout": "5s",
    "statement_timeout": "30s",
    "synchronous_commit": "on",
}
"""What every session asks of the server; a pooler in between may swallow it, which `doctor` tells."""

_POSTGRES_CONNECT: dict[str, int | str] = {
    "connect_timeout": 5,
    "keepalives": 1,
    "keepalives_idle": 30,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    # A request that nobody answers, such as a server's that is stopped: as long as a statement may take.
    "tcp_user_timeout": 30_000,
    "application_name": "steward",
}


def store_url(text: str) -> URL:
    """The parsed `store.url` with the driver that we use; raises SettingsError."""
    try:
        url = make_url(text)
    except ArgumentError as error:
        raise SettingsError("store.url", "must read sqlite:///FILE or postgresql://…") from error
    match url.get_backend_name():
        case "sqlite":
            return url.set(drivername="sqlite")
        case "postgresql" | "postgres":
            return url.set(drivername="postgresql+psycopg")
        case _:
            raise SettingsError("store.url", "must begin with sqlite:// or postgresql://")


def is_sqlite(url: URL) -> bool:
    """SQLite, in a file or in memory; otherwise it is PostgreSQL."""
    return url.get_backend_name() == "sqlite"


def is_memory(url: URL) -> bool:
    """A private SQLite store that ends with its process."""
    return is_sqlite(url) and url.database in {None, "", ":memory:"}


def sqlite_engine(url: URL, *, writes: bool) -> Engine:
    """Connections that commit durably (WAL, FULL), or that refuse to write."""
    engine = create_engine(
        url,
        poolclass=StaticPool if is_memory(url) else QueuePool,
        connect_args={"timeout": _BUSY_SECONDS, "check_same_thread": False},
        hide_parameters=True,
    )

    def connect(connection: sqlite3.Connection, _record: ConnectionPoolEntry) -> None:
        # The driver must not begin transactions by itself: it would begin them deferred, and a
        # deferred reader that turns writer fails at once where another has written.
        connection.isolation_level = None
        connection.execute("PRAGMA foreign_keys=ON")
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute(f"PRAGMA journal_size_limit={_WAL_LIMIT_BYTES}")
        if not writes:
            connection.execute("PRAGMA query_only=ON")

    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    event.listen(engine, "connect", connect)
    event.listen(engine, "begin", begin)
    return engine


def postgres_engine(url: URL, threads: int) -> Engine:
    """One connection per thread, with limits on how long a session may hold things up. Raises SettingsError.

    A connection that the server cut is replaced, with every other of its age, when its loss is found.
    """
    try:
        return create_engine(
            url,
            pool_size=threads,
            max_overflow=0,
            pool_use_lifo=True,
            connect_args=postgres_arguments(url),
            hide_parameters=True,
        )
    except ModuleNotFoundError as error:
        raise SettingsError(
            "store.url", "PostgreSQL needs its driver: install steward-for-lark[postgres]"
        ) from error


def postgres_arguments(url: URL) -> dict[str, Any]:
    """What libpq is told beside what the URL says, which wins.

    Nothing is prepared on the server: it was measured to save nothing here, a plan made while a table was empty would
    be kept while it grows, and a pooler between us may hand the next transaction to a session that never heard of it.
    """
    theirs = " ".join(url.normalized_query.get("options", ()))
    ours = " ".join(f"-c {name}={value}" for name, value in POSTGRES_SESSION.items())
    unsaid = {name: value for name, value in _POSTGRES_CONNECT.items() if name not in url.query}
    return {**unsaid, "options": f"{ours} {theirs}".strip(), "prepare_threshold": None}
