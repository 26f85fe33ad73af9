"""`steward sources check ID`: one source read once, as the gate reads it, and what a configuration may want to mend.

It shows ten rows as they are understood, each value without a mapping, each key that nothing reads, each failure with
what it costs and the next step, and how fresh the evidence is. Without `--as` it shows all of the source: whoever may
run this reads the evidence itself.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta, tzinfo
from itertools import chain, islice, zip_longest
from pathlib import Path

from bot.cli.audiences import parse_audience
from bot.cli.process import DONE, FAILED, configured, err, out, print_json, run_loop
from bot.cli.read import COLUMNS, PATIENCE, kept_nowhere
from bot.cli.stored import granted_store
from bot.kinds import SourceFault, build_sources
from bot.parts import World, build_scopes
from bot.settings import Settings
from steward.control.gate import Gate
from steward.control.registry import ConfiguredSource, Sources
from steward.errors import SettingsError
from steward.model.audience import Scope, ScopeEntry
from steward.model.ids import GoalId, SourceId
from steward.model.json import Json
from steward.model.reading import (
    Cited,
    CoverageStatus,
    Freshness,
    PairCoverage,
    ReadFailure,
    RowStatus,
    Scan,
    ScanQuery,
    View,
)
from steward.ports.source import Overlooking
from steward.reading.failures import effect, failure_row, sentence
from steward.reading.pages import row_json
from steward.reading.schema import CONTEXT_TOOL
from steward.world import RandomTokens, SystemClock

SHOWN = 10
"""Rows that are printed: enough to see whether columns mean what they should."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What one look at a source found. `ignored`: keys that nothing reads, with their goal."""

    entry: ConfiguredSource
    kind: str
    health: PairCoverage
    scans: Mapping[View, Scan]
    ignored: Sequence[tuple[GoalId, str]]

    @property
    def freshness(self) -> Freshness:
        """Whether there is evidence, and whether it is of now."""
        if self.health.failure is not None or not self._read:
            return Freshness.UNREAD
        stale = self.health.status is CoverageStatus.STALE
        return Freshness.STALE if stale else Freshness.CURRENT

    @property
    def failures(self) -> Sequence[ReadFailure]:
        """Each once, those that concern the whole source first."""
        met = [*([self.health.failure] if self.health.failure else [])]
        met += [failure for scan in self.scans.values() for failure in scan.failures]
        return sorted(dict.fromkeys(met), key=lambda one: one.goal is not None)

    @property
    def rows(self) -> Sequence[Cited]:
        """Mapped rows, of every view in turn."""
        mapped = [
            [one for one in scan.rows if one.row.status is not RowStatus.UNKNOWN]
            for scan in self.scans.values()
        ]
        turns = chain.from_iterable(zip_longest(*mapped))
        return list(islice((one for one in turns if one is not None), SHOWN))

    @property
    def unmapped(self) -> Mapping[tuple[View, str], int]:
        """Each status as it is written there that has no meaning here, and in how many rows."""
        return Counter(
            (one.row.view, one.row.raw_status or "")
            for scan in self.scans.values()
            for one in scan.rows
            if one.row.status is RowStatus.UNKNOWN
        )

    @property
    def _read(self) -> bool:
        return any(scan.as_of is not None or scan.rows for scan in self.scans.values())


def run(source_id: str, audience: str | None, config: Path | None, *, as_json: bool) -> int:
    """Print the report; FAILED where any of the source could not be read."""
    return run_loop(lambda: _check(SourceId(source_id), audience, config, as_json=as_json))


async def _check(
    source_id: SourceId, audience: str | None, config: Path | None, *, as_json: bool
) -> int:
    settings = configured(config)
    world = World(SystemClock(), RandomTokens())
    sources, faults = build_sources(settings, world.clock)
    try:
        _known(source_id, settings, faults)
        found = await _checked(source_id, audience, settings, world, sources)
    finally:
        await sources.aclose()
    zone = settings.display.timezone
    if as_json:
        print_json(_document(found, audience, zone))
    else:
        _print(found, zone)
    return FAILED if found.failures else DONE


def _known(source_id: SourceId, settings: Settings, faults: Sequence[SourceFault]) -> None:
    """Raise SettingsError where there is no such source, or where it cannot be built."""
    for fault in faults:
        if fault.source == source_id:
            raise fault.error
    for problem in settings.faults:
        if problem.key.startswith(f"source.{source_id}."):
            raise SettingsError(problem.key, problem.repair)
    if source_id not in settings.sources:
        known = ", ".join(settings.sources) or "none"
        raise SettingsError("ID", f"must be a configured source: {known}")


async def _checked(
    source_id: SourceId, audience: str | None, settings: Settings, world: World, sources: Sources
) -> Checked:
    entry = sources.of(source_id)
    scope = await _scope(source_id, audience, settings, world)
    if source_id not in scope.sources:
        raise SettingsError("--as", "this audience holds no grant for the source")

    async def same() -> Scope:
        return scope

    gate = Gate(
        tool=CONTEXT_TOOL,
        sources=sources,
        scope=same,
        keep=kept_nowhere,
        clock=world.clock,
        tokens=world.tokens,
        zone=settings.display.timezone,
        max_page_chars=0,
        deadline=world.clock.now() + PATIENCE,
    )
    probed = await gate.scan(ScanQuery(View.SOURCES, source=source_id))
    views = [view for view in View if entry.source is not None and view in entry.source.views]
    scans = {
        view: await gate.scan(ScanQuery(view, source=source_id, include_stopped=True))
        for view in views
    }
    return Checked(
        entry=entry,
        kind=settings.sources[source_id].kind,
        health=probed.coverage.pairs[0],
        scans=scans,
        ignored=await _ignored(entry, scope, world),
    )


async def _scope(
    source_id: SourceId, audience: str | None, settings: Settings, world: World
) -> Scope:
    if audience is None:
        return Scope((source_id,), (ScopeEntry(frozenset([source_id]), None),), "command-line")
    async with granted_store(settings) as store:
        found = await build_scopes(settings, store).of(parse_audience(audience))
    return Scope((), (), "none") if isinstance(found, ReadFailure) else found


async def _ignored(
    entry: ConfiguredSource, scope: Scope, world: World
) -> Sequence[tuple[GoalId, str]]:
    source: object = entry.source
    if not isinstance(source, Overlooking):
        return ()
    found = await source.ignored(world.clock.now() + timedelta(seconds=10))
    if isinstance(found, ReadFailure):
        return ()
    return [(goal, key) for goal, key in found if scope.allows(entry.id, goal)]


def _document(found: Checked, audience: str | None, zone: tzinfo) -> Mapping[str, Json]:
    as_of = found.health.as_of
    return {
        "source_id": found.entry.id,
        "title": found.entry.title,
        "kind": found.kind,
        "audience": audience,
        "health": found.freshness.value,
        "as_of": as_of.astimezone(zone).isoformat(timespec="seconds") if as_of else None,
        "max_age_seconds": found.entry.max_age.total_seconds(),
        "views": {
            view.value: {"matched": len(scan.rows), "counts": dict(scan.counts)}
            for view, scan in found.scans.items()
        },
        "rows": [{"view": one.row.view.value, **_fields(one, zone)} for one in found.rows],
        "unmapped": [
            {"view": view.value, "value": value, "rows": count}
            for (view, value), count in found.unmapped.items()
        ],
        "ignored": [{"goal_id": goal, "key": key} for goal, key in found.ignored],
        "failures": [
            {**failure_row(failure), "error": sentence(failure)} for failure in found.failures
        ],
    }


def _fields(one: Cited, zone: tzinfo) -> Mapping[str, Json]:
    """The row as an endpoint gets it; a citation id means nothing outside of a turn."""
    fields = dict(row_json(one, frozenset(), zone))
    del fields["cite"]
    return fields


def _print(found: Checked, zone: tzinfo) -> None:
    as_of = found.health.as_of
    dated = f", as of {as_of.astimezone(zone).isoformat(' ', 'minutes')}" if as_of else ""
    style = {Freshness.CURRENT: "green", Freshness.STALE: "yellow", Freshness.UNREAD: "bold red"}
    out.print(found.freshness.value, style=style[found.freshness], end="  ")
    out.print(f"{found.entry.title} ({found.kind}){dated}", markup=False)
    for line in _lines(found, zone):
        out.print(line, markup=False)
    for failure in found.failures:
        where = "" if failure.goal is None else f"{failure.goal}: "
        err.print(f"failure: {where}{sentence(failure)}", markup=False)
        err.print(f"         {effect(failure)}", markup=False)


def _lines(found: Checked, zone: tzinfo) -> Iterator[str]:
    for view, scan in found.scans.items():
        tallies = ", ".join(f"{count} {name}" for name, count in scan.counts.items())
        yield f"{view.value}: {len(scan.rows)} rows" + (
            f" ({tallies})" if tallies and view is not View.DELIVERIES else ""
        )
    for one in found.rows:
        fields = _fields(one, zone)
        cells = [str(fields[name]) for name in COLUMNS[1:] if name in fields]
        yield f"  {one.row.view.value}  " + "  ".join(cells)
    for (view, value), count in found.unmapped.items():
        yield f'no mapping: {view.value} with status "{value}", {count} rows'
    for goal, key in found.ignored:
        yield f"not read: key {key} of {goal}"
