"""Is the process alive, and is it ready? Supervised parts report here; checks are asked at each look.

Reasons are single words, for a machine and a log: no sentence, no id and no secret can get into one.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from aiohttp import web

from bot.web.words import is_word

STARTING = "starting"
UNCLASSIFIED = "unclassified"

Check: TypeAlias = Callable[[], str | None]
"""A word for what is wrong, or None."""


@dataclass(frozen=True, slots=True)
class RedPart:
    """A part that is not as it should be."""

    name: str
    reason: str


class Health:
    """Red until every part of `parts` has reported that it is up."""

    def __init__(self, parts: Iterable[str] = ()) -> None:
        self._down: dict[str, str] = dict.fromkeys(parts, STARTING)
        self._checks: dict[str, Check] = {}

    def part_up(self, name: str) -> None:
        """A supervised part runs."""
        self._down.pop(name, None)

    def part_down(self, name: str, reason: str) -> None:
        """A supervised part does not run; a reason that is no single word becomes `unclassified`."""
        self._down[name] = _word(reason)

    def add_check(self, name: str, check: Check) -> None:
        """Ask `check` at each look; one name has one check."""
        self._checks[name] = check

    def red(self) -> tuple[RedPart, ...]:
        """What is wrong now, by name; empty means ready."""
        asked = ((name, check()) for name, check in self._checks.items())
        failing = {name: _word(reason) for name, reason in asked if reason is not None}
        return tuple(
            RedPart(name, reason) for name, reason in sorted((self._down | failing).items())
        )


def add_healthz(app: web.Application) -> None:
    """`GET /healthz`: the process answers; nothing more is told in public."""
    app.router.add_get("/healthz", _alive, allow_head=False)


def add_readyz(app: web.Application, health: Health) -> None:
    """`GET /readyz`: 200 where nothing is red, else 503 with every red part and its word."""

    async def ready(_: web.Request) -> web.Response:
        red = health.red()
        document = {
            "ready": not red,
            "red": [{"part": part.name, "reason": part.reason} for part in red],
        }
        return web.json_response(document, status=503 if red else 200)

    app.router.add_get("/readyz", ready, allow_head=False)


async def _alive(_: web.Request) -> web.Response:
    return web.json_response({"alive": True})


def _word(reason: str) -> str:
    return reason if is_word(reason) else UNCLASSIFIED
