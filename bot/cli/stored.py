"""The configured store as a command sees it beside a running `serve`: no lock, no migration, no recovery (D5)."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bot.settings import Settings
from steward.errors import SchemaVersionError
from steward.store import SchemaState, Store, open_store, store_state
from steward.store.grants import copied
from steward.world import SystemClock


@asynccontextmanager
async def opened_store(settings: Settings, *, write: bool) -> AsyncIterator[Store]:
    """The store as it is. Where there is none yet, only a change makes it: a look sees an empty one.

    Raises SchemaVersionError where it is of an older version, StoreUnavailableError where it cannot be reached.
    """
    url = settings.store.url.get_secret_value()
    state = await store_state(url)
    if state is SchemaState.OLDER:
        raise SchemaVersionError("the store is of an older version: start `steward serve` once")
    missing = state in {None, SchemaState.EMPTY}
    where = "sqlite://" if missing and not write else url
    async with await open_store(where, SystemClock()) as store:
        yield store


@asynccontextmanager
async def granted_store(settings: Settings) -> AsyncIterator[Store]:
    """A store in memory with the grants that a start of `serve` would leave: the owner's, and what the owner took back too.

    Nothing of it reaches the configured store. Raises as `opened_store` does.
    """
    async with await open_store("sqlite://", SystemClock()) as store:
        async with opened_store(settings, write=False) as stored:
            await copied(stored.database, store.database)
        await store.grants.sync(settings.grants)
        yield store
