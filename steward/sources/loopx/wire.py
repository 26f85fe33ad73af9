"""The JSON of LoopX's command line → our shapes, once. What is optional there is optional here, nothing else.

`manager_evidence_page_v1` pages (views portfolio, todos, deliveries), and the two `history` answers whose counts
prove a run index readable. Rows stay untyped until rows.py looks at each: a bad one costs itself, not its page.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, TypeVar

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError

NO_SUCH_GOAL = "goal_outside_available_scope"
"""LoopX's own word for a goal that its registry does not hold."""


class Wire(BaseModel):
    """Strict: a number is no text and a boolean no number; unknown keys are ignored."""

    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


class CoverageWire(Wire):
    """Counts as LoopX gives them; None where it does not know."""

    index_records: int | None = None
    invalid_delivery_records: int = 0
    invalid_registry_entries: int = 0
    omitted: int | None = None
    complete: bool = True


class CompletedWire(Wire):
    """How many done todos there are beside those of the page."""

    known: int = 0


class SourceWire(Wire):
    """What a page says about its own reading."""

    status: str | None = None
    source_revision: str | None = None
    observed_at: str | None = None
    window_start: str | None = None
    coverage: CoverageWire = CoverageWire()
    completed_coverage: CompletedWire = CompletedWire()


class PageWire(Wire):
    """One page. `matched` None: LoopX does not know how many there are."""

    ok: Literal[True]
    schema_version: Literal["manager_evidence_page_v1"]
    view: str
    goal_id: str | None
    source: SourceWire
    rows: Sequence[Mapping[str, object]]
    offset: int = Field(ge=0)
    matched: int | None = Field(ge=0)
    next_offset: int | None = Field(ge=0)
    unknown: bool


class RefusalWire(Wire):
    """A page that was refused; it still bears the schema's name, which an older program's answer does not."""

    ok: Literal[False]
    error: str


class IndexWire(Wire):
    """One goal's run index: lines that are not blank, and the runs that they were read as."""

    id: str
    raw_index_records: int = Field(ge=0)
    unique_runs: int = Field(ge=0)
    index_exists: bool


class HistoryWire(Wire):
    """The answer of `history`."""

    ok: Literal[True]
    goals: Sequence[IndexWire]


class DuplicatesWire(Wire):
    """The answer of `history inspect-index-duplicates`: lines that repeat another line's run."""

    ok: Literal[True]
    raw_index_records: int = Field(ge=0)
    duplicate_row_count: int = Field(ge=0)


_Shape = TypeVar("_Shape", bound=Wire)


def parsed(raw: bytes, shape: type[_Shape]) -> _Shape | RefusalWire | None:
    """The answer, LoopX's refusal, or None: it is no JSON of this shape."""
    try:
        document = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return None
    for one in (shape, RefusalWire):
        try:
            return one.model_validate(document)
        except ValidationError:
            continue
    return None
