"""Transactions in the store's own threads: whole, durable, and with no foreign exception."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from threading import Event, get_ident

import pytest
from sqlalchemy import Connection, text

from steward.errors import (
    ContractError,
    SettingsError,
    StoreRejectedError,
    StoreUnavailableError,
)
from steward.store import open_store
from steward.store.connect import store_url
from steward.store.engine import Database
from steward.testing.world import FakeClock


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    opened = Database(store_url(f"sqlite:///{tmp_path}/steward.db"))
    await opened.write(run("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL)"))
    yield opened
    await opened.aclose()


def run(statement: str, **values: object):
    def work(connection: Connection) -> None:
        connection.execute(text(statement), values)

    return work


def count(connection: Connection) -> int:
    found: int = connection.execute(text("SELECT count(*) FROM item")).scalar_one()
    return found


async def test_a_write_is_durable_and_beside_it_reads_go_on(database: Database) -> None:
    def settings(connection: Connection) -> list[object]:
        names = ("journal_mode", "synchronous", "foreign_keys", "query_only")
        return [connection.execute(text(f"PRAGMA {name}")).scalar_one() for name in names]

    full = 2
    assert await database.write(settings) == ["wal", full, 1, 0]
    assert await database.read(settings) == ["wal", full, 1, 1]


async def test_a_reader_cannot_write(database: Database) -> None:
    with pytest.raises(StoreUnavailableError):
        await database.read(run("INSERT INTO item (name) VALUES ('x')"))
    assert await database.read(count) == 0


async def test_a_read_sees_the_last_commit_and_no_half_of_the_next(database: Database) -> None:
    inside, go_on = Event(), Event()

    def slow(connection: Connection) -> None:
        run("INSERT INTO item (name) VALUES ('x')")(connection)
        inside.set()
        assert go_on.wait(5)

    writing = asyncio.ensure_future(database.write(slow))
    await asyncio.to_thread(inside.wait, 5)
    assert await database.read(count) == 0
    go_on.set()
    await writing
    assert await database.read(count) == 1


async def test_a_transaction_that_raises_leaves_nothing(database: Database) -> None:
    def broken(connection: Connection) -> None:
        run("INSERT INTO item (name) VALUES ('x')")(connection)
        raise ContractError("a bug")

    with pytest.raises(ContractError, match="a bug"):
        await database.write(broken)
    assert await database.read(count) == 0


async def test_a_cancelled_task_does_not_cut_its_transaction_short(database: Database) -> None:
    inside, go_on = Event(), Event()

    def slow(connection: Connection) -> None:
        run("INSERT INTO item (name) VALUES ('first')")(connection)
        inside.set()
        assert go_on.wait(5)
        run("INSERT INTO item (name) VALUES ('second')")(connection)

    writing = asyncio.ensure_future(database.write(slow))
    await asyncio.to_thread(inside.wait, 5)
    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing
    go_on.set()
    await database.write(lambda _: None)
    assert await database.read(count) == 2


async def test_one_thread_writes_and_never_the_callers(database: Database) -> None:
    threads = await asyncio.gather(*(database.write(lambda _: get_ident()) for _ in range(20)))
    assert len(set(threads)) == 1
    assert get_ident() not in threads


async def test_closing_runs_what_was_accepted(database: Database) -> None:
    insert = run("INSERT INTO item (name) VALUES ('x')")
    writes = [asyncio.ensure_future(database.write(insert)) for _ in range(10)]
    await asyncio.sleep(0)
    await database.aclose()
    await asyncio.gather(*writes)
    again = Database(database.url)
    assert await again.read(count) == 10
    await again.aclose()


async def test_a_broken_rule_is_told_from_a_store_that_is_gone(database: Database) -> None:
    with pytest.raises(StoreRejectedError) as broken:
        await database.write(run("INSERT INTO item (name) VALUES (NULL)"))
    assert isinstance(broken.value.__cause__, Exception)
    with pytest.raises(StoreRejectedError):
        await database.write(run("INSERT INTO item (name) VALUES (:name)", name="\ud800"))
    with pytest.raises(StoreRejectedError):
        await database.write(run("INSERT INTO item (id, name) VALUES (:id, 'x')", id=1 << 70))


async def test_a_statement_that_finds_what_cannot_be_is_a_bug(database: Database) -> None:
    with pytest.raises(ContractError):
        await database.read(
            lambda connection: connection.execute(text("SELECT id FROM item")).scalar_one()
        )
    with pytest.raises(ContractError):
        await database.write(run("INSERT INTO item (nme) VALUES ('x')"))


async def test_no_value_or_statement_stands_in_the_error(database: Database) -> None:
    with pytest.raises(StoreRejectedError) as broken:
        await database.write(
            run("INSERT INTO item (id, name) VALUES (:id, :name)", id="secret", name="secret")
        )
    assert "secret" not in f"{broken.value} {broken.value.__cause__}"


async def test_a_store_that_another_process_holds_is_unavailable_for_now(tmp_path: Path) -> None:
    file = tmp_path / "steward.db"
    database = Database(store_url(f"sqlite:///{file}?timeout=0"))
    await database.write(run("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT)"))
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    insert = run("INSERT INTO item (name) VALUES ('x')")
    with pytest.raises(StoreUnavailableError):
        await database.write(insert)
    other.execute("ROLLBACK")
    other.close()
    await database.write(insert)
    assert await database.read(count) == 1
    await database.aclose()


async def test_a_file_that_is_no_store_is_unavailable(tmp_path: Path, clock: FakeClock) -> None:
    file = tmp_path / "steward.db"
    file.write_bytes(b"not a database, and long enough to be looked at" * 100)
    with pytest.raises(StoreUnavailableError):
        await open_store(f"sqlite:///{file}", clock)
    with pytest.raises(StoreUnavailableError):
        await open_store(f"sqlite:///{tmp_path}", clock)


async def test_a_server_that_is_not_there_is_unavailable(clock: FakeClock) -> None:
    with pytest.raises(StoreUnavailableError):
        await open_store("postgresql://nobody@127.0.0.1:1/none", clock)


@pytest.mark.parametrize("url", ["", "steward.db", "mysql://localhost/x", "://"])
def test_a_url_of_no_store_names_its_repair(url: str) -> None:
    with pytest.raises(SettingsError, match=r"store\.url"):
        store_url(url)


async def test_a_store_makes_its_folder_and_keeps_its_file_private(
    tmp_path: Path, clock: FakeClock
) -> None:
    file = tmp_path / "var" / "steward.db"
    await (await open_store(f"sqlite:///{file}", clock)).aclose()
    assert file.stat().st_mode & 0o077 == 0


async def test_a_memory_store_is_private_and_whole(clock: FakeClock) -> None:
    async with (
        await open_store("sqlite://", clock) as one,
        await open_store("sqlite://", clock) as two,
    ):
        await one.grants.sync([])
        await one.database.write(run("INSERT INTO tombstone VALUES ('a', 'b', 1)"))
        tombstones = text("SELECT count(*) FROM tombstone")
        for store, expected in ((one, 1), (two, 0)):
            assert (
                await store.database.read(lambda c: c.execute(tombstones).scalar_one()) == expected
            )
