"""`steward serve`: the process, until it is told to stop."""

import asyncio
import logging
import os
import signal
import threading
from pathlib import Path

from bot.app import serving
from bot.cli.process import DONE, configured, freeze_heap, run_loop, start_log
from bot.parts import World
from steward.world import RandomTokens, SystemClock

logger = logging.getLogger(__name__)

LONGEST_STOP = 8.0
"""Seconds from a signal to the end of the process; whoever stops services tends to kill after ten."""


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
        loop.add_signal_handler(name, _ask, stop)
    async with serving(settings, World(SystemClock(), RandomTokens())) as ports:
        freeze_heap()
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


def _ask(stop: asyncio.Event) -> None:
    """Begin to stop, and see to it that nothing holds that up: a disk that hangs, a store that is locked."""
    if not stop.is_set():
        stop.set()
        last = threading.Timer(LONGEST_STOP, _leave)
        last.daemon = True
        last.start()


def _leave() -> None:
    """End as a kill would. Nothing is lost by it: that is what recovery is for."""
    logger.warning("not everything ended in time; the rest is taken up at the next start")
    os._exit(DONE)
