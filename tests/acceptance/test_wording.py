"""Sentences as they are met: short, whole, in one language, and the same on every way to a reader. W1, W2, W4, W5."""

import asyncio
import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from bot.simulator.model import Chat
from steward.model.ids import GoalId, SourceId
from steward.model.reading import ContextCode, GateCode, ReadCode, ReadFailure, SourceCode, View
from steward.model.turn import Language
from steward.reading.failures import label, sentence
from tests.acceptance.faults import GOAL, NONE_DELIVERED, SOUND, write
from tests.acceptance.house import TEAM, House, open_house
from tests.acceptance.promises import FOLD, IDS, QUESTIONS, broken

PLANS, PAYMENTS = SourceId("plans"), GoalId("payments")
MOST_LABEL = {Language.ZH: 10, Language.EN: 26}
MOST_SENTENCE = {Language.ZH: 90, Language.EN: 250}
SOURCES = """
[source.plans]
kind = "folder"
path = "evidence"
title = "Plans"
[source.archive]
kind = "folder"
path = "not-mounted"
title = "Archive"
"""


def grant(*sources: str) -> str:
    names = ", ".join(f'"{source}"' for source in sources)
    return f'[grant.team]\naudience = "group:{TEAM}"\nsources = [{names}]\ngoals = ["*"]\n'


def extents(code: ReadCode) -> list[ReadFailure]:
    """A failure of a source, of a part of it, of a goal, and of a list."""
    return [
        ReadFailure(code, PLANS),
        ReadFailure(code, PLANS, part=True),
        ReadFailure(code, PLANS, PAYMENTS, part=True),
        ReadFailure(code, PLANS, PAYMENTS, 2, part=True, view=View.TODOS),
    ]


EVERY_FAILURE = [
    failure
    for codes in (SourceCode, GateCode, ContextCode)
    for code in codes
    for failure in extents(code)
]


@pytest.mark.requirement("R4", "W1", "W2", "W5")
@pytest.mark.parametrize("language", Language)
def test_every_reason_is_a_few_words_and_its_sentences_are_short_and_whole(
    language: Language,
) -> None:
    faults = []
    for failure in EVERY_FAILURE:
        short, said = label(failure, language), sentence(failure, language)
        ends = "。" if language is Language.ZH else "."
        if len(short) > MOST_LABEL[language] or short.endswith(ends):
            faults.append(f"too long for a bracket: {short}")
        if len(said) > MOST_SENTENCE[language] or not said.endswith(ends):
            faults.append(f"too long, or no sentence: {said}")
        if list(broken([short, said], language, source="")):
            faults.append(f"{[*broken([short, said], language, source='')]}: {said}")

    assert faults == []


@pytest.mark.requirement("R4")
@pytest.mark.parametrize("language", Language)
def test_the_repair_of_a_missing_list_is_another_than_that_of_a_missing_source(
    language: Language,
) -> None:
    for code in (SourceCode.NOT_CONFIGURED, SourceCode.NOT_FOUND_OR_NO_ACCESS):
        source, _, goal, _ = extents(code)

        assert label(source, language) != label(goal, language)
        assert sentence(source, language) != sentence(goal, language)


@pytest.mark.requirement("W5")
@pytest.mark.parametrize(("zh", "en"), [(0, 1), (2, 3)], ids=["goal", "all"])
async def test_both_languages_say_the_same_in_the_same_places(
    tmp_path: Path, zh: int, en: int
) -> None:
    write(GOAL + NONE_DELIVERED)(tmp_path / "evidence")
    async with open_house(tmp_path, sources=SOURCES, grants=grant("plans", "archive")) as house:
        replies = [
            await house.ask(house.team, house.member, QUESTIONS[number][1]) for number in (zh, en)
        ]

    chinese, english = (
        [re.sub(r"\[\d+\]", "[n]", line) for line in reply.lines] for reply in replies
    )
    assert len(chinese) == len(english)
    for one, other in zip(chinese, english, strict=True):
        assert figures(one) == figures(other)
        assert [name in one for name in NAMES] == [name in other for name in NAMES]


NAMES = ("Plans", "Archive", "Payment gateway", "Lin", "•", "[n]", FOLD)


def figures(line: str) -> list[str]:
    return sorted(re.findall(r"\d+(?:-\d+)*", line))


# ---------------------------------------------------------------- what a stranger is told


@pytest.mark.requirement("A2", "W2", "W5")
@pytest.mark.parametrize(
    ("question", "said"),
    [
        (
            "进展如何？",
            "我还没有获准在这里读取任何来源，暂时回答不了。请联系这个机器人的所有者授权。",
        ),
        (
            "How is it going?",
            "I cannot answer here yet: I may not read any source for this chat. The owner of this bot can grant it.",
        ),
    ],
)
async def test_a_stranger_is_told_in_one_line_who_can_help(
    tmp_path: Path, question: str, said: str
) -> None:
    write(SOUND)(tmp_path / "evidence")
    async with open_house(tmp_path, sources=SOURCES) as house:
        guest = house.platform.add_person("Noor", open_id="ou_sim_guest")
        for chat, person in (
            (house.platform.private_chat(guest), guest),
            (house.team, house.member),
        ):
            reply = await house.ask(chat, person, question)

            assert reply.lines == (said,)


# ---------------------------------------------------------------- the same words on the command line


async def asked_by_command(house: House, chat: Chat, question: str) -> Mapping[str, object]:
    """`steward ask --json` as that group."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "bot", "ask", question, "--json"),
        *("--as", f"group:{chat.chat_id}", "--config", str(house.config)),
        stdout=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(15):
        printed, _ = await process.communicate()
    document = json.loads(printed)
    assert isinstance(document, dict)
    return document


def unfolded(lines: tuple[str, ...]) -> list[str]:
    """The lines of a card without fold and buttons, sorted; the minute may pass between readings."""
    plain = [line.strip() for line in lines if not line.startswith(FOLD)]
    plain = [line for line in plain if not line.startswith("[ ")]
    return sorted(re.sub(r"\d\d:\d\d", "hh:mm", line) for line in plain)


@pytest.mark.requirement("W1", "W5")
@pytest.mark.parametrize(("language", "question"), QUESTIONS, ids=IDS)
async def test_the_command_line_says_what_the_group_would_read(
    tmp_path: Path, language: Language, question: str
) -> None:
    write(GOAL + NONE_DELIVERED + "todos: [{id: t1, title: Rates, owner: Wei}]\n")(
        tmp_path / "evidence"
    )
    async with open_house(tmp_path, sources=SOURCES, grants=grant("plans", "archive")) as house:
        reply = await house.ask(house.team, house.member, question)
        document = await asked_by_command(house, house.team, question)

    text = document["text"]
    assert isinstance(text, str)
    assert unfolded(tuple(text.split("\n"))) == unfolded(reply.lines)
    assert list(document) == [
        "question",
        "audience",
        "runtime_profile",
        "language",
        "intent",
        "headline",
        "claims",
        "readings",
        "coverage",
        "text",
    ]
    assert document["headline"] == reply.lines[0]
    assert (document["question"], document["language"], document["audience"]) == (
        question,
        language.value,
        f"group:{TEAM}",
    )
    assert (document["runtime_profile"], document["intent"]) == ("restricted", "progress")
    keys = {"view", "source_id", "goal_id", "ok", "code", "included", "matched", "unknown"}
    readings, claims = document["readings"], document["claims"]
    assert isinstance(readings, list)
    assert isinstance(claims, list)
    assert [set(reading) for reading in readings] == [keys] * 4
    assert readings[0]["view"] == "portfolio"
    assert {reading["view"] for reading in readings} == {
        "portfolio",
        "todos",
        "deliveries",
        "handoffs",
    }
    assert {tuple(claim) for claim in claims} == {("text", "cites", "kind")}
    assert all(claim["text"] in text for claim in claims)
