"""Every promise has a test, every citation a promise, and nothing is called planned that is built."""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.requirements import REQUIREMENTS

TESTS = Path(__file__).parent
PROMISED = {"P": 10, "S": 4, "R": 14, "T": 8, "V": 5, "W": 5, "A": 6, "D": 7}
ANSWER_RULES = ["E0", "E2", "E3", "E4", "E5", "E7", "E8", "E9"]
BY_ID = {requirement.id: requirement for requirement in REQUIREMENTS}


def cited(source: str) -> Iterator[str]:
    """The ids that a test file cites. An id that is no literal cannot be counted, and raises."""
    for node in ast.walk(ast.parse(source)):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "requirement"
        ):
            for argument in node.args:
                if not (isinstance(argument, ast.Constant) and isinstance(argument.value, str)):
                    raise TypeError(f"line {argument.lineno}: cite an id as a literal")
                yield argument.value


def citations() -> Counter[str]:
    files = sorted(TESTS.rglob("*.py"))
    return Counter(name for file in files for name in cited(file.read_text(encoding="utf-8")))


def test_the_manifest_holds_every_promise_once_and_in_order() -> None:
    plain = [entry.id for entry in REQUIREMENTS if entry.id[-1].isdigit()]
    contract = [name for name in plain if not name.startswith("E")]

    assert contract == [
        f"{area}{number}" for area, last in PROMISED.items() for number in range(1, last + 1)
    ]
    assert [name for name in plain if name.startswith("E")] == ANSWER_RULES
    assert len(BY_ID) == len(REQUIREMENTS)


def test_a_lettered_part_follows_its_promise_and_is_planned() -> None:
    parts = [entry for entry in REQUIREMENTS if not entry.id[-1].isdigit()]

    assert [entry.id for entry in parts if entry.planned is None] == []
    assert [entry.id for entry in parts if BY_ID[entry.id[:-1]].planned is not None] == []


def test_every_promise_that_is_built_has_a_test() -> None:
    held = citations()

    assert [entry.id for entry in REQUIREMENTS if not entry.planned and not held[entry.id]] == []


def test_no_test_cites_what_is_not_promised() -> None:
    assert sorted(set(citations()) - set(BY_ID)) == []


def test_a_promise_with_a_test_is_no_longer_called_planned() -> None:
    held = citations()

    assert [entry.id for entry in REQUIREMENTS if entry.planned and held[entry.id]] == []


def test_a_citation_is_found_on_functions_modules_and_parameters() -> None:
    source = """
import pytest
pytestmark = [pytest.mark.requirement("D1")]
@pytest.mark.requirement("R4", "W1")
@pytest.mark.parametrize("x", [pytest.param(1, marks=pytest.mark.requirement("A2"))])
async def test_something(x): ...
"""
    assert sorted(cited(source)) == ["A2", "D1", "R4", "W1"]
