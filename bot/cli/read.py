"""`steward read`: one call of the read tool, with an audience's grants, printed as an endpoint would get it."""

import json
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

from bot.cli.audiences import parse_audience
from bot.cli.process import DONE, FAILED, configured, err, out, run_loop
from bot.cli.stored import granted_store
from bot.kinds import build_sources
from bot.parts import World, build_scopes
from bot.settings import Settings
from steward.control.gate import Gate
from steward.model.audience import Audience, AudienceKind
from steward.model.json import Json
from steward.model.reading import Reading, ToolCall, ToolResult
from steward.model.turn import Written
from steward.reading.schema import CONTEXT_TOOL, MANAGER_TOOL
from steward.world import RandomTokens, SystemClock

PAGE_CHARS = 24_000
PATIENCE = timedelta(seconds=60)
COLUMNS = ("source_id", "goal_id", "id", "status", "title", "owner", "due", "at")


def run(arguments: Mapping[str, Json], audience: str, config: Path | None, *, as_json: bool) -> int:
    """Print the page, or the refusal with its repair; FAILED where nothing was read."""
    return run_loop(lambda: _read(arguments, audience, config, as_json=as_json))


async def _read(
    arguments: Mapping[str, Json], audience_text: str, config: Path | None, *, as_json: bool
) -> int:
    result = await _called(configured(config), parse_audience(audience_text), arguments)
    page = json.loads(result.text)
    if as_json:
        out.print_json(result.text)
    elif result.ok:
        _print_rows(page)
    else:
        err.print(page["error"], markup=False)
        for entry in page.get("rejected_arguments", ()):
            err.print(f"  {entry}", markup=False)
    return DONE if result.ok else FAILED


async def _called(
    settings: Settings, audience: Audience, arguments: Mapping[str, Json]
) -> ToolResult:
    world = World(SystemClock(), RandomTokens())
    sources, _ = build_sources(settings, world.clock)
    tool = MANAGER_TOOL if audience.kind is AudienceKind.OWNER_PRIVATE else CONTEXT_TOOL
    try:
        async with granted_store(settings) as store:
            scopes = build_scopes(settings, store)
            gate = Gate(
                tool=tool,
                sources=sources,
                scope=lambda: scopes.of(audience),
                keep=kept_nowhere,
                clock=world.clock,
                tokens=world.tokens,
                zone=settings.display.timezone,
                max_page_chars=PAGE_CHARS,
                deadline=world.clock.now() + PATIENCE,
            )
            return await gate.call(ToolCall(tool, "command-line", arguments))
    finally:
        await sources.aclose()


async def kept_nowhere(reading: Reading) -> Written:
    """A reading of the command line belongs to no turn."""
    return Written.DONE


def _print_rows(page: Mapping[str, Json]) -> None:
    """One line a row, its columns apart by two spaces: wide enough for a terminal, plain enough for a pipe."""
    for row in _objects(page["rows"]):
        cells = [str(row[name]) for name in COLUMNS if name in row]
        out.print("  ".join(cells), markup=False)
    out.print(
        f"rows {page['included']} of {page['matched']}, next offset {page['next_offset']}, "
        f"unknown {page['unknown']}",
        style="dim",
    )
    for failure in _objects(page["failures"]):
        effect, action = failure["coverage_effect"], failure["next_action"]
        err.print(f"{failure['source_id']}: {effect} {action}", markup=False)


def _objects(rows: Json) -> list[Mapping[str, Json]]:
    return [row for row in rows if isinstance(row, Mapping)] if isinstance(rows, list) else []
