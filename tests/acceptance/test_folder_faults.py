"""Whatever is wrong with the folder, the group is told what was not read, why, and what to do. W1, W2, R8-R10.

Through the real webhook and the simulated platform: one house in which every fault is a source of its own, granted
to a group of its own.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from steward.model.turn import Language
from tests.acceptance.faults import FAULTS, Fault
from tests.acceptance.house import House, Reply, open_house
from tests.acceptance.promises import IDS, QUESTIONS, UNREAD, absent, broken

HEADLINE = {Language.ZH: "未读到证据：", Language.EN: "No evidence read: "}


def chat_of(number: int) -> str:
    return f"oc_fault_{number}"


def title_of(number: int) -> str:
    return f"Plans-{number}"


def laid(folder: Path) -> tuple[str, str]:
    """Every fault in a folder of its own; the sources and grants that open each to its group."""
    sources, grants = "", ""
    for number, fault in enumerate(FAULTS.values()):
        fault.lay(folder / f"f{number}")
        sources += f"""
[source.s{number}]
kind = "folder"
path = "f{number}"
title = "{title_of(number)}"
"""
        grants += f"""
[grant.g{number}]
audience = "group:{chat_of(number)}"
sources = ["s{number}"]
goals = ["*"]
"""
    return sources, grants


async def asked(house: House, number: int, question: str) -> Reply:
    members = [house.member, house.owner]
    chat = house.platform.add_chat(f"Team {number}", members=members, chat_id=chat_of(number))
    return await house.ask(chat, house.member, question)


def problems(
    fault: Fault, lines: tuple[str, ...], language: Language, source: str
) -> Iterator[str]:
    """What this answer owes its readers and does not give them."""
    text = "\n".join(lines)
    yield from broken(lines, language, source=source)
    if absent(lines, language) != fault.absent:
        yield f"it calls {sorted(absent(lines, language))} empty, not {sorted(fault.absent)}"
    if (UNREAD[language] in text) is (fault.said is None):
        yield "it does not say whether something was not read"
    if lines[0].startswith(HEADLINE[language]) is not fault.nothing_read:
        yield f"its headline is {lines[0]}"
    if fault.said is not None:
        words = fault.said[language]
        named = (
            f"{source}（{words.reason}" if language is Language.ZH else f"{source} ({words.reason}"
        )
        if named not in text:
            yield f"it does not say {named}"
        if words.action not in text:
            yield f"it does not say {words.action}"


@pytest.mark.requirement("W1", "W2", "W4", "W5", "R8", "R9", "R10")
@pytest.mark.parametrize(("language", "question"), QUESTIONS, ids=IDS)
async def test_every_fault_is_told_with_its_reason_and_what_to_do(
    tmp_path: Path, language: Language, question: str
) -> None:
    sources, grants = laid(tmp_path)
    found: dict[str, list[str]] = {}
    async with open_house(tmp_path, sources=sources, grants=grants) as house:
        for number, (name, fault) in enumerate(FAULTS.items()):
            reply = await asked(house, number, question)
            found[name] = list(problems(fault, reply.lines, language, title_of(number)))
            if found[name]:
                found[name].append(reply.text)

    assert {name: told for name, told in found.items() if told} == {}
