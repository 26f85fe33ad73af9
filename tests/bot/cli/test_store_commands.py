"""`steward questions`, `backup`, `restore` and `upgrade`. Contracts D5, T7, P8."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import Connection

from steward.model.audience import Grant, GrantOrigin
from steward.model.command import ApplyProfile
from steward.model.effect import ByOperator
from steward.model.ids import OpenId, SourceId
from steward.model.profile import RuntimeProfile, StoredProfile
from steward.model.turn import QuestionStatus, TurnCode, TurnFailure
from steward.policy import profile
from steward.store import Store, StoreLock, migrations
from steward.store.connect import store_url
from steward.store.engine import Database
from steward.store.migrations import HEAD
from tests.bot.cli.running import shown, steward, with_store
from tests.contracts.given import APP, ASKER, admitted, begun, notice, rows, settled

OWES = TurnFailure(TurnCode.EXECUTOR_TIMEOUT)
WORDS = "How is the gateway?"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "steward.toml"
    file.write_text(
        f'[lark]\napp_id = "{APP}"\nsimulated = true\napp_secret = "sim_x"\n'
        'domain = "http://127.0.0.1:1"\n[store]\nurl = "sqlite:///steward.db"\n',
        encoding="utf-8",
    )
    return file


async def owed(store: Store) -> None:
    _, token = await begun(store, 1)
    await store.ledger.fail(token, OWES, [notice("message:om_1")])


async def busy(store: Store) -> None:
    """Trusted, with a grant of the owner's; one question owed, one at work, one waiting, one answer on its way."""
    await owed(store)
    await begun(store, 2, chat="oc_b")
    await admitted(store, 3, chat="oc_b")
    await settled(store, 4, chat="oc_c")
    await store.owners.follow(APP, OpenId("ou_owner"))
    team = Grant("team", "group:oc_a", (SourceId("plans"),), None, GrantOrigin.CONFIG)
    await store.grants.sync([team])
    stored = await store.machine.document()
    plan = profile.plan(
        stored, RuntimeProfile.TRUSTED_OWNER, await store.machine.last_transaction()
    )
    apply = ApplyProfile(RuntimeProfile.TRUSTED_OWNER, plan.plan_revision)
    await store.effects.commit(ByOperator(APP), apply, audit=[], reply=[])


# ------------------------------------------------------------ questions


@pytest.mark.requirement("T7", "A4")
def test_questions_are_listed_by_where_and_why_and_by_their_words_only_where_that_is_said(
    config: Path,
) -> None:
    with_store(config, owed)
    (one,) = shown(config, "questions")["questions"]
    assert (one["id"], one["chat"], one["asker"]) == (1, "oc_a", ASKER)
    assert (one["status"], one["code"]) == ("owed", "executor_timeout")
    assert "words" not in one
    plain = steward(config, "questions").output
    assert "oc_a" in plain
    assert "longer than it may" in plain
    assert WORDS not in plain
    assert WORDS in steward(config, "questions", "--words").output


def test_open_owed_and_all_are_different_lists(config: Path) -> None:
    with_store(config, busy)

    def ids(*options: str) -> list[int]:
        listed = shown(config, "questions", *options)["questions"]
        return [one["id"] for one in listed]

    assert (ids(), ids("--owed"), ids("--open")) == ([1], [1], [3, 2])
    assert ids("--all") == [4, 3, 2, 1]
    assert ids("--all", "--most", "1") == [4]
    assert steward(config, "questions", "--owed", "--all").exit_code == 2


def test_without_a_store_there_is_no_question_and_none_is_made(config: Path) -> None:
    assert steward(config, "questions").exit_code == 0
    assert not config.with_name("steward.db").exists()


# ------------------------------------------------------------ backup and restore


@pytest.mark.requirement("D5")
def test_a_backup_replaces_nothing_unless_that_is_said(config: Path, tmp_path: Path) -> None:
    with_store(config, owed)
    target = tmp_path / "b.db"
    assert shown(config, "backup", str(target))["bytes"] == target.stat().st_size
    again = steward(config, "backup", str(target))
    assert again.exit_code == 1
    assert "--force" in again.output
    assert steward(config, "backup", str(target), "--force").exit_code == 0


@pytest.mark.requirement("D4", "D5", "P8")
def test_a_restored_store_is_restricted_and_owes_what_was_unfinished(
    config: Path, tmp_path: Path
) -> None:
    with_store(config, busy)
    assert steward(config, "backup", str(tmp_path / "b.db")).exit_code == 0
    with_store(config, later)
    report = shown(config, "restore", str(tmp_path / "b.db"))
    assert (report["restricted"], report["owed"], report["owner"]) == (True, 2, "ou_owner")
    # The notice of the first question, and the answer to the fourth.
    assert report["doubtful"] == 2
    (grant,) = report["grants"]
    assert grant["audience"] == "group:oc_a"
    assert Path(str(report["replaced"])).exists()
    with_store(config, looks_safe)


async def later(store: Store) -> None:
    await admitted(store, 5, chat="oc_d")


async def looks_safe(store: Store) -> None:
    stored = profile.stored_of(await store.machine.document())
    assert isinstance(stored, StoredProfile)
    assert stored.profile is RuntimeProfile.RESTRICTED
    found = await rows(store, "SELECT message_id, status FROM question ORDER BY id")
    statuses = [QuestionStatus.OWED] * 3 + [QuestionStatus.SETTLED]
    assert found == [(f"om_{n}", status.value) for n, status in enumerate(statuses, start=1)]
    sendable = "SELECT count(*) FROM outbox WHERE status = 'pending' AND kind <> 'notice'"
    assert await rows(store, sendable) == [(0,)]


def test_what_a_restore_did_is_said_in_words(config: Path, tmp_path: Path) -> None:
    with_store(config, busy)
    steward(config, "backup", str(tmp_path / "b.db"))
    said = steward(config, "restore", str(tmp_path / "b.db")).output
    for words in ("restricted now", "ou_owner", "group:oc_a may read plans", "owed now"):
        assert words in said


@pytest.mark.requirement("D5")
def test_a_store_that_is_served_is_neither_restored_nor_upgraded(
    config: Path, tmp_path: Path
) -> None:
    with_store(config, busy)
    steward(config, "backup", str(tmp_path / "b.db"))
    with StoreLock(f"sqlite:///{config.with_name('steward.db')}"):
        assert steward(config, "backup", str(tmp_path / "c.db")).exit_code == 0
        for words in (["restore", str(tmp_path / "b.db")], ["upgrade"]):
            result = steward(config, *words)
            assert result.exit_code == 1
            assert "StoreLockedError" in result.output
    assert shown(config, "profile", "show")["stored"]["runtime_profile"] == "trusted_owner"


@pytest.mark.requirement("D5")
@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("UPDATE alembic_version SET version_num = '9999'", "newer version"),
        ("DROP TABLE alembic_version", "no backup"),
    ],
)
def test_a_backup_that_cannot_be_used_leaves_the_store_as_it_is(
    config: Path, tmp_path: Path, statement: str, why: str
) -> None:
    with_store(config, busy)
    steward(config, "backup", str(tmp_path / "b.db"))
    with closing(sqlite3.connect(tmp_path / "b.db")) as connection:
        connection.execute(statement)
        connection.commit()
    result = steward(config, "restore", str(tmp_path / "b.db"))
    assert result.exit_code == 1
    assert why in result.output
    assert [one["id"] for one in shown(config, "questions", "--open")["questions"]] == [3, 2]
    assert [one.name for one in tmp_path.glob("*restor*")] == []
    assert [one.name for one in tmp_path.glob("*replaced*")] == []


def test_an_empty_file_is_no_backup(config: Path, tmp_path: Path) -> None:
    (tmp_path / "b.db").touch()
    result = steward(config, "restore", str(tmp_path / "b.db"))
    assert result.exit_code == 1
    assert "holds no store" in result.output
    assert not config.with_name("steward.db").exists()


# ------------------------------------------------------------ upgrade


@pytest.mark.requirement("D5")
def test_an_older_store_is_upgraded_and_its_copy_is_kept(config: Path) -> None:
    store = config.with_name("steward.db")
    asyncio.run(made_by_an_older_program(store))
    assert shown(config, "upgrade") == {"from": "0001", "to": HEAD}
    assert store.with_name(f"steward.db.before-{HEAD}").exists()
    assert "already" in steward(config, "upgrade").output
    assert shown(config, "questions")["questions"] == []


def test_where_there_is_no_store_there_is_nothing_to_upgrade(config: Path) -> None:
    result = steward(config, "upgrade")
    assert result.exit_code == 1
    assert not config.with_name("steward.db").exists()


async def made_by_an_older_program(file: Path) -> None:
    def migrate(connection: Connection) -> None:
        settings = Config()
        settings.set_main_option("script_location", str(Path(migrations.__file__).parent))
        settings.attributes["connection"] = connection
        command.upgrade(settings, "0001")

    database = Database(store_url(f"sqlite:///{file}"))
    await database.write(migrate)
    await database.aclose()
