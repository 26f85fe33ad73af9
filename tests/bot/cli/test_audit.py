"""`steward audit`: the newest acts first, in the reader's time, and no control character of anybody's. A4."""

import asyncio
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from bot.cli.commands import app
from steward.model.audit import OPERATOR, AuditAct, AuditRow
from steward.model.ids import ChatId
from steward.store import open_store
from steward.testing.world import FakeClock

ROWS = (
    AuditRow(AuditAct.GRANTED, OPERATOR, audience="members", subject="sha256:1"),
    AuditRow(AuditAct.REFUSED, "ou_x\x1b[2J", chat=ChatId("oc_1"), reason="unknown_button"),
    AuditRow(AuditAct.REVOKED, OPERATOR, audience="members", subject="sha256:2"),
)


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "steward.toml"
    file.write_text('[store]\nurl = "sqlite:///steward.db"\n', encoding="utf-8")
    return file


def fill(config: Path) -> None:
    async def write() -> None:
        url = f"sqlite:///{config.parent / 'steward.db'}"
        async with await open_store(url, FakeClock()) as store:
            for row in ROWS:
                await store.audit.note(row)

    asyncio.run(write())


def steward(config: Path, *arguments: str) -> Result:
    result = CliRunner().invoke(app, ["audit", *arguments, "--config", str(config)])
    assert result.exit_code == 0, result.output
    return result


def test_the_newest_acts_come_first_in_the_display_zone(config: Path) -> None:
    fill(config)
    lines = steward(config).output.splitlines()
    assert lines[0] == "2026-11-30 12:00:00+08:00  revoked  operator  members  sha256:2  -"
    assert [line.split("  ")[1] for line in lines] == ["revoked", "refused", "granted"]
    assert "\x1b" not in lines[1]
    assert lines[1].endswith("oc_1  -  unknown_button")


def test_a_program_reads_whole_rows_of_the_acts_it_names(config: Path) -> None:
    fill(config)
    found = json.loads(steward(config, "--json", "--act", "refused", "--act", "granted").output)
    assert [row["act"] for row in found["audit"]] == ["refused", "granted"]
    assert found["audit"][1]["at"] == "2026-11-30T12:00:00+08:00"
    assert set(found["audit"][0]) == {
        "id", "at", "act", "actor", "audience", "chat", "reason", "subject",
    }  # fmt: skip
    assert len(json.loads(steward(config, "--json", "--most", "1").output)["audit"]) == 1


def test_before_the_first_start_nothing_is_recorded_and_no_store_is_made(config: Path) -> None:
    assert steward(config).output == "nothing is recorded\n"
    assert not (config.parent / "steward.db").exists()


def test_an_act_that_there_is_not_is_wrong_usage(config: Path) -> None:
    result = CliRunner().invoke(app, ["audit", "--act", "nothing", "--config", str(config)])
    assert result.exit_code == 2
