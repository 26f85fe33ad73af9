"""Reads the configuration whole: gather, fill secrets from files, validate, judge. Problems are collected.

An error in a source, grant, person, sprint or digest disables that entry and becomes a fault; any other stops the
start. Every one names its key as it was written, dotted or as a variable, and what to do.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from bot.settings.gather import Gathered, gather
from bot.settings.problems import KeyPath, explain, problem
from bot.settings.rules import (
    digest_faults,
    grant_faults,
    person_faults,
    problems_of,
    sprint_faults,
)
from bot.settings.tables import (
    ENTRIES,
    Access,
    Digest,
    Display,
    Endpoint,
    Fixed,
    GrantEntry,
    Lark,
    Limits,
    Owner,
    Person,
    Server,
    Source,
    Sprint,
    Store,
    table_of,
)
from bot.settings.values import ENTRY_ID
from steward.errors import ConfigurationError, SettingsError
from steward.model.audience import Grant, GrantOrigin
from steward.model.ids import GoalId, OpenId, SourceId
from steward.reading.text import clean

ModelT = TypeVar("ModelT", bound=BaseModel)
_OWNER = "owner"
_UNUSABLE = "(an unusable entry)"
"""The name of what a faulty entry of the owner's leaves; no entry can have it."""

_EVERY_GOAL = "*"


@dataclass(frozen=True, slots=True)
class Fault:
    """An entry that was disabled: its key, and the repair."""

    key: str
    repair: str


@dataclass(frozen=True, slots=True)
class Settings:
    """The configuration in force. Paths are absolute; secrets never print.

    `unusable` are configured sources whose entry has a fault: they stay in grants and are shown as not read.
    `file` None: defaults and variables alone. `inherited` is what a child process may be given of our
    environment; no variable with our prefix is in it. `credentials` are names of variables that look like another
    system's credential.
    """

    server: Server
    limits: Limits
    lark: Lark
    owner: Owner
    access: Access
    store: Store
    endpoint: Endpoint
    display: Display
    sources: Mapping[SourceId, Source]
    unusable: tuple[SourceId, ...]
    grants: tuple[Grant, ...]
    people: Mapping[str, Person]
    sprints: Mapping[str, Sprint]
    digests: Mapping[str, Digest]
    faults: tuple[Fault, ...]
    file: Path | None
    folder: Path
    inherited: Mapping[str, str] = field(repr=False)
    credentials: tuple[str, ...]

    @property
    def names(self) -> Mapping[OpenId, tuple[str, ...]]:
        """How evidence names each person, by the one id that tells who somebody is."""
        return {OpenId(who.open_id): who.names for who in self.people.values()}


def load(path: Path | None = None, env: Mapping[str, str] | None = None) -> Settings:
    """Read `path` (else the file that STEWARD_CONFIG names, else none) and the variables of `env`.

    `env` None is the process's own environment. Raises ConfigurationError with every problem that was found.
    """
    found = gather(path, env)
    fixed = _fixed(found)
    sources, source_faults = _entries(found, "source", Source)
    grants, faults_of_grants = _entries(found, "grant", GrantEntry)
    people, faults_of_people = _entries(found, "person", Person)
    sprints, faults_of_sprints = _entries(found, "sprint", Sprint)
    digests, faults_of_digests = _entries(found, "digest", Digest)
    unusable = [name for name in _ids(found, "source") if name not in sources]
    ungranted = tuple(grant_faults(grants, {*sources, *unusable}))
    doubled = tuple(person_faults(people))
    reversed_sprints = tuple(sprint_faults(sprints))
    return Settings(
        server=fixed.server,
        limits=fixed.limits,
        lark=fixed.lark,
        owner=fixed.owner,
        access=fixed.access,
        store=fixed.store,
        endpoint=fixed.endpoint,
        display=fixed.display,
        sources={SourceId(name): _titled(name, source) for name, source in sources.items()},
        unusable=tuple(map(SourceId, unusable)),
        grants=_grants(found, _without(grants, ungranted)),
        people=_without(people, doubled),
        sprints=_without(sprints, reversed_sprints),
        digests=digests,
        faults=tuple(
            Fault(fault.key, fault.repair)
            for fault in (
                *source_faults,
                *faults_of_grants,
                *ungranted,
                *faults_of_people,
                *doubled,
                *faults_of_sprints,
                *reversed_sprints,
                *faults_of_digests,
                *digest_faults(digests),
            )
        ),
        file=found.file,
        folder=found.folder,
        inherited=found.inherited,
        credentials=found.credentials,
    )


def _fixed(found: Gathered) -> Fixed:
    problems = [
        problem((name,), "must hold one table for each id", found.variables)
        for name in ENTRIES
        if not isinstance(found.tables.get(name, {}), Mapping)
    ]
    tables: dict[str, object] = {name: {} for name in Fixed.model_fields}
    for name, given in found.tables.items():
        if name not in ENTRIES:
            tables[name], failed = _with_secrets(found, name, given)
            problems += failed
    try:
        fixed = Fixed.model_validate(tables, context=found.folder)
    except ValidationError as error:
        problems += explain(error, Fixed, (), found.variables)
        raise ConfigurationError(tuple(problems)) from None
    problems += problems_of(fixed)
    if problems:
        raise ConfigurationError(tuple(problems))
    return fixed


def _with_secrets(
    found: Gathered, name: str, given: object
) -> tuple[object, tuple[SettingsError, ...]]:
    """A table in which what its `*_file` keys name stands under the keys themselves."""
    table = table_of(Fixed.model_fields[name]) if name in Fixed.model_fields else None
    if table is None or not isinstance(given, Mapping):
        return given, ()
    filled: dict[str, object] = dict(given)
    problems = []
    for key in table.model_fields:
        source = given.get(f"{key}_file")
        if not isinstance(source, str):
            continue
        if key in given:
            at: KeyPath = (name, key)
            problems.append(
                problem(at, f"is given twice: keep it or {name}.{key}_file", found.variables)
            )
            continue
        try:
            filled[key] = (found.folder / source).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError):
            problems.append(
                problem((name, f"{key}_file"), "names a file that cannot be read", found.variables)
            )
    return filled, tuple(problems)


def _ids(found: Gathered, table: str) -> tuple[str, ...]:
    given = found.tables.get(table, {})
    names = map(str, given) if isinstance(given, Mapping) else ()
    return tuple(name for name in names if ENTRY_ID.fullmatch(name))


def _entries(
    found: Gathered, table: str, model: type[ModelT]
) -> tuple[dict[str, ModelT], tuple[SettingsError, ...]]:
    """The entries that are well, in the order of the file, and the faults of those that are not."""
    entries: dict[str, ModelT] = {}
    faults: list[SettingsError] = []
    given = found.tables.get(table, {})
    for name, entry in given.items() if isinstance(given, Mapping) else ():
        if not ENTRY_ID.fullmatch(name):
            repair = "the id must be 1 to 40 of a-z, 0-9, _ and -"
            faults.append(problem((table, name), repair, found.variables))
            continue
        try:
            entries[name] = model.model_validate(entry, context=found.folder)
        except ValidationError as error:
            faults += explain(error, model, (table, name), found.variables)
    return entries, tuple(faults)


def _without(entries: Mapping[str, ModelT], faults: Iterable[SettingsError]) -> dict[str, ModelT]:
    """The entries that no fault names; such a fault's key is TABLE.ID."""
    faulty = {fault.key.split(".")[1] for fault in faults}
    return {name: entry for name, entry in entries.items() if name not in faulty}


def _titled(name: str, source: Source) -> Source:
    return source.model_copy(update={"title": clean(source.title) or name})


def _grants(found: Gathered, entries: Mapping[str, GrantEntry]) -> tuple[Grant, ...]:
    """The grants that are well. A faulty one of the owner's grants nothing and stands.

    Without any the owner reads everything: a slip in what narrows that must not open it.
    """
    given = found.tables.get("grant", {})
    faulty = [
        entry
        for name, entry in (given.items() if isinstance(given, Mapping) else ())
        if name not in entries
    ]
    narrows = any(isinstance(one, Mapping) and one.get("audience") == _OWNER for one in faulty)
    shut = Grant(_UNUSABLE, _OWNER, (), None, GrantOrigin.CONFIG)
    well = tuple(_grant(name, entry) for name, entry in entries.items())
    return (*well, shut) if narrows else well


def _grant(name: str, entry: GrantEntry) -> Grant:
    return Grant(
        name=name,
        audience=entry.audience,
        sources=tuple(map(SourceId, entry.sources)),
        goals=None if _EVERY_GOAL in entry.goals else tuple(map(GoalId, entry.goals)),
        origin=GrantOrigin.CONFIG,
    )
