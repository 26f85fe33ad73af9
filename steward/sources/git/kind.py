"""Builds a git source from its configuration."""

import os
import re
from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from steward.errors import SettingsError
from steward.model.ids import GoalId, SourceId
from steward.model.json import Json
from steward.model.reading import Row, RowStatus, View
from steward.ports.world import Clock
from steward.reading.text import clean, is_clean
from steward.sources.git.command import Git
from steward.sources.git.source import VIEWS, GitSource, Place

_ID_LIMIT = 128
_LINK = re.compile(r"https?://[^\s{}]+\{commit\}[^\s{}]*", re.ASCII)
_REF = re.compile(r"[^\s\0-][^\s\0]*")


class GitOptions(BaseModel):
    """What a `[source.ID]` of this kind may say beyond what every source says."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    path: str = Field(min_length=1)
    ref: str | None = None
    all: bool = False
    goal: str | None = None
    goal_title: str | None = None
    aliases: list[str] = []
    trust_owner: bool = False
    link: str | None = None
    timezone: str | None = None


_MUST = {
    "path": "must name the repository: a working tree, a bare repository or a mirror",
    "ref": 'must be one branch, tag or commit such as "origin/main"; leave it out for HEAD, or with all = true',
    "all": "must be true or false: whether every branch is read instead of one",
    "goal": "must be an id of visible characters, at most 128",
    "goal_title": "must be a line of text",
    "aliases": "must be a list of names",
    "trust_owner": "must be true or false: whether another user's repository may be read at this path",
    "link": 'must be an http(s) address with {commit} in it, such as "https://example.com/r/commit/{commit}"',
    "timezone": "must be a text; times in git have zones of their own",
}
_UNKNOWN = (
    f"unknown option; a git source has {', '.join(name for name in _MUST if name != 'timezone')}"
)


class GitKind:
    """`kind = "git"`. One repository is one goal; see GitOptions."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    @property
    def kind(self) -> str:
        return "git"

    @property
    def views(self) -> frozenset[View]:
        return VIEWS

    def build(
        self, source: SourceId, options: Mapping[str, Json], env: Mapping[str, str]
    ) -> GitSource:
        """The source; whether the repository can be read shows when it is. `env`: where its PATH is taken from."""
        found = _checked(source, options)
        path = os.path.realpath(found.path) if found.trust_owner else found.path
        return GitSource(
            Git(path, env, trusted=found.trust_owner),
            Place(path, found.ref, found.all),
            _goal(source, found),
            found.link,
            self._clock,
        )


def _checked(source: SourceId, options: Mapping[str, Json]) -> GitOptions:
    try:
        found = GitOptions.model_validate(dict(options))
    except ValidationError as error:
        name = str(error.errors(include_input=False)[0]["loc"][0])
        raise SettingsError(f"source.{source}.{name}", _MUST.get(name, _UNKNOWN)) from None
    for name, sound in (
        ("path", "\0" not in found.path),
        ("ref", found.ref is None or (not found.all and _REF.fullmatch(found.ref))),
        ("goal", found.goal is None or (is_clean(found.goal) and len(found.goal) <= _ID_LIMIT)),
        ("goal_title", found.goal_title is None or clean(found.goal_title)),
        ("link", found.link is None or _LINK.fullmatch(found.link)),
    ):
        if not sound:
            raise SettingsError(f"source.{source}.{name}", _MUST[name])
    return found


def _goal(source: SourceId, found: GitOptions) -> Row:
    goal = GoalId(found.goal or source)
    return Row(
        view=View.PORTFOLIO,
        source=source,
        goal=goal,
        id=goal,
        title=clean(found.goal_title or goal),
        status=RowStatus.ACTIVE,
        aliases=tuple(filter(None, map(clean, found.aliases))),
    )
