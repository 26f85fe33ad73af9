"""E5: numbers and names of a fact follow from the rows that it cites, or the rows stand in its place."""

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steward.model.answer import AnswerClaim, Claim, ClaimKind, ClaimScope
from steward.model.reading import RowStatus, ScanQuery, View
from steward.model.turn import Language
from steward.policy.numerals import Day, Number, Unit, figures, sino
from tests.steward.policy.readings import (
    PAYMENTS,
    PLANS,
    cite,
    count,
    delivery,
    fact,
    goal,
    handoff,
    held,
    local,
    read,
    settled,
    texts,
    todo,
)

TODOS = ScanQuery(View.TODOS, goal=PAYMENTS)
DELIVERIES = ScanQuery(View.DELIVERIES, goal=PAYMENTS, since=local(23, 0))
HANDOFFS = ScanQuery(View.HANDOFFS, goal=PAYMENTS)
ROWS = [
    goal("Release 2"),
    replace(
        todo("sign", RowStatus.BLOCKED, due=date(2026, 12, 5), blocked_by="needs 3 approvals"),
        priority="P1",
    ),
    replace(todo("alerts", due=date(2026, 11, 25)), owner="小林"),
    todo("rates"),
    replace(todo("keys", RowStatus.DONE), title="Keys v2.1"),
    delivery("refunds", local(27, 16)),
    handoff("plan"),
]
SIGN = "Sign - Wei - blocked, updated 2026-11-28 - reason: needs 3 approvals - due 2026-12-05"


@pytest.mark.requirement("E5")
@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Sign is due on 2026-12-05", "sign"),
        ("Sign is due on 12/5", "sign"),
        ("Sign is due on 5 December", "sign"),
        ("Sign is due Dec 5th, 2026", "sign"),
        ("Sign 于12月5日到期", "sign"),
        ("Sign 在 2026年12月5日 到期", "sign"),
        ("Sign is due in 5 days", "sign"),
        ("Sign 还有五天到期", "sign"),
        ("Sign was updated 2 days ago", "sign"),
        ("Sign was updated two days ago", "sign"),
        ("P1: Sign, which needs 3 approvals", "sign"),
        ("Sign needs three approvals", "sign"),
        ("Alerts 已过期 5 天", "alerts"),
        ("Keys v2.1 belongs to Wei", "keys"),
        ("2 of them are with Wei", "sign rates"),
        ("两项都由 Wei 负责", "sign rates"),
        ("1. Sign waits", "sign"),
        ("first Sign, 2nd Rates", "sign rates"),
        ("4 todos in all, 1 blocked", "sign"),
        ("25% of the todos are done", "keys"),
        ("百分之二十五的待办已完成", "keys"),
        ("Refunds went out at 16:00 on November 27", "refunds"),
        ("Release 2: Sign waits for Wei", "sign"),
        ("today, 2026-11-30, Sign waits", "sign"),
        ("since 2026-11-23 Refunds went out", "refunds"),
        ("一个待办受阻", "sign"),
        ("Plan waits for QA since November 26", "plan"),
        ("plans for 2026: Sign", "sign"),
    ],
)
async def test_a_number_that_follows_from_its_rows_stays(text: str, names: str) -> None:
    evidence = await read({PLANS: held(*ROWS)}, TODOS, DELIVERIES, HANDOFFS)

    assert texts(settled(evidence, fact(text, *cite(evidence, *names.split())))) == [text]


@pytest.mark.requirement("E5")
@pytest.mark.parametrize("kind", [ClaimKind.FACT, ClaimKind.ADVICE])
@pytest.mark.parametrize(
    "text",
    [
        "Sign is due on 2026-12-06",
        "Sign is due on 12/6",
        "Sign is due on 6 December",
        "Sign 于12月6日到期",
        "Sign 在明年，2027年12月5日到期",
        "Sign is due in 9 days",
        "Sign 还有九天到期",
        "Sign has waited for 3 weeks",
        "Sign needs 17 approvals",
        "十七项待办与 Sign 有关",
        "只有七项与 Sign 有关",
        "Seven todos wait for Sign",
        "Sign is 80% there",
        "Sign 完成了百分之八十",
        "Sign v3 waits",
        "P0: Sign",
        "Sign broke at 03:15",
        "2 blocked todos, Sign among them",
        "Sign 在 1,000 处用到",
    ],
)
async def test_a_number_that_does_not_is_replaced_by_the_rows(text: str, kind: ClaimKind) -> None:
    evidence = await read({PLANS: held(*ROWS)}, TODOS, DELIVERIES)

    answer = settled(evidence, Claim(text, cite(evidence, "sign"), kind))

    assert answer.claims == (AnswerClaim(SIGN, ClaimKind.FACT, (1,)),)
    assert (answer.headline, answer.dropped) == (SIGN, 0)


@pytest.mark.requirement("E5")
async def test_many_rows_in_place_of_a_claim_are_counted_and_the_same_is_not_said_twice() -> None:
    rows = [goal(), *(todo(f"t{number}") for number in range(9))]
    evidence = await read({PLANS: held(*rows)}, TODOS)
    some = cite(evidence, *(f"t{number}" for number in range(5)))
    lines = "; ".join(f"T{number} - Wei - open, updated 2026-11-28" for number in range(3))

    answer = settled(
        evidence, fact("77 are open", *some), fact("88 are open", *some), fact("Wei has it", *some)
    )

    assert texts(answer) == [f"{lines}; +2 more", "Wei has it"]
    assert answer.dropped == 0
    zh = settled(evidence, fact("77 are open", *some), language=Language.ZH)
    assert texts(zh)[0].endswith("；还有 2 项")


@pytest.mark.requirement("E5")
@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Wei owns Sign", "sign"),
        ("Wei hands Plan to QA", "plan"),
        ("小林 has Alerts", "alerts"),
        ("由小林负责", "alerts"),
        ("Weiss wrote that Sign waits", "sign"),
        ("Sign waits for somebody called Jo", "sign"),
        ("Release 2 belongs to Lin", "payments"),
    ],
)
async def test_a_name_of_the_rows_cited_stays(text: str, names: str) -> None:
    evidence = await read({PLANS: held(*ROWS)}, TODOS, HANDOFFS)

    assert texts(settled(evidence, fact(text, *cite(evidence, *names.split())))) == [text]


@pytest.mark.requirement("E5")
@pytest.mark.parametrize(
    "text",
    [
        "Lin owns Sign",
        "Sign waits for QA",
        "Wei and Lin work on Sign",
        "小林负责",
        "Sign由小林负责",
        "Sign is unassigned",
        "Sign 没有负责人",
    ],
)
async def test_a_name_of_other_rows_is_replaced_by_the_rows(text: str) -> None:
    evidence = await read({PLANS: held(*ROWS)}, TODOS, HANDOFFS)

    answer = settled(evidence, fact(text, *cite(evidence, "sign")))

    assert (texts(answer), answer.dropped) in (([SIGN], 0), ([], 1))
    assert text not in repr(answer)


@pytest.mark.requirement("E5")
async def test_a_count_names_people_of_its_rows_alone() -> None:
    evidence = await read({PLANS: held(*ROWS)}, TODOS)
    todos = ClaimScope(View.TODOS, goal=PAYMENTS)

    answer = settled(
        evidence,
        count("2 with Wei", None, *cite(evidence, "sign", "rates")),
        count("Lin: 2 open", todos),
    )

    assert (texts(answer), answer.dropped) == (["2 with Wei"], 1)


def things(*pairs: tuple[str, int]) -> tuple[Number, ...]:
    return tuple(Number(text, value, Unit.THINGS) for text, value in pairs)


@pytest.mark.parametrize(
    ("text", "numbers", "days", "times"),
    [
        ("3 open and four done", things(("3", 3), ("four", 4)), (), ()),
        ("三项、十二个", things(("三", 3), ("十二", 12)), (), ()),
        ("一个、一些、十分、第三项、万一", (), (), ()),
        ("只有一个", things(("一", 1)), (), ()),
        (
            "5 天, 2 weeks, 三个月",
            (Number("5", 5, Unit.DAYS), Number("2", 2, Unit.WEEKS), Number("三", 3, Unit.MONTHS)),
            (),
            (),
        ),
        ("50%", (Number("50", 50, Unit.PERCENT),), (), ()),
        ("9月30日", (), (Day(None, 9, 30),), ()),
        ("在9月30日、12 Nov 2026", (), (Day(None, 9, 30), Day(2026, 11, 12)), ()),
        ("2026-11-30 09:05", (), (Day(2026, 11, 30),), ("09:05",)),
        ("2026年11月, 3月份", (), (Day(2026, 11, None), Day(None, 3, None)), ()),
        ("13/45", things(("13", 13), ("45", 45)), (), ()),
        (
            "v2.1 and P0",
            (Number("v2.1", None, Unit.THINGS), Number("P0", None, Unit.THINGS)),
            (),
            (),
        ),
        ("OAuth2, K8s", (), (), ()),
        ("1. open", (), (), ()),
        ("", (), (), ()),
    ],
)
def test_figures_as_people_write_them(
    text: str, numbers: tuple[Number, ...], days: tuple[Day, ...], times: tuple[str, ...]
) -> None:
    said = figures(text)

    assert (said.numbers, said.days, said.times) == (numbers, days, times)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("零", 0),
        ("十", 10),
        ("十二", 12),
        ("二十", 20),
        ("两百零五", 205),
        ("一千三百", 1300),
        ("三万二", 30002),
        ("二〇二六", 2026),
    ],
)
def test_the_value_of_chinese_figures(text: str, value: int) -> None:
    assert sino(text) == value


@given(
    st.text(
        alphabet=st.characters() | st.sampled_from("0123456789月日年-/:.%十两项天 a"), max_size=60
    )
)
def test_any_text_is_read_for_figures(text: str) -> None:
    figures(text)


@pytest.mark.requirement("E5")
@given(
    number=st.integers(5, 10**12),
    around=st.sampled_from(["{} todos wait", "Sign: {} 项", "还有 {} 个"]),
)
async def test_no_wrong_count_reaches_a_reader(number: int, around: str) -> None:
    evidence = await read({PLANS: held(*ROWS)}, TODOS)

    answer = settled(evidence, fact(around.format(number), *cite(evidence, "sign")))

    assert texts(answer) == [SIGN] or number == 2026
