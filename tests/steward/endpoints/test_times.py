"""Which days a question speaks of: Wednesday, 2026-09-16 is today."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steward.endpoints.reporter.times import (
    FIRST_DAY,
    LAST_DAY,
    Days,
    Sprint,
    days_of,
    length_of,
)

TODAY = date(2026, 9, 16)


def day(text: str | None) -> date | None:
    return None if text is None else date.fromisoformat(f"2026-{text}" if len(text) == 5 else text)


SPANS = {
    # by name
    "今天": ("09-16", "09-17"),
    "昨天": ("09-15", "09-16"),
    "前天": ("09-14", "09-15"),
    "大前天": ("09-13", "09-14"),
    "明天": ("09-17", "09-18"),
    "yesterday": ("09-15", "09-16"),
    "the day before yesterday": ("09-14", "09-15"),
    "today": ("09-16", "09-17"),
    "tomorrow": ("09-17", "09-18"),
    # weeks and weekdays
    "上周": ("09-07", "09-14"),
    "上个星期": ("09-07", "09-14"),
    "上上周": ("08-31", "09-07"),
    "本周": ("09-14", "09-21"),
    "下周": ("09-21", "09-28"),
    "last week": ("09-07", "09-14"),
    "this week": ("09-14", "09-21"),
    "next week": ("09-21", "09-28"),
    "the week before last": ("08-31", "09-07"),
    "上周三": ("09-09", "09-10"),
    "下周五": ("09-25", "09-26"),
    "本周日": ("09-20", "09-21"),
    "周一": ("09-14", "09-15"),
    "周五": ("09-11", "09-12"),
    "上周末": ("09-12", "09-14"),
    "last Friday": ("09-11", "09-12"),
    "last Wednesday": ("09-09", "09-10"),
    "next Tuesday": ("09-22", "09-23"),
    "on Tue": ("09-15", "09-16"),
    "Monday": ("09-14", "09-15"),
    "last weekend": ("09-12", "09-14"),
    "W37": ("09-07", "09-14"),
    "week 37": ("09-07", "09-14"),
    "第37周": ("09-07", "09-14"),
    # months, quarters, halves, years
    "上个月": ("08-01", "09-01"),
    "本月": ("09-01", "10-01"),
    "last month": ("08-01", "09-01"),
    "五月": ("05-01", "06-01"),
    "5月份": ("05-01", "06-01"),
    "in May": ("05-01", "06-01"),
    "in December": ("2025-12-01", "2026-01-01"),
    "去年12月": ("2025-12-01", "2026-01-01"),
    "August": ("08-01", "09-01"),
    "Q3": ("07-01", "10-01"),
    "Q4": ("2025-10-01", "2026-01-01"),
    "2025 Q4": ("2025-10-01", "2026-01-01"),
    "三季度": ("07-01", "10-01"),
    "上季度": ("04-01", "07-01"),
    "last quarter": ("04-01", "07-01"),
    "上半年": ("01-01", "07-01"),
    "H1": ("01-01", "07-01"),
    "今年": ("01-01", "2027-01-01"),
    "last year": ("2025-01-01", "01-01"),
    "月初": ("09-01", "09-11"),
    "月底": ("09-21", "10-01"),
    "上月底": ("08-21", "09-01"),
    "end of the month": ("09-21", "10-01"),
    # so many days
    "最近7天": ("09-10", "09-17"),
    "过去三天": ("09-14", "09-17"),
    "最近两周": ("09-03", "09-17"),
    "近一个月": ("08-17", "09-17"),
    "last 7 days": ("09-10", "09-17"),
    "in the past two weeks": ("09-03", "09-17"),
    "the last couple of days": ("09-15", "09-17"),
    "三天前": ("09-13", "09-14"),
    "二十天前": ("08-27", "08-28"),
    "3 days ago": ("09-13", "09-14"),
    "接下来三天": ("09-16", "09-20"),
    "in the next three days": ("09-16", "09-20"),
    "lately": ("09-10", "09-17"),
    # dates
    "9月14日": ("09-14", "09-15"),
    "9月14号": ("09-14", "09-15"),
    "９月１４日": ("09-14", "09-15"),
    "14号": ("09-14", "09-15"),
    "2026年9月14日": ("09-14", "09-15"),
    "2026-09-14": ("09-14", "09-15"),
    "2026/9/14": ("09-14", "09-15"),
    "Sept 14": ("09-14", "09-15"),
    "14 September": ("09-14", "09-15"),
    "the 14th of September": ("09-14", "09-15"),
    "September 14th, 2025": ("2025-09-14", "2025-09-15"),
    "12月25日": ("2025-12-25", "2025-12-26"),
    "Oct 10": ("10-10", "10-11"),
    # bounds
    "9月14日以来": ("09-14", "09-17"),
    "自 9 月 14 日以来": ("09-14", "09-17"),
    "周一以来": ("09-14", "09-17"),
    "从周一到现在": ("09-14", "09-17"),
    "since Monday": ("09-14", "09-17"),
    "since Sept 14": ("09-14", "09-17"),
    "since last week": ("09-07", "09-17"),
    "until Sept 14": (None, "09-15"),
    "by Friday": (None, "09-19"),
    "before Sept 14": (None, "09-14"),
    "9月14日之前": (None, "09-14"),
    "月底前": (None, "10-01"),
    "这周五之前要交": (None, "09-19"),
    "截至 9 月 14 日": (None, "09-15"),
    # ranges
    "9月1日到9月10日": ("09-01", "09-11"),
    "from 2026-09-01 to 2026-09-10": ("09-01", "09-11"),
    "between Sept 1 and Sept 10": ("09-01", "09-11"),
    "周一至今天": ("09-14", "09-17"),
}


@pytest.mark.parametrize("phrase", SPANS)
@pytest.mark.parametrize("frame", ["{}", "谁在 {} 交付了什么?", "What happened {}?"])
def test_a_phrase_means_these_days(phrase: str, frame: str) -> None:
    first, end = SPANS[phrase]
    found = days_of(frame.format(phrase), TODAY)

    assert found is not None
    assert (found.first, found.end) == (day(first), day(end))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2月30日",
        "2026-13-01",
        "Feb 30",
        "32号",
        "Q5",
        "W60",
        "may I ask about X",
        "sat down with the team",
        "Monday.com 迁移进展",
        "todo_386976ec9aae 现在怎样",
        "PR #42 合了吗",
        "42 号合并请求",
        "release 2",
        "2.1",
        "version 3.10.1",
        "What has not moved for two weeks?",
        "哪些任务两周没动了?",
        "march on",
        "second half-baked idea",
        "99999天前",
    ],
)
def test_what_is_no_date_names_no_days(text: str) -> None:
    assert days_of(text, TODAY) is None


@pytest.mark.parametrize(
    ("phrase", "days"),
    [
        ("What has not moved for two weeks?", 14),
        ("哪些任务两周没动了?", 14),
        ("三个月没更新", 90),
        ("in ten days", 10),
        ("idle for a month", 30),
        ("nothing here", None),
    ],
)
def test_a_length_is_so_many_days(phrase: str, days: int | None) -> None:
    assert length_of(phrase) == (None if days is None else timedelta(days=days))


SPRINTS = [
    Sprint(("sprint 12", "第 12 迭代"), date(2026, 8, 31), date(2026, 9, 11)),
    Sprint(("sprint 1",), date(2026, 3, 2), date(2026, 3, 13)),
]


@pytest.mark.parametrize("phrase", ["sprint 12", "Sprint-12", "第12迭代"])
def test_a_sprint_is_known_by_its_names_and_its_whole_number(phrase: str) -> None:
    found = days_of(f"{phrase} 交付了什么?", TODAY, SPRINTS)

    assert found is not None
    assert (found.first, found.end) == (date(2026, 8, 31), date(2026, 9, 12))
    assert days_of("sprint 123", TODAY, SPRINTS) is None


def test_the_place_of_the_days_is_theirs_with_what_bounds_them() -> None:
    text = "what was committed since sept 14, and by whom"
    found = days_of(text, TODAY)

    assert found is not None
    start, end = found.place
    assert text[start:end] == "since sept 14"


@given(text=st.text(max_size=40), today=st.dates())
def test_no_text_and_no_day_makes_the_grammar_fail(text: str, today: date) -> None:
    assert isinstance(days_of(text, today), Days | None)


@given(count=st.integers(1, 999), today=st.dates(date(1990, 1, 1), date(2100, 1, 1)))
def test_the_last_days_end_today_and_are_so_many(count: int, today: date) -> None:
    for phrase in (f"最近{count}天", f"last {count} days"):
        found = days_of(phrase, today)
        assert found is not None
        assert found.first is not None
        assert found.end == today + timedelta(days=1)
        assert found.end - found.first == timedelta(days=count)


@pytest.mark.parametrize(
    ("text", "first", "end"),
    [
        ("since 0001-01-01", FIRST_DAY, TODAY + timedelta(days=1)),
        ("过去999个月", FIRST_DAY, TODAY + timedelta(days=1)),
        ("from 1900-01-01 to 2026-09-01", FIRST_DAY, date(2026, 9, 2)),
        ("before 9998-12-30", None, LAST_DAY),
    ],
)
def test_days_that_begin_or_end_too_far_away_count_as_far_as_an_answer_may_speak_of_them(
    text: str, first: date | None, end: date
) -> None:
    found = days_of(text, TODAY)

    assert found is not None
    assert (found.first, found.end) == (first, end)


@pytest.mark.parametrize("text", ["0001-01-01", "1850-03-02", "before 1900-01-01", "9998-12-30"])
def test_days_that_lie_too_far_away_are_no_days(text: str) -> None:
    assert days_of(text, TODAY) is None


def test_a_sprint_without_an_end_ends_with_what_an_answer_may_speak_of() -> None:
    endless = Sprint(("sprint x",), date(2026, 9, 1), date.max)
    found = days_of("what was delivered in sprint x?", TODAY, [endless])

    assert found is not None
    assert (found.first, found.end) == (date(2026, 9, 1), LAST_DAY)
