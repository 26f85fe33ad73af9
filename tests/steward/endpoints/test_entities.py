"""Which goal a question names: never by a guess, and never a part of a longer name."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steward.endpoints.reporter.entities import Ambiguous, Named, NoGoal, alike, resolve
from steward.model.ids import GoalId, SourceId
from steward.model.reading import Row
from tests.steward.policy.readings import goal

GOALS = [
    goal("Payment gateway", aliases=("支付网关",)),
    goal("支付", goal=GoalId("pay")),
    goal("Release 2", goal=GoalId("release-2")),
    goal("Release 2.1", goal=GoalId("release-2.1")),
    goal("CI", goal=GoalId("ci")),
    goal("X", goal=GoalId("x")),
    goal("云", goal=GoalId("cloud")),
    goal("登录改造 (SSO)", goal=GoalId("login_rework")),
]


def named(question: str, goals: Sequence[Row]) -> tuple[GoalId, ...]:
    match resolve(question, goals):
        case Named(found):
            return found
        case _:
            return ()


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("How is the payment gateway going?", "payments"),
        ("How's PAYMENT-GATEWAY?", "payments"),
        ("paymentgateway status", "payments"),
        ("R\uff25LEASE\u3000\uff12?", "release-2"),
        ("支付网关进展如何?", "payments"),
        ("支付 网关 怎样", "payments"),
        ("支付怎么样了", "pay"),
        ("payments 怎么样", "payments"),
        ("What is blocked on release 2?", "release-2"),
        ("发布 release2 还差什么", "release-2"),
        ("Release 2。现在卡在哪", "release-2"),
        ("release 2 3 items", "release-2"),
        ("release-2", "release-2"),
        ("Release 2.1 还差什么", "release-2.1"),
        ("release-2.1?", "release-2.1"),
        ("Is CI red?", "ci"),
        ("ci怎么样", "ci"),
        ("项目 X 进展如何?", "x"),
        ("登录改造SSO 谁负责", "login_rework"),
        ("login_rework?", "login_rework"),
    ],
)
def test_a_goal_is_found_by_id_title_or_alias(question: str, name: str) -> None:
    assert named(question, GOALS) == (GoalId(name),)


@pytest.mark.parametrize(
    "question",
    [
        "",
        "How is it going?",
        "specific circumstances",
        "Release 21?",
        "Release 12",
        "release 2.2",
        "1.2.1",
        "Xylophone",
        "云南的事",
        "repayments",
        "网关",
    ],
)
def test_a_part_of_a_word_or_number_is_no_goal(question: str) -> None:
    assert resolve(question, GOALS) == NoGoal()


def test_two_goals_of_one_name_are_both_named() -> None:
    twins = [goal("Release"), goal("release", goal=GoalId("other"))]

    assert resolve("How is the release?", twins) == Ambiguous(
        (GoalId("payments"), GoalId("other")), ((11, 18),)
    )


def test_two_goals_in_one_question_are_both_named() -> None:
    assert resolve("CI 和 Release 2 哪个更落后?", GOALS) == Named(
        (GoalId("release-2"), GoalId("ci")), ((5, 14), (0, 2))
    )


def test_an_exact_id_decides_between_goals_alike() -> None:
    twins = [goal("Release"), goal("Release", goal=GoalId("rel_2026"))]

    assert named("release rel_2026?", twins) == (GoalId("rel_2026"),)


def test_a_goal_with_rows_in_two_sources_is_one_goal() -> None:
    row = goal()

    assert named("payment gateway", [row, replace(row, source=SourceId("b"))]) == (row.goal,)


names = st.text(min_size=1, max_size=12)


@given(question=names, titles=st.lists(names, max_size=3))
def test_no_text_makes_the_resolution_fail(question: str, titles: list[str]) -> None:
    rows: list[Row] = [
        goal(title, goal=GoalId(f"g{number}")) for number, title in enumerate(titles)
    ]

    assert isinstance(resolve(question, rows), Named | Ambiguous | NoGoal)


@given(number=st.integers(0, 400), other=st.integers(0, 400))
def test_a_numbered_goal_is_found_by_its_own_number_alone(number: int, other: int) -> None:
    rows = [goal(f"Release {number}", goal=GoalId("one"))]

    found = named(f"What about release {other}?", rows)

    assert found == ((GoalId("one"),) if number == other else ())


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("release", ("release-2", "release-2.1")),
        ("paymnet gateway", ("payments",)),
        ("paymentgatway", ("payments",)),
        ("网关", ("payments",)),
        ("release 3", ()),
        ("relase 2", ("release-2",)),
        ("2", ()),
        ("x", ()),
        ("apollo", ()),
    ],
)
def test_what_a_name_may_have_meant_is_offered_and_differs_in_no_number(
    name: str, near: tuple[str, ...]
) -> None:
    assert alike(name, GOALS) == tuple(map(GoalId, near))
