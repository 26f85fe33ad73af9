"""Questions in other words than the rules and examples were written from: what is recognised, honestly counted.

tests/data/held_out.jsonl was written in four rounds, each in one go before it was measured. Scores at first sight: round 2,
hard on purpose, 58 of 120, before the words grew; round 3, after that, 109 of 120; round 4, last of all, 53 of 60, and 58
with the overviews that hold the evidence. The misses were then looked at, so that the present score is no longer that
of unseen text.
"""

import json
from collections import Counter
from pathlib import Path

import pytest

from steward.endpoints.reporter.intents import Intent
from steward.endpoints.reporter.plans import PLANS
from steward.model.answer import NoteCode
from tests.steward.endpoints.house import Told, ask

LINES = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "data" / "held_out.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
]
ENOUGH = 0.85


def intent_of(told: Told) -> str:
    assert told.answer.topic is not None
    return told.answer.topic.intent


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("number", [1, 2, 3, 4])
async def test_most_questions_in_other_words_are_recognised(number: int, language: str) -> None:
    lines = [line for line in LINES if (line["round"], line["language"]) == (number, language)]
    outcomes: Counter[str] = Counter()
    for line in lines:
        told = await ask(line["text"])
        wanted = Intent(line["intent"])
        if intent_of(told) == wanted:
            outcomes["right"] += 1
        elif intent_of(told) == Intent.OVERVIEW and told.views >= set(PLANS[wanted].views):
            outcomes["overview with the evidence"] += 1
        else:
            outcomes["wrong"] += 1

    assert outcomes["right"] / len(lines) >= ENOUGH, outcomes


def test_every_intent_has_four_phrasings_of_each_language_in_the_first_round() -> None:
    counted = Counter((line["intent"], line["language"]) for line in LINES if line["round"] == 1)

    wanted = {intent.value for intent in Intent} - {"overview"}
    assert counted == {(intent, language): 4 for intent in wanted for language in ("zh", "en")}


async def test_no_ordinary_word_is_taken_for_the_name_of_a_goal() -> None:
    wrong = [
        line["text"]
        for line in LINES
        for claim in (await ask(line["text"])).answer.claims
        if "No goal called" in claim.text or "没有找到叫" in claim.text
    ]

    assert wrong == []


@pytest.mark.parametrize(
    "question", ["Bananas are yellow", "qwerty", "天上有云", "lorem ipsum dolor sit amet"]
)
async def test_what_nobody_is_sure_of_is_answered_by_an_overview_that_says_so(
    question: str,
) -> None:
    told = await ask(question)

    assert told.answer.classification == "overview"
    assert told.answer.claims[0].kind == "note"
    assert "overview" in told.texts[0] or "概览" in told.texts[0]
    assert NoteCode.OVERVIEW.value in told.raw.decode()
