"""The stores that a row is measured on: SQLite in a file, and a real PostgreSQL where one is installed.

Both write what they commit through to the disk, as they do where people rely on them. PostgreSQL's files are in the
system's folder for temporary ones: its server runs as somebody who may not look into ours.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

from tests.bench.figures import Figure
from tests.postgres import found_postgres, postgres_server

WHY_NONE = "skipped: no initdb and postgres found"


@dataclass(frozen=True, slots=True)
class Database:
    """One kind of store. `at`: the folder of SQLite's files, or the URL of PostgreSQL's first database."""

    name: str
    at: str

    def fresh(self, name: str) -> str:
        """The URL of an empty store."""
        if self.name == "SQLite":
            for old in Path(self.at).glob(f"{name}.db*"):
                old.unlink()
            return f"sqlite:///{self.at}/{name}.db"
        with psycopg.connect(self.at, autocommit=True) as connection:
            connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
            connection.execute(f'CREATE DATABASE "{name}"')
        return f"{self.at.rpartition('/')[0]}/{name}"


@contextmanager
def databases(folder: Path) -> Iterator[list[Database]]:
    """Both, or SQLite alone."""
    folder.mkdir(parents=True, exist_ok=True)
    found = [Database("SQLite", str(folder))]
    if found_postgres() is None:
        yield found
        return
    with postgres_server(durable=True) as server:
        yield [*found, Database("PostgreSQL", server.url)]


def skipped(row: str, found: Sequence[Database]) -> list[Figure]:
    """Why a row has no figures of PostgreSQL, where it has none."""
    return [] if len(found) > 1 else [Figure(f"{row} PostgreSQL", WHY_NONE)]
