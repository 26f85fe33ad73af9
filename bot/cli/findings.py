"""What `steward doctor` finds: one line each, with its repair."""

from dataclasses import dataclass
from enum import StrEnum


class Grade(StrEnum):
    """OK, or what is wrong: WARN leaves the service useful, FAIL does not."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report. `repair` is set wherever the grade is not OK."""

    check: str
    grade: Grade
    found: str
    repair: str | None = None
