"""`steward grants`: who may read what, a preview that writes nothing, and a change made once. A2, P8."""

import asyncio
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from bot.cli.commands import app
from bot.settings import load
from steward.model.audit import AuditAct, AuditRow
from steward.store import open_store
from steward.texts.approvals import CLOSED
from steward.world import SystemClock
from tests.bot.cli.running import shown, steward

CONFIG = """\
[store]
url = "sqlite:///steward.db"
[source.plans]
kind = "folder"
path = "evidence"
[source.tasks]
kind = "folder"
path = "tasks"
[grant.team]
audience = "group:oc_team"
sources = ["plans"]
goals = ["*"]
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    for name in ("evidence", "tasks"):
        (tmp_path / name).mkdir()
    file = tmp_path / "steward.toml"
    file.write_text(CONFIG, encoding="utf-8")
    return file


def changed(config: Path, *wanted: str) -> Any:
    plan = shown(config, "grants", "preview", *wanted)["plan_revision"]
    return shown(config, "grants", "apply", *wanted, "--plan", plan)


def serve_once(config: Path) -> None:
    """What a start does with the configuration's grants."""

    async def start() -> None:
        settings = load(config, {})
        url = settings.store.url.get_secret_value()
        async with await open_store(url, SystemClock()) as store:
            await store.grants.sync(settings.grants)

    asyncio.run(start())


def audited(config: Path) -> Sequence[AuditRow]:
    async def read() -> list[AuditRow]:
        settings = load(config, {})
        url = settings.store.url.get_secret_value()
        async with await open_store(url, SystemClock()) as store:
            return [entry.row for entry in await store.audit.recent(most=10)]

    return asyncio.run(read())


@pytest.mark.requirement("A2")
def test_looking_makes_no_store_and_names_what_waits_for_the_start(config: Path) -> None:
    assert shown(config, "grants", "list") == {"grants": [], "not_in_force": ["team"]}
    plan = shown(config, "grants", "preview", "members", "plans")
    assert (plan["before"], plan["writes_required"]) == ([], True)
    assert not (config.parent / "steward.db").exists()
    assert "has not started with it yet" in steward(config, "grants", "list").output


@pytest.mark.requirement("A2", "P8")
def test_a_grant_is_previewed_applied_and_read_back(config: Path) -> None:
    serve_once(config)
    done = changed(config, "group:oc_team", "tasks", "a,b")
    assert [(one["origin"], one["sources"], one["goals"]) for one in done["grants"]] == [
        ("owner", ["tasks"], ["a", "b"]),
        ("config", ["plans"], ["*"]),
    ]
    assert shown(config, "grants", "list")["grants"] == done["grants"]
    row = audited(config)[0]
    assert (row.act, row.actor, row.audience) == (AuditAct.GRANTED, "operator", "group:oc_team")
    assert "tasks (only the goals a, b)" in steward(config, "grants", "list").output


@pytest.mark.requirement("A2")
def test_a_revocation_outlives_the_next_start(config: Path) -> None:
    serve_once(config)
    assert changed(config, "group:oc_team", "--revoke")["grants"] == []
    serve_once(config)
    assert shown(config, "grants", "list") == {"grants": [], "not_in_force": ["team"]}
    assert "the owner took it back" in steward(config, "grants", "list").output
    assert audited(config)[0].act is AuditAct.REVOKED


@pytest.mark.requirement("P8")
def test_a_stale_plan_changes_nothing_and_ends_in_a_typed_failure(config: Path) -> None:
    plan = shown(config, "grants", "preview", "members", "plans")["plan_revision"]
    changed(config, "members", "tasks")
    failed = shown(config, "grants", "apply", "members", "plans", "--plan", plan, code=1)
    assert failed["code"] == "plan_changed"
    assert (
        failed["present_revision"]
        == shown(config, "grants", "preview", "members")["current_revision"]
    )
    assert [one["sources"] for one in shown(config, "grants", "list")["grants"]] == [["tasks"]]
    row = audited(config)[0]
    assert (row.act, row.reason) == (AuditAct.REFUSED, "plan_changed")
    again = steward(config, "grants", "apply", "members", "plans", "--plan", plan)
    assert (again.exit_code, "preview again" in again.output) == (1, True)


@pytest.mark.requirement("P8")
def test_the_printed_command_applies_what_was_previewed(config: Path) -> None:
    text = steward(config, "grants", "preview", "owner", "tasks").output
    assert "now:  every source" in text
    command = shlex.split(text.split("Apply it: ")[1])
    result = CliRunner().invoke(app, command[1:])
    assert (result.exit_code, result.output) == (0, "owner may now read: tasks (every goal)\n")
    assert "nothing to change" in steward(config, "grants", "preview", "owner", "tasks").output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("everyone",), "must be owner, members, group: or external:"),
        (("group:Team",), "must be owner, members, group: or external:"),
        (("members", "nothing"), "must be configured sources, or *: plans, tasks"),
        (("members", "plans", "--revoke"), "name it alone"),
    ],
)
def test_what_makes_no_sense_is_refused_with_what_it_must_be(
    config: Path, arguments: tuple[str, ...], said: str
) -> None:
    result = steward(config, "grants", "preview", *arguments)
    assert result.exit_code == 1
    assert said in result.output
    assert steward(config, "grants", "apply", "members").exit_code == 2


@pytest.mark.requirement("P8")
def test_a_preview_names_what_keeps_the_grant_from_counting_and_a_stale_one_how_to_go_on(
    config: Path,
) -> None:
    shut = steward(config, "grants", "preview", "members", "plans")
    assert CLOSED.en in shut.output
    team = steward(config, "grants", "preview", "group:oc_new", "plans").output
    assert CLOSED.en not in team
    assert "Nobody asked the platform" in team
    stale = steward(config, "grants", "apply", "group:oc_new", "plans", "--plan", "sha256:0")
    assert stale.exit_code == 1
    again = stale.stderr.strip().partition("preview again: ")[2]
    assert shlex.split(again)[:4] == ["steward", "grants", "preview", "group:oc_new"]
