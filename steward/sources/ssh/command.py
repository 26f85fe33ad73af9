"""One read command on another host, over the system's ssh and with the operator's own ssh configuration (R13)."""

import shlex
from collections.abc import Mapping, Sequence

from steward.model.reading import SourceCode
from steward.sources.loopx.carrier import Faults
from steward.sources.process import picked, run
from steward.sources.ssh.outcome import MAX_BYTES, answer_of

TIMEOUT_SECONDS = 45.0

REMOTE_PROGRAM = '"$HOME/.local/bin/loopx" --registry @host-global --format json'
"""Where LoopX puts itself, and the registry of all goals of that host. For the remote shell to read."""

_OPTIONS = (
    "BatchMode=yes",
    "StrictHostKeyChecking=yes",
    "ConnectTimeout=5",
    "ForwardX11=no",
    "ForwardAgent=no",
    "PermitLocalCommand=no",
)
_INHERITED = ("PATH", "HOME", "TMPDIR")


class SshCommand:
    """The carrier of `kind = "ssh"`. `host` is a name of the ssh configuration, or of the network."""

    def __init__(
        self,
        host: str,
        env: Mapping[str, str],
        *,
        config: str | None = None,
        known_hosts: str | None = None,
        program: str = REMOTE_PROGRAM,
        seconds: float = TIMEOUT_SECONDS,
    ) -> None:
        self._argv = [*_ssh(config, known_hosts), "--", host]
        self._program = program
        self._env = picked(env, _INHERITED, LC_ALL="C")
        self._seconds = seconds

    @property
    def faults(self) -> Faults:
        return Faults(
            silent=SourceCode.SSH_HOST_UNREACHABLE,
            unintelligible=SourceCode.REMOTE_PROTOCOL_UNAVAILABLE,
            refused=SourceCode.REMOTE_EVIDENCE_UNAVAILABLE,
            lasting=frozenset(
                {
                    SourceCode.TOOL_MISSING,
                    SourceCode.SSH_AUTH_REQUIRED,
                    SourceCode.SSH_HOST_UNREACHABLE,
                    SourceCode.REMOTE_CLI_MISSING,
                }
            ),
        )

    async def ask(self, arguments: Sequence[str]) -> bytes | SourceCode:
        """What the remote command wrote, or why there is none."""
        outcome = await run(
            [*self._argv, self._remote(arguments)],
            env=self._env,
            deadline_seconds=self._seconds,
            max_bytes=MAX_BYTES,
        )
        return answer_of(outcome)

    def _remote(self, arguments: Sequence[str]) -> str:
        """The remote shell's one line. Only arguments are ours to quote; the program is the operator's own text."""
        return f"exec env LOOPX_USAGE_PING=0 {self._program} {shlex.join(arguments)}"


def _ssh(config: str | None, known_hosts: str | None) -> list[str]:
    argv = ["ssh", "-T"]
    for option in _OPTIONS:
        argv += ["-o", option]
    if config is not None:
        argv += ["-F", config]
    if known_hosts is not None:
        argv += ["-o", f'UserKnownHostsFile="{known_hosts}"']
    return argv
