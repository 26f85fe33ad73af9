"""`steward profile`: what is stored and in force, a preview that writes nothing, and a change made once."""

import asyncio
import json
import shlex
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from bot.cli.commands import app
from steward.model.audit import AuditEntry
from steward.store import StoreLock, open_store
from steward.world import SystemClock
from tests.contracts import given

HOST_TOOLS = ["steward_evidence", "filesystem", "shell", "git", "web", "configured_connectors"]
PLAN = {
    "status",
    "current_revision",
    "desired_revision",
    "plan_revision",
    "action",
    "changed_namespaces",
    "writes_required",
}
RECEIPT = {
    "transaction_id",
    "prior_revision",
    "applied_revision",
    "readback_verified",
    "receipt_revision",
}


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "it's steward.toml"
    file.write_text('[store]\nurl = "sqlite:///steward.db"\n', encoding="utf-8")
    return file


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "steward.db"


def run(*arguments: str, env: dict[str, str | None] | None = None) -> Result:
    return CliRunner().invoke(app, arguments, env=env)


def steward(config: Path, *arguments: str) -> Result:
    return run(*arguments, "--config", str(config))


def told(config: Path, *arguments: str, code: int = 0) -> Any:
    result = steward(config, "profile", *arguments, "--json")
    assert result.exit_code == code, result.output
    return json.loads(result.output)


def applied(config: Path, desired: str) -> Any:
    plan = told(config, "preview", desired)["plan_revision"]
    return told(config, "apply", desired, "--plan", plan)


def audit(database: Path) -> list[AuditEntry]:
    async def read() -> Iterable[AuditEntry]:
        async with await open_store(f"sqlite:///{database}", SystemClock()) as store:
            return await store.audit.recent(most=10)

    return list(asyncio.run(read()))


def overwrite(database: Path, body: bytes) -> None:
    with closing(sqlite3.connect(database)) as connection, connection:
        assert (
            connection.execute("UPDATE machine_configuration SET body = ?", (body,)).rowcount == 1
        )


@pytest.mark.requirement("P2", "P8")
def test_before_the_first_start_everything_is_restricted_and_looking_makes_no_store(
    config: Path, database: Path
) -> None:
    shown = told(config, "show")
    assert shown["stored"] == {
        "state": "absent",
        "runtime_profile": None,
        "configuration_revision": "absent",
    }
    for held in shown["effective"].values():
        assert (held["runtime_profile"], held["sandbox"]) == ("restricted", "read-only")
        assert held["source"] == "capability_default"
    assert shown["sessions"] == []

    assert told(config, "preview", "trusted_owner")["action"] == "create"
    assert not database.exists()


@pytest.mark.requirement("P5", "P6", "P8")
def test_a_preview_has_the_contracts_fields_and_says_what_does_not_hold(config: Path) -> None:
    plan = told(config, "preview", "trusted_owner")

    assert set(plan) == PLAN | {"consequences"}
    assert plan["changed_namespaces"] == ["manager_runtime"]
    said = " ".join(plan["consequences"])
    for part in ("Codex endpoint", "Merge, release, deploy, delete and payment", "Evidence is"):
        assert part in said


@pytest.mark.requirement("P2", "P3", "P8")
def test_an_apply_is_read_back_shown_and_audited(config: Path, database: Path) -> None:
    plan = told(config, "preview", "trusted_owner")
    done = told(config, "apply", "trusted_owner", "--plan", plan["plan_revision"])
    shown = told(config, "show")

    assert set(done) == RECEIPT | {"superseded", "present_revision"}
    assert done["readback_verified"]
    assert not done["superseded"]
    assert done["prior_revision"] == "absent"
    assert done["applied_revision"] == done["present_revision"] == plan["desired_revision"]
    assert shown["stored"]["runtime_profile"] == "trusted_owner"
    assert shown["stored"]["configuration_revision"] == plan["desired_revision"]
    owner, group = shown["effective"]["owner_private"], shown["effective"]["group"]
    assert (owner["runtime_profile"], owner["status"]) == (None, "endpoint_unsupported")
    assert (group["runtime_profile"], group["status"]) == (
        "restricted",
        "external_audience_restricted",
    )
    assert group["configured_runtime_profile"] == "trusted_owner"
    (entry,) = audit(database)
    assert (entry.row.act, entry.row.actor) == ("profile_applied", "operator")
    assert (entry.row.reason, entry.row.subject) == ("trusted_owner", plan["plan_revision"])


@pytest.mark.requirement("P8")
def test_a_stale_plan_changes_nothing_and_names_the_way_on(config: Path, database: Path) -> None:
    old = told(config, "preview", "trusted_owner")["plan_revision"]
    applied(config, "restricted")

    told_no = told(config, "apply", "trusted_owner", "--plan", old, code=1)
    result = steward(config, "profile", "apply", "trusted_owner", "--plan", old)

    assert told_no["error"] == "plan revision changed; preview again"
    shown = told(config, "show")["stored"]
    assert shown["runtime_profile"] == "restricted"
    assert told_no["present_revision"] == shown["configuration_revision"]
    assert result.exit_code == 1
    assert "plan revision changed; preview again" in result.stderr
    assert "steward profile preview trusted_owner" in result.stderr
    assert [(one.row.act, one.row.reason) for one in audit(database)][:2] == [
        ("refused", "plan_changed")
    ] * 2


@pytest.mark.requirement("P8")
def test_a_plan_applied_before_gives_its_receipt_and_changes_nothing(
    config: Path, database: Path
) -> None:
    plan = told(config, "preview", "trusted_owner")["plan_revision"]
    first = told(config, "apply", "trusted_owner", "--plan", plan)
    again = told(config, "apply", "trusted_owner", "--plan", plan)
    back = applied(config, "restricted")
    late = told(config, "apply", "trusted_owner", "--plan", plan, code=1)

    assert again == first | {"superseded": True}
    assert late == again | {"present_revision": back["applied_revision"]}
    assert told(config, "show")["stored"]["runtime_profile"] == "restricted"
    assert [one.row.act for one in audit(database)].count("profile_applied") == 2


@pytest.mark.requirement("P8")
def test_going_back_and_forth_is_a_new_plan_each_time(config: Path) -> None:
    steps = ("trusted_owner", "restricted", "trusted_owner", "restricted")
    receipts = [applied(config, desired) for desired in steps]

    assert len({one["transaction_id"] for one in receipts}) == 4
    assert not any(one["superseded"] for one in receipts)
    assert told(config, "show")["stored"]["runtime_profile"] == "restricted"


@pytest.mark.requirement("P8")
def test_a_preview_of_what_is_stored_offers_nothing_to_apply(config: Path) -> None:
    applied(config, "restricted")
    plan = told(config, "preview", "restricted")
    said = steward(config, "profile", "preview", "restricted").output

    assert (plan["action"], plan["writes_required"], plan["changed_namespaces"]) == (
        "none",
        False,
        [],
    )
    assert "--plan" not in said


@pytest.mark.requirement("P1", "P3", "P8")
def test_what_cannot_be_read_is_shown_with_a_repair_that_works(
    config: Path, database: Path
) -> None:
    applied(config, "trusted_owner")
    overwrite(database, b'{"schema_version": "machine_configuration_v0", "namespaces": {"a": ')
    shown = told(config, "show")
    assert shown["stored"]["state"] == "corrupt"
    for held in shown["effective"].values():
        assert (held["runtime_profile"], held["status"]) == ("restricted", "configuration_invalid")
        assert "steward profile preview restricted" in held["repair"]

    said = steward(config, "profile", "show").output
    preview = printed(said, "Mend it: ")
    said = run(*preview).output
    assert "replaced, and the old content is kept" in said
    result = run(*printed(said, "Apply it: "))

    assert result.exit_code == 0
    assert told(config, "show")["stored"]["runtime_profile"] == "restricted"


def printed(output: str, label: str) -> list[str]:
    """The arguments of a command line that the program printed."""
    (line,) = [one for one in output.splitlines() if one.startswith(label)]
    program, *arguments = shlex.split(line.removeprefix(label))
    assert program == "steward"
    return arguments


@pytest.mark.requirement("P8", "D5")
def test_it_works_beside_a_process_that_serves_the_store(config: Path, database: Path) -> None:
    applied(config, "restricted")
    url = f"sqlite:///{database}"

    async def beside() -> tuple[Any, bytes | None]:
        with StoreLock(url):
            async with await open_store(url, SystemClock()) as serving:
                await serving.machine.document()
                done = await asyncio.to_thread(applied, config, "trusted_owner")
                return done, await serving.machine.document()

    done, document = asyncio.run(beside())

    assert done["readback_verified"]
    assert document is not None
    assert b"trusted_owner" in document


@pytest.mark.requirement("S1", "S2")
def test_it_shows_what_each_session_really_started_with(config: Path, database: Path) -> None:
    async def begun() -> None:
        async with await open_store(f"sqlite:///{database}", SystemClock()) as store:
            await given.begun(store, 1, chat="oc_team")

    asyncio.run(begun())
    applied(config, "trusted_owner")
    (session,) = told(config, "show")["sessions"]

    assert session.pop("updated_at")
    assert session == {
        "conversation": "cli_sim_a/oc_team/",
        "manager_runtime_profile": "restricted",
        "manager_runtime_configuration_revision": "absent",
        "manager_runtime_status": "ready",
        "manager_runtime_sandbox": "read-only",
        "manager_runtime_standing_grant": "none",
        "manager_runtime_tool_classes": ["steward_evidence"],
        "endpoint": "reporter",
        "upstream_context_history": [],
    }
    assert "oc_team" in steward(config, "profile", "show").output


@pytest.mark.requirement("P3")
def test_a_store_that_cannot_be_read_is_a_typed_failure_and_no_profile(
    config: Path, database: Path
) -> None:
    database.write_bytes(b"this is no database, and never was one" * 100)

    for words in (("show",), ("preview", "restricted"), ("apply", "restricted", "--plan", "x")):
        result = steward(config, "profile", *words)
        assert result.exit_code == 1
        assert "restricted" not in result.output
        assert "Store" in result.stderr


@pytest.mark.parametrize(
    "words",
    [("preview", "owner"), ("preview",), ("apply", "restricted"), ("apply", "--plan", "x"), ()],
)
def test_wrong_usage_is_exit_code_2(config: Path, words: tuple[str, ...]) -> None:
    assert run("profile", *words).exit_code == 2


def findings(config: Path, **env: str | None) -> dict[str, Any]:
    result = run("doctor", "--json", "--config", str(config), env=env)
    return {one["check"]: one for one in json.loads(result.output)}


@pytest.mark.requirement("P6")
def test_doctor_says_which_limits_of_trusted_owner_hold_here(config: Path, tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path), "GITHUB_TOKEN": "ghp_never_shown"}
    before = findings(config, **home)
    applied(config, "trusted_owner")
    after = findings(config, **home)

    assert before["host tools: credentials"]["grade"] == "ok"
    assert after["host tools: credentials"]["grade"] == "warn"
    assert "GITHUB_TOKEN" in after["host tools: credentials"]["found"]
    assert "ghp_never_shown" not in json.dumps(after)
    assert after["host tools: user"]["grade"] == "warn"
    assert (before["profile"]["grade"], after["profile"]["grade"]) == ("ok", "warn")
    assert "Codex endpoint" in after["profile"]["repair"]
    assert all(one["repair"] for one in after.values() if one["grade"] != "ok")


@pytest.mark.requirement("P3")
def test_doctor_names_a_profile_that_cannot_be_read_and_its_repair(
    config: Path, database: Path
) -> None:
    applied(config, "restricted")
    overwrite(database, b"\xff")

    finding = findings(config)["profile"]

    assert finding["grade"] == "warn"
    assert "steward profile preview restricted" in finding["repair"]
