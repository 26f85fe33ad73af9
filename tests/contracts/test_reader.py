"""What every Reader does for an endpoint: the gate over each kind of source, under both tool names."""

import json
import os
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from steward.control.gate import Gate
from steward.control.registry import ConfiguredSource, Sources
from steward.model.audience import Scope
from steward.model.json import Json
from steward.model.reading import (
    ReadFailure,
    Reading,
    RowStatus,
    ScanQuery,
    SourceCode,
    ToolCall,
    View,
)
from steward.model.turn import Written
from steward.ports.endpoint import Reader
from steward.ports.source import Source
from steward.reading.schema import CONTEXT_TOOL, MANAGER_TOOL
from steward.sources.folder.source import FolderSource
from steward.testing.source import ScriptedSource
from steward.testing.world import CountedTokens, FakeClock
from tests.steward.evidence import PLANS, TRACKER, goal, scope, snapshot, todo

SHANGHAI = ZoneInfo("Asia/Shanghai")


def scripted(clock: FakeClock, _path: Path) -> Source:
    rows = [goal(), *[todo(number) for number in range(20)]]
    return ScriptedSource(PLANS, [snapshot(*rows)], clock=clock)


def folder(clock: FakeClock, path: Path) -> Source:
    todos = [{"id": f"t{number}", "title": f"Todo {number}"} for number in range(20)]
    file = path / "payments.yaml"
    file.write_text(
        f"goal: {{id: payments, title: Payments}}\ntodos: {json.dumps(todos)}\n", encoding="utf-8"
    )
    at = clock.now().timestamp() - 60
    os.utime(file, (at, at))
    return FolderSource(PLANS, str(path), SHANGHAI, clock)


@pytest.fixture(params=[MANAGER_TOOL, CONTEXT_TOOL])
def tool(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(params=[scripted, folder])
async def reader(
    request: pytest.FixtureRequest, tool: str, clock: FakeClock, tmp_path: Path
) -> AsyncIterator[Reader]:
    """A reader over one sound source and one that is down."""
    down = ScriptedSource(TRACKER, [ReadFailure(SourceCode.FORBIDDEN, TRACKER)], clock=clock)
    sources = Sources(
        [
            ConfiguredSource(PLANS, "Plans", request.param(clock, tmp_path)),
            ConfiguredSource(TRACKER, "Tracker", down),
        ]
    )

    async def allowed() -> Scope | ReadFailure:
        return scope(PLANS, TRACKER)

    async def keep(_reading: Reading) -> Written:
        return Written.DONE

    yield Gate(
        tool=tool,
        sources=sources,
        scope=allowed,
        keep=keep,
        clock=clock,
        tokens=CountedTokens(),
        zone=SHANGHAI,
        max_page_chars=8000,
        deadline=clock.now() + timedelta(seconds=30),
    )
    await sources.aclose()


async def test_a_call_and_a_scan_agree_on_rows_counts_and_citations(
    reader: Reader, tool: str
) -> None:
    seen: list[str] = []
    offset: Json = 0
    while offset is not None:
        arguments: dict[str, Json] = {"view": "todos", "offset": offset}
        result = await reader.call(ToolCall(tool, "call", arguments))
        shown = json.loads(result.text)
        assert result.ok
        assert list(result.citations) == [row["cite"] for row in shown["rows"]]
        assert shown["counts"] == {"open": 20}
        seen += result.citations
        offset = shown["next_offset"]

    scan = await reader.scan(ScanQuery(View.TODOS))

    assert [cited.citation for cited in scan.rows] == seen
    assert {cited.row.status for cited in scan.rows} == {RowStatus.OPEN}
    assert (len(scan.rows), scan.counts) == (20, {"open": 20})


@pytest.mark.requirement("R8", "R9", "W1")
async def test_what_could_not_be_read_is_told_both_ways(reader: Reader, tool: str) -> None:
    shown = json.loads((await reader.call(ToolCall(tool, "call", {"view": "todos"}))).text)
    scan = await reader.scan(ScanQuery(View.TODOS))

    assert [(row["source_id"], row["code"]) for row in shown["failures"]] == [
        ("tracker", "forbidden")
    ]
    assert scan.failures == (ReadFailure(SourceCode.FORBIDDEN, TRACKER),)
    assert shown["unknown_reasons"] == list(scan.unknown_reasons) == ["forbidden"]
    assert shown["coverage"]["complete"] is scan.coverage.complete is False
    assert (scan.coverage.read, scan.coverage.unreadable) == (1, 1)


@pytest.mark.requirement("R4")
@pytest.mark.parametrize(
    "arguments",
    [
        b"not json",
        [],
        {"view": "nothing"},
        {"view": "todos", "source_id": "nowhere"},
        {"view": "todos", "source_id": "tracker"},
        {"view": "todos", "goal_id": "nowhere", "source_id": "plans"},
    ],
)
async def test_every_refusal_has_one_form(
    reader: Reader, tool: str, arguments: "Json | bytes"
) -> None:
    result = await reader.call(ToolCall(tool, "call", arguments))
    refused = json.loads(result.text)
    failure = refused["read_failure"]

    assert (result.ok, result.citations, refused["ok"]) == (False, (), False)
    assert set(failure) == {
        "schema_version",
        "code",
        "source_id",
        "coverage_effect",
        "next_action",
    }
    assert refused["code"] == failure["code"]
    assert refused["error"].endswith(failure["next_action"])
    assert "rows" not in refused


async def test_the_list_of_sources_names_each_and_holds_nothing_to_cite(
    reader: Reader, tool: str
) -> None:
    result = await reader.call(ToolCall(tool, "call", {"view": "sources"}))

    assert [(row["source_id"], row["status"]) for row in json.loads(result.text)["rows"]] == [
        ("plans", "available"),
        ("tracker", "unreadable"),
    ]
    assert result.citations == ()
