"""The command line as a shell would run it, and its store as a running bot uses it."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from bot.cli.commands import app
from steward.store import Store, open_store
from steward.world import SystemClock


def steward(config: Path, *arguments: str) -> Result:
    return CliRunner().invoke(app, [*arguments, "--config", str(config)])


def shown(config: Path, *arguments: str, code: int = 0) -> Any:
    """The document that a command prints for a program."""
    result = steward(config, *arguments, "--json")
    assert result.exit_code == code, result.output
    return json.loads(result.output)


def with_store(config: Path, work: Callable[[Store], Awaitable[None]]) -> None:
    """Use `steward.db` beside the configuration as a running bot does."""

    async def main() -> None:
        url = f"sqlite:///{config.with_name('steward.db')}"
        async with await open_store(url, SystemClock()) as store:
            await work(store)

    asyncio.run(main())
