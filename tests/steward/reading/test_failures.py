"""The failure table and the program agree, both ways (R4, R5)."""

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path

import pytest

from steward.model.ids import GoalId, SourceId
from steward.model.reading import ContextCode, GateCode, ReadCode, ReadFailure, SourceCode
from steward.model.turn import Language
from steward.reading.failures import (
    MEANINGS,
    effect,
    failure_row,
    label,
    next_action,
    refusal,
    sentence,
)
from steward.texts.failures import FAILURES

ROOT = Path(__file__).parents[3]
EVERY_CODE: list[ReadCode] = [*GateCode, *SourceCode, *ContextCode]
BY_NAME = {f"{type(code).__name__}.{code.name}": code for code in EVERY_CODE}
MAKERS = ("steward/control", "steward/sources", "steward/reading/attempts.py")
PLANS = SourceId("plans")


class Unplanned(StrEnum):
    MADE_UP = "made_up"


def _compared(tree: ast.Module) -> Iterator[ast.AST]:
    """Places where a code is looked at, not raised: comparisons, patterns, sets of codes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare | ast.match_case | ast.Set):
            parts = [node.pattern] if isinstance(node, ast.match_case) else [node]
            for part in parts:
                yield from ast.walk(part)


def _raised() -> Mapping[ReadCode, set[str]]:
    raised: defaultdict[ReadCode, set[str]] = defaultdict(set)
    files = [
        file
        for maker in MAKERS
        for file in ([ROOT / maker] if maker.endswith(".py") else (ROOT / maker).rglob("*.py"))
    ]
    for file in files:
        tree = ast.parse(file.read_text(encoding="utf-8"))
        looked_at = {id(node) for node in _compared(tree)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and id(node) not in looked_at:
                code = BY_NAME.get(ast.unparse(node))
                if code is not None:
                    raised[code].add(".".join(file.relative_to(ROOT).with_suffix("").parts))
    return raised


@pytest.mark.requirement("R5")
def test_every_code_is_raised_by_exactly_the_modules_that_its_row_names() -> None:
    assert dict(_raised()) == {code: set(row.raised_by) for code, row in MEANINGS.items()}


@pytest.mark.requirement("R5")
def test_every_code_has_a_row_and_a_text_and_no_row_is_left_over() -> None:
    assert set(MEANINGS) == set(EVERY_CODE)
    assert set(FAILURES) == {code.value for code in EVERY_CODE}


@pytest.mark.requirement("R5")
def test_a_code_without_a_row_is_an_error_and_no_empty_sentence() -> None:
    stranger = ReadFailure(Unplanned.MADE_UP)  # type: ignore[arg-type]  # what a missing row looks like
    with pytest.raises(KeyError):
        failure_row(stranger)


@pytest.mark.requirement("R4")
@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("code", EVERY_CODE)
def test_a_refusal_and_its_row_say_the_same(code: ReadCode, language: Language) -> None:
    failure = ReadFailure(code, PLANS)

    refused = refusal(failure, language)

    assert refused == {
        "ok": False,
        "code": code.value,
        "error": sentence(failure, language),
        "read_failure": {
            "schema_version": "manager_read_failure_v0",
            "code": code.value,
            "source_id": "plans",
            "coverage_effect": effect(failure, language),
            "next_action": next_action(failure, language),
        },
    }
    assert sentence(failure, language).endswith(next_action(failure, language))


@pytest.mark.requirement("R4", "W1")
@pytest.mark.parametrize("code", EVERY_CODE)
@pytest.mark.parametrize("part", [False, True])
def test_no_failure_reads_as_no_progress(code: ReadCode, part: bool) -> None:
    failure = ReadFailure(code, PLANS, part=part)

    assert effect(failure, Language.EN).startswith("No evidence was read from this ")
    assert effect(failure, Language.EN).endswith("it must not be presented as no progress.")
    assert effect(failure, Language.ZH).startswith("未从该来源")
    assert effect(failure, Language.ZH).endswith("不得表述为没有进展。")
    assert ("part of the source" in effect(failure, Language.EN)) >= part


@pytest.mark.requirement("W2")
@pytest.mark.parametrize("code", EVERY_CODE)
@pytest.mark.parametrize("language", Language)
def test_what_people_read_holds_no_code(code: ReadCode, language: Language) -> None:
    failure = ReadFailure(code)
    said = f"{label(failure, language)} {sentence(failure, language)} {effect(failure, language)}"

    assert not [word for word in EVERY_CODE if "_" in word and word.value in said]


@pytest.mark.requirement("W5")
@pytest.mark.parametrize("code", EVERY_CODE)
def test_both_languages_have_their_own_words(code: ReadCode) -> None:
    text = FAILURES[code]
    for one in (text.label, text.happened, text.action):
        assert one.en.isascii()
        assert not one.zh.isascii()
    assert text.happened.en.endswith(".")
    assert text.action.en.endswith(".")
    assert text.happened.zh.endswith("。")
    assert text.action.zh.endswith("。")


def test_the_row_of_a_part_names_its_goal_and_how_many_records_failed() -> None:
    failure = ReadFailure(SourceCode.PARSE_FAILED, PLANS, GoalId("payments"), 3)

    assert failure_row(failure) == {
        "schema_version": "manager_read_failure_v0",
        "code": "parse_failed",
        "source_id": "plans",
        "coverage_effect": "No evidence was read from this part of the source; it must not be presented "
        "as no progress.",
        "next_action": "The owner should correct this to the documented form; then ask again.",
        "goal_id": "payments",
        "records": 3,
    }
