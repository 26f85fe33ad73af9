"""How the reporter answers: what was understood is said, what is not known is said to be not known."""

from dataclasses import replace
from datetime import date

import pytest

from steward.endpoints.reporter.reporter import Reporter
from steward.endpoints.reporter.times import Sprint
from steward.model.answer import Choice, ClaimKind
from steward.model.ids import GoalId
from steward.model.reading import RowStatus, View
from steward.model.topic import Topic
from steward.model.turn import Language
from tests.steward.endpoints.house import (
    FULL,
    LOGIN,
    MAPPED,
    PAYMENTS,
    RELEASE,
    TODO,
    Told,
    X,
    ask,
    delivery,
    goal,
    rows,
    tell,
    todos,
)
from tests.steward.policy.readings import GITLAB, PLANS, TIMED_OUT, ZONE, Evidence, held, local


async def conversation(*questions: str) -> list[Told]:
    """One question after the other, each with what the one before was about."""
    told: list[Told] = []
    topic: Topic | None = None
    for question in questions:
        told.append(await tell(question, Evidence(FULL), topic=topic))
        topic = told[-1].answer.topic
    return told


# ---------------------------------------------------------------- follow-ups


async def test_a_follow_up_takes_over_what_it_leaves_out_and_says_so() -> None:
    first, then, other, new = await conversation(
        "支付网关这周交付了什么?", "那上周呢?", "那登录改造呢?", "那阻塞呢?"
    )

    assert first.texts[0] == "2026-11-30 至 2026-11-30 交付 1 项"
    assert then.texts[:3] == [
        "2026-11-23 至 2026-11-29 交付 2 项",
        "沿用上一个问题：交付、Payment gateway",
        "时间范围：2026-11-23 至 2026-11-29（Asia/Shanghai）",
    ]
    assert other.answer.topic == replace(
        then.answer.topic or Topic(""), goals=(LOGIN,), intent="delivered"
    )
    assert "沿用上一个问题：交付、2026-11-23 至 2026-11-29" in other.texts
    assert new.answer.classification == "blocked"
    assert new.texts[:2] == [
        "Login rework：受阻 1 项",
        "沿用上一个问题：Login rework、2026-11-23 至 2026-11-29",
    ]


async def test_a_follow_up_in_english_takes_over_intent_and_person() -> None:
    _, then, other = await conversation(
        "What did Wei deliver last week?", "and this week?", "and Li?"
    )

    assert then.texts[0].endswith("no row names Wei")
    assert "Taken over from before: delivered, Wei" in then.texts
    assert other.texts[0] == "Li, from 2026-11-30 to 2026-11-30: 6 delivered"
    assert "Taken over from before: delivered, 2026-11-30 to 2026-12-06" in other.texts


async def test_it_means_the_goal_of_before() -> None:
    _, then = await conversation("What is blocked on release 2?", "Who owns it?")

    assert then.texts[0] == "Release 2: owned by Lin"
    assert "Taken over from before: Release 2" in then.texts


async def test_a_whole_question_takes_nothing_over() -> None:
    _, then = await conversation("What is blocked on release 2?", "What is overdue?")

    assert not any("Taken over" in text for text in then.texts)
    assert then.texts[0] == "All active goals: 6 overdue"


async def test_an_intent_of_another_endpoint_is_not_taken_over() -> None:
    topic = Topic("haiku", goals=(RELEASE,))

    told = await tell("and last week?", Evidence(FULL), topic=topic)

    assert told.answer.classification == "overview"
    assert "Taken over from before: Release 2" in told.texts


async def test_a_goal_that_may_not_be_read_any_more_is_not_named() -> None:
    told = await tell(
        "and last week?", Evidence(FULL), topic=Topic("blocked", goals=(GoalId("secret"),))
    )

    assert "secret" not in told.seen


@pytest.mark.requirement("T1")
async def test_the_topic_is_structure_and_holds_no_text_of_the_question() -> None:
    told = await ask("What did Wei deliver on Release 2 last week, by the way?")

    assert told.answer.topic == Topic("delivered", (RELEASE,), "Wei", local(23, 0), local(30, 0))


# ---------------------------------------------------------------- goals


async def test_the_goal_that_was_chosen_is_answered_for() -> None:
    told = await tell("How is the release?", Evidence(FULL), chosen=RELEASE)

    assert told.texts[0].startswith("Release 2: ")
    assert told.answer.choices == ()


async def test_a_name_that_several_goals_share_is_for_the_asker_to_choose() -> None:
    told = await ask("How is the gateway?")

    assert told.answer.headline == "2 goals match. Which one do you mean?"
    assert told.answer.choices == (
        Choice(GoalId("billing"), "Billing gateway"),
        Choice(PAYMENTS, "Payment gateway"),
    )


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (
            "What is left for release 3?",
            "No goal called “release 3” was found in what was read here.",
        ),
        ("How is apollo going?", "No goal called “apollo” was found in what was read here."),
        ("数据平台迁移还差什么?", "在这里读到的内容里，没有找到叫“数据平台迁移”的目标。"),
        ("「凤凰」进展如何?", "在这里读到的内容里，没有找到叫“凤凰”的目标。"),
    ],
)
async def test_a_goal_that_is_not_there_is_said_and_the_rest_answered(
    question: str, said: str
) -> None:
    told = await ask(question)

    assert told.answer.headline == said
    assert any(claim.kind is ClaimKind.COUNT for claim in told.answer.claims)


@pytest.mark.requirement("R9")
async def test_no_goal_is_called_missing_where_no_goals_could_be_read() -> None:
    told = await tell("How is apollo going?", Evidence({PLANS: TIMED_OUT, GITLAB: TIMED_OUT}))

    assert "apollo" not in told.seen
    assert told.answer.headline.startswith("No evidence read")


async def test_a_misspelt_goal_is_offered_and_not_taken() -> None:
    told = await ask("What is blocked on the paymnet gateway?")

    assert told.answer.choices == (Choice(PAYMENTS, "Payment gateway"),)
    assert told.texts[:3] == [
        "No goal called “paymnet gateway” was found in what was read here.",
        "No goal was chosen for you; you may mean one of those below.",
        "Payment gateway - Lin - active",
    ]


async def test_a_part_of_one_goals_name_is_taken_for_it_and_said() -> None:
    told = await ask("How is the rework?")

    assert told.texts[0].startswith("Login rework: ")
    assert "Taken to mean “Login rework”." in told.texts


# ---------------------------------------------------------------- people


async def test_my_todos_are_those_that_name_me() -> None:
    told = await tell("What is on my plate?", Evidence(FULL), asker_names=("Wei",))

    assert told.texts[0] == "Wei: 1 in progress, 6 blocked"
    assert {c.row.owner for c in told.answer.citations if c.row.view is View.TODOS} == {"Wei"}


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What is on my plate?", "no row names Lin, 小林"),
        ("我手上还有哪些待办?", "没有一行写着 Lin、小林"),
    ],
)
async def test_where_no_row_names_the_asker_that_is_said_with_the_names(
    question: str, said: str
) -> None:
    nobody = [replace(row, waiting_on=None) for row in rows()]
    told = await tell(question, Evidence({PLANS: held(*nobody)}), asker_names=("Lin", "小林"))

    assert told.answer.headline.endswith(said)


@pytest.mark.parametrize(
    ("question", "said"),
    [("What is on my plate?", "[person]"), ("我今天该先做什么?", "[person]")],
)
async def test_an_asker_without_an_entry_gets_all_of_it_and_how_to_be_mapped(
    question: str, said: str
) -> None:
    told = await tell(question, Evidence(FULL), asker_names=())

    assert any(said in text for text in told.texts)
    assert {c.row.owner for c in told.answer.citations} >= {"Wei"}


async def test_somebody_whom_no_row_names_is_not_answered_for_by_others() -> None:
    told = await ask("What did Bob finish this week?")

    assert told.answer.headline == (
        "All goals, deliveries: in Plans, GitLab, 2026-11-30 to 2026-11-30, no row names Bob"
    )
    assert told.answer.citations == ()


async def test_deliveries_are_grouped_by_who_made_them() -> None:
    told = await ask("Who delivered what last week?")

    assert told.texts[0] == "Delivered from 2026-11-23 to 2026-11-29: 12"
    assert "Wei, from 2026-11-23 to 2026-11-29: 6 delivered" in told.texts
    assert "小李, from 2026-11-23 to 2026-11-29: 6 delivered" in told.texts


# ---------------------------------------------------------------- what is not known


async def test_only_stated_dates_are_given() -> None:
    stated, unstated = await ask("When will X ship?"), await ask("When will Y ship?")

    assert stated.texts[0] == "X: target date 2026-12-20"
    assert unstated.texts[0] == (
        "Y, stated target date: in Plans, as of 2026-11-30 12:00, nothing is recorded"
    )
    assert "Only dates that are stated are given; none is estimated." in unstated.texts


@pytest.mark.requirement("W1", "R9")
async def test_a_date_is_not_called_unstated_while_a_source_is_unread() -> None:
    told = await tell("Y 什么时候能上线?", Evidence({PLANS: held(*rows()), GITLAB: TIMED_OUT}))

    assert told.texts[0].startswith("“Y”的写明的目标日期：不能确认有没有，未读到证据：GitLab")


async def test_only_written_reasons_are_quoted() -> None:
    told = await ask("Why was X delayed?")
    empty = await tell("Why was X delayed?", Evidence({PLANS: held(goal(X, "X"))}))

    assert told.texts[0] == "X, todos with a stated reason: 1"
    assert any("reason: no test account" in text for text in told.texts)
    assert empty.texts[0] == (
        "X, stated reason: in Plans, as of 2026-11-30 12:00, nothing is recorded"
    )


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("PR #77 合了吗?", "读到的记录里没有提到“pr #77”，它的状态不能确认。"),
        (
            "What happened to todo_999?",
            "Nothing that was read mentions “todo_999”, so its state is not known.",
        ),
        (
            "Is CI red on main?",
            "The sources here do not record CI runs, so its state is not known.",
        ),
    ],
)
async def test_what_no_source_records_is_not_known_and_not_none(question: str, said: str) -> None:
    told = await ask(question)

    assert told.texts == [said]


async def test_a_todo_is_found_by_its_id_and_a_pull_request_by_its_number() -> None:
    todo, pull = await ask(f"{TODO} 现在怎么样?"), await ask("Is PR #42 merged?")

    assert todo.texts == ["X：Callback signature - Wei - 进行中"]
    assert pull.texts[0] == "X: Refunds x - Wei - delivered 2026-11-27"


async def test_how_things_stood_is_not_known_and_how_they_stand_is_said() -> None:
    told = await ask("What was blocked on X last week?")

    assert told.texts[:2] == [
        "X: 1 blocked",
        "The records state only how things stand now, so this is as of now, not as of then.",
    ]


async def test_what_states_no_time_of_update_is_not_called_moved() -> None:
    told = await ask("What has not moved for two weeks?")

    assert told.texts[:2] == [
        "All active goals, unfinished todos last updated before 2026-11-17: 6",
        "Some todos state no time of update, so whether they moved cannot be seen.",
    ]


async def test_an_order_is_marked_as_no_more_than_this() -> None:
    told = await tell("What should I work on first?", Evidence(FULL), asker_names=("Wei",))

    assert told.answer.claims[0].kind is ClaimKind.ADVICE
    assert told.texts[0].startswith("First: X: Sign x - Wei - blocked")
    assert told.texts[1] == (
        "This is only an order by due date and priority, not a judgement of the work."
    )


async def test_two_goals_are_counted_by_the_same_measures() -> None:
    told = await ask("Which is further behind, X or Y?")

    assert told.texts[:3] == [
        "X: 1 overdue",
        "Y: 1 overdue",
        "X: 1 open, 3 in progress, 1 blocked, 1 done",
    ]


# ---------------------------------------------------------------- what is declined, and what is read


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("帮我把 X 标记为完成", "我只能读取"),
        ("Mark X as done", "I only read and change nothing"),
        ("Is Li a good worker?", "I do not judge people"),
        ("小李工作态度怎么样?", "我不评价人"),
    ],
)
async def test_acting_and_judging_are_declined_in_sight(question: str, said: str) -> None:
    told = await ask(question)

    assert told.answer.classification == "out_of_scope"
    assert told.answer.headline.startswith(said)
    assert {c.row.view for c in told.answer.citations} <= {View.PORTFOLIO}


async def test_sources_are_listed_with_what_keeps_them_from_being_read() -> None:
    evidence = Evidence({PLANS: held(*rows()), GITLAB: TIMED_OUT})

    told = await tell("What sources can you read?", evidence)

    assert told.texts == [
        "Sources here: 2, readable now: 1",
        "Not read, or not read whole: GitLab (timed out)",
        "Plans: readable, as of 2026-11-30 12:00",
    ]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Did you read Plans?", "Plans: readable, as of 2026-11-30 12:00"),
        ("飞书文档你读到了吗?", "在这里可读的范围内，没有叫“飞书文档”的来源。"),
    ],
)
async def test_one_source_is_told_of_by_its_name(question: str, first: str) -> None:
    assert (await ask(question)).texts[0] == first


# ---------------------------------------------------------------- days


async def test_days_that_are_named_bound_what_is_read_and_are_printed_with_their_zone() -> None:
    told = await ask("What was committed on X from 2026-11-25 to 2026-11-26?")

    [deliveries] = [r for r in told.readings if r.query and r.query.view is View.DELIVERIES]
    assert deliveries.query is not None
    assert (deliveries.query.since, deliveries.query.until) == (local(25, 0), local(27, 0))
    assert told.texts[:2] == [
        "Delivered from 2026-11-25 to 2026-11-26: 1",
        "Days: 2026-11-25 to 2026-11-26 (Asia/Shanghai)",
    ]


async def test_a_sprint_is_a_span_of_days() -> None:
    reporter = Reporter(ZONE, [Sprint(("sprint 12",), date(2026, 11, 24), date(2026, 11, 25))])

    told = await tell("What was delivered in sprint 12?", Evidence(FULL), reporter=reporter)

    assert told.texts[:2] == [
        "Delivered from 2026-11-24 to 2026-11-25: 6",
        "Days: 2026-11-24 to 2026-11-25 (Asia/Shanghai)",
    ]


async def test_a_number_in_a_goals_name_is_no_time() -> None:
    told = await tell(
        "Release 2.1 in May 进展", Evidence(FULL), language=Language.EN, asker_names=MAPPED
    )

    assert told.answer.topic is not None
    assert told.answer.topic.goals == (GoalId("release-2.1"),)
    assert told.answer.topic.since is not None
    assert told.answer.topic.since.astimezone(ZONE).date() == date(2026, 5, 1)


async def test_what_is_due_by_a_day_counts_what_is_late_too() -> None:
    told = await ask("What has to be finished by Dec 8?")

    assert told.texts[0] == "All active goals: 13 due before 2026-12-09"


async def test_of_many_people_and_rows_each_is_shown_once() -> None:
    many = [goal(X, "X"), *(delivery(X, f"d{n}", local(27), f"P{n % 8}") for n in range(30))]

    told = await tell("Who delivered what last week?", Evidence({PLANS: held(*many)}))

    cites = [cite for claim in told.answer.claims for cite in claim.cites]
    assert len(cites) == len(set(cites))
    assert told.answer.dropped == 0


async def test_a_todo_that_is_named_is_found_for_who_owns_it() -> None:
    told = await ask("谁负责 Callback signature?")

    assert told.texts[0] == "X：Callback signature - Wei - 进行中"


async def test_unfinished_todos_of_nobody_are_no_ones() -> None:
    bare = [goal(X, "X"), *(replace(row, owner=None, waiting_on=None) for row in todos(X))]

    told = await tell("What is on my plate?", Evidence({PLANS: held(*bare)}))

    assert told.answer.headline.endswith("no row names Li, 小李")
    assert not any(row.row.status is RowStatus.OPEN for row in told.answer.citations)


# ---------------------------------------------------------------- days that no evidence has


@pytest.mark.parametrize(
    "question",
    [
        "What was delivered since 1900-01-01?",
        "What was delivered from 0001-01-01 to 2026-11-30?",
        "What is due before 9999-12-30?",
        "过去999个月交付了什么?",
        "999 个月没动的待办有哪些?",
        "What has not moved for 999 months?",
    ],
)
async def test_a_question_of_days_too_far_away_is_answered(question: str) -> None:
    assert (await ask(question)).outgoing.headline
