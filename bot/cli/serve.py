"""`steward serve`: the process, until it is told to stop."""

import asyncio
import logging
import signal
from pathlib import Path

from bot.app import World, serving
from bot.cli.process import DONE, configured, run_loop, start_log
from steward.world import RandomTokens, SystemClock

logger = logging.getLogger(__name__)


def run(config: Path | None) -> int:
    """Serve until SIGTERM or SIGINT; what is in flight then is taken up at the next start."""
    return run_loop(lambda: _serve(config))


async def _serve(config: Path | None) -> int:
    settings = configured(config)
    start_log(settings)
    for fault in settings.faults:
        logger.warning("%s is disabled: %s", fault.key, fault.repair)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, stop.set)
    async with serving(settings, World(SystemClock(), RandomTokens())) as ports:
        logger.info(
            "ready: events at http://%s:%d/lark/events, readiness at http://%s:%d/readyz",
            settings.server.host,
            ports.public,
            settings.server.admin_host,
            ports.admin,
        )
        await stop.wait()
        logger.info("stopping")
    return DONE
