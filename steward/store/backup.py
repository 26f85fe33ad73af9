"""An SQLite store into a file and back, by SQLite's own means, also while it is served. Contract D5.

Above: the command line. Every file made here holds people's words: it is its owner's alone, and stands whole in its
place or not at all. PostgreSQL has its own program for this.
"""

import logging
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from itertools import count
from pathlib import Path

from steward.errors import BackupError
from steward.store.connect import is_memory, is_sqlite, store_url

logger = logging.getLogger(__name__)

_LOG = ("-wal", "-shm")


def back_up(url: str, target: Path, *, replaces: bool) -> int:
    """The store as it is at this moment, in one file; its size in bytes. Nobody who writes waits for it.

    Raises BackupError where there is nothing to back up, or where `target` is there and may not be replaced.
    """
    store = _file_of(url, "back it up with pg_dump")
    if not store.exists():
        raise BackupError("there is no store yet: nothing to back up")
    if target.exists() and (not replaces or target.samefile(store)):
        raise BackupError("the file is there already: name another, or say --force")
    made = target.with_name(f"{target.name}.part")
    with _whole(made, target):
        _copy(store, made, "rw")
    return target.stat().st_size


def stage(url: str, source: Path) -> Path:
    """A copy of a backup beside the store, to be made ready there. Raises BackupError where it is no whole database."""
    store = _file_of(url, "restore it with pg_restore")
    if not source.is_file():
        raise BackupError("there is no such file")
    if store.exists() and source.samefile(store):
        raise BackupError("this is the store itself, not a backup of it")
    staged = store.with_name(f"{store.name}.restoring")
    store.parent.mkdir(parents=True, exist_ok=True)
    unstage(staged)
    try:
        _copy(source, staged, "ro")
    except BaseException:
        unstage(staged)
        raise
    return staged


def unstage(staged: Path) -> None:
    """Nothing of it is left."""
    for one in staged.parent.glob(f"{staged.name}*"):
        one.unlink()


def put_in_place(url: str, staged: Path, now: datetime) -> Path | None:
    """The staged store becomes the store; the one before stands beside it, as a file of its own, which is returned.

    Under the store's lock. A kill at any moment leaves the one or the other, whole.
    """
    store = _file_of(url, "restore it with pg_restore")
    try:
        _fold(staged)
        kept = _set_aside(store, now) if store.exists() else None
        os.replace(staged, store)
        _settle(store.parent)
    except (OSError, sqlite3.Error) as error:
        raise BackupError(
            "the store's files cannot be replaced: see that nothing has them open"
        ) from error
    unstage(staged)
    return kept


def _set_aside(store: Path, now: datetime) -> Path:
    """A second name for the store, and no log that belongs to neither."""
    kept = _free_name(store.with_name(f"{store.name}.replaced-{now:%Y%m%dT%H%M%S}"))
    # A store that cannot be opened any more is a reason to restore: its log is kept beside it, as it is.
    try:
        _fold(store)
    except sqlite3.OperationalError:
        raise  # somebody has it open: its log must not be taken away
    except sqlite3.DatabaseError:
        logger.warning("the store that is replaced cannot be read any more")
    for end in _LOG:
        log = store.with_name(store.name + end)
        if log.exists():
            os.replace(log, kept.with_name(kept.name + end))
    os.link(store, kept)
    return kept


def _free_name(wanted: Path) -> Path:
    """Two stores may be replaced in one second; neither takes the other's place."""
    names = (wanted if n == 1 else wanted.with_name(f"{wanted.name}-{n}") for n in count(1))
    return next(one for one in names if not one.exists())


def _copy(source: Path, target: Path, mode: str) -> None:
    """One snapshot, checked; `mode`, in which the source is opened: rw where it has a log. Raises BackupError."""
    try:
        os.close(os.open(target, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600))
        os.chmod(target, 0o600)
        reading = sqlite3.connect(f"{source.absolute().as_uri()}?mode={mode}", uri=True)
        with closing(reading), closing(sqlite3.connect(target)) as copy:
            reading.backup(copy)
            copy.execute("PRAGMA journal_mode=DELETE")
            found = copy.execute("PRAGMA quick_check(1)").fetchone()
    except (OSError, sqlite3.Error) as error:
        raise BackupError("the file cannot be read as a database, or copied") from error
    if found is None or found[0] != "ok":
        raise BackupError("the database is damaged: a backup of it would not be whole")


def _fold(file: Path) -> None:
    """Everything stands in the file itself, and it has no log. Fails where somebody has it open."""
    with closing(sqlite3.connect(file, timeout=1, isolation_level=None)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (mode,) = connection.execute("PRAGMA journal_mode=DELETE").fetchone()
        if mode != "delete":
            raise sqlite3.OperationalError("the log is in use")


@contextmanager
def _whole(made: Path, target: Path) -> Iterator[None]:
    """What the block makes takes its place once it is on the disk; otherwise it goes."""
    try:
        yield
        os.replace(made, target)
        _settle(target.parent)
    except OSError as error:
        raise BackupError("the backup cannot be written there") from error
    finally:
        with suppress(OSError):
            made.unlink()


def _settle(folder: Path) -> None:
    """The names in a folder are on the disk."""
    opened = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _file_of(url: str, otherwise: str) -> Path:
    parsed = store_url(url)
    if not is_sqlite(parsed):
        raise BackupError(f"the store is a PostgreSQL database: {otherwise}")
    if is_memory(parsed):
        raise BackupError("the store is in memory: there is no file")
    return Path(parsed.database or "")
