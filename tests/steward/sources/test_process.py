"""Child processes end when they should, whatever they do, and with them everything that they started."""

import asyncio
import os
import time
from collections.abc import Callable, Coroutine
from pathlib import Path

import pytest
import uvloop

from steward.sources.process import STDERR_BYTES, Cut, CutReason, Finished, picked, run

ENV = {"PATH": os.defpath}
LOOPS: dict[str, Callable[[], asyncio.AbstractEventLoop]] = {
    "asyncio": asyncio.new_event_loop,
    "uvloop": uvloop.new_event_loop,
}


class Shell:
    """Runs shell scripts on a loop of one kind, each within five seconds unless told."""

    def __init__(self, factory: Callable[[], asyncio.AbstractEventLoop]) -> None:
        self._factory = factory

    def wait(self, work: Coroutine[None, None, Finished | Cut | None]) -> Finished | Cut | None:
        with asyncio.Runner(loop_factory=self._factory) as runner:
            return runner.run(work)

    def __call__(
        self,
        script: str,
        *,
        seconds: float = 5,
        most: int = 1_000_000,
        stdin: bytes | None = None,
        cwd: Path | None = None,
    ) -> Finished | Cut | None:
        argv = ["sh", "-c", script]
        return self.wait(
            run(argv, env=ENV, deadline_seconds=seconds, max_bytes=most, stdin=stdin, cwd=cwd)
        )


@pytest.fixture(params=LOOPS)
def shell(request: pytest.FixtureRequest) -> Shell:
    return Shell(LOOPS[request.param])


def test_output_errors_and_the_return_code_come_back(shell: Shell) -> None:
    assert shell("printf out; printf err >&2; exit 3") == Finished(3, b"out", b"err")


def test_all_output_is_there_however_much(shell: Shell) -> None:
    found = shell("head -c 900000 /dev/zero")

    assert found == Finished(0, bytes(900_000), b"")


def test_input_is_given_whole_and_none_is_empty(shell: Shell) -> None:
    long = b"x" * 300_000

    assert shell("cat", stdin=long) == Finished(0, long, b"")
    assert shell("cat") == Finished(0, b"", b"")
    assert shell("exit 0", stdin=long) == Finished(0, b"", b"")


def test_the_environment_is_what_was_given_and_nothing_else(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEWARD__LARK__APP_SECRET", "sim_hush")

    found = shell("env")

    assert isinstance(found, Finished)
    names = {line.partition(b"=")[0] for line in found.stdout.splitlines()}
    assert names <= {b"PATH", b"PWD", b"SHLVL", b"_", b"OLDPWD"}


def test_a_picked_environment_holds_what_is_named() -> None:
    env = {"HOME": "/home/x", "PATH": "/bin", "TOKEN": "hush"}

    assert picked(env, ["HOME", "PATH", "LANG"], PATH="/usr/bin", LC_ALL="C") == {
        "HOME": "/home/x",
        "PATH": "/usr/bin",
        "LC_ALL": "C",
    }


def test_a_program_that_is_not_there_is_missing(shell: Shell, tmp_path: Path) -> None:
    for argv, path in ((["no-such-program"], os.defpath), (["sh"], str(tmp_path))):
        work = run(argv, env={"PATH": path}, deadline_seconds=5, max_bytes=1)
        assert shell.wait(work) == Cut(CutReason.MISSING)


def test_a_place_that_is_not_there_is_no_missing_program(shell: Shell, tmp_path: Path) -> None:
    assert shell("exit 0", cwd=tmp_path / "gone") == Cut(CutReason.REFUSED)
    assert shell("pwd", cwd=tmp_path) == Finished(0, f"{tmp_path}\n".encode(), b"")


def test_too_much_output_ends_the_child(shell: Shell) -> None:
    assert shell("cat /dev/zero", most=10_000) == Cut(CutReason.TOO_LARGE)
    assert shell("printf 1234", most=4) == Finished(0, b"1234", b"")
    assert shell("printf 12345", most=4) == Cut(CutReason.TOO_LARGE)


def test_a_flood_of_errors_is_cut_and_does_no_harm(shell: Shell) -> None:
    found = shell("head -c 1000000 /dev/zero >&2; printf done")

    assert found == Finished(0, b"done", bytes(STDERR_BYTES))


def test_a_child_that_hangs_ends_with_all_that_it_started(shell: Shell, tmp_path: Path) -> None:
    pids = tmp_path / "pids"

    found = shell(f"sleep 60 & echo $! $$ >{pids}; trap '' TERM; wait", seconds=0.5)

    assert found == Cut(CutReason.TIMEOUT)
    assert _gone(pids)


def test_a_cancelled_call_leaves_nothing_behind(shell: Shell, tmp_path: Path) -> None:
    pids = tmp_path / "pids"

    async def cancelled() -> None:
        argv = ["sh", "-c", f"sleep 60 & echo $! $$ >{pids}.new; mv {pids}.new {pids}; wait"]
        async with asyncio.timeout(5), asyncio.TaskGroup() as group:
            task = group.create_task(run(argv, env=ENV, deadline_seconds=30, max_bytes=1))
            while not pids.exists():  # noqa: ASYNC110 - the child has no other way to tell
                await asyncio.sleep(0.01)
            task.cancel()

    shell.wait(cancelled())

    assert _gone(pids)


def test_what_a_child_leaves_behind_neither_holds_the_call_up_nor_lives_on(
    shell: Shell, tmp_path: Path
) -> None:
    pids = tmp_path / "pids"

    found = shell(f"sleep 60 & echo $! >{pids}; printf out")

    assert found == Finished(0, b"out", b"")
    assert _gone(pids)


def test_a_child_that_a_signal_ended_says_so(shell: Shell) -> None:
    assert shell("kill -KILL $$") == Finished(-9, b"", b"")


def test_many_at_once_do_not_disturb_each_other(shell: Shell) -> None:
    async def together() -> None:
        jobs = [
            run(["sh", "-c", f"printf {n}"], env=ENV, deadline_seconds=10, max_bytes=9)
            for n in range(12)
        ]
        async with asyncio.timeout(15):
            found = await asyncio.gather(*jobs)
        assert found == [Finished(0, str(n).encode(), b"") for n in range(12)]

    shell.wait(together())


def _gone(pids: Path) -> bool:
    """Whether every process listed there has ended, or does within two seconds: a kill is not instant."""
    last = time.monotonic() + 2
    while any(_runs(pid) for pid in pids.read_text(encoding="ascii").split()):
        if time.monotonic() > last:
            return False
        time.sleep(0.01)
    return True


def _runs(pid: str) -> bool:
    """Whether the process lives; one that only waits to be reaped by somebody else does not."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status.rpartition(")")[2].split()[0] not in {"Z", "X"}
