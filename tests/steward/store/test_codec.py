"""Stored values come back as they went in, by the model's own types."""

import traceback
from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steward.errors import StoreError
from steward.model.delivery import Part
from steward.model.ids import CitationId, GoalId, SourceId
from steward.model.profile import RESTRICTED_DEFAULT, Readback
from steward.model.reading import (
    Cited,
    ContextCode,
    Coverage,
    GateCode,
    ReadFailure,
    Reading,
    Row,
    RowStatus,
    SourceCode,
    View,
)
from steward.model.turn import TurnCode, TurnFailure
from steward.store.codec import (
    FAILURE,
    NAMES,
    READBACK,
    RUNGS,
    USAGE,
    dump_answer,
    dump_reading,
    load_answer,
    load_reading,
)
from steward.store.columns import Instant, printable
from tests.contracts.given import answer

TEXT = st.text(st.characters(exclude_categories=[]), max_size=40)


def reading(*rows: Row, failures: tuple[ReadFailure, ...] = ()) -> Reading:
    return Reading(
        tool="scan",
        query=None,
        rows=tuple(Cited(CitationId(f"c{n}"), row) for n, row in enumerate(rows)),
        counts={"open": len(rows)},
        coverage=Coverage(1, 1, 1, 0, 0, 0, 0, complete=True),
        failures=failures,
        as_of=datetime(2026, 11, 30, 12, 0, 0, 123456, tzinfo=timezone(timedelta(hours=8))),
        window_start=None,
        window_end=None,
    )


def row(title: str, number: int = 0) -> Row:
    return Row(
        view=View.TODOS,
        source=SourceId("plans"),
        goal=GoalId("g"),
        id=f"todo_{number}",
        title=title,
        status=RowStatus.OPEN,
        due=date(2026, 12, 5),
        aliases=("x", "y"),
    )


@given(TEXT)
def test_a_row_of_any_text_can_be_stored_and_read(title: str) -> None:
    text = dump_reading(reading(row(title)))
    text.encode()
    loaded = load_reading(text).rows[0].row
    assert loaded.title.replace("\x00", "\ufffd") == printable(title)


@given(TEXT)
def test_what_is_printable_stays_as_it_is(text: str) -> None:
    once = printable(text)
    once.encode()
    assert "\x00" not in once
    assert printable(once) == once
    if once.isascii():
        assert once == text


@pytest.mark.parametrize("size", [0, 1, 499, 500, 501, 2300])
def test_a_reading_of_any_size_comes_back_whole(size: int) -> None:
    whole = reading(*(row("line\nbreak", n) for n in range(size)))
    assert load_reading(dump_reading(whole)) == whole


@pytest.mark.parametrize("code", [*GateCode, *SourceCode, *ContextCode])
def test_every_code_comes_back_as_the_member_it_was(
    code: GateCode | SourceCode | ContextCode,
) -> None:
    whole = reading(failures=(ReadFailure(code, SourceId("plans"), count=2),))
    loaded = load_reading(dump_reading(whole))
    assert loaded == whole
    assert type(loaded.failures[0].code) is type(code)


@given(st.binary(max_size=64))
def test_parts_keep_their_bytes(body: bytes) -> None:
    rungs = ((Part("post", 1, 2, body, "u1"), Part("post", 2, 2, b"", "u2")), ())
    assert RUNGS.load(RUNGS.dump(rungs)) == rungs


def test_the_small_values_come_back() -> None:
    failure = TurnFailure(TurnCode.CONTEXT_FAILURE, "why", ContextCode.REGISTRY_UNAVAILABLE)
    readback = Readback(RESTRICTED_DEFAULT, "restricted-1")
    assert FAILURE.load(FAILURE.dump(failure)) == failure
    assert READBACK.load(READBACK.dump(readback)) == readback
    assert USAGE.load(USAGE.dump({"input": 7})) == {"input": 7}
    assert NAMES.load(NAMES.dump(("a", "文"))) == ("a", "文")
    assert load_answer(dump_answer(answer("x"))) == answer("x")


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"tool": 1}', "null"])
def test_text_that_is_no_reading_is_refused(text: str) -> None:
    with pytest.raises(StoreError) as refused:
        load_reading(text)
    assert refused.value.__cause__ is None


def test_a_corrupt_value_is_not_quoted() -> None:
    said = "".join(reversed("ecnedifnoc ni"))  # its own line would show it in the trace
    with pytest.raises(StoreError) as refused:
        NAMES.load(f'{{"said": "{said}"}}')
    shown = "".join(traceback.format_exception(refused.value))
    assert said not in shown


@given(st.datetimes(timezones=st.just(UTC)))
def test_an_instant_comes_back_to_the_microsecond(at: datetime) -> None:
    column = Instant()
    assert column.process_result_value(column.process_bind_param(at, None), None) == at  # type: ignore[arg-type] # no dialect is asked
