"""Every way in which a folder of evidence can be wrong, and what its readers must be told of it (issue: W1, R8-R10).

Each fault lays a folder down. `absent` names the lists that the contracts let an answer call empty: those that are
there, whole and fresh, hold nothing in the window, and stand beside nothing that could hold more.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from steward.model.turn import Language
from steward.world import SystemClock
from tests.acceptance.promises import Words

GOAL = "goal: {id: payments, title: Payment gateway, aliases: [支付网关], owner: Lin}\n"
TODO = "todos:\n  - {id: t1, title: Callback signature, status: blocked, owner: Wei}\n"
NONE_HANDED = "handoffs: []\n"
NONE_DELIVERED = "deliveries: []\n"
SOUND = GOAL + TODO + NONE_DELIVERED + NONE_HANDED
OTHER = "goal: {id: search, title: Search}\ntodos: []\ndeliveries: []\nhandoffs: []\n"
OLD = timedelta(days=3)
QUIET = timedelta(minutes=1)

Lay = Callable[[Path], None]
NOTHING: frozenset[str] = frozenset()
ALL = frozenset({"todos", "deliveries", "handoffs"})


@dataclass(frozen=True, slots=True)
class Fault:
    """`said` None: nothing is wrong, and no gap may be spoken of. `nothing_read`: that is the headline."""

    lay: Lay
    said: Mapping[Language, Words] | None
    absent: frozenset[str] = NOTHING
    nothing_read: bool = False


def write(text: str | bytes, name: str = "payments.yaml", age: timedelta = QUIET) -> Lay:
    """A file of that age, in a folder that is made for it."""

    def lay(folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        file = folder / name
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        at = (SystemClock().now() - age).timestamp()
        os.utime(file, (at, at))

    return lay


def each(*lays: Lay) -> Lay:
    """One after the other."""

    def lay(folder: Path) -> None:
        for one in lays:
            one(folder)

    return lay


def no_folder(folder: Path) -> None:
    """Nothing is there."""


def empty_folder(folder: Path) -> None:
    folder.mkdir()


def unreadable(folder: Path) -> None:
    """What bears a file's name is none; permissions do not stop a test that runs as root."""
    (folder / "payments.yaml").mkdir(parents=True)


def says(zh: str, do_zh: str, en: str, do_en: str) -> Mapping[Language, Words]:
    return {Language.ZH: Words(zh, do_zh), Language.EN: Words(en, do_en)}


CORRECT = ("请负责人按格式更正", "The owner should correct this")
MALFORMED = says("格式有误", CORRECT[0], "malformed", CORRECT[1])
SOME_MALFORMED = says("部分记录有误", CORRECT[0], "some records malformed", CORRECT[1])
LIST_MISSING = says("缺少列表", "请负责人补上列表", "list missing", "The owner should add the list")
CUT = says("未读完整", "请稍后再问", "not read whole", "Ask again in a moment")
DAMAGED = says(
    "内容损坏", "请负责人恢复完好的版本", "damaged", "The owner should restore a sound version"
)

FAULTS: Mapping[str, Fault] = {
    "missing": Fault(
        no_folder,
        says(
            "找不到或无权访问",
            "请负责人检查它的位置",
            "not found, or no access",
            "The owner should check where it is",
        ),
        nothing_read=True,
    ),
    "empty": Fault(
        empty_folder,
        says("尚未就绪", "放入目标", "not ready yet", "put goals into it"),
        nothing_read=True,
    ),
    "empty file": Fault(write(""), MALFORMED, nothing_read=True),
    "corrupt": Fault(write(b"goal: \x00\xff"), DAMAGED, nothing_read=True),
    "not utf-8": Fault(write(SOUND.encode("gb18030")), DAMAGED, nothing_read=True),
    "duplicate keys": Fault(write(SOUND + "todos: []\n"), MALFORMED, nothing_read=True),
    "alias": Fault(
        write(SOUND.replace("goal: {", "goal: &g {") + "notes: *g\n"), MALFORMED, nothing_read=True
    ),
    "unreadable": Fault(
        unreadable,
        says("不允许读取", "开放读取权限", "may not be read", "The owner should permit reading it"),
        nothing_read=True,
    ),
    "stale": Fault(
        write(SOUND, age=OLD),
        says("数据截至", "请负责人更新", "as of", "The owner should bring it up to date"),
    ),
    "one bad of three": Fault(
        each(write(SOUND), write(OTHER, "search.yaml"), write("goal: {", "third.yaml")), MALFORMED
    ),
    "two files, one goal": Fault(
        each(write(SOUND), write(OTHER, "search.yaml"), write(SOUND, "again.yaml")), MALFORMED
    ),
    "a list absent": Fault(
        write(GOAL + "todos: []\n" + NONE_DELIVERED),
        LIST_MISSING,
        frozenset({"todos", "deliveries"}),
    ),
    "a list begun": Fault(
        write(GOAL + TODO + NONE_DELIVERED + "handoffs:\n"), LIST_MISSING, frozenset({"deliveries"})
    ),
    "no list at all": Fault(write(GOAL), LIST_MISSING),
    "a list's name misspelt": Fault(
        write(GOAL + TODO + "deliverys: []\n" + NONE_HANDED), MALFORMED
    ),
    "a bad record": Fault(
        write(GOAL + "todos: [{id: t1, titel: Slip}]\n" + NONE_DELIVERED + NONE_HANDED),
        SOME_MALFORMED,
        frozenset({"deliveries", "handoffs"}),
    ),
    "an unknown status": Fault(
        write(
            GOAL
            + "todos: [{id: t1, title: Rates, status: paused}]\n"
            + NONE_DELIVERED
            + NONE_HANDED
        ),
        says(
            "有未识别的取值",
            "请负责人改用约定的取值",
            "values not recognised",
            "The owner should use the agreed values",
        ),
        frozenset({"deliveries", "handoffs"}),
    ),
    "being written": Fault(write(SOUND.removesuffix("\n"), age=timedelta()), CUT),
    "all is well": Fault(write(SOUND), None, frozenset({"deliveries", "handoffs"})),
    "all lists empty": Fault(write(GOAL + "todos: []\n" + NONE_DELIVERED + NONE_HANDED), None, ALL),
}
