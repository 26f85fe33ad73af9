"""The command line as a person or a program uses it: output, exit codes, and repairs."""

import asyncio
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from bot.cli.commands import app
from bot.settings import load
from steward.model.command import ApplyGrants, RevokeGrants, SetGrant
from steward.model.effect import ByOperator
from steward.model.ids import SourceId
from steward.store import open_store
from steward.world import SystemClock

GOAL = """\
goal: {id: payments, title: Payments gateway, status: active}
todos: [{id: t1, title: Callback signature, status: blocked, owner: Wei}]
deliveries: []
handoffs: []
"""
CONFIG = """\
[store]
url = "sqlite:///steward.db"
[source.plans]
kind = "folder"
path = "evidence"
title = "Plans"
[source.gone]
kind = "folder"
path = "nowhere"
[grant.team]
audience = "group:oc_team"
sources = ["plans"]
goals = ["*"]
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    evidence = tmp_path / "evidence"
    evidence.mkdir()
    (evidence / "payments.yaml").write_text(GOAL, encoding="utf-8")
    file = tmp_path / "steward.toml"
    file.write_text(CONFIG, encoding="utf-8")
    return file


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


def steward(config: Path, *arguments: str) -> Result:
    return run(*arguments, "--config", str(config))


@pytest.mark.requirement("A2", "W1")
def test_ask_answers_as_each_audience_would_be_answered(config: Path) -> None:
    group = json.loads(steward(config, "ask", "进展？", "--as", "group:oc_team", "--json").output)
    owner = json.loads(steward(config, "ask", "进展？", "--json").output)
    assert group["coverage"]["complete"]
    assert not owner["coverage"]["complete"]
    assert "Callback signature" in group["text"]
    assert "未读到证据：gone" in owner["text"]
    assert group["runtime_profile"] == owner["runtime_profile"] == "restricted"


@pytest.mark.requirement("A2")
def test_ask_declines_an_audience_without_a_grant_and_says_so_by_its_exit_code(
    config: Path,
) -> None:
    result = steward(config, "ask", "How is it?", "--as", "group:oc_other", "--json")
    assert result.exit_code == 1
    answer = json.loads(result.output)
    assert (answer["claims"], answer["readings"], answer["coverage"]) == ([], [], None)
    assert "payments" not in answer["text"].lower()


def test_ask_prints_what_a_reader_would_see(config: Path) -> None:
    result = steward(config, "ask", "How is it going?", "--as", "group:oc_team")
    assert result.exit_code == 0
    assert "Read 1/1" in result.output


@pytest.mark.parametrize("named", ["everyone", "group:", "group:oc_a/b", "external:x", "members:a"])
def test_an_audience_that_is_none_is_refused_with_the_names_of_those_that_are(
    config: Path, named: str
) -> None:
    result = steward(config, "ask", "How is it?", "--as", named)
    assert result.exit_code == 1
    assert "owner, members, or group: or external:" in result.stderr


@pytest.mark.parametrize("named", ["members", "external:oc_team"])
def test_every_audience_can_be_looked_through_by_the_name_that_a_grant_has(
    config: Path, named: str
) -> None:
    assert steward(config, "ask", "How is it going?", "--as", named).exit_code == 1
    shut = '\n[access]\nmembers_private = "granted"\n' if named == "members" else ""
    grant = f'\n[grant.more]\naudience = "{named}"\nsources = ["plans"]\ngoals = ["*"]\n'
    config.write_text(config.read_text(encoding="utf-8") + shut + grant, encoding="utf-8")
    result = steward(config, "ask", "How is it going?", "--as", named)
    assert result.exit_code == 0
    assert "Read 1/1" in result.output


@pytest.mark.requirement("A2")
def test_ask_and_read_go_by_what_the_owner_granted_and_took_back(config: Path) -> None:
    as_team = ("--as", "group:oc_team")
    assert steward(config, "read", "todos", *as_team).exit_code == 0
    settings = load(config, {})

    async def changed() -> None:
        url = settings.store.url.get_secret_value()
        async with await open_store(url, SystemClock()) as store:
            await store.grants.sync(settings.grants)
            for change in (
                RevokeGrants("group:oc_team"),
                SetGrant("group:oc_new", (SourceId("plans"),), None),
            ):
                plan = await store.grants.plan(change)
                await store.effects.commit(
                    ByOperator(), ApplyGrants(change, plan.plan_revision), audit=[], reply=[]
                )

    asyncio.run(changed())
    for command in (("read", "todos"), ("ask", "How is it going?")):
        assert steward(config, *command, *as_team).exit_code == 1
        assert steward(config, *command, "--as", "group:oc_new").exit_code == 0
    assert steward(config, "sources", "check", "plans", "--as", "group:oc_new").exit_code == 0


def test_read_prints_rows_and_names_what_was_not_read(config: Path) -> None:
    result = steward(config, "read", "todos")
    assert result.exit_code == 0
    assert "plans  payments  t1  blocked  Callback signature  Wei" in result.stdout
    assert "gone:" in result.stderr


@pytest.mark.requirement("R3")
def test_read_refuses_arguments_by_name(config: Path) -> None:
    result = steward(config, "read", "todos", "--days", "3", "--limit", "99")
    assert result.exit_code == 1
    assert "days:" in result.stderr
    assert "limit:" in result.stderr


@pytest.mark.requirement("R6")
def test_read_answers_for_another_audiences_goal_as_for_one_that_does_not_exist(
    config: Path,
) -> None:
    config.write_text(CONFIG.replace('goals = ["*"]', 'goals = ["else"]'), encoding="utf-8")
    hidden, missing = (
        json.loads(
            steward(
                config, "read", "todos", "--goal-id", goal, "--as", "group:oc_team", "--json"
            ).output
        )
        for goal in ("payments", "no-such-goal")
    )
    assert hidden == missing
    assert hidden["code"] == "goal_outside_available_scope"


def test_doctor_finds_every_fault_with_its_repair(config: Path) -> None:
    config.write_text(CONFIG + '[source.odd]\nkind = "foldr"\n', encoding="utf-8")
    result = steward(config, "doctor", "--json")
    findings = {(one["check"], one["grade"]): one for one in json.loads(result.output)}
    assert result.exit_code == 1
    assert ("source plans", "ok") in findings
    assert ("source gone", "fail") in findings
    assert ("source odd", "fail") in findings
    assert ("secrets", "fail") in findings
    assert all(one["repair"] for one in findings.values() if one["grade"] != "ok")
    assert not (config.parent / "var").exists()


def test_doctor_shows_a_configuration_that_stops_the_start(tmp_path: Path) -> None:
    file = tmp_path / "steward.toml"
    file.write_text("[serer]\nport = 1\n[display]\ntimezone = 'Mars'\n", encoding="utf-8")
    findings = json.loads(steward(file, "doctor", "--json").output)
    assert {one["found"] for one in findings} == {"serer", "display.timezone"}
    assert all(one["repair"] for one in findings)


def test_serve_names_every_secret_that_is_missing(config: Path) -> None:
    result = steward(config, "serve")
    assert result.exit_code == 1
    for key in ("app_id", "app_secret", "encrypt_key", "verification_token"):
        assert f"lark.{key}" in result.stderr


def test_simulate_refuses_to_make_up_events_for_a_real_app(config: Path, tmp_path: Path) -> None:
    event = tmp_path / "event.json"
    event.write_text('{"from": "ou_1", "text": "hi"}', encoding="utf-8")
    result = steward(config, "simulate", str(event))
    assert result.exit_code == 1
    assert "lark.simulated" in result.stderr


def test_wrong_usage_is_exit_code_2() -> None:
    assert run("ask").exit_code == 2
    assert run("read", "everything").exit_code == 2
