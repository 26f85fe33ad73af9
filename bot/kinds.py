"""The registry of source kinds, and the sources that a configuration asks for.

Above: bot.app and the commands that read. A kind is imported where a source of it is configured, and nowhere else.
"""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass

from bot.settings import Settings
from steward.control.registry import ConfiguredSource, Sources
from steward.errors import SettingsError
from steward.model.ids import SourceId
from steward.model.json import Json
from steward.ports.source import SourceKind
from steward.ports.world import Clock

KINDS: Mapping[str, tuple[str, str]] = {
    "folder": ("steward.sources.folder", "FolderKind"),
    "git": ("steward.sources.git", "GitKind"),
    "loopx": ("steward.sources.loopx", "LoopxKind"),
    "ssh": ("steward.sources.ssh", "SshKind"),
}
"""The registry of source kinds: name → module and class, imported where a source of that kind is configured."""


def source_kind(name: str, clock: Clock) -> SourceKind | None:
    """A new kind of this name, or None: this version has none. One instance serves all sources of its kind."""
    found = KINDS.get(name)
    if found is None:
        return None
    module, attribute = found
    kind: SourceKind = getattr(importlib.import_module(module), attribute)(clock)
    return kind


@dataclass(frozen=True, slots=True)
class SourceFault:
    """A configured source that cannot be built: its id, and which key has to become what."""

    source: SourceId
    error: SettingsError


def build_sources(settings: Settings, clock: Clock) -> tuple[Sources, tuple[SourceFault, ...]]:
    """Every configured source, in the order of the file. One that cannot be built stays, as unreadable."""
    named = {entry.kind for entry in settings.sources.values()}
    kinds = {name: source_kind(name, clock) for name in named}
    built = [_source(settings, source_id, kinds) for source_id in settings.sources]
    unusable = [ConfiguredSource(source_id, source_id, None) for source_id in settings.unusable]
    faults = tuple(fault for _, fault in built if fault is not None)
    return Sources([*(source for source, _ in built), *unusable]), faults


def _source(
    settings: Settings, source_id: SourceId, kinds: Mapping[str, SourceKind | None]
) -> tuple[ConfiguredSource, SourceFault | None]:
    entry = settings.sources[source_id]
    kind = kinds[entry.kind]
    options: dict[str, Json] = {"timezone": str(settings.display.timezone)}
    try:
        if kind is None:
            raise SettingsError(
                f"source.{source_id}.kind", f"must be one of: {', '.join(sorted(KINDS))}"
            )
        source = kind.build(source_id, options | dict(entry.options), settings.inherited)
    except SettingsError as error:
        return (
            ConfiguredSource(source_id, entry.title, None, entry.max_age),
            SourceFault(source_id, error),
        )
    return ConfiguredSource(source_id, entry.title, source, entry.max_age), None
