"""`GET /metrics`: counters and gauges that the process's parts already keep, as Prometheus text.

A label's values are single words from a closed set of ours; anything else is counted under `other`, so that no id
of a person, chat or message can become a label.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from aiohttp import web

from bot.web.words import is_word

_OTHER = "other"

Number: TypeAlias = int | float


class MetricType(StrEnum):
    """A counter only grows; a gauge goes both ways."""

    COUNTER = "counter"
    GAUGE = "gauge"


@dataclass(frozen=True, slots=True)
class _Family:
    name: str
    text: str
    type: MetricType
    label: str | None
    values: Callable[[], Mapping[str, Number]]


class Metrics:
    """What can be looked at; values are read at each look, so that nothing is kept twice."""

    def __init__(self) -> None:
        self._families: dict[str, _Family] = {}

    def single(self, type_: MetricType, name: str, text: str, value: Callable[[], Number]) -> None:
        """One number, without a label."""
        self._add(_Family(name, text, type_, None, lambda: {"": value()}))

    def labelled(
        self,
        type_: MetricType,
        name: str,
        text: str,
        label: str,
        values: Callable[[], Mapping[str, Number]],
    ) -> None:
        """One number for each word of `label`."""
        self._add(_Family(name, text, type_, label, values))

    def render(self) -> str:
        """The text exposition, version 0.0.4."""
        lines = (line for family in self._families.values() for line in _lines(family))
        return "".join(f"{line}\n" for line in lines)

    def _add(self, family: _Family) -> None:
        if family.name in self._families or not is_word(family.name):
            raise ValueError(f"metric {family.name!r} is there already, or is not a single word")
        self._families[family.name] = family


def add_metrics(app: web.Application, metrics: Metrics) -> None:
    """Serve `GET /metrics`."""

    async def scrape(_: web.Request) -> web.Response:
        return web.Response(
            body=metrics.render().encode(),
            headers={"Content-Type": "text/plain; version=0.0.4; charset=utf-8"},
        )

    app.router.add_get("/metrics", scrape, allow_head=False)


def _lines(family: _Family) -> Iterator[str]:
    yield f"# HELP {family.name} {family.text}"
    yield f"# TYPE {family.name} {family.type}"
    if family.label is None:
        yield from (f"{family.name} {value}" for value in family.values().values())
        return
    totals: dict[str, Number] = {}
    for word, value in family.values().items():
        shown = word if is_word(word) else _OTHER
        totals[shown] = totals.get(shown, 0) + value
    for word, value in totals.items():
        yield f'{family.name}{{{family.label}="{word}"}} {value}'
