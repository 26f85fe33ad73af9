"""Programs that a test needs and a machine may lack.

A developer's machine skips such a test with its reason. Where every program must be there, as in CI,
`STEWARD_TEST_REQUIRE=git,postgres,sshd` turns the skip into a failure.
"""

import os

import pytest

VARIABLE = "STEWARD_TEST_REQUIRE"


def require(program: str, found: bool, why: str) -> None:
    """Skip the calling test unless `found`; fail it where this run must have the program.

    `program` is one of the names that the `needs` marker lists: git, postgres, chromium, sshd, codex.
    `why` says what is missing and how it is had.
    """
    if found:
        return
    if program in required():
        pytest.fail(f"{program} is required by {VARIABLE}: {why}")
    pytest.skip(f"needs {program}: {why}")


def required() -> frozenset[str]:
    """The programs whose absence is a failure in this run."""
    # TID251: the one variable of the test run itself; the product's environment has its own reader.
    listed = os.environ.get(VARIABLE, "")  # noqa: TID251
    return frozenset(name.strip() for name in listed.split(",") if name.strip())
