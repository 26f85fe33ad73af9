"""An SQLite store into a file and back: whole, private, and never half in its place. Contract D5."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from steward.errors import BackupError
from steward.store import open_store
from steward.store.backup import back_up, put_in_place, stage, unstage
from steward.testing.world import EPOCH, FakeClock
from tests.contracts.given import envelope, recorded


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/steward.db"


async def filled(url: str, *names: object) -> None:
    async with await open_store(url, FakeClock()) as store:
        await recorded(store, *(envelope(name) for name in names))


def events(file: Path) -> list[str]:
    with closing(sqlite3.connect(file)) as connection:
        return [row[0] for row in connection.execute("SELECT event_id FROM inbox ORDER BY id")]


def mode(file: Path) -> int:
    return file.stat().st_mode & 0o777


def named(folder: Path, pattern: str) -> list[str]:
    return [one.name for one in folder.glob(pattern)]


@contextmanager
def held_open(file: Path) -> Iterator[None]:
    """Another process's reader, in the middle of something."""
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM inbox").fetchall()
        yield


@pytest.mark.requirement("D5")
async def test_a_backup_is_one_whole_private_file_also_while_the_store_is_in_use(
    url: str, tmp_path: Path
) -> None:
    target = tmp_path / "backup.db"
    async with await open_store(url, FakeClock()) as store:
        await recorded(store, envelope(1))
        assert back_up(url, target, replaces=False) == target.stat().st_size
        await recorded(store, envelope(2))
    assert events(target) == ["evt_1"]
    assert mode(target) == 0o600
    assert named(tmp_path, "backup.db*") == ["backup.db"]


async def test_a_file_that_is_there_is_replaced_only_where_that_is_said(
    url: str, tmp_path: Path
) -> None:
    await filled(url, 1)
    target = tmp_path / "backup.db"
    target.write_text("mine", encoding="utf-8")
    target.chmod(0o644)
    with pytest.raises(BackupError, match="--force"):
        back_up(url, target, replaces=False)
    assert target.read_text(encoding="utf-8") == "mine"
    back_up(url, target, replaces=True)
    assert events(target) == ["evt_1"]
    assert mode(target) == 0o600


async def test_the_store_itself_is_never_its_own_backup(url: str, tmp_path: Path) -> None:
    await filled(url, 1)
    with pytest.raises(BackupError):
        back_up(url, tmp_path / "steward.db", replaces=True)
    with pytest.raises(BackupError, match="itself"):
        stage(url, tmp_path / "steward.db")


async def test_a_backup_that_fails_leaves_nothing(url: str, tmp_path: Path) -> None:
    await filled(url, 1)
    store = tmp_path / "steward.db"
    store.write_bytes(store.read_bytes()[:4096] + b"\xff" * 8192)
    with pytest.raises(BackupError):
        back_up(url, tmp_path / "backup.db", replaces=False)
    with pytest.raises(BackupError, match="cannot be"):
        back_up(url, tmp_path / "nowhere" / "backup.db", replaces=False)
    assert named(tmp_path, "backup.db*") == []


def test_where_there_is_no_store_or_none_of_ours_to_copy_that_is_said(tmp_path: Path) -> None:
    with pytest.raises(BackupError, match="no store"):
        back_up(f"sqlite:///{tmp_path}/none.db", tmp_path / "b", replaces=False)
    with pytest.raises(BackupError, match="pg_dump"):
        back_up("postgresql://u@h/d", tmp_path / "b", replaces=False)
    with pytest.raises(BackupError, match="memory"):
        back_up("sqlite://", tmp_path / "b", replaces=False)
    with pytest.raises(BackupError, match="pg_restore"):
        stage("postgresql://u@h/d", tmp_path / "b")


@pytest.mark.requirement("D5")
async def test_a_restored_store_takes_the_others_place_and_that_one_is_kept_whole(
    url: str, tmp_path: Path
) -> None:
    backup = tmp_path / "backup.db"
    await filled(url, 1)
    back_up(url, backup, replaces=False)
    await filled(url, 2)
    kept = put_in_place(url, stage(url, backup), EPOCH)
    assert kept is not None
    assert kept.name == "steward.db.replaced-20261130T040000"
    assert events(tmp_path / "steward.db") == ["evt_1"]
    assert events(kept) == ["evt_1", "evt_2"]
    assert (mode(kept), mode(tmp_path / "steward.db")) == (0o600, 0o600)
    assert named(tmp_path, "*.restoring*") == []
    await filled(url, 3)
    assert events(tmp_path / "steward.db") == ["evt_1", "evt_3"]
    assert events(kept) == ["evt_1", "evt_2"]


async def test_two_stores_that_are_replaced_in_one_second_are_both_kept(
    url: str, tmp_path: Path
) -> None:
    backup = tmp_path / "backup.db"
    await filled(url, 1)
    back_up(url, backup, replaces=False)
    await filled(url, 2)
    first = put_in_place(url, stage(url, backup), EPOCH)
    second = put_in_place(url, stage(url, backup), EPOCH)
    assert first is not None
    assert second is not None
    assert (events(first), events(second)) == (["evt_1", "evt_2"], ["evt_1"])


async def test_a_store_that_is_broken_is_replaced_and_kept_as_it_is(
    url: str, tmp_path: Path
) -> None:
    backup, store = tmp_path / "backup.db", tmp_path / "steward.db"
    await filled(url, 1)
    back_up(url, backup, replaces=False)
    store.write_bytes(b"no database at all" * 400)
    kept = put_in_place(url, stage(url, backup), EPOCH)
    assert kept is not None
    assert kept.read_bytes().startswith(b"no database")
    assert events(store) == ["evt_1"]


async def test_a_store_that_somebody_has_open_is_not_taken_from_under_them(
    url: str, tmp_path: Path
) -> None:
    backup = tmp_path / "backup.db"
    await filled(url, 1)
    back_up(url, backup, replaces=False)
    await filled(url, 2)
    async with await open_store(url, FakeClock()):
        staged = stage(url, backup)
        with held_open(tmp_path / "steward.db"), pytest.raises(BackupError, match="open"):
            put_in_place(url, staged, EPOCH)
    unstage(staged)
    assert events(tmp_path / "steward.db") == ["evt_1", "evt_2"]
    assert named(tmp_path, "*.restoring*") == []


def test_where_there_was_no_store_nothing_is_kept(url: str, tmp_path: Path) -> None:
    backup = tmp_path / "backup.db"
    with closing(sqlite3.connect(backup)) as made:
        made.execute("CREATE TABLE inbox (id INTEGER PRIMARY KEY, event_id TEXT)")
        made.commit()
    assert put_in_place(url, stage(url, backup), EPOCH) is None
    assert events(tmp_path / "steward.db") == []


@pytest.mark.parametrize("content", [b"", b"no database" * 500])
def test_what_is_no_database_is_refused_and_leaves_nothing(
    url: str, tmp_path: Path, content: bytes
) -> None:
    backup = tmp_path / "backup.db"
    backup.write_bytes(content)
    os.chmod(backup, 0o400)
    if content:
        with pytest.raises(BackupError, match="database"):
            stage(url, backup)
        assert named(tmp_path, "*.restoring*") == []
    with pytest.raises(BackupError, match="no such file"):
        stage(url, tmp_path / "none.db")
