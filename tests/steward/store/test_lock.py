"""The lock beside an SQLite store: one process serves it, and a dead one's lock is none. Contract D5."""

import subprocess
import sys
from pathlib import Path

import pytest

from steward.errors import StoreLockedError, StoreUnavailableError
from steward.store import StoreLock

ROOT = Path(__file__).parents[3]
HOLDER = """
import sys
from steward.store import StoreLock
with StoreLock(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""


def holder(url: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", HOLDER, url],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.requirement("D5")
def test_a_second_process_is_refused_until_the_first_is_killed(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/var/steward.db"
    with holder(url) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(StoreLockedError, match="stop it") as refused:
            StoreLock(url).acquire()
        assert str(tmp_path) not in str(refused.value)
        other.kill()
        other.wait(timeout=10)
    with StoreLock(url):
        pass


@pytest.mark.requirement("D5")
def test_a_released_lock_can_be_taken_again(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/steward.db"
    lock = StoreLock(url)
    with lock:
        lock.acquire()
        with pytest.raises(StoreLockedError):
            StoreLock(url).acquire()
    with StoreLock(url), pytest.raises(StoreLockedError):
        lock.acquire()


@pytest.mark.parametrize("url", ["sqlite://", "postgresql://localhost/steward"])
def test_a_store_that_needs_no_lock_has_none(url: str) -> None:
    with StoreLock(url), StoreLock(url):
        pass


def test_a_place_without_room_for_a_lock_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreUnavailableError):
        StoreLock(f"sqlite:///{tmp_path}/file/steward.db").acquire()
