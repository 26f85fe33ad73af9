"""What every command shares: the event loop, the log, and how a typed failure ends the process."""

import asyncio
import gc
import json
import logging
import sys
from collections.abc import Callable, Coroutine, Iterable, Mapping
from pathlib import Path

from rich.console import Console

from bot.settings import Settings, load
from steward.errors import ConfigurationError, StewardError
from steward.model.json import Json

DONE, FAILED = 0, 1

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)

_STALE = "plan revision changed; preview again"


class Redaction(logging.Filter):
    """The last gate of the log: a secret that got into a line is blotted out."""

    def __init__(self, secrets: Iterable[str]) -> None:
        super().__init__()
        self._secrets = sorted({one for one in secrets if len(one) >= 4}, key=len, reverse=True)

    def filter(self, record: logging.LogRecord) -> bool:
        """Blot out; nothing is ever dropped."""
        text = record.getMessage()
        for secret in self._secrets:
            text = text.replace(secret, "[secret]")
        record.msg, record.args = text, None
        return True


def start_log(settings: Settings, level: int = logging.INFO) -> None:
    """Lines on stderr, one for each event, with our secrets blotted out."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    handler.addFilter(Redaction(settings.lark.secrets))
    logging.basicConfig(level=level, handlers=[handler], force=True)
    for noisy in ("aiohttp.access", "apscheduler"):
        logging.getLogger(noisy).setLevel(logging.WARNING)


def configured(config: Path | None) -> Settings:
    """The settings, or ConfigurationError with every problem."""
    return load(config)


def print_json(document: Mapping[str, Json]) -> None:
    """One document on stdout, for a program; its words stay as they are."""
    out.print_json(json.dumps(document, ensure_ascii=False))


def plan_changed(present: str, again: str, *, as_json: bool) -> int:
    """Nothing was applied (P8). A program is told the revision of what stands now, a person how to see it."""
    if as_json:
        print_json({"code": "plan_changed", "error": _STALE, "present_revision": present})
    else:
        err.print(f"{_STALE}: {again}", markup=False)
    return FAILED


def run_loop(main: Callable[[], Coroutine[None, None, int]]) -> int:
    """Run `main` on a fresh loop; a typed failure is printed as its sentence and ends in FAILED."""
    try:
        with asyncio.Runner(loop_factory=_loop_factory()) as runner:
            return runner.run(main())
    except ConfigurationError as error:
        err.print("The configuration cannot be used:", style="bold red")
        for problem in error.problems:
            err.print(f"  {problem.key}: {problem.repair}", markup=False)
    except StewardError as error:
        err.print(f"{type(error).__name__}: {error}", style="bold red", markup=False)
    except OSError as error:
        err.print(f"The system refused: {error.strerror or type(error).__name__}", style="bold red")
    return FAILED


def freeze_heap() -> None:
    """Take what a start has made out of the collector's rounds: each would hold up the loop for 60 ms."""
    gc.collect()
    gc.freeze()


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """uvloop where it is installed: it is not on Windows."""
    try:
        import uvloop  # noqa: PLC0415 - optional
    except ImportError:
        return None
    factory: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop
    return factory
