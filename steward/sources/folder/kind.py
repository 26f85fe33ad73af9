"""Builds a folder source from its configuration."""

import threading
from collections.abc import Mapping
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from steward.errors import SettingsError
from steward.model.ids import SourceId
from steward.model.json import Json
from steward.model.reading import View
from steward.ports.world import Clock
from steward.sources.folder.source import VIEWS, FolderSource

_OPTIONS = ("path", "timezone")

_AT_ONCE = 2
"""So many folders are parsed at a time: each takes a processor."""


class FolderKind:
    """`kind = "folder"`. Options: `path`, and `timezone` for naive times in its files (UTC where it is left out)."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._parsing = threading.BoundedSemaphore(_AT_ONCE)

    @property
    def kind(self) -> str:
        return "folder"

    @property
    def views(self) -> frozenset[View]:
        return VIEWS

    def build(
        self, source: SourceId, options: Mapping[str, Json], env: Mapping[str, str]
    ) -> FolderSource:
        """The source; whether the folder can be read shows when it is. A folder needs nothing of `env`."""
        del env
        for name in options:
            if name not in _OPTIONS:
                raise SettingsError(
                    f"source.{source}.{name}", f"unknown option; a folder has {', '.join(_OPTIONS)}"
                )
        path = options.get("path")
        if not isinstance(path, str) or not path or "\0" in path:
            raise SettingsError(f"source.{source}.path", "must name the folder of evidence files")
        zone = _zone(source, options.get("timezone"))
        return FolderSource(source, path, zone, self._clock, parsing=self._parsing)


def _zone(source: SourceId, name: Json) -> ZoneInfo:
    try:
        return ZoneInfo(name) if isinstance(name, str) else _utc_if_absent(name)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise SettingsError(
            f"source.{source}.timezone", 'must be an IANA zone such as "Asia/Shanghai"'
        ) from error


def _utc_if_absent(name: Json) -> ZoneInfo:
    if name is not None:
        raise ValueError
    return ZoneInfo("UTC")
