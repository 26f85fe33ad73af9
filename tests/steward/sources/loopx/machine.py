"""A machine with a LoopX on it: files that tests write and damage, and the program that reads them (cli.py)."""

import hashlib
import json
import shlex
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from steward.model.json import Json
from steward.testing.world import FakeClock

CLI = Path(__file__).with_name("cli.py")


class Machine:
    """`program` is what is called `loopx` there; `home` holds its records."""

    def __init__(self, folder: Path, clock: FakeClock | None = None) -> None:
        self.home = folder / "machine"
        self._clock = clock
        self._runs = 0
        for name in ("bin", "todos", "index"):
            (self.home / name).mkdir(parents=True)
        self.program = self.home / "bin" / "loopx"
        self.install(f'exec {shlex.join([sys.executable, "-I", str(CLI), str(self.home)])} "$@"')
        self.tick()

    def install(self, script: str) -> None:
        """What the program does from now on, in the shell's words."""
        self.program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        self.program.chmod(0o755)

    def tick(self, by: timedelta = timedelta()) -> None:
        """Time passes, there and here; where the test has no clock, by itself."""
        if self._clock is not None:
            self._clock.advance(by)
            self._write("now", self._clock.now().isoformat())

    def calls(self) -> list[list[str]]:
        """Every command line so far, without the program's name."""
        path = self.home / "calls"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        return [json.loads(line) for line in lines]

    def goals(self, *goals: Mapping[str, Json]) -> None:
        """The registry."""
        self._write("goals.json", json.dumps(goals))

    def todos(self, goal: str, *todos: Mapping[str, Json]) -> None:
        """A goal's todo authority."""
        self._write(f"todos/{goal}.json", json.dumps(todos))

    def index(self, goal: str, *runs: Mapping[str, Json], tail: str = "") -> None:
        """A goal's run index, and what stands behind its last line."""
        self._write(f"index/{goal}.jsonl", "".join(json.dumps(run) + "\n" for run in runs) + tail)

    def damage(self, name: str, content: bytes | None) -> None:
        """A file of those above gets other bytes, or goes."""
        path = self.home / name
        if content is None:
            path.unlink()
        else:
            path.write_bytes(content)

    def delivery_ids(self, goal: str) -> list[str]:
        """What LoopX will call the deliveries of an index, in its order."""
        lines = (self.home / "index" / f"{goal}.jsonl").read_text(encoding="utf-8").splitlines()
        runs = [json.loads(line) for line in lines]
        return [reference(run) for run in runs if run["delivery_outcome"]]

    def _write(self, name: str, text: str) -> None:
        (self.home / name).write_text(text, encoding="utf-8")

    def run(
        self,
        at: datetime | str,
        classification: str = "parser_written",
        outcome: str | None = "outcome_progress",
    ) -> dict[str, Json]:
        """A record of the index: a delivery, unless its outcome says otherwise."""
        self._runs += 1
        return {
            "generated_at": at if isinstance(at, str) else at.isoformat(),
            "json_path": f"runs/{self._runs}.json",
            "agent_id": "agent-one",
            "classification": classification,
            "delivery_outcome": outcome,
        }


def reference(run: Mapping[str, Json]) -> str:
    """LoopX's own id of a run."""
    return f"sha256:{hashlib.sha256(json.dumps(run, sort_keys=True).encode()).hexdigest()}"


def goal(
    name: str,
    *,
    state: str = "active",
    quality: str = "verified",
    recorded: str | None = None,
    phase: str = "qualifying",
) -> dict[str, Json]:
    return {
        "id": name,
        "title": name.title(),
        "state": state,
        "quality": quality,
        "recorded": recorded,
        "phase": phase,
    }


def todo(name: str, status: str = "open", **more: Json) -> dict[str, Json]:
    return {
        "todo_id": name,
        "role": "agent",
        "status": status,
        "priority": "P1",
        "claimed_by": "agent-one",
        "title": f"Todo {name}",
        **more,
    }


def filled(machine: Machine, now: datetime) -> Sequence[str]:
    """Payments: two todos, a delivery an hour ago, one ten days ago, and a run that is none; search: nothing, read."""
    machine.goals(goal("payments"), goal("search"))
    machine.todos("payments", todo("t1"), todo("t2", "blocked"))
    machine.todos("search")
    machine.index(
        "payments",
        machine.run(now - timedelta(hours=1)),
        machine.run(now - timedelta(days=10)),
        machine.run(now - timedelta(hours=2), "state_refreshed", None),
    )
    machine.index("search", machine.run(now - timedelta(hours=2), "state_refreshed", None))
    return ["payments", "search"]
