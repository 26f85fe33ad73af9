"""What a PostgreSQL server says of itself, for `steward doctor`. Contracts D1, D5."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import Connection, text

from steward.ports.world import Clock
from steward.store.connect import POSTGRES_SESSION, is_sqlite, store_url
from steward.store.engine import Database

_DURABLE = ("fsync", "full_page_writes")
_ENCODING = "server_encoding"

_FACTS = text("""
SELECT current_setting('server_version') AS version, clock_timestamp() AS now,
  (SELECT count(*) FROM pg_locks
   WHERE locktype = 'advisory' AND mode = 'ShareLock' AND granted
     AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) AS processes
""")
_SETTINGS = text(
    "SELECT name, current_setting(name) AS value FROM pg_settings WHERE name = ANY(:names)"
)


@dataclass(frozen=True, slots=True)
class Server:
    """`ahead`: its clock before ours. `processes`: how many serve this store now. `settings`: of our sessions."""

    version: str
    ahead: timedelta
    processes: int
    settings: Mapping[str, str]

    @property
    def unasked(self) -> tuple[str, ...]:
        """What each session asks for and did not get: something in between swallows it."""
        wanted = POSTGRES_SESSION.items()
        return tuple(name for name, value in wanted if self.settings.get(name) != value)

    @property
    def forgetful(self) -> tuple[str, ...]:
        """What is off, so that a loss of power may lose or damage what was acknowledged (D1)."""
        return tuple(name for name in _DURABLE if self.settings.get(name) != "on")

    @property
    def encoding(self) -> str:
        """Only UTF8 holds every text."""
        return self.settings.get(_ENCODING, "")


async def server_of(url: str, clock: Clock) -> Server | None:
    """Ask the server and change nothing; None on SQLite. Raises StoreUnavailableError, SettingsError."""
    parsed = store_url(url)
    if is_sqlite(parsed):
        return None
    database = Database(parsed)
    try:
        await database.read(lambda connection: connection.execute(text("SELECT 1")).scalar_one())
        before = clock.now()
        version, now, processes, settings = await database.read(_facts)
        ours = before + (clock.now() - before) / 2
    finally:
        await database.aclose()
    return Server(version, now - ours, processes, settings)


def _facts(connection: Connection) -> tuple[str, datetime, int, dict[str, str]]:
    found = connection.execute(_FACTS).one()
    names = [*POSTGRES_SESSION, *_DURABLE, _ENCODING]
    settings = {row.name: row.value for row in connection.execute(_SETTINGS, {"names": names})}
    return found.version, found.now.astimezone(UTC), found.processes, settings
