"""A missing program skips its tests on a developer's machine and fails them in CI."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.needs import VARIABLE

PROGRAM = """
import sys
from tests.needs import require
require("git", sys.argv[1] == "found", "install it")
"""


@pytest.mark.parametrize(
    ("state", "listed", "outcome"),
    [
        ("found", "git", ""),
        ("absent", "", "Skipped: needs git: install it"),
        ("absent", "postgres", "Skipped: needs git: install it"),
        ("absent", "postgres, git", f"Failed: git is required by {VARIABLE}: install it"),
    ],
)
def test_a_program_that_must_be_there_is_a_failure_where_it_is_not(
    state: str, listed: str, outcome: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, state],
        cwd=Path(__file__).parent.parent,
        # TID251: the child needs the interpreter's own variables beside the one under test.
        env={**os.environ, VARIABLE: listed},  # noqa: TID251
        capture_output=True,
        text=True,
        timeout=15,
        check=False,
    )

    assert done.stderr.strip().endswith(outcome)
    assert (done.returncode == 0) is (state == "found")
