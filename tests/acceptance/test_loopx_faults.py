"""What LoopX could not read is never told as absent, although LoopX itself says that all is well. R8, W1, W2, W4.

Through the real webhook and the simulated platform: every fault on a machine of its own, whose LoopX a group of its
own may read.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

from steward.model.turn import Language
from steward.world import SystemClock
from tests.acceptance.faults import says
from tests.acceptance.house import House, Reply, open_house
from tests.acceptance.promises import UNREAD, Words, absent, broken
from tests.steward.sources.loopx.machine import Machine, filled, goal, todo

INDEX = "index/payments.jsonl"
QUESTIONS = [
    (Language.ZH, "Payments 进展如何？"),
    (Language.EN, "How is Payments going?"),
]


@dataclass(frozen=True, slots=True)
class Fault:
    """`lay` damages a machine whose goal has two todos and nothing delivered in the last days.

    `absent`: the lists that an answer may call empty, because LoopX did read them.
    """

    lay: Callable[[Machine], None]
    said: Mapping[Language, Words] | None
    absent: frozenset[str] = frozenset()


def damage(name: str, content: bytes | None) -> Callable[[Machine], None]:
    return lambda machine: machine.damage(name, content)


def _bad_time(machine: Machine) -> None:
    machine.index("payments", machine.run("yesterday"))


def _cut(machine: Machine) -> None:
    whole = (machine.home / INDEX).read_bytes()
    machine.damage(INDEX, whole[: len(whole) - 40])


def _old_program(machine: Machine) -> None:
    machine.install("exit 2")


def _hidden(machine: Machine) -> None:
    machine.todos("payments", todo("t1", "done"))


MALFORMED = says("部分记录有误", "请负责人按格式更正", "some records malformed", "The owner should")
LIST_MISSING = says("缺少列表", "请负责人补上列表", "list missing", "The owner should add the list")
OWN_ERROR = says("来源自身报错", "请维护人员", "reported an error", "The operator should check")

DELIVERIES = frozenset({"deliveries"})

FAULTS: Mapping[str, Fault] = {
    "all is well": Fault(lambda machine: None, None, DELIVERIES),
    "index all garbage": Fault(
        damage(INDEX, b"not a run\n"),
        says("内容损坏", "请负责人恢复", "damaged", "The owner should restore"),
    ),
    "index cut mid-line": Fault(_cut, MALFORMED),
    "index with a bad time": Fault(_bad_time, MALFORMED),
    "index lost, or never written": Fault(damage(INDEX, None), LIST_MISSING),
    "index empty": Fault(damage(INDEX, b""), LIST_MISSING),
    "authority corrupt": Fault(damage("todos/payments.json", b"\xff"), OWN_ERROR, DELIVERIES),
    "todos that are only counted": Fault(
        _hidden, says("未读完整", "请稍后再问", "not read whole", "Ask again"), DELIVERIES
    ),
    "nothing granted there": Fault(
        lambda machine: machine.goals(),
        says("尚未就绪", "请负责人检查配置", "not ready yet", "The owner should check"),
    ),
    "registry corrupt": Fault(damage("goals.json", b"{"), OWN_ERROR),
    "another version": Fault(
        _old_program,
        says("返回内容无法识别", "请维护人员检查", "answer not understood", "The operator should"),
    ),
    "program gone": Fault(
        damage("bin/loopx", None),
        says("缺少读取程序", "请维护人员在运行", "program missing", "The operator should install"),
    ),
}


def laid(folder: Path) -> tuple[str, str]:
    """Every fault on a machine of its own; the sources and grants that open each to its group."""
    sources, grants = "", ""
    for number, fault in enumerate(FAULTS.values()):
        machine = Machine(folder / f"m{number}")
        filled(machine, SystemClock().now() - timedelta(days=20))
        machine.goals(goal("payments"))
        fault.lay(machine)
        sources += f"""
[source.s{number}]
kind = "loopx"
command = "{machine.program}"
title = "Loop-{number}"
"""
        grants += f"""
[grant.g{number}]
audience = "group:oc_fault_{number}"
sources = ["s{number}"]
goals = ["*"]
"""
    return sources, grants


async def asked(house: House, number: int, question: str) -> Reply:
    members = [house.member, house.owner]
    name = f"oc_fault_{number}"
    chat = house.platform.add_chat(f"Team {number}", members=members, chat_id=name)
    return await house.ask(chat, house.member, question)


def problems(fault: Fault, reply: Reply, language: Language, source: str) -> Iterator[str]:
    """What this answer owes its readers and does not give them."""
    yield from broken(reply.lines, language, source=source)
    if absent(reply.lines, language) != fault.absent:
        yield f"it calls {sorted(absent(reply.lines, language))} empty, not {sorted(fault.absent)}"
    if fault.said is None:
        return
    if UNREAD[language] not in reply.text:
        yield "it does not say that something was not read"
    words = fault.said[language]
    named = f"{source}（{words.reason}" if language is Language.ZH else f"{source} ({words.reason}"
    if named not in reply.text:
        yield f"it does not say {named}"
    if words.action not in reply.text:
        yield f"it does not say {words.action}"


@pytest.mark.requirement("R8", "R9", "W1", "W2", "W4")
@pytest.mark.parametrize(("language", "question"), QUESTIONS, ids=["zh", "en"])
async def test_no_answer_calls_absent_what_loopx_could_not_read(
    tmp_path: Path, language: Language, question: str
) -> None:
    sources, grants = laid(tmp_path)
    found: dict[str, list[str]] = {}
    async with open_house(tmp_path, sources=sources, grants=grants) as house:
        for number, (name, fault) in enumerate(FAULTS.items()):
            reply = await asked(house, number, question)
            found[name] = list(problems(fault, reply, language, f"Loop-{number}"))
            if found[name]:
                found[name].append(reply.text)

    assert {name: told for name, told in found.items() if told} == {}
