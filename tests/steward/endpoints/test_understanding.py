"""Whatever is written, whoever wrote it: a question is understood somehow, in time, and the candidate stays in bounds."""

from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steward.endpoints.reporter.intents import Intent
from steward.endpoints.reporter.recognition import Recogniser
from steward.endpoints.reporter.rules import ORDER
from steward.endpoints.reporter.understanding import Asked, understand
from steward.model.topic import Topic
from steward.model.turn import Language, TurnInput
from steward.policy.judge import MAX_BYTES
from tests.steward.endpoints.house import GOALS, MAPPED, RELEASE, ask
from tests.steward.policy.readings import NOW, ZONE

RECOGNISER = Recogniser()
TOPIC = Topic("blocked", (RELEASE,), "Wei", NOW, None)


def understood(question: str, language: Language, topic: Topic | None = None) -> Asked:
    turn = TurnInput(question, language, str(ZONE), NOW, MAPPED, topic)
    return understand(turn, GOALS, RECOGNISER, zone=ZONE, sources=["Plans", "GitLab"])


@given(
    question=st.text(max_size=60)
    | st.lists(
        st.sampled_from(["Release 2", "上周", "呢", "and", "what about", "§", "¤", "‡", "?", "卡"])
    ).map(" ".join),
    language=st.sampled_from(Language),
    topic=st.none() | st.just(TOPIC),
)
def test_any_text_is_understood_somehow(
    question: str, language: Language, topic: Topic | None
) -> None:
    assert understood(question, language, topic).intent in Intent


@pytest.mark.parametrize(
    "word", ["not ", "what ", "§ or ", "什么都没", "的", "9", "who is ", "\u202e"]
)
def test_a_long_question_costs_little(word: str) -> None:
    began = perf_counter()

    understood(word * 5_000, Language.EN)
    understood(word * 5_000, Language.ZH)

    assert perf_counter() - began < 1.0  # milliseconds, but on a busy machine


async def test_a_long_question_is_answered_within_the_bound_of_a_candidate() -> None:
    told = await ask("“" + "很长的名字" * 2_000 + "” 进展如何?")

    assert len(told.raw) <= MAX_BYTES


def test_every_intent_but_the_overview_has_its_words_in_both_languages() -> None:
    assert set(ORDER) == set(Intent) - {Intent.OVERVIEW}
