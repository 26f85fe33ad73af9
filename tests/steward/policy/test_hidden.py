"""E3 and E7 for claims of every kind: what says that there is none, or that it holds of all. The coverage decides."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steward.model.answer import AnswerClaim, Claim, ClaimKind, ClaimScope
from steward.model.reading import RowStatus, ScanQuery, View
from steward.model.turn import Language
from steward.policy.detector import Reach, Said, absent, clauses, total
from tests.steward.policy.readings import (
    GITLAB,
    PAYMENTS,
    PLANS,
    TIMED_OUT,
    WEEK_AGO,
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
DELIVERIES = ScanQuery(View.DELIVERIES, goal=PAYMENTS, since=WEEK_AGO)
HANDOFFS = ScanQuery(View.HANDOFFS, goal=PAYMENTS)
OPEN = [goal(), todo("sign", RowStatus.BLOCKED), todo("keys", RowStatus.DONE), handoff("plan")]
DONE = [goal(), todo("keys", RowStatus.DONE), handoff("plan", RowStatus.ACCEPTED)]

ABSENT = (
    "No progress was made",
    "there were no new deliveries",
    "nothing happened on Refunds",
    "Nobody picked it up",
    "The team has not shipped anything",
    "it hasn't moved",
    "Refunds never moved",
    "without any changes",
    "the board is quiet",
    "work is stalled",
    "it stands still",
    "unchanged since Monday",
    "0 deliveries",
    "zero risks",
    "hardly any activity",
    "everything is as quiet as before",
    "none of them",
    "没有进展",
    "本周没有任何新的交付",
    "暂无更新",
    "无风险",
    "未见变化",
    "没人处理",
    "什么都没做",
    "一个都没合并",
    "毫无动静",
    "项目停滞",
    "一切照旧",
    "和昨天一样",
    "0 项交付",
    "零阻塞",
    "没变",
    "还没交付",
)
PRESENT = (
    "Wei needs a new account from the bank",
    "Sign cannot start before the bank answers",
    "do not merge before Friday",
    "this does not mean that there was no progress",
    "it's not that nothing happened",
    "the unfinished todos are with Wei",
    "10 deliveries",
    "due at 10:00",
    "version 2.0 is out",
    "a few changes went in",
    "Known issues are listed",
    "Lin noted the risk",
    "由小林负责",
    "无法登录测试环境",
    "未来两周交付",
    "不能继续",
    "这不是没有进展",
    "不代表没有风险",
    "3 项未完成的待办",
    "无需审批",
    "10 项待办",
    "有变化",
)


@pytest.mark.requirement("E3")
@pytest.mark.parametrize("clause", ABSENT)
def test_a_clause_that_says_there_is_none_is_found(clause: str) -> None:
    assert absent(clause)


@pytest.mark.requirement("E3")
@pytest.mark.parametrize("clause", PRESENT)
def test_a_clause_that_only_holds_a_negation_is_none(clause: str) -> None:
    assert not any(absent(part) for part in clauses(clause))


@pytest.mark.requirement("E3")
@pytest.mark.parametrize(
    "clause", ["还没完成", "尚未被接收", "is not finished yet", "hasn't been done"]
)
def test_not_done_yet_is_the_state_of_a_row_that_is_not_finished(clause: str) -> None:
    assert (absent(clause), absent(clause, unfinished=True)) == (True, False)


@pytest.mark.requirement("E7")
@pytest.mark.parametrize(
    ("clause", "found"),
    [
        ("all todos are done", (Reach.ALL, Said.FINISHED)),
        ("everything is on track", (Reach.ALL, Said.FINE)),
        ("every task is blocked", (Reach.ALL, Said.BLOCKED)),
        ("100% finished", (Reach.ALL, Said.FINISHED)),
        ("the project is complete", (Reach.WHOLE, Said.FINISHED)),
        ("both are delivered", (Reach.EACH, Said.FINISHED)),
        ("全部完成", (Reach.ALL, Said.FINISHED)),
        ("所有待办都已关闭", (Reach.ALL, Said.FINISHED)),
        ("每一项都在进行中", (Reach.ALL, Said.DOING)),
        ("一切正常", (Reach.ALL, Said.FINE)),
        ("都已交付", (Reach.EACH, Said.FINISHED)),
        ("项目已经完成", (Reach.WHOLE, Said.FINISHED)),
        ("全都受阻", (Reach.ALL, Said.BLOCKED)),
        ("not all of them are done", None),
        ("并非全部完成", None),
        ("after all it is done", None),
        ("Keys are done", None),
        ("all owners were asked", None),
        ("密钥已完成", None),
        ("还没全部完成", None),
    ],
)
def test_what_a_clause_says_of_all(clause: str, found: tuple[Reach, Said] | None) -> None:
    assert total(clause) == found


# ---------------------------------------------------------------- absence, over what was read

LIES = [
    ("This week was quiet for payments", "本周支付这边很平静"),
    ("Keys are done, nothing was delivered", "密钥已轮换，没有交付任何东西"),
    ("No deliveries, as GitLab says", "据 GitLab，没有交付"),
]


@pytest.mark.requirement("E3", "W1")
@pytest.mark.parametrize("kind", [ClaimKind.FACT, ClaimKind.ADVICE])
@pytest.mark.parametrize("lie", LIES)
async def test_an_absence_in_any_claim_is_written_by_code(
    lie: tuple[str, str], kind: ClaimKind
) -> None:
    whole = await read({PLANS: held(*OPEN)}, TODOS, DELIVERIES)
    gap = await read({PLANS: held(*OPEN), GITLAB: TIMED_OUT}, TODOS, DELIVERIES)
    nothing = "Payment gateway, deliveries: in Plans, 2026-11-23 to 2026-11-30, nothing is recorded"
    open_ = "Payment gateway, deliveries: not established, no evidence read: GitLab (timed out)"
    for evidence, written in ((whole, nothing), (gap, open_)):
        row = cite(evidence, "payments")
        for text in lie:
            answer = settled(evidence, Claim(text, row, kind))
            assert answer.claims == (AnswerClaim(written, ClaimKind.ABSENCE, ()),)
            assert answer.headline == written


@pytest.mark.requirement("E3")
@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("No handoffs are left", "open handoffs"),
        ("There are no blockers", "blocked todos"),
        ("没有逾期的事项", "unfinished todos due before 2026-11-30"),
        ("There is no work left", "unfinished todos"),
        ("没有更新", "deliveries"),
    ],
)
async def test_what_is_absent_is_taken_from_the_words(text: str, subject: str) -> None:
    evidence = await read({PLANS: held(goal()), GITLAB: TIMED_OUT}, TODOS, DELIVERIES, HANDOFFS)

    answer = settled(evidence, fact(text, *cite(evidence, "payments")))

    assert texts(answer) == [
        f"Payment gateway, {subject}: not established, no evidence read: GitLab (timed out)"
    ]


@pytest.mark.requirement("E3")
async def test_an_absence_that_a_row_contradicts_or_that_is_of_nothing_known_is_left_out() -> None:
    evidence = await read({PLANS: held(*OPEN)}, TODOS, DELIVERIES)
    sign, row = cite(evidence, "sign", "payments")

    answer = settled(
        evidence,
        fact("Nothing is blocked", sign),
        count("1 blocked, and the project is quiet", ClaimScope(View.TODOS, goal=PAYMENTS)),
        fact("There is none", sign, row),
    )

    assert (answer.claims, answer.dropped) == ((), 3)


@pytest.mark.requirement("E3")
@pytest.mark.parametrize("language", Language)
async def test_words_of_a_row_are_no_claim_where_they_stand_as_its_words(
    language: Language,
) -> None:
    rows = [
        goal("No progress"),
        todo("no updates shown", RowStatus.BLOCKED, blocked_by="没有任何进展"),
    ]
    evidence = await read({PLANS: held(*rows)}, TODOS)
    row = cite(evidence, "no updates shown")
    kept = [
        "“No updates shown” waits for Wei",
        "No updates shown is blocked",
        "受阻，原因：没有任何进展",
    ]

    answer = settled(evidence, *(fact(text, *row) for text in kept), language=language)
    alone = settled(evidence, fact("没有任何进展", *row), fact("No progress", *row))

    assert texts(answer) == kept
    assert "没有任何进展" not in texts(alone)
    assert "No progress" not in texts(alone)


@pytest.mark.requirement("E3", "W1")
@given(
    lie=st.sampled_from([text for text in ABSENT if "yet" not in text and "还没" not in text]),
    before=st.sampled_from(["", "Keys are done, ", "密钥已轮换，", "GitLab 读取失败；"]),
    after=st.sampled_from(["", ", as far as I see", "，其余正常", "."]),
    kind=st.sampled_from([ClaimKind.FACT, ClaimKind.ADVICE]),
)
async def test_no_hidden_absence_reaches_a_reader(
    lie: str, before: str, after: str, kind: ClaimKind
) -> None:
    evidence = await read({PLANS: held(*OPEN), GITLAB: TIMED_OUT}, TODOS, DELIVERIES)

    answer = settled(evidence, Claim(f"{before}{lie}{after}", cite(evidence, "payments"), kind))

    assert lie not in repr(answer)


# ---------------------------------------------------------------- all, over what was read


@pytest.mark.requirement("E7")
@pytest.mark.parametrize(
    "text",
    [
        "All todos are done",
        "Keys are rotated, every todo is done",
        "Everything is finished",
        "100% done",
        "The project is complete",
        "Payment gateway is finished",
        "全部完成，GitLab 读取失败",
        "待办都已完成",
        "所有事项均已关闭",
        "一切顺利",
        "项目已完成",
        "Payment gateway 已全部交付",
    ],
)
async def test_a_total_that_an_open_row_contradicts_is_left_out(text: str) -> None:
    evidence = await read({PLANS: held(*OPEN)}, TODOS, DELIVERIES)

    answer = settled(evidence, fact(text, *cite(evidence, "keys")))

    assert (answer.claims, answer.dropped) == ((), 1)


@pytest.mark.requirement("E7", "W1")
async def test_a_total_is_written_by_code_where_all_was_read_and_left_open_elsewhere() -> None:
    whole = await read({PLANS: held(*DONE)}, TODOS, HANDOFFS)
    gap = await read({PLANS: held(*DONE), GITLAB: TIMED_OUT}, TODOS, HANDOFFS)
    subject = "Payment gateway, unfinished todos"
    for text in ("All todos are done", "待办都已完成"):
        said, left_open = (
            texts(settled(evidence, fact(text, *cite(evidence, "keys"))))
            for evidence in (whole, gap)
        )
        assert said == [f"{subject}: in Plans, as of 2026-11-30 12:00, nothing is recorded"]
        assert left_open == [f"{subject}: not established, no evidence read: GitLab (timed out)"]

    assert texts(settled(whole, fact("All handoffs are done", *cite(whole, "plan")))) == [
        "Payment gateway, open or returned handoffs: in Plans, as of 2026-11-30 12:00, nothing is recorded"
    ]


@pytest.mark.requirement("E7")
async def test_what_is_said_of_the_rows_cited_alone_is_kept() -> None:
    rows = [
        *OPEN,
        todo("rates", RowStatus.DONE),
        delivery("refunds", local(27)),
        delivery("ledger", local(28)),
    ]
    evidence = await read({PLANS: held(*rows)}, TODOS, DELIVERIES)
    both = cite(evidence, "keys", "rates")

    kept = [
        fact("Keys 和 Rates 都已完成", *both),
        fact("两项都已完成", *both),
        fact("Both Keys and Rates are done", *both),
        fact("both of them are done", *both),
        fact("Refunds 和 Ledger 均已交付", *cite(evidence, "refunds", "ledger")),
    ]

    answer = settled(evidence, *kept, fact("待办都已完成", *both))

    assert (texts(answer), answer.dropped) == ([claim.text for claim in kept], 1)


@pytest.mark.requirement("E7")
async def test_a_goal_that_is_recorded_as_done_may_be_called_so() -> None:
    evidence = await read({PLANS: held(goal(status=RowStatus.DONE))}, TODOS)

    answer = settled(evidence, fact("Payment gateway is done", *cite(evidence, "payments")))

    assert texts(answer) == ["Payment gateway is done"]
