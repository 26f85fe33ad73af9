"""The stores that every port suite runs on: SQLite in a file, and a real PostgreSQL."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from steward.store import Store, open_store
from steward.store.schema import metadata
from steward.testing.world import FakeClock
from tests.postgres import running_postgres

STORES = ["sqlite", pytest.param("postgres", marks=pytest.mark.needs("postgres"))]


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of one server for the whole run; `store` empties it before each test."""
    with running_postgres() as url:
        yield url


@pytest.fixture(params=STORES)
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/steward.db"
    url: str = request.getfixturevalue("postgres")
    return url


@pytest.fixture
async def store(store_url: str, clock: FakeClock) -> AsyncIterator[Store]:
    async with await open_store(store_url, clock) as opened:
        await opened.database.write(_empty)
        yield opened


def _empty(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":
        tables = ", ".join(f'"{name}"' for name in metadata.tables)
        connection.execute(text(f"TRUNCATE {tables} RESTART IDENTITY CASCADE"))
