"""The schema of both stores: migrations end in the tables of the code, and versions are told apart. Contract D5."""

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from itertools import count
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, create_engine, text
from sqlalchemy.engine import make_url

from steward.errors import SchemaVersionError
from steward.store import open_store
from steward.store.connect import store_url as parsed
from steward.store.engine import Database
from steward.store.schema import metadata
from steward.store.versions import SchemaState, create, migrate, schema_state
from steward.testing.world import FakeClock
from tests.contracts.conftest import STORES
from tests.contracts.given import envelope

_numbers = count(1)


@pytest.fixture(params=STORES)
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[list[str]]:
    """Two empty stores of one kind."""
    if request.param == "sqlite":
        yield [f"sqlite:///{tmp_path}/{name}.db" for name in ("one", "two")]
        return
    server = request.getfixturevalue("postgres")
    with _new_database(server) as one, _new_database(server) as two:
        yield [one, two]


@contextmanager
def _new_database(server: str) -> Iterator[str]:
    name = f"empty_{next(_numbers)}"
    admin = create_engine(parsed(server), isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
        yield str(make_url(server).set(database=name))
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    admin.dispose()


@asynccontextmanager
async def database(url: str) -> AsyncIterator[Database]:
    opened = Database(parsed(url))
    yield opened
    await opened.aclose()


async def test_the_migrations_end_in_the_tables_of_the_code(empty: list[str]) -> None:
    async with database(empty[0]) as migrated:
        await migrated.write(migrate)
        differences = await migrated.read(
            lambda connection: compare_metadata(
                MigrationContext.configure(connection, opts={"compare_type": False}), metadata
            )
        )
        assert differences == []
        assert await migrated.write(schema_state) is SchemaState.CURRENT


async def test_a_created_schema_is_the_migrated_one_to_the_letter(empty: list[str]) -> None:
    async with database(empty[0]) as created, database(empty[1]) as migrated:
        await created.write(create)
        await migrated.write(migrate)
        written = await created.read(definitions)
        assert written == await migrated.read(definitions)
        assert len(written) > 50


_CATALOGUE = """
    SELECT table_name, column_name, data_type, is_nullable, column_default
    FROM information_schema.columns WHERE table_schema = 'public'
    UNION ALL SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid), '', ''
    FROM pg_constraint WHERE connamespace = 'public'::regnamespace
    UNION ALL SELECT tablename, indexname, indexdef, '', ''
    FROM pg_indexes WHERE schemaname = 'public'
"""


def definitions(connection: Connection) -> list[tuple[str, ...]]:
    """Every column, key, check and index as the store itself writes it down."""
    if connection.dialect.name == "postgresql":
        found = [tuple(map(str, row)) for row in connection.execute(text(_CATALOGUE))]
    else:
        tables = connection.execute(text("SELECT tbl_name, sql FROM sqlite_master"))
        found = [
            (table, line.strip(" ,\t"))
            for table, statement in tables
            for line in (statement or "").splitlines()
        ]
    return sorted(line for line in found if line[0] != "alembic_version")


async def test_an_empty_store_is_ready_when_it_is_opened(
    empty: list[str], clock: FakeClock
) -> None:
    for _ in range(2):
        async with await open_store(empty[0], clock) as store:
            (recorded,) = await store.inbox.record([envelope(1)])
    assert recorded.duplicate


@pytest.mark.requirement("D5")
async def test_a_newer_schema_is_refused(empty: list[str], clock: FakeClock) -> None:
    await (await open_store(empty[0], clock)).aclose()
    await change(empty[0], "UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(SchemaVersionError, match="newer version"):
        await open_store(empty[0], clock)


@pytest.mark.requirement("D5")
async def test_somebody_elses_database_is_refused(empty: list[str], clock: FakeClock) -> None:
    await change(empty[0], "CREATE TABLE invoices (id INTEGER)")
    with pytest.raises(SchemaVersionError, match="other tables"):
        await open_store(empty[0], clock)


@pytest.mark.requirement("D5")
async def test_an_older_schema_is_upgraded_after_a_copy_or_names_the_command(
    empty: list[str], clock: FakeClock
) -> None:
    url = empty[0]
    await change(
        url,
        "CREATE TABLE alembic_version (version_num VARCHAR(32) PRIMARY KEY)",
        "CREATE TABLE remains (id INTEGER)",
    )
    if url.startswith("sqlite"):
        store = await open_store(url, clock)
        copy = f"{make_url(url).database}.before-0002"
        async with database(f"sqlite:///{copy}") as before:
            assert await before.write(schema_state) is SchemaState.OLDER
        assert os.stat(copy).st_mode & 0o077 == 0
    else:
        with pytest.raises(SchemaVersionError, match="steward upgrade"):
            await open_store(url, clock)
        store = await open_store(url, clock, upgrade=True)
    (recorded,) = await store.inbox.record([envelope(1)])
    assert not recorded.duplicate
    await store.aclose()


@pytest.mark.requirement("D5")
@pytest.mark.parametrize("older", [False, True], ids=["empty", "older"])
async def test_processes_that_open_a_store_at_once_make_its_schema_once(
    empty: list[str], clock: FakeClock, older: bool
) -> None:
    url = empty[0]
    if older:
        await change(
            url,
            "CREATE TABLE alembic_version (version_num VARCHAR(32) PRIMARY KEY)",
            "CREATE TABLE remains (id INTEGER)",
        )
    async with asyncio.timeout(15):
        opened = await asyncio.gather(*(open_store(url, clock, upgrade=True) for _ in range(5)))
    for store in opened:
        await store.inbox.record([envelope(1)])
        assert await store.database.read(schema_state) is SchemaState.CURRENT
        await store.aclose()


async def change(url: str, *statements: str) -> None:
    def work(connection: Connection) -> None:
        for statement in statements:
            connection.execute(text(statement))

    async with database(url) as opened:
        await opened.write(work)
