"""Claims about somebody's rows, about rows that state a thing, and about when todos were updated (E3)."""

from dataclasses import replace

import pytest

from steward.model.answer import ClaimScope, Dated, RowField
from steward.model.reading import RowStatus, ScanQuery, View
from steward.model.turn import Language
from tests.steward.policy.readings import (
    GITLAB,
    PAYMENTS,
    PLANS,
    TIMED_OUT,
    Evidence,
    absence,
    count,
    goal,
    held,
    local,
    read,
    settled,
    texts,
    todo,
)

TODOS = ScanQuery(View.TODOS, goal=PAYMENTS)
ALL = ClaimScope(View.TODOS, goal=PAYMENTS)
ROWS = [
    goal(),
    todo("sign", RowStatus.BLOCKED, blocked_by="no account"),
    replace(todo("rates"), owner="Lin", updated=local(3)),
    replace(todo("keys"), waiting_on="lin", updated=None),
]


async def whole() -> Evidence:
    return await read({PLANS: held(*ROWS)}, TODOS)


@pytest.mark.requirement("E3")
@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("Lin: 2 open", replace(ALL, who=("Lin",))),
        ("Lin, Wei: 2 open, 1 blocked", replace(ALL, who=("Lin", "Wei"))),
        ("With a reason: 1", replace(ALL, having=RowField.BLOCKED_BY)),
        ("Waiting: 1", replace(ALL, having=RowField.WAITING_ON)),
        ("Updated from 2026-11-20: 1", replace(ALL, since=local(20, 0), dated=Dated.UPDATED)),
        ("Before 2026-11-20: 1", replace(ALL, until=local(20, 0), dated=Dated.UPDATED)),
    ],
)
async def test_a_count_over_a_narrow_scope_is_computed_again(text: str, scope: ClaimScope) -> None:
    evidence = await whole()

    assert texts(settled(evidence, count(text, scope))) == [text]
    wrong = text.replace(": 2", ": 3").replace(": 1", ": 3")
    assert texts(settled(evidence, count(wrong, scope))) == []


@pytest.mark.requirement("E3", "W1")
@pytest.mark.parametrize(
    ("scope", "english", "chinese"),
    [
        (
            replace(ALL, statuses=(RowStatus.DONE,), who=("Wei", "Lin")),
            "Payment gateway, done todos: in Plans, as of 2026-11-30 12:00, no row names Wei, Lin",
            "“Payment gateway”的已完成待办：在 Plans 中，截至 2026-11-30 12:00，没有一行写着 Wei、Lin",
        ),
        (
            ClaimScope(View.PORTFOLIO, goal=PAYMENTS, having=RowField.TARGET),
            "Payment gateway, stated target date: in Plans, as of 2026-11-30 12:00, nothing is recorded",
            "“Payment gateway”的写明的目标日期：在 Plans 中，截至 2026-11-30 12:00，没有记录",
        ),
        (
            replace(ALL, since=local(29, 0), dated=Dated.UPDATED),
            (
                "Payment gateway, todos updated since 2026-11-29: in Plans, as of 2026-11-30 12:00,"
                " nothing is recorded"
            ),
            (
                "“Payment gateway”的2026-11-29 起更新过的待办：在 Plans 中，截至 2026-11-30 12:00，"
                "没有记录"
            ),
        ),
    ],
)
async def test_an_absence_over_a_narrow_scope_says_what_was_narrowed(
    scope: ClaimScope, english: str, chinese: str
) -> None:
    evidence = await whole()

    assert texts(settled(evidence, absence(scope))) == [english]
    assert texts(settled(evidence, absence(scope), language=Language.ZH)) == [chinese]


@pytest.mark.requirement("W1", "R9")
async def test_nobody_is_called_absent_while_a_source_is_unread() -> None:
    evidence = await read({PLANS: held(*ROWS), GITLAB: TIMED_OUT}, TODOS)
    scope = replace(ALL, statuses=(RowStatus.DONE,), who=("Wei",))

    assert texts(settled(evidence, absence(scope))) == [
        "Payment gateway, done todos naming Wei: not established, no evidence read: GitLab (timed out)"
    ]


@pytest.mark.requirement("E5")
async def test_an_absence_names_nobody_whom_neither_question_nor_rows_name() -> None:
    evidence = await whole()

    answer = settled(evidence, absence(replace(ALL, who=("everything is done",))))

    assert (texts(answer), answer.dropped) == ([], 1)
