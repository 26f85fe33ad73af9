"""Builds an ssh source from its configuration."""

import re
from collections.abc import Mapping
from datetime import timedelta

from steward.errors import SettingsError
from steward.model.ids import SourceId
from steward.model.json import Json
from steward.model.reading import View
from steward.ports.world import Clock
from steward.sources.loopx.asking import Pace
from steward.sources.loopx.source import VIEWS, LoopxSource
from steward.sources.options import absolute, known_options, text_option
from steward.sources.ssh.command import REMOTE_PROGRAM, SshCommand

PACE = Pace(kept=timedelta(seconds=600), at_once=3)
"""R13's ten minutes; few connections at once, which a host takes without asking some to wait."""

_OPTIONS = ("host", "config", "known_hosts", "command", "timezone")
_HOST = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.@-]{0,254}")


class SshKind:
    """`kind = "ssh"`.

    Options: `host`; `config`, an ssh configuration file in place of the user's own; `known_hosts`, a file of verified
    host keys; `command`, the remote program with its registry.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    @property
    def kind(self) -> str:
        return "ssh"

    @property
    def views(self) -> frozenset[View]:
        return VIEWS

    def build(
        self, source: SourceId, options: Mapping[str, Json], env: Mapping[str, str]
    ) -> LoopxSource:
        """The source; whether the host answers shows when it is read."""
        known_options(source, options, _OPTIONS, "ssh")
        host = text_option(source, options, "host")
        if host is None or not _HOST.fullmatch(host):
            raise SettingsError(
                f"source.{source}.host",
                "must be a host's name, or an alias of the ssh configuration",
            )
        carrier = SshCommand(
            host,
            env,
            config=_path(source, options, "config"),
            known_hosts=_path(source, options, "known_hosts"),
            program=text_option(source, options, "command") or REMOTE_PROGRAM,
        )
        return LoopxSource(source, carrier, self._clock, PACE)


def _path(source: SourceId, options: Mapping[str, Json], name: str) -> str | None:
    """A file's path; ssh gives some characters a meaning of its own. Raises SettingsError."""
    path = text_option(source, options, name)
    if path is not None and set(path) & set('"%$'):
        raise SettingsError(f"source.{source}.{name}", 'must be a path without ", % and $')
    return None if path is None else absolute(source, name, path)
