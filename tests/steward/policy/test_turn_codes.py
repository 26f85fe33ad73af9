"""What follows from each way to end without an answer. T6, V1, V2."""

import pytest

from steward.model.turn import TurnCode
from steward.policy.turn_codes import ENDINGS
from steward.texts.command_answers import OWED_REASONS
from steward.texts.notices import FAILED


@pytest.mark.requirement("T6")
def test_every_code_has_its_notice_and_its_consequences() -> None:
    assert set(ENDINGS) == set(FAILED) == set(TurnCode)


@pytest.mark.requirement("T6", "T7")
def test_only_what_its_asker_ended_is_not_owed() -> None:
    over = {code for code, ending in ENDINGS.items() if not ending.owed}

    assert over == {TurnCode.STOPPED, TurnCode.WITHDRAWN}


@pytest.mark.requirement("T6")
def test_whatever_a_review_may_help_may_be_asked_again_and_nothing_over_can_be_helped() -> None:
    for ending in ENDINGS.values():
        assert ending.again or not ending.review
        assert ending.owed or not ending.again


@pytest.mark.requirement("T6")
@pytest.mark.parametrize(
    "code",
    [
        TurnCode.CONTENT_POLICY,
        TurnCode.CONTEXT_WINDOW_EXCEEDED,
        TurnCode.AUTHORIZATION_CHANGED,
    ],
)
def test_words_that_would_fail_in_the_same_way_are_not_to_be_asked_again(code: TurnCode) -> None:
    assert ENDINGS[code].owed
    assert not ENDINGS[code].again


@pytest.mark.requirement("T6", "T7")
def test_every_owed_question_is_listed_with_its_reason() -> None:
    owed = {code for code, ending in ENDINGS.items() if ending.owed}

    assert set(OWED_REASONS) == owed - {TurnCode.UNCLASSIFIED}  # for which there is another word
