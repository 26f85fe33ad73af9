"""`steward backup`: an SQLite store in one file, also while `serve` runs. Contract D5."""

from pathlib import Path

from bot.cli.process import DONE, configured, out, print_json, run_loop
from steward.store.backup import back_up


def run(file: Path, config: Path | None, *, force: bool, as_json: bool) -> int:
    """Write the backup; FAILED where the store is PostgreSQL, or the file is there and `force` was not said."""
    return run_loop(lambda: _backup(file, config, force=force, as_json=as_json))


async def _backup(file: Path, config: Path | None, *, force: bool, as_json: bool) -> int:
    settings = configured(config)
    size = back_up(settings.store.url.get_secret_value(), file, replaces=force)
    if as_json:
        print_json({"file": str(file), "bytes": size})
    else:
        out.print(
            f"The store is in {file}, {size:,} bytes; keep it as private as the store.",
            markup=False,
        )
    return DONE
