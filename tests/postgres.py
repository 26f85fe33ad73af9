"""A real PostgreSQL for tests: made in a temporary folder, on a free port, gone afterwards.

The server refuses to run as root; there it runs as `nobody`, in a folder of nobody's.
"""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from tests.needs import require

_UP_WITHIN_SECONDS = 15.0
_PLACES = ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql*/bin")


@dataclass(frozen=True, slots=True)
class _Account:
    uid: int
    gid: int

    @classmethod
    def unprivileged(cls) -> "_Account | None":
        """Whom the server runs as, or None where this process may run it itself."""
        if os.geteuid() != 0:
            return None
        nobody = pwd.getpwnam("nobody")
        return cls(nobody.pw_uid, nobody.pw_gid)


def require_postgres() -> Path:
    """The folder of the server's programs; skips the test where there is none."""
    found = found_postgres()
    require("postgres", found is not None, "no initdb and postgres found: install PostgreSQL")
    assert found is not None
    return found


@contextmanager
def running_postgres() -> Iterator[str]:
    """A server with an empty database: its URL. Its folder lies under no other test's, which are their owner's alone."""
    with postgres_server() as server:
        yield server.url


@contextmanager
def postgres_server(*, durable: bool = False) -> Iterator["Server"]:
    """The same, for tests that restart it; `durable`: it writes through to the disk and has the memory that it ships with."""
    binaries = require_postgres()
    account = _Account.unprivileged()
    with tempfile.TemporaryDirectory(prefix="steward-postgres-") as folder:
        if account is not None:
            os.chown(folder, account.uid, account.gid)
        data = Path(folder) / "data"
        _made(account, binaries, data)
        server = Server(account, binaries, data, durable=durable)
        server.start()
        try:
            yield server
        finally:
            server.stop()


class Server:
    """One server's process, after the other; all serve the same data at the same port."""

    def __init__(
        self, account: _Account | None, binaries: Path, data: Path, *, durable: bool = False
    ) -> None:
        self._durable = durable
        self._account = account
        self._binaries = binaries
        self._data = data
        self._port = _free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"postgresql://steward@127.0.0.1:{self._port}/postgres"

    def start(self) -> None:
        """Returns once it takes connections."""
        self._process = _start(
            self._account, self._binaries, self._data, self._port, durable=self._durable
        )
        try:
            _wait(self._account, self._binaries, self._port)
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """At once: what is under way in it is undone, and every session cut."""
        assert self._process is not None
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait(timeout=10)


def _made(account: _Account | None, binaries: Path, data: Path) -> None:
    _run(
        account,
        binaries / "initdb",
        "--pgdata",
        str(data),
        "--username=steward",
        "--auth=trust",
        "--encoding=UTF8",
        "--no-locale",
        "--no-sync",
    )


def found_postgres() -> Path | None:
    """The folder of the server's programs, or None."""
    on_path = shutil.which("initdb")
    places = [Path(on_path).resolve().parent] if on_path else []
    for pattern in _PLACES:
        root, rest = Path("/"), pattern.lstrip("/")
        places += sorted(root.glob(rest), reverse=True)
    whole = (p for p in places if (p / "initdb").exists() and (p / "postgres").exists())
    return next(whole, None)


def _run(account: _Account | None, program: Path, *arguments: str) -> None:
    subprocess.run(
        [str(program), *arguments],
        check=True,
        capture_output=True,
        timeout=60,
        cwd="/",
        env=_environment(),
        **_as(account),
    )


def _start(
    account: _Account | None, binaries: Path, data: Path, port: int, *, durable: bool
) -> "subprocess.Popen[bytes]":
    settings: dict[str, str | int] = {
        "port": port,
        "listen_addresses": "127.0.0.1",
        "unix_socket_directories": "",
        "max_connections": 60,
    }
    settings |= {"max_wal_size": "4GB"} if durable else {"fsync": "off", "shared_buffers": "32MB"}
    options = [word for key, value in settings.items() for word in ("-c", f"{key}={value}")]
    return subprocess.Popen(
        [str(binaries / "postgres"), "-D", str(data), *options],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        env=_environment(),
        **_as(account),
    )


def _wait(account: _Account | None, binaries: Path, port: int) -> None:
    until = monotonic() + _UP_WITHIN_SECONDS
    while monotonic() < until:
        probe = subprocess.run(
            [str(binaries / "pg_isready"), "-h", "127.0.0.1", "-p", str(port), "-t", "1"],
            check=False,
            capture_output=True,
            env=_environment(),
            cwd="/",
            **_as(account),
        )
        if probe.returncode == 0:
            return
    raise TimeoutError("PostgreSQL did not come up")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _as(account: _Account | None) -> dict[str, int | list[int]]:
    if account is None:
        return {}
    return {"user": account.uid, "group": account.gid, "extra_groups": []}


def _environment() -> dict[str, str]:
    return {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}
