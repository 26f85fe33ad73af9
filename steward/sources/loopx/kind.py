"""Builds a LoopX source from its configuration."""

from collections.abc import Mapping
from datetime import timedelta

from steward.model.ids import SourceId
from steward.model.json import Json
from steward.model.reading import View
from steward.ports.world import Clock
from steward.sources.loopx.asking import Pace
from steward.sources.loopx.command import LocalCommand
from steward.sources.loopx.source import VIEWS, LoopxSource
from steward.sources.options import absolute, known_options, text_option

GLOBAL_REGISTRY = "@host-global"
"""LoopX's own name for the registry of all goals of its machine."""

PACE = Pace(kept=timedelta(seconds=20), at_once=3)
"""A command here takes about a second of two processors, and the reads of one turn ask for the same things."""

_OPTIONS = ("command", "registry", "timezone")


class LoopxKind:
    """`kind = "loopx"`. Options: `command`, the program (`loopx`); `registry`, its registry (all of this machine's)."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    @property
    def kind(self) -> str:
        return "loopx"

    @property
    def views(self) -> frozenset[View]:
        return VIEWS

    def build(
        self, source: SourceId, options: Mapping[str, Json], env: Mapping[str, str]
    ) -> LoopxSource:
        """The source; whether LoopX is there shows when it is read. Its times all have an offset, so no zone is used."""
        known_options(source, options, _OPTIONS, "loopx")
        program = text_option(source, options, "command") or "loopx"
        if "/" in program:
            absolute(source, "command", program)
        registry = text_option(source, options, "registry") or GLOBAL_REGISTRY
        return LoopxSource(source, LocalCommand(program, registry, env), self._clock, PACE)
