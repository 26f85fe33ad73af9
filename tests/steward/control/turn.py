"""A gate over scripted sources, as one turn holds it."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from zoneinfo import ZoneInfo

from steward.control.gate import Gate
from steward.control.registry import ConfiguredSource, Sources
from steward.model.audience import Scope
from steward.model.ids import SourceId
from steward.model.json import Json
from steward.model.reading import (
    ReadFailure,
    Reading,
    SourceQuery,
    ToolCall,
    View,
)
from steward.model.turn import Written
from steward.reading.schema import CONTEXT_TOOL
from steward.testing.source import ALL_VIEWS, Scene, ScriptedSource
from steward.testing.world import CountedTokens, FakeClock
from tests.steward.evidence import (
    PAYMENTS,
    PLANS,
    SEARCH,
    goal,
    scope,
    snapshot,
    todo,
)

TWO_GOALS = (goal(PAYMENTS), goal(SEARCH))


@dataclass
class Turn:
    """One turn's gate over scripted sources, and what it stored. `scopes` are given out in order."""

    clock: FakeClock
    scenes: dict[SourceId, Iterable[Scene]]
    scopes: list[Scope | ReadFailure]
    tool: str = CONTEXT_TOOL
    written: Written = Written.DONE
    views: frozenset[View] = ALL_VIEWS
    max_page_chars: int = 24_000
    deadline: timedelta = timedelta(seconds=60)
    also: tuple[ConfiguredSource, ...] = ()
    kept: list[Reading] = field(default_factory=list)
    fault: Exception | None = None
    tokens: CountedTokens = field(default_factory=CountedTokens)

    def __post_init__(self) -> None:
        self.asked = 0
        self.sources = {
            source: ScriptedSource(source, scenes, clock=self.clock, views=self.views)
            for source, scenes in self.scenes.items()
        }
        entries = [ConfiguredSource(one.id, one.id.title(), one) for one in self.sources.values()]
        self.gate = Gate(
            tool=self.tool,
            sources=Sources([*entries, *self.also]),
            scope=self._scope,
            keep=self._keep,
            clock=self.clock,
            tokens=self.tokens,
            zone=ZoneInfo("Asia/Shanghai"),
            max_page_chars=self.max_page_chars,
            deadline=self.clock.now() + self.deadline,
        )

    async def _scope(self) -> Scope | ReadFailure:
        self.asked += 1
        if self.fault is not None:
            raise self.fault
        return self.scopes[0] if len(self.scopes) == 1 else self.scopes.pop(0)

    async def _keep(self, reading: Reading) -> Written:
        self.kept.append(reading)
        return self.written

    async def call(self, tool: str | None = None, **arguments: Json) -> dict[str, Json]:
        result = await self.gate.call(ToolCall(tool or self.tool, "call-1", arguments))
        shown: dict[str, Json] = json.loads(result.text)
        assert shown["ok"] is result.ok
        return shown

    def queries(self) -> list[SourceQuery]:
        return [query for source in self.sources.values() for query in source.queries]


def turn(
    clock: FakeClock,
    *scenes: Scene,
    within: Scope | None = None,
    tokens: CountedTokens | None = None,
) -> Turn:
    scripts = {PLANS: scenes or (snapshot(todo()),)}
    return Turn(clock, scripts, [within or scope()], tokens=tokens or CountedTokens())


def rows(shown: dict[str, Json]) -> list[tuple[str, str]]:
    found = shown["rows"]
    assert isinstance(found, list)
    return [(row["source_id"], row["id"]) for row in found]


def coverage(shown: dict[str, Json]) -> dict[str, Json]:
    counted = shown["coverage"]
    assert isinstance(counted, dict)
    return {name: count for name, count in counted.items() if count or name == "complete"}
