"""`steward upgrade`: the store's schema brought to this program's. Contract D5."""

from pathlib import Path

from bot.cli.process import DONE, FAILED, configured, err, out, print_json, run_loop
from steward.store import StoreLock, open_store, store_revision
from steward.store.migrations import HEAD
from steward.world import SystemClock


def run(config: Path | None, *, as_json: bool) -> int:
    """Upgrade; FAILED where there is no store, where a process serves an SQLite one, or a newer program made it."""
    return run_loop(lambda: _upgrade(config, as_json=as_json))


async def _upgrade(config: Path | None, *, as_json: bool) -> int:
    url = configured(config).store.url.get_secret_value()
    with StoreLock(url):
        before = await store_revision(url)
        if before is None:
            err.print("There is no store yet: the first `steward serve` makes it.", markup=False)
            return FAILED
        await (await open_store(url, SystemClock(), upgrade=True)).aclose()
    if as_json:
        print_json({"from": before, "to": HEAD})
    elif before == HEAD:
        out.print(f"The store is of this program's schema already, {HEAD}.", markup=False)
    else:
        out.print(f"The store's schema was {before} and is {HEAD} now.", markup=False)
    return DONE
