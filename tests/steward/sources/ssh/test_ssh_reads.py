"""LoopX over a real ssh to a real sshd: R13's one command on a verified host, and a code for each way to fail."""

import os
import socket
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from steward.control.registry import ConfiguredSource
from steward.errors import SettingsError
from steward.model.ids import GoalId, SourceId
from steward.model.json import Json
from steward.model.reading import (
    GateCode,
    Health,
    ReadFailure,
    Snapshot,
    SourceCode,
    SourceQuery,
    View,
)
from steward.sources.loopx.asking import FAILURE_KEPT
from steward.sources.loopx.source import LoopxSource
from steward.sources.process import Finished
from steward.sources.ssh.command import SshCommand
from steward.sources.ssh.kind import PACE, SshKind
from steward.sources.ssh.outcome import MAX_BYTES, answer_of
from steward.testing.world import FakeClock
from tests.sshd import HOST, Sshd, closed_port, new_key
from tests.steward.control.turn import Turn, coverage, rows
from tests.steward.evidence import scope
from tests.steward.sources.loopx.machine import Machine, todo

FAR = SourceId("far")
ENV = {"PATH": os.defpath}

pytestmark = pytest.mark.needs("sshd")
REFUSAL = '{"ok":false,"error":"x","schema_version":"manager_evidence_page_v1"}'


class Client:
    """Builds sources that read the machine behind the sshd, each with its own idea of the host."""

    def __init__(self, sshd: Sshd, machine: Machine, clock: FakeClock, folder: Path) -> None:
        self.sshd = sshd
        self.machine = machine
        self.clock = clock
        self.folder = folder

    def source(self, config: Path | None = None, **options: Json) -> LoopxSource:
        """As an operator configures it; `config` None: the host is known, and so is our key."""
        settings: dict[str, Json] = {
            "host": HOST,
            "config": str(config or self.sshd.client(self.folder)),
            "command": f"{self.machine.program} --registry @host-global --format json",
            **options,
        }
        return SshKind(self.clock).build(FAR, settings, ENV)

    async def read(
        self, source: LoopxSource, view: View = View.TODOS, seconds: float = 15
    ) -> Snapshot | ReadFailure:
        deadline = self.clock.now() + timedelta(seconds=seconds)
        return await source.read(SourceQuery(view), deadline=deadline)


@pytest.fixture
def client(sshd: Sshd, machine: Machine, clock: FakeClock, tmp_path: Path) -> Client:
    return Client(sshd, machine, clock, tmp_path)


@pytest.mark.requirement("R13")
async def test_a_verified_host_gives_its_evidence(client: Client) -> None:
    source = client.source()

    todos = await client.read(source)
    deliveries = await client.read(source, View.DELIVERIES)

    assert isinstance(todos, Snapshot)
    assert [row.id for row in todos.rows] == ["t1", "t2"]
    assert todos.complete
    assert isinstance(deliveries, Snapshot)
    assert len(deliveries.rows) == 2
    assert deliveries.complete
    assert await source.probe() == Health(client.clock.now(), 2)


@pytest.mark.requirement("R13")
async def test_loopx_is_looked_for_where_it_installs_itself(client: Client) -> None:
    programs = client.sshd.home / ".local" / "bin"
    programs.mkdir(parents=True)
    (programs / "loopx").symlink_to(client.machine.program)
    source = client.source(command=None)

    assert await source.probe() == Health(client.clock.now(), 2)
    assert client.machine.calls()[0][:4] == ["--registry", "@host-global", "--format", "json"]

    (programs / "loopx").unlink()
    client.clock.advance(PACE.kept)
    assert await source.probe() == ReadFailure(SourceCode.REMOTE_CLI_MISSING, FAR)


async def test_an_answer_is_kept_for_ten_minutes_with_its_time(client: Client) -> None:
    source = client.source()
    first = await client.read(source)
    asked = len(client.machine.calls())

    client.machine.tick(timedelta(minutes=9))
    client.machine.todos("payments", todo("t3"))
    kept = await client.read(source)
    assert kept == first
    assert isinstance(kept, Snapshot)
    assert kept.as_of == client.clock.now() - timedelta(minutes=9)
    assert len(client.machine.calls()) == asked

    client.machine.tick(timedelta(minutes=2))
    later = await client.read(source)
    assert isinstance(later, Snapshot)
    assert [row.id for row in later.rows] == ["t3"]


def _unknown_key(client: Client) -> Path:
    nobody = client.folder / "nobody"
    nobody.touch()
    return client.sshd.client(client.folder, known_hosts=nobody)


def _changed_key(client: Client) -> Path:
    other = new_key(client.folder / "other_host")
    public = Path(f"{other}.pub").read_text(encoding="ascii")
    changed = client.folder / "changed"
    changed.write_text(f"[127.0.0.1]:{client.sshd.port} {public}", encoding="ascii")
    return client.sshd.client(client.folder, known_hosts=changed)


def _refused(client: Client) -> Path:
    return client.sshd.client(client.folder, port=closed_port())


def _no_such_host(client: Client) -> Path:
    config = client.folder / "ssh_config"
    config.write_text(f"Host {HOST}\n  HostName there.invalid\n", encoding="utf-8")
    return config


def _foreign_credential(client: Client) -> Path:
    return client.sshd.client(client.folder, key=new_key(client.folder / "stranger"))


@pytest.mark.requirement("R13")
@pytest.mark.parametrize(
    ("configured", "code"),
    [
        (_unknown_key, SourceCode.SSH_HOST_UNREACHABLE),
        (_changed_key, SourceCode.SSH_HOST_UNREACHABLE),
        (_refused, SourceCode.SSH_HOST_UNREACHABLE),
        (_no_such_host, SourceCode.SSH_HOST_UNREACHABLE),
        (_foreign_credential, SourceCode.SSH_AUTH_REQUIRED),
    ],
)
async def test_a_host_that_cannot_be_trusted_reached_or_entered_is_named_as_such(
    client: Client, configured: Callable[[Client], Path], code: SourceCode
) -> None:
    source = client.source(configured(client))

    assert await client.read(source) == ReadFailure(code, FAR)
    assert await source.probe() == ReadFailure(code, FAR)
    assert client.machine.calls() == []


async def test_a_verified_key_may_stand_in_a_file_of_the_sources_own(client: Client) -> None:
    source = client.source(_unknown_key(client), known_hosts=str(client.sshd.known_hosts))

    assert isinstance(await source.probe(), Health)


@pytest.mark.requirement("R13")
@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("exit 127", SourceCode.REMOTE_CLI_MISSING),
        ("exit 126", SourceCode.REMOTE_EVIDENCE_UNAVAILABLE),
        ("exit 1", SourceCode.REMOTE_EVIDENCE_UNAVAILABLE),
        (f"echo '{REFUSAL}'; exit 1", SourceCode.REMOTE_EVIDENCE_UNAVAILABLE),
        ("echo 'db: Permission denied' >&2; exit 1", SourceCode.REMOTE_EVIDENCE_UNAVAILABLE),
        ("echo 'Permission denied (file)' >&2; exit 1", SourceCode.REMOTE_EVIDENCE_UNAVAILABLE),
        ("echo 'Permission denied' >&2; exit 255", SourceCode.REMOTE_EVIDENCE_UNAVAILABLE),
        (f"echo '{REFUSAL}'", SourceCode.REMOTE_EVIDENCE_UNAVAILABLE),
        ("exit 0", SourceCode.REMOTE_PROTOCOL_UNAVAILABLE),
        ("echo Welcome; echo '{}'", SourceCode.REMOTE_PROTOCOL_UNAVAILABLE),
        ("""printf '{"ok":true,"view":"portf'""", SourceCode.REMOTE_PROTOCOL_UNAVAILABLE),
        (
            """printf '{"ok":true,"view":"portfolio","schema_version":"v9"}'""",
            SourceCode.REMOTE_PROTOCOL_UNAVAILABLE,
        ),
        (
            """printf '"'; head -c 100000 /dev/zero | tr '\\0' a; printf '"'""",
            SourceCode.REMOTE_PROTOCOL_UNAVAILABLE,
        ),
        ("cat /dev/zero", SourceCode.REMOTE_PROTOCOL_UNAVAILABLE),
        ("kill -9 $PPID; sleep 5", SourceCode.SSH_HOST_UNREACHABLE),
    ],
)
async def test_what_the_remote_command_does_wrong_has_its_code(
    client: Client, script: str, code: SourceCode
) -> None:
    client.machine.install(script)

    assert await client.read(client.source()) == ReadFailure(code, FAR)


@pytest.mark.requirement("R13")
async def test_a_remote_command_that_hangs_is_ended_here(client: Client) -> None:
    client.machine.install("sleep 30")

    config = str(client.sshd.client(client.folder))
    carrier = SshCommand(HOST, ENV, config=config, program=str(client.machine.program), seconds=0.5)

    assert await client.read(client.source(), seconds=2) == ReadFailure(
        SourceCode.SSH_HOST_UNREACHABLE, FAR
    )
    assert await carrier.ask(["x"]) is SourceCode.SSH_HOST_UNREACHABLE


@pytest.mark.requirement("R13")
async def test_a_host_that_never_answers_is_not_reached(client: Client) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        port = int(silent.getsockname()[1])
        source = client.source(client.sshd.client(client.folder, port=port))

        found = await client.read(source, seconds=2)

    assert found == ReadFailure(SourceCode.SSH_HOST_UNREACHABLE, FAR)


async def test_a_host_that_is_gone_is_not_dialled_again_for_each_read_of_a_turn(
    client: Client,
) -> None:
    source = client.source(_refused(client))
    gone = ReadFailure(SourceCode.SSH_HOST_UNREACHABLE, FAR)
    assert await client.read(source) == gone
    client.sshd.client(client.folder)  # the same file: from here on it can be reached

    assert await client.read(source, View.PORTFOLIO) == gone
    client.clock.advance(FAILURE_KEPT)
    assert isinstance(await client.read(source), Snapshot)


@pytest.mark.requirement("R6")
async def test_an_answer_for_another_goal_is_dropped_whole(client: Client) -> None:
    page = client.machine.home / "page.json"
    page.write_text(
        '{"ok":true,"view":"portfolio","goal_id":"other","source":{},"rows":[],"offset":0,'
        '"matched":0,"next_offset":null,"unknown":false,"schema_version":"manager_evidence_page_v1"}',
        encoding="utf-8",
    )
    client.machine.install(f"cat {page}")

    found = await client.read(client.source())

    assert found == ReadFailure(GateCode.REMOTE_SCOPE_MISMATCH, FAR)


async def test_the_remote_command_gets_no_forwarding_and_nothing_of_our_environment(
    client: Client,
) -> None:
    seen = client.machine.home / "seen"
    client.machine.install(f"env >{seen}; exit 1")

    await client.read(client.source())

    names = {line.partition("=")[0] for line in seen.read_text(encoding="utf-8").splitlines()}
    assert "LOOPX_USAGE_PING" in names
    assert not names & {"SSH_AUTH_SOCK", "DISPLAY", "SSH_TTY", "STEWARD_CONFIG"}


@pytest.mark.requirement("R13")
async def test_the_last_good_portfolio_is_shown_as_old_while_the_host_is_gone(
    client: Client,
) -> None:
    far = ConfiguredSource(FAR, "Far", client.source())
    this = Turn(client.clock, {}, [scope(FAR)], deadline=timedelta(hours=1), also=(far,))
    fresh = await this.call(view="portfolio")
    _refused(client)
    client.machine.tick(PACE.kept)

    old = await this.call(view="portfolio")

    assert rows(old) == rows(fresh) == [("far", "payments"), ("far", "search")]
    assert old["as_of"] == fresh["as_of"]
    assert coverage(old) == {"discovered": 2, "attempted": 2, "stale": 2, "complete": False}
    failures = old["failures"]
    assert isinstance(failures, list)
    [failure] = failures
    assert failure["code"] == "ssh_host_unreachable"
    assert failure["stale_rows"] == "remote_goals_may_be_outdated_not_absent"


@pytest.mark.parametrize(
    ("options", "key"),
    [
        ({}, "host"),
        ({"host": "-oProxyCommand=x"}, "host"),
        ({"host": "a b"}, "host"),
        ({"host": HOST, "config": "ssh_config"}, "config"),
        ({"host": HOST, "known_hosts": "/keys/%h"}, "known_hosts"),
        ({"host": HOST, "port": 22}, "port"),
    ],
)
def test_an_option_that_cannot_be_used_is_named(
    clock: FakeClock, options: dict[str, Json], key: str
) -> None:
    with pytest.raises(SettingsError) as refused:
        SshKind(clock).build(FAR, options, ENV)
    assert refused.value.key == f"source.far.{key}"


async def test_a_goal_that_takes_too_long_on_a_host_that_answers_is_only_late(
    client: Client,
) -> None:
    program = client.machine.program.read_text(encoding="utf-8").splitlines()[1]
    client.machine.install(f'case "$*" in *"--goal-id search"*) sleep 9;; esac; {program}')

    found = await client.read(client.source(), seconds=4)

    assert isinstance(found, Snapshot)
    assert [row.id for row in found.rows] == ["t1", "t2"]
    search = GoalId("search")
    assert found.gaps == (ReadFailure(SourceCode.TIMEOUT, FAR, search, view=View.TODOS),)


@pytest.mark.requirement("R13")
async def test_ssh_is_called_with_exactly_what_keeps_it_to_one_command_on_a_verified_host(
    tmp_path: Path,
) -> None:
    fake = tmp_path / "ssh"
    fake.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >{tmp_path}/argv\n', encoding="utf-8")
    fake.chmod(0o755)
    carrier = SshCommand(HOST, {"PATH": str(tmp_path)}, config="/c", known_hosts="/k", program="lx")

    await carrier.ask(["goal-portfolio", "--goal-id", "it's"])

    written = (tmp_path / "argv").read_text(encoding="utf-8")
    assert written.splitlines() == [
        "-T",
        *("-o", "BatchMode=yes"),
        *("-o", "StrictHostKeyChecking=yes"),
        *("-o", "ConnectTimeout=5"),
        *("-o", "ForwardX11=no"),
        *("-o", "ForwardAgent=no"),
        *("-o", "PermitLocalCommand=no"),
        *("-F", "/c"),
        *("-o", 'UserKnownHostsFile="/k"'),
        "--",
        HOST,
        """exec env LOOPX_USAGE_PING=0 lx goal-portfolio --goal-id 'it'"'"'s'""",
    ]


@pytest.mark.requirement("R13")
@pytest.mark.parametrize("character", ["a", "\u8bc1"])
def test_an_answer_may_have_a_hundred_thousand_characters(character: str) -> None:
    longest = (character * 100_000).encode()
    longer = longest + b"a"

    assert answer_of(Finished(0, longest, b"")) == longest
    assert answer_of(Finished(0, longer, b"")) is SourceCode.REMOTE_PROTOCOL_UNAVAILABLE
    assert len(longest) < MAX_BYTES
