"""One subject a file, one thought a function: what outgrows these bounds is split, not excused."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FILE_LINES = {"bot": 400, "steward": 400, "tests": 800}
FUNCTION_LINES = 80


def sources() -> Iterator[Path]:
    """Every file but the numbered migrations: generated once, then never touched."""
    for folder in FILE_LINES:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if path.parent.parts[-2:] != ("migrations", "versions"):
                yield path


def too_long(source: str, *, most: int) -> list[str]:
    """What of one file is over its bounds."""
    found = [f"{len(source.splitlines())} lines"] if len(source.splitlines()) > most else []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > FUNCTION_LINES:
                found.append(f"{node.name}: {lines} lines")
    return found


def test_no_file_and_no_function_outgrows_its_bound() -> None:
    found = {
        str(path.relative_to(ROOT)): too_long(
            path.read_text(encoding="utf-8"), most=FILE_LINES[path.relative_to(ROOT).parts[0]]
        )
        for path in sources()
    }

    assert {path: problems for path, problems in found.items() if problems} == {}


@pytest.mark.parametrize(
    ("source", "problems"),
    [
        ("x = 1\n" * 10, []),
        ("x = 1\n" * 11, ["11 lines"]),
        ("async def f():\n" + "    x = 1\n" * 80, ["81 lines", "f: 81 lines"]),
    ],
)
def test_a_bound_counts_as_people_count(source: str, problems: list[str]) -> None:
    assert too_long(source, most=10) == problems
