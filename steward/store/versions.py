"""Which schema a store has, and how it gets this program's. Contract D5.

An empty store gets the tables of schema.py as they stand; a store of an older program is migrated by Alembic, which
is imported only then: it takes longer than everything else at a start. Tests hold the two equal.
"""

from enum import Enum
from importlib import import_module
from pathlib import Path

from sqlalchemy import Column, Connection, MetaData, String, Table, inspect, select, text

from steward.errors import SchemaVersionError
from steward.store.migrations import HEAD, REVISIONS
from steward.store.schema import metadata
from steward.store.statements import hold

_version = Table("alembic_version", MetaData(), Column("version_num", String(32), primary_key=True))


class SchemaState(Enum):
    """How a store's schema relates to this program's."""

    EMPTY = "empty"
    CURRENT = "current"
    OLDER = "older"


def schema_state(connection: Connection) -> SchemaState:
    """Raises SchemaVersionError where the schema is a newer program's, or the tables are somebody else's."""
    tables = inspect(connection).get_table_names()
    if _version.name not in tables:
        if tables:
            raise SchemaVersionError(
                "the database holds other tables: give the steward a database of its own in store.url"
            )
        return SchemaState.EMPTY
    found = connection.execute(select(_version.c.version_num)).scalar_one_or_none()
    if found is not None and found not in REVISIONS:
        raise SchemaVersionError(
            "the store is of a newer version of this program: install that version, or restore a backup"
        )
    return SchemaState.CURRENT if found == HEAD else SchemaState.OLDER


def revision_of(connection: Connection) -> str | None:
    """The schema's revision, whoever's it is; None where the store has none yet."""
    if _version.name not in inspect(connection).get_table_names():
        return None
    found: str | None = connection.execute(select(_version.c.version_num)).scalar_one_or_none()
    return found


def make_current(connection: Connection) -> None:
    """Create what is empty, migrate what is older; of several processes that do so at once, one does, and the others wait.

    A table that was served for years takes longer to alter than any statement of a day.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text(_PATIENT))
    hold(connection, "schema")
    match schema_state(connection):
        case SchemaState.EMPTY:
            create(connection)
        case SchemaState.OLDER:
            migrate(connection)
        case SchemaState.CURRENT:
            return


_PATIENT = "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '10min'"


def create(connection: Connection) -> None:
    """The whole schema, in an empty store."""
    metadata.create_all(connection)
    _version.create(connection)
    connection.execute(_version.insert(), {"version_num": HEAD})


def migrate(connection: Connection) -> None:
    """Bring an older schema to this program's, in the caller's transaction."""
    command, config = import_module("alembic.command"), import_module("alembic.config")
    settings = config.Config()
    settings.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    settings.attributes["connection"] = connection
    command.upgrade(settings, HEAD)
