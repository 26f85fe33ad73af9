"""`steward sources check`: what a configuration may want to mend is named, with its repair."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from bot.cli.commands import app
from tests.steward.sources.git.repo import ENV, need_git

GOAL = """\
goal: {id: payments, title: Payments gateway, status: active, colour: blue}
todos:
  - {id: t1, title: Callback signature, status: blocked, owner: Wei}
  - {id: t2, title: Refunds, status: wip}
  - {id: t3, title: Receipts, status: wip, assignee: Lin}
deliveries: [{id: d1, title: Test account, by: Lin, at: 2026-11-20}]
"""
CONFIG = """\
[source.plans]
kind = "folder"
path = "evidence"
title = "Plans"
max_age = "7d"
[source.code]
kind = "git"
path = "repo"
[source.gone]
kind = "folder"
path = "nowhere"
[source.odd]
kind = "git"
path = "repo"
branch = "main"
[grant.team]
audience = "group:oc_team"
sources = ["plans"]
goals = ["search"]
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    evidence = tmp_path / "evidence"
    evidence.mkdir()
    (evidence / "payments.yaml").write_text(GOAL, encoding="utf-8")
    file = tmp_path / "steward.toml"
    file.write_text(CONFIG, encoding="utf-8")
    return file


def check(config: Path, *arguments: str) -> Result:
    return CliRunner().invoke(app, ["sources", "check", *arguments, "--config", str(config)])


def test_a_folder_is_shown_as_it_is_understood_and_with_all_that_is_not(config: Path) -> None:
    result = check(config, "plans", "--json")

    assert result.exit_code == 1
    found = json.loads(result.stdout)
    assert (found["health"], found["kind"], found["max_age_seconds"]) == (
        "current",
        "folder",
        604800,
    )
    assert [(row["view"], row["id"]) for row in found["rows"]] == [
        ("portfolio", "payments"),
        ("todos", "t1"),
        ("deliveries", "d1"),
    ]
    assert found["unmapped"] == [{"view": "todos", "value": "wip", "rows": 2}]
    assert found["ignored"] == [
        {"goal_id": "payments", "key": "colour"},
        {"goal_id": "payments", "key": "assignee"},
    ]
    assert [(one["code"], one["goal_id"]) for one in found["failures"]] == [
        ("contract_changed", "payments"),
        ("not_configured", "payments"),
    ]
    assert all(one["next_action"] and one["coverage_effect"] for one in found["failures"])
    assert found["views"]["todos"] == {"matched": 3, "counts": {"blocked": 1, "unknown": 2}}


def test_people_read_the_same_in_lines(config: Path) -> None:
    result = check(config, "plans")

    assert result.exit_code == 1
    for line in (
        "Plans (folder), as of ",
        "todos: 3 rows (1 blocked, 2 unknown)",
        "  todos  payments  t1  blocked  Callback signature  Wei",
        'no mapping: todos with status "wip", 2 rows',
        "not read: key assignee of payments",
        "failure: payments: It has no list of handoffs",
    ):
        assert line in result.output


def test_a_repository_without_a_fault_is_well(config: Path) -> None:
    need_git()
    make = "git init -q repo && git -C repo -c user.name=Lin -c user.email=x commit -q --allow-empty -m One"
    subprocess.run(["sh", "-c", make], cwd=config.parent, env=ENV, check=True, timeout=15)

    result = check(config, "code", "--json")

    found = json.loads(result.stdout)
    assert (result.exit_code, found["health"], found["failures"]) == (0, "current", [])
    assert [(row["view"], row["title"]) for row in found["rows"]] == [
        ("portfolio", "code"),
        ("deliveries", "One"),
    ]


def test_a_clone_of_unknown_age_is_stale_and_no_date_is_made_up(config: Path) -> None:
    need_git()
    make = "git init -q origin && git clone -q origin repo && rm repo/.git/description"
    subprocess.run(
        ["sh", "-c", make], cwd=config.parent, env=ENV, check=True, capture_output=True, timeout=15
    )

    found = json.loads(check(config, "code", "--json").stdout)
    doctor = CliRunner().invoke(app, ["doctor", "--config", str(config)])

    assert (found["health"], found["as_of"]) == ("stale", None)
    assert "source code: 1 goals, newest content of unknown age" in doctor.output


def test_old_evidence_is_stale(config: Path) -> None:
    file = config.parent / "evidence/payments.yaml"
    os.utime(file, (1_600_000_000, 1_600_000_000))

    assert json.loads(check(config, "plans", "--json").stdout)["health"] == "stale"


def test_a_source_that_cannot_be_read_says_why_and_what_to_do(config: Path) -> None:
    result = check(config, "gone")

    assert result.exit_code == 1
    assert "unread  gone (folder)" in result.output
    assert "The owner should check where it is and who may read it." in result.output
    assert "must not be presented as no progress" in result.output
    assert str(config.parent) not in result.output


@pytest.mark.requirement("A2")
def test_an_audience_sees_its_own_part_alone(config: Path) -> None:
    seen = check(config, "plans", "--as", "group:oc_team", "--json")
    other = check(config, "plans", "--as", "group:oc_other")

    assert "payments" not in seen.output.lower()
    assert json.loads(seen.stdout)["rows"] == []
    assert (other.exit_code, "holds no grant" in other.output) == (1, True)


def test_a_source_that_is_not_there_or_cannot_be_built_names_the_repair(config: Path) -> None:
    missing, odd = check(config, "nowhere"), check(config, "odd")

    assert (missing.exit_code, odd.exit_code) == (1, 1)
    assert "plans, code, gone, odd" in missing.output
    assert "source.odd.branch: unknown option; a git source has path, ref" in odd.output
