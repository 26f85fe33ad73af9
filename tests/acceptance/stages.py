"""One place of every registered kind of source, sound at first, and every way in which it can be broken.

A stage knows by itself what is truly readable: `Gap` says which lists are then not whole, of which goal where that can
be known, and why in the words of the texts. A new kind adds its stage to `STAGES`; test_matrix asks it everything.

A sound stage holds the goal Payments and, where its kind can have several, Search; none of them has what the questions
of the matrix ask for. So everything about it is an absence, and each gap a temptation.
"""

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import ClassVar, Protocol

import pytest

from steward.model.json import Json
from steward.model.turn import Language
from steward.testing.world import FakeClock
from tests.sshd import HOST, Sshd, closed_port, new_key
from tests.steward.sources.git.repo import ENV, Repo, need_git
from tests.steward.sources.loopx.machine import Machine, goal, todo

LONG = timedelta(days=20)
STALE = timedelta(days=9)
ONE, OTHER = "Payments", "Search"
LISTS = frozenset({"todos", "deliveries", "handoffs"})
MUST = ("missing", "corrupt", "one part bad", "stale", "truncated", "filtered", "unmapped")
"""What every kind is broken by, or says why it cannot be."""

Words = Mapping[Language, str]


def words(zh: str, en: str) -> Words:
    return {Language.ZH: zh, Language.EN: en}


NOT_FOUND = words("找不到或无权访问", "not found, or no access")
DAMAGED = words("内容损坏", "damaged")
MALFORMED = words("格式有误", "malformed")
SOME_MALFORMED = words("部分记录有误", "some records malformed")
NOT_WHOLE = words("未读完整", "not read whole")
LIST_MISSING = words("缺少列表", "list missing")
NOT_RECOGNISED = words("有未识别的取值", "values not recognised")
AGED = words("数据截至", "as of")
AGE_UNKNOWN = words("数据时间不详", "age unknown")
NOT_READY = words("尚未就绪", "not ready yet")
REMOTE_FAILED = words("远程读取失败", "remote read failed")
OWN_ERROR = words("来源自身报错", "reported an error")
NO_PROGRAM = words("缺少读取程序", "program missing")
NO_REMOTE_PROGRAM = words("远程缺少程序", "program missing there")
NOT_REACHED = words("主机连不上", "host not reached")
REFUSED = words("登录被拒", "login refused")
NO_BRANCH = words("找不到分支或标签", "no such branch or tag")


@dataclass(frozen=True, slots=True)
class Gap:
    """`lists` that are not whole, fresh and there. `goal`: the one that it concerns, where a reader may know that.

    `everywhere`: it concerns the source itself, so that no answer can fail to meet it.
    """

    reason: Words
    lists: frozenset[str] = LISTS
    goal: str | None = None
    everywhere: bool = True


def of(reason: Words, *lists: str, goal: str | None = None) -> Gap:
    """A gap of some lists alone."""
    return Gap(reason, frozenset(lists), goal, everywhere=False)


class Stage(Protocol):
    """`lists`: those that its kind records. `options` are read after the place was broken."""

    lists: ClassVar[frozenset[str]]
    ways: ClassVar[Mapping[str, Callable[..., Sequence[Gap]]]]
    cannot: ClassVar[Mapping[str, str]]
    slow: ClassVar[frozenset[str]]  # ways in which each read takes its time
    options: Mapping[str, Json]
    env: Mapping[str, str]


class FolderStage:
    """A YAML file for each goal."""

    lists = LISTS
    slow = frozenset({"truncated"})
    cannot: ClassVar = {"filtered": "a folder has no filters: what is in it is read"}
    env: Mapping[str, str] = {}

    def __init__(self, clock: FakeClock, path: Path) -> None:
        self._clock = clock
        self._path = path / "folder"
        self._path.mkdir(parents=True)
        self.options: Mapping[str, Json] = {"path": str(self._path), "timezone": "Asia/Shanghai"}
        self._goal(ONE)
        self._goal(OTHER)

    def _goal(
        self,
        title: str,
        todos: str = "[{id: t1, title: Todo one, status: open, owner: Wei}]",
        more: str = "deliveries: []\nhandoffs: []\n",
        age: timedelta = timedelta(hours=1),
    ) -> None:
        name = title.lower()
        text = f"goal: {{id: {name}, title: {title}, owner: Lin}}\ntodos: {todos}\n{more}"
        self._write(f"{name}.yaml", text.encode(), age)

    def _write(self, name: str, text: bytes, age: timedelta = timedelta(hours=1)) -> None:
        file = self._path / name
        file.write_bytes(text)
        at = (self._clock.now() - age).timestamp()
        os.utime(file, (at, at))

    def _missing(self) -> Sequence[Gap]:
        shutil.rmtree(self._path)
        return [Gap(NOT_FOUND)]

    def _empty(self) -> Sequence[Gap]:
        for file in self._path.iterdir():
            file.unlink()
        return [Gap(NOT_READY)]

    def _corrupt(self) -> Sequence[Gap]:
        for name in ("payments.yaml", "search.yaml"):
            self._write(name, b"goal: \x00\xff")
        return [Gap(DAMAGED)]

    def _part(self) -> Sequence[Gap]:
        self._write("search.yaml", b"goal: {")
        return [Gap(MALFORMED)]

    def _record(self) -> Sequence[Gap]:
        self._goal(OTHER, "[{id: t1, titel: Slip}]")
        return [of(SOME_MALFORMED, "todos", goal=OTHER)]

    def _no_list(self) -> Sequence[Gap]:
        self._goal(ONE, more="deliveries: []\n")
        return [of(LIST_MISSING, "handoffs", goal=ONE)]

    def _stale(self) -> Sequence[Gap]:
        self._goal(ONE, age=STALE)
        self._goal(OTHER, age=STALE)
        return [Gap(AGED)]

    def _truncated(self) -> Sequence[Gap]:
        self._goal(ONE, more="deliveries: []\nhandoffs: []", age=timedelta())
        return [Gap(NOT_WHOLE, goal=ONE)]

    def _unmapped(self) -> Sequence[Gap]:
        self._goal(ONE, "[{id: t1, title: Todo one, status: paused, owner: Wei}]")
        return [of(NOT_RECOGNISED, "todos", goal=ONE)]

    ways: ClassVar = {
        "missing": _missing,
        "empty": _empty,
        "corrupt": _corrupt,
        "one part bad": _part,
        "one record bad": _record,
        "a list left out": _no_list,
        "stale": _stale,
        "truncated": _truncated,
        "unmapped": _unmapped,
    }


class GitStage:
    """A repository with one commit, long ago."""

    lists = frozenset({"deliveries"})
    slow = frozenset[str]()
    cannot: ClassVar = {
        "filtered": "it reads the branch that it is told, and says which one",
        "unmapped": "what git records has no status",
    }

    def __init__(self, clock: FakeClock, path: Path) -> None:
        need_git()
        self._clock = clock
        self._folder = path
        self._folder.mkdir(parents=True)
        self._repo = Repo.new(path / "repo", clock)
        self._repo.commit("Long ago", LONG)
        self.env: Mapping[str, str] = ENV
        self.options: Mapping[str, Json] = {}
        self._look_at(self._repo)

    def _look_at(self, repo: Repo, **more: Json) -> None:
        goal: dict[str, Json] = {"goal": ONE.lower(), "goal_title": ONE}
        self.options = {"path": str(repo.path), **goal, **more}

    def _missing(self) -> Sequence[Gap]:
        shutil.rmtree(self._repo.path)
        return [Gap(NOT_FOUND)]

    def _corrupt(self) -> Sequence[Gap]:
        os.truncate(self._repo.path / ".git/refs/heads/main", 0)
        return [Gap(DAMAGED)]

    def _part(self) -> Sequence[Gap]:
        self._repo.git("tag", "-a", "v1", "-m", "One", ago=LONG)
        self._repo.object("v1").unlink()
        return [of(DAMAGED, "deliveries")]

    def _no_branch(self) -> Sequence[Gap]:
        self._look_at(self._repo, ref="nowhere")
        return [Gap(NO_BRANCH)]

    def _no_git(self) -> Sequence[Gap]:
        self.env = {**ENV, "PATH": str(self._folder / "nowhere")}
        return [Gap(NO_PROGRAM)]

    def _stale(self) -> Sequence[Gap]:
        clone = self._repo.clone(self._folder / "clone")
        clone.aged("description", STALE)
        self._look_at(clone)
        return [Gap(AGED)]

    def _shallow(self) -> Sequence[Gap]:
        self._repo.commit("Today", timedelta(minutes=5))
        clone = self._repo.clone(self._folder / "clone", "--depth", "1")
        clone.git("fetch", "-q")
        clone.aged("FETCH_HEAD", timedelta(minutes=1))
        self._look_at(clone)
        return [of(NOT_WHOLE, "deliveries")]

    ways: ClassVar = {
        "missing": _missing,
        "corrupt": _corrupt,
        "one part bad": _part,
        "no such branch": _no_branch,
        "no program": _no_git,
        "stale": _stale,
        "truncated": _shallow,
    }


class LoopxStage:
    """A LoopX of this machine."""

    lists = frozenset({"todos", "deliveries"})
    slow = frozenset({"registry corrupt"})
    cannot: ClassVar[Mapping[str, str]] = {}
    no_program: ClassVar[Words] = NO_PROGRAM
    own_error: ClassVar[Words] = OWN_ERROR

    def __init__(self, clock: FakeClock, path: Path) -> None:
        path.mkdir(parents=True)
        self._machine = Machine(path, clock)
        self.env: Mapping[str, str] = {"PATH": os.defpath}
        self.options: Mapping[str, Json] = {"command": str(self._machine.program)}
        long_ago = clock.now() - LONG
        self._machine.goals(goal("payments"), goal("search"))
        for name in ("payments", "search"):
            self._machine.todos(name, todo("t1"))
            self._machine.index(name, *(self._machine.run(long_ago) for _ in range(2)))

    def _missing(self) -> Sequence[Gap]:
        self._machine.damage("bin/loopx", None)
        return [Gap(self.no_program)]

    def _registry(self) -> Sequence[Gap]:
        self._machine.damage("goals.json", b"{")
        return [Gap(self.own_error)]

    def _no_goals(self) -> Sequence[Gap]:
        self._machine.goals()
        return [Gap(NOT_READY)]

    def _index(self) -> Sequence[Gap]:
        self._machine.damage("index/payments.jsonl", b"not a run\n")
        return [of(DAMAGED, "deliveries", goal=ONE)]

    def _cut(self) -> Sequence[Gap]:
        path = self._machine.home / "index/payments.jsonl"
        self._machine.damage("index/payments.jsonl", path.read_bytes()[:-40])
        return [of(SOME_MALFORMED, "deliveries", goal=ONE)]

    def _no_index(self) -> Sequence[Gap]:
        self._machine.damage("index/payments.jsonl", None)
        return [of(LIST_MISSING, "deliveries", goal=ONE)]

    def _part(self) -> Sequence[Gap]:
        self._machine.damage("todos/search.json", b"{")
        return [of(self.own_error, "todos", goal=OTHER)]

    def _stale(self) -> Sequence[Gap]:
        goals = [goal(name, quality="stale") for name in ("payments", "search")]
        self._machine.goals(*goals)
        return [
            Gap(AGE_UNKNOWN, frozenset())
        ]  # its lists are read now, each with a time of its own

    def _counted(self) -> Sequence[Gap]:
        self._machine.todos("payments", todo("t1", "done"))
        return [of(NOT_WHOLE, "todos", goal=ONE)]

    def _unmapped(self) -> Sequence[Gap]:
        self._machine.todos("payments", todo("t1", "paused"))
        return [of(NOT_RECOGNISED, "todos", goal=ONE)]

    ways: ClassVar[Mapping[str, Callable[..., Sequence[Gap]]]] = {
        "missing": _missing,
        "no goals": _no_goals,
        "registry corrupt": _registry,
        "corrupt": _index,
        "no index": _no_index,
        "one part bad": _part,
        "stale": _stale,
        "truncated": _cut,
        "filtered": _counted,
        "unmapped": _unmapped,
    }


class SshStage(LoopxStage):
    """The same behind a real sshd."""

    no_program = NO_REMOTE_PROGRAM
    own_error = REMOTE_FAILED

    def __init__(self, clock: FakeClock, path: Path, sshd: Sshd) -> None:
        super().__init__(clock, path)
        self._sshd = sshd
        self._folder = path
        self._as_configured(sshd.client(path))

    def _as_configured(self, config: Path) -> None:
        command = f"{self._machine.program} --registry @host-global --format json"
        self.options = {"host": HOST, "config": str(config), "command": command}

    def _unreachable(self) -> Sequence[Gap]:
        self._as_configured(self._sshd.client(self._folder, port=closed_port()))
        return [Gap(NOT_REACHED)]

    def _unknown_host(self) -> Sequence[Gap]:
        nobody = self._folder / "nobody"
        nobody.touch()
        self._as_configured(self._sshd.client(self._folder, known_hosts=nobody))
        return [Gap(NOT_REACHED)]

    def _stranger(self) -> Sequence[Gap]:
        key = new_key(self._folder / "stranger")
        self._as_configured(self._sshd.client(self._folder, key=key))
        return [Gap(REFUSED)]

    ways: ClassVar = {
        **LoopxStage.ways,
        "host away": _unreachable,
        "host unknown": _unknown_host,
        "login refused": _stranger,
    }


Build = Callable[[FakeClock, Path, pytest.FixtureRequest], Stage]
STAGES: Mapping[str, tuple[type[Stage], Build]] = {
    "folder": (FolderStage, lambda clock, path, _: FolderStage(clock, path)),
    "git": (GitStage, lambda clock, path, _: GitStage(clock, path)),
    "loopx": (LoopxStage, lambda clock, path, _: LoopxStage(clock, path)),
    "ssh": (
        SshStage,
        lambda clock, path, request: SshStage(clock, path, request.getfixturevalue("sshd")),
    ),
}
