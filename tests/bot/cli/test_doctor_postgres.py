"""What `steward doctor` says of a PostgreSQL server, and of the way to it. Contracts D1, D5, D7."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from urllib.parse import quote

import pytest
from typer.testing import CliRunner

from bot.cli.commands import app
from bot.cli.doctor import server_findings
from bot.cli.findings import Grade
from steward.model.ids import WorkerId
from steward.store import Server, open_store, server_of
from steward.store.connect import POSTGRES_SESSION
from steward.testing.world import FakeClock
from steward.world import SystemClock
from tests.postgres import running_postgres

SOUND = Server(
    "15.1",
    timedelta(),
    2,
    {**POSTGRES_SESSION, "fsync": "on", "full_page_writes": "on", "server_encoding": "UTF8"},
)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with running_postgres() as url:
        yield url


def graded(of: Server) -> dict[str, Grade]:
    findings = server_findings(of)
    assert all(one.repair for one in findings if one.grade is not Grade.OK)
    return {one.check: one.grade for one in findings}


def test_a_sound_server_is_one_line() -> None:
    (line,) = server_findings(SOUND)
    assert line.grade is Grade.OK
    assert line.found == "version 15.1, served by 2 processes now, clocks 0.0 s apart"


@pytest.mark.requirement("D7")
@pytest.mark.parametrize("seconds", [1.5, -1.5])
def test_clocks_that_are_apart_are_a_warning(seconds: float) -> None:
    assert graded(replace(SOUND, ahead=timedelta(seconds=seconds / 2))) == {"postgresql": Grade.OK}
    assert graded(replace(SOUND, ahead=timedelta(seconds=seconds))) == {
        "postgresql": Grade.OK,
        "postgresql: clock": Grade.WARN,
    }


def test_an_encoding_that_holds_no_chinese_is_a_failure() -> None:
    other = replace(SOUND, settings={**SOUND.settings, "server_encoding": "LATIN1"})
    assert graded(other)["postgresql: encoding"] is Grade.FAIL


@pytest.mark.needs("postgres")
async def test_the_server_itself_is_asked(server: str) -> None:
    """The tests' own server has fsync off, and tells so."""
    clock = SystemClock()
    async with await open_store(server, clock) as store, store.peers.joined(WorkerId("one")):
        asked = await server_of(server, clock)
    assert asked is not None
    assert asked.processes == 1
    assert abs(asked.ahead) < timedelta(seconds=1)
    assert graded(asked) == {"postgresql": Grade.OK, "postgresql: durability": Grade.WARN}
    late = await server_of(server, FakeClock(clock.now() - timedelta(minutes=1)))
    assert late is not None
    assert late.ahead > timedelta(seconds=50)


@pytest.mark.needs("postgres")
async def test_a_session_that_has_other_limits_than_it_asked_for_is_found(server: str) -> None:
    asked = await server_of(f"{server}?options={quote('-c lock_timeout=1s')}", SystemClock())
    assert asked is not None
    assert asked.unasked == ("lock_timeout",)
    assert graded(asked)["postgresql: session"] is Grade.WARN


@pytest.mark.needs("postgres")
def test_doctor_shows_the_server_and_changes_nothing(server: str, tmp_path: Path) -> None:
    file = tmp_path / "steward.toml"
    file.write_text(f'[store]\nurl = "{server}"\n', encoding="utf-8")
    result = CliRunner().invoke(app, ["doctor", "--json", "--config", str(file)])
    findings = {one["check"]: one for one in json.loads(result.output)}
    assert findings["postgresql"]["grade"] == "ok"
    assert findings["store"]["grade"] == "ok"
    file.write_text('[store]\nurl = "postgresql://nobody@127.0.0.1:1/none"\n', encoding="utf-8")
    away = CliRunner().invoke(app, ["doctor", "--json", "--config", str(file)])
    findings = {one["check"]: one for one in json.loads(away.output)}
    assert findings["store"]["grade"] == "fail"
    assert "postgresql" not in findings
