"""One process at a time serves an SQLite store (D5): a lock file beside it, held by the kernel, not by its content."""

import fcntl
import os
from pathlib import Path
from types import TracebackType
from typing import Self

from steward.errors import StoreLockedError, StoreUnavailableError
from steward.store.connect import is_memory, is_sqlite, store_url


class StoreLock:
    """Held from `with` to its end, or to the end of the process however it dies.

    A memory store is private, and on PostgreSQL safety rests on leases and fences alone: nothing is locked there.
    """

    def __init__(self, url: str) -> None:
        parsed = store_url(url)
        private = is_memory(parsed) or not is_sqlite(parsed) or parsed.database is None
        self._path = None if private else Path(f"{parsed.database}.lock")
        self._file: int | None = None

    def acquire(self) -> None:
        """Raises StoreLockedError at once where another process holds it, StoreUnavailableError where none can."""
        if self._path is None or self._file is not None:
            return
        try:
            self._file = _locked(self._path)
        except BlockingIOError as error:
            raise StoreLockedError(
                "another process serves this store: stop it, or give this one its own store.url"
            ) from error
        except OSError as error:
            raise StoreUnavailableError("the lock beside the store cannot be used") from error

    def release(self) -> None:
        """Let the next process serve. The file stays: removing it could take it from under a waiting one."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def __enter__(self) -> Self:
        self.acquire()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


def _locked(path: Path) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(file)
        raise
    return file
