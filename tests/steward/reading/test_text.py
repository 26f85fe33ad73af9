"""Other people's text is made visible and short, and nothing hides in it."""

from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from steward.model.ids import GoalId, SourceId
from steward.model.reading import Row, RowStatus, View
from steward.reading.text import clean, clean_row, is_clean


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("Refund flow", "Refund flow"),
        ("支付网关 🚀", "支付网关 🚀"),
        ("two\nlines\r\nand\ttabs", "two lines and tabs"),
        ("\u202egnp.exe\u202c", "gnp.exe"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("tags\U000e0041\U000e0042", "tags"),
        ("selector\ufe0f\U000e0101", "selector"),
        ("bell\x07 and \x1b[31mred", "bell and [31mred"),
        ("lone \ud800 half", "lone half"),
        ("an escape \x1b between", "an escape between"),
        ("line\u2028separator", "line separator"),
        ("全角\u3000空格", "全角 空格"),
        ("  padded  ", "padded"),
        ("\u3164", ""),
    ],
)
def test_what_nobody_can_see_is_removed(raw: str, shown: str) -> None:
    assert clean(raw) == shown


@given(st.text())
@example("0 \x1b \U00018cd6")
def test_cleaning_twice_changes_nothing_and_leaves_only_what_can_be_sent(raw: str) -> None:
    shown = clean(raw)

    assert clean(shown) == shown
    assert shown.encode("utf-8").decode("utf-8") == shown
    assert not [character for character in shown if character in "\n\r\u200b\u202e\0"]


def test_a_long_field_is_cut_with_a_mark() -> None:
    shown = clean("x" * 401)

    assert shown == "x" * 399 + "…"
    assert clean("x" * 400) == "x" * 400


def test_an_id_with_anything_unseen_is_not_clean() -> None:
    assert is_clean("payments")
    assert not [text for text in ("", " payments", "pay\u200bments", "a\nb") if is_clean(text)]


def test_every_free_text_of_a_row_is_cleaned_and_a_clean_row_stays_itself() -> None:
    tidy = Row(
        View.TODOS,
        SourceId("plans"),
        GoalId("payments"),
        "t1",
        "Callback",
        RowStatus.UNKNOWN,
        owner="Wei",
        to="QA",
        priority="P1",
        blocked_by="bank",
        waiting_on="Lin",
        link="https://example.com/1",
        aliases=("网关",),
        raw_status="paused",
    )
    dirty = replace(
        tidy,
        id="t\u200b1",
        title="Call\u202eback",
        owner="Wei\n",
        to="Q\x00A",
        priority="P1\u200d",
        blocked_by="ba\u2060nk",
        waiting_on="Lin\ufeff",
        aliases=("网\u200b关", "\u200b"),
        raw_status="paused\u200b",
    )

    assert clean_row(tidy) is tidy
    assert clean_row(dirty) == tidy


def test_a_link_is_whole_or_absent() -> None:
    row = Row(
        View.DELIVERIES,
        SourceId("plans"),
        GoalId("payments"),
        "d1",
        "Merged",
        RowStatus.DELIVERED,
        link="https://example.com/" + "x" * 400,
    )

    assert clean_row(row).link is None
    assert clean_row(replace(row, link="https://example.com/\u202e1")).link is None
