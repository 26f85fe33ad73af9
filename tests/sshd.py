"""A real sshd on loopback, with keys of its own, for tests of what reads over ssh. Nothing outside its folder is used."""

import getpass
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.needs import require

HOST = "there"
"""What the client's configuration calls it."""

PATH = f"{os.defpath}:/usr/sbin:/sbin"
_PRIVSEP = Path("/run/sshd")
_PATIENCE = 10.0


@dataclass(frozen=True, slots=True)
class Sshd:
    """A running server. `home` is what a session finds as its HOME."""

    port: int
    folder: Path

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def known_hosts(self) -> Path:
        """The server's true host key."""
        return self.folder / "known_hosts"

    def client(
        self,
        folder: Path,
        *,
        known_hosts: Path | None = None,
        key: Path | None = None,
        port: int | None = None,
    ) -> Path:
        """An ssh configuration that knows `HOST`, and nothing of the machine that the test runs on."""
        config = folder / "ssh_config"
        config.write_text(
            f"""\
Host {HOST}
  HostName 127.0.0.1
  Port {port or self.port}
  User {getpass.getuser()}
  IdentityFile {key or self.folder / "client"}
  IdentitiesOnly yes
  IdentityAgent none
  PreferredAuthentications publickey
  GlobalKnownHostsFile /dev/null
  UserKnownHostsFile {known_hosts or self.known_hosts}
""",
            encoding="utf-8",
        )
        return config


def need_sshd() -> None:
    """Skip where there is no sshd, or no client for it."""
    found = all(shutil.which(name, path=PATH) for name in ("sshd", "ssh", "ssh-keygen"))
    require("sshd", found, "install openssh-server and openssh-client")


def new_key(path: Path) -> Path:
    """A new key pair; the public one beside it ends in .pub."""
    _run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path))
    return path


def closed_port() -> int:
    """A port of loopback on which nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def open_sshd(folder: Path) -> Iterator[Sshd]:
    """A server that ends with the block; it takes the key `client` of its folder, and no other."""
    host_key, client = new_key(folder / "host"), new_key(folder / "client")
    server = Sshd(closed_port(), folder)
    server.home.mkdir()
    shutil.copy(f"{client}.pub", folder / "authorized_keys")
    public = Path(f"{host_key}.pub").read_text(encoding="ascii")
    server.known_hosts.write_text(f"[127.0.0.1]:{server.port} {public}", encoding="ascii")
    config = folder / "sshd_config"
    config.write_text(
        f"""\
ListenAddress 127.0.0.1
Port {server.port}
HostKey {host_key}
PidFile none
AuthorizedKeysFile {folder / "authorized_keys"}
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
MaxStartups 100
SetEnv HOME={server.home}
""",
        encoding="utf-8",
    )
    if os.geteuid() == 0:
        _PRIVSEP.mkdir(exist_ok=True)  # which sshd wants, and a package's start script makes
    program = shutil.which("sshd", path=PATH)
    assert program is not None
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([program, "-D", "-e", "-f", str(config)], stderr=log)
    try:
        _until_it_listens(process, folder / "log")
        yield server
    finally:
        process.terminate()
        process.wait(_PATIENCE)


def _until_it_listens(process: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + _PATIENCE
    while b"Server listening" not in log.read_bytes():
        assert process.poll() is None, log.read_text(encoding="utf-8", errors="replace")
        assert time.monotonic() < deadline, "sshd does not listen"
        time.sleep(0.01)


def _run(*argv: str) -> None:
    subprocess.run(argv, check=True, timeout=_PATIENCE, env={"PATH": PATH}, capture_output=True)
