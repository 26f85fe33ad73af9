import pytest

from steward.model.turn import Language
from steward.policy.language import language_of


@pytest.mark.requirement("W5")
@pytest.mark.parametrize(
    "question",
    ["支付网关进展如何?", "PR #42 合了吗?", "release 進展", "㐀", "𠀀", "見", "人々"],
)
def test_one_chinese_character_makes_a_chinese_question(question: str) -> None:
    assert language_of(question) is Language.ZH


@pytest.mark.requirement("W5")
@pytest.mark.parametrize(
    "question",
    ["How is the payment gateway going?", "", "CI? 😀", "¿Qué hay?", "，。！", "한국어"],
)
def test_a_question_without_one_is_answered_in_english(question: str) -> None:
    assert language_of(question) is Language.EN
