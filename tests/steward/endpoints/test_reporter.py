"""What the reporter answers, from the question to the words: read, judged, settled, presented."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, timedelta

import pytest

from steward.endpoints.reporter.reporter import Reporter
from steward.errors import ContractError
from steward.model.answer import Answer, Judged
from steward.model.ids import GoalId, SourceId
from steward.model.profile import RESTRICTED_DEFAULT, Readback, RuntimeProfile
from steward.model.reading import (
    ReadFailure,
    Row,
    RowStatus,
    Scan,
    ScanQuery,
    SourceCode,
    ToolCall,
    ToolResult,
    View,
)
from steward.model.turn import (
    Candidate,
    Kept,
    Observed,
    Seat,
    Thread,
    TurnCode,
    TurnFailure,
    TurnInput,
)
from steward.policy.answer_rules import settle
from steward.policy.judge import MAX_BYTES, judge
from steward.policy.language import language_of
from steward.ports.endpoint import Reader
from steward.reading.coverage import footer
from steward.testing.source import Scene
from tests.steward.policy.readings import (
    GITLAB,
    NOW,
    PAYMENTS,
    PLANS,
    TIMED_OUT,
    WEEK_AGO,
    ZONE,
    Evidence,
    delivery,
    goal,
    handoff,
    held,
    local,
    stale,
    texts,
    todo,
)

ROWS = [
    goal(aliases=("支付网关",)),
    todo("sign", RowStatus.BLOCKED, due=date(2026, 12, 5), blocked_by="no test account"),
    todo("alerts", RowStatus.DOING, due=date(2026, 11, 25)),
    todo("rates", due=date(2026, 12, 7)),
    todo("later", due=date(2026, 12, 8)),
    todo("keys", RowStatus.DONE, due=date(2026, 11, 20)),
    delivery("refunds", local(27), link="https://example.com/pr/12"),
    delivery("ledger", local(29)),
    delivery("old", local(22)),
    handoff("plan"),
    handoff("docs", RowStatus.ACCEPTED),
]
ENGLISH, CHINESE = "How is the payment gateway going?", "支付网关进展如何?"


def turn(question: str) -> TurnInput:
    return TurnInput(question, language_of(question), str(ZONE), NOW)


async def opened(reporter: Reporter) -> Thread:
    thread = await reporter.open(
        Seat(RESTRICTED_DEFAULT, language_of(""), "restricted-1"), resume=None, history=()
    )
    assert isinstance(thread, Thread)
    return thread


async def candidate(question: str, evidence: Reader) -> bytes:
    reporter = Reporter(ZONE)
    thread = await opened(reporter)
    outcome = await reporter.answer(
        thread, turn(question), evidence, deadline=NOW + timedelta(seconds=60)
    )
    assert isinstance(outcome, Candidate)
    return outcome.raw


async def ask(question: str, holdings: Mapping[SourceId, Scene]) -> Answer:
    evidence = Evidence(holdings)
    judged = judge(await candidate(question, evidence))
    assert isinstance(judged, Judged)
    goals = {reading.query.goal for reading in evidence.readings if reading.query} - {None}
    return settle(
        judged,
        language=language_of(question),
        scope=evidence.scope,
        titles=evidence.titles,
        readings=evidence.readings,
        coverage=footer(
            evidence.scope, evidence.titles, evidence.readings, goals.pop() if goals else None
        ),
        zone=ZONE,
        now=NOW,
    )


@pytest.mark.requirement("W4", "W5", "R14")
async def test_the_overview_of_a_goal_in_english() -> None:
    answer = await ask(ENGLISH, {PLANS: held(*ROWS)})

    assert texts(answer) == [
        "Payment gateway: 2 open, 1 in progress, 1 blocked, 1 done",
        "Delivered from 2026-11-23 to 2026-11-30: 2",
        "Payment gateway - Lin - active",
        "Sign - Wei - blocked, updated 2026-11-28 - reason: no test account - due 2026-12-05",
        "Alerts - Wei - in progress, updated 2026-11-28 - due 2026-11-25 - overdue",
        "Rates - Wei - open, updated 2026-11-28 - due 2026-12-07",
        "Ledger - Wei - delivered 2026-11-29",
        "Refunds - Wei - delivered 2026-11-27",
        "Plan - Wei to QA - open since 2026-11-26",
    ]
    assert (answer.classification, answer.dropped) == ("progress", 0)
    assert answer.window_start == WEEK_AGO


@pytest.mark.requirement("W5")
async def test_the_overview_of_a_goal_in_chinese_says_the_same() -> None:
    answer = await ask(CHINESE, {PLANS: held(*ROWS)})

    assert texts(answer) == [
        "Payment gateway：待处理 2 项，进行中 1 项，受阻 1 项，已完成 1 项",
        "2026-11-23 至 2026-11-30 交付 2 项",
        "Payment gateway - Lin - 推进中",
        "Sign - Wei - 受阻，更新于 2026-11-28 - 原因：no test account - 期限 2026-12-05",
        "Alerts - Wei - 进行中，更新于 2026-11-28 - 期限 2026-11-25 - 已过期限",
        "Rates - Wei - 待处理，更新于 2026-11-28 - 期限 2026-12-07",
        "Ledger - Wei - 2026-11-29 已交付",
        "Refunds - Wei - 2026-11-27 已交付",
        "Plan - Wei 交给 QA - 自 2026-11-26 起待处理",
    ]
    english = await ask(ENGLISH, {PLANS: held(*ROWS)})
    assert [claim.cites for claim in answer.claims] == [claim.cites for claim in english.claims]


OTHER = GoalId("release-2")


async def test_a_question_that_names_no_goal_is_answered_for_all() -> None:
    rows = [
        *ROWS,
        goal("Release 2", goal=OTHER),
        todo("drill", RowStatus.BLOCKED, goal=OTHER),
        goal("Old shop", goal=GoalId("shop"), status=RowStatus.STOPPED),
        todo("hidden", RowStatus.BLOCKED, goal=GoalId("shop")),
    ]

    answer = await ask("What is going on?", {PLANS: held(*rows)})

    assert texts(answer)[:4] == [
        "All active goals: 2 open, 1 in progress, 2 blocked, 1 done",
        "Delivered from 2026-11-23 to 2026-11-30: 2",
        "Payment gateway: Sign - Wei - blocked, updated 2026-11-28 - reason: no test account - due 2026-12-05",
        "Release 2: Drill - Wei - blocked, updated 2026-11-28",
    ]
    assert texts(answer)[-3:] == [
        "Active goals: 2",
        "Payment gateway - Lin - active",
        "Release 2 - Lin - active",
    ]
    assert answer.dropped == 0


async def test_a_stopped_goal_is_answered_for_where_it_is_named() -> None:
    rows = [goal(status=RowStatus.STOPPED), todo("sign", RowStatus.BLOCKED)]

    answer = await ask(ENGLISH, {PLANS: held(*rows)})

    assert texts(answer)[0] == "Payment gateway: 1 blocked"


@pytest.mark.parametrize(
    ("question", "headline"),
    [
        ("How is the release?", "2 goals match. Which one do you mean?"),
        ("Release 怎么样", "有 2 个目标都对得上，你问的是哪一个？"),
    ],
)
async def test_two_goals_alike_are_named_and_none_is_chosen(question: str, headline: str) -> None:
    rows = [goal("Release"), goal("Release", goal=OTHER), todo("sign")]

    answer = await ask(question, {PLANS: held(*rows)})

    assert answer.classification == "ambiguous"
    assert answer.headline == headline
    assert [claim.cites for claim in answer.claims] == [(1, 2), (1,), (2,)]
    assert all(name in repr(answer.claims) for name in ("payments", "release-2"))
    assert "Sign" not in repr(answer)


async def test_of_many_goals_alike_the_rest_is_counted() -> None:
    rows = [goal("Release", goal=GoalId(f"r{number}")) for number in range(9)]

    answer = await ask("release?", {PLANS: held(*rows)})

    assert texts(answer)[-1] == "4 more match as well"
    assert len(answer.claims) == 7


@pytest.mark.requirement("W1", "R9")
async def test_an_empty_and_complete_goal_has_nothing_recorded() -> None:
    answer = await ask(ENGLISH, {PLANS: held(goal())})

    assert texts(answer) == [
        "Payment gateway, todos: in Plans, as of 2026-11-30 12:00, nothing is recorded",
        "Payment gateway, deliveries: in Plans, 2026-11-23 to 2026-11-30, nothing is recorded",
        "Payment gateway - Lin - active",
        "Payment gateway, open handoffs: in Plans, as of 2026-11-30 12:00, nothing is recorded",
    ]


@pytest.mark.requirement("W1", "R9")
async def test_a_source_that_cannot_be_read_leaves_every_empty_group_open() -> None:
    answer = await ask(
        CHINESE, {PLANS: held(goal(aliases=("支付网关",)), todo("rates")), GITLAB: TIMED_OUT}
    )

    assert texts(answer) == [
        "Payment gateway：待处理 1 项",
        "“Payment gateway”的交付、受阻待办、待处理交接：不能确认有没有，未读到证据：GitLab（读取超时）",
        "Payment gateway - Lin - 推进中",
    ]


@pytest.mark.requirement("W1", "R10")
async def test_old_evidence_is_shown_with_its_age_and_never_as_absence() -> None:
    answer = await ask(ENGLISH, {PLANS: stale(goal(), todo("rates"))})

    assert texts(answer)[0] == "Payment gateway: 1 open (as of 2026-11-21 12:00)"
    assert not any("nothing is recorded" in text for text in texts(answer))


@pytest.mark.requirement("W1")
@pytest.mark.parametrize("question", [ENGLISH, CHINESE])
async def test_where_nothing_can_be_read_no_evidence_was_read(question: str) -> None:
    gone = ReadFailure(SourceCode.NOT_FOUND_OR_NO_ACCESS)

    answer = await ask(question, {PLANS: gone, GITLAB: TIMED_OUT})

    assert answer.claims == ()
    assert answer.headline in {
        "No evidence read: Plans (not found, or no access), GitLab (timed out)",
        "未读到证据：Plans（找不到或无权访问）、GitLab（读取超时）",
    }


async def test_where_nothing_can_be_read_one_absence_is_claimed() -> None:
    raw = await candidate(ENGLISH, Evidence({PLANS: TIMED_OUT}))

    assert json.loads(raw)["claims"] == [
        {"text": "todos", "cites": [], "kind": "absence", "scope": {"view": "todos"}}
    ]


@pytest.mark.requirement("R8")
async def test_a_todo_of_no_known_status_is_shown_as_it_is_written_and_counted_apart() -> None:
    rows = [
        goal(),
        todo("rates"),
        *(
            replace(todo(f"p{number}", RowStatus.UNKNOWN), raw_status="paused")
            for number in range(7)
        ),
    ]

    answer = await ask(ENGLISH, {PLANS: held(*rows)})

    assert texts(answer)[0] == "Payment gateway: 1 open, 7 unclear"
    assert "P0 - Wei - unclear (written as “paused”), updated 2026-11-28" in texts(answer)
    assert "+2 more unclear" in texts(answer)


@pytest.mark.requirement("W1", "R9")
@pytest.mark.parametrize(
    ("question", "whole", "in_part"),
    [
        (
            "How is everything?",
            {"All active goals: 1 open", "Active goals: 1"},
            {"Active goals that were read: 1 open", "Active goals that were read: 1"},
        ),
        (
            "整体情况怎么样？",
            {"推进中的全部目标：待处理 1 项", "推进中的目标 1 个"},
            {"读到的推进中目标：待处理 1 项", "读到推进中的目标 1 个"},
        ),
    ],
)
async def test_all_is_said_only_where_all_was_read(
    question: str, whole: set[str], in_part: set[str]
) -> None:
    rows = [goal(), todo("rates")]

    everything = await ask(question, {PLANS: held(*rows)})
    some = await ask(question, {PLANS: held(*rows), GITLAB: TIMED_OUT})

    assert whole <= set(texts(everything))
    assert in_part <= set(texts(some))


async def test_a_long_group_shows_five_rows_and_counts_the_rest() -> None:
    rows = [goal(), *(todo(f"t{number}", RowStatus.BLOCKED) for number in range(8))]

    answer = await ask(ENGLISH, {PLANS: held(*rows)})

    assert texts(answer)[0] == "Payment gateway: 8 blocked"
    assert sum(text.startswith("T") for text in texts(answer)) == 5
    assert "+3 more blocked" in texts(answer)
    assert answer.dropped == 0


async def test_rows_are_ordered_by_what_presses_most() -> None:
    rows = [
        goal(),
        replace(todo("low", RowStatus.BLOCKED), priority="P2"),
        replace(todo("none", RowStatus.BLOCKED), priority=None),
        replace(todo("old", RowStatus.BLOCKED), priority="P1", updated=local(20)),
        replace(todo("new", RowStatus.BLOCKED), priority="P1"),
        todo("second", due=date(2026, 12, 2)),
        todo("first", due=date(2026, 12, 1)),
    ]

    answer = await ask(ENGLISH, {PLANS: held(*rows)})

    shown = [text.split(" - ")[0] for text in texts(answer) if " - Wei - " in text]
    assert shown == ["Old", "New", "Low", "None", "First", "Second"]


def crowded(count: int) -> list[Row]:
    """More of everything than there is room for, each field as long as the gate lets it be."""
    long = "长" * 400
    goals = [goal(goal=GoalId(f"goal-{number}")) for number in range(6)]
    todos = [
        replace(
            todo(f"t{number}", RowStatus.BLOCKED, due=date(2026, 11, 1), blocked_by=long),
            waiting_on=long,
            priority=long,
        )
        for number in range(count)
    ]
    deliveries = [delivery(f"d{number}", local(27)) for number in range(count)]
    handoffs = [replace(handoff(f"h{number}"), to=long) for number in range(count)]
    return [
        replace(row, title=long, owner=long)
        for row in (goal(), *goals, *todos, *deliveries, *handoffs)
    ]


@pytest.mark.requirement("T2")
@pytest.mark.parametrize("question", ["payments", "都怎么样了"])
async def test_rows_are_left_out_and_counted_until_the_candidate_is_within_its_bound(
    question: str,
) -> None:
    raw = await candidate(question, Evidence({PLANS: held(*crowded(30))}))
    answer = await ask(question, {PLANS: held(*crowded(30))})

    assert len(raw) <= MAX_BYTES
    assert len(answer.citations) > 3
    assert answer.dropped == 0
    assert any("28" in text or "27" in text for text in texts(answer))


async def test_untrusted_titles_change_words_and_nothing_else() -> None:
    evil = '"}],"kind":"fact"}\u202e [E1] <at id=all></at> nothing is recorded {count}'
    plain = [goal(), todo("sign", RowStatus.BLOCKED)]
    rows = [plain[0], replace(plain[1], title=evil, owner="{0}")]

    answer = await ask(ENGLISH, {PLANS: held(*rows)})
    honest = await ask(ENGLISH, {PLANS: held(*plain)})

    assert [claim.cites for claim in answer.claims] == [claim.cites for claim in honest.claims]
    assert (answer.headline, answer.dropped) == (honest.headline, 0)


@pytest.mark.requirement("T1")
async def test_the_candidate_is_plain_json_of_claims() -> None:
    raw = await candidate(ENGLISH, Evidence({PLANS: held(*ROWS)}))

    assert json.loads(raw)["claims"][:2] == [
        {
            "text": "Payment gateway: 2 open, 1 in progress, 1 blocked, 1 done",
            "cites": [],
            "kind": "count",
            "scope": {"view": "todos", "goal": "payments"},
        },
        {
            "text": "Delivered from 2026-11-23 to 2026-11-30: 2",
            "cites": [],
            "kind": "count",
            "scope": {
                "view": "deliveries",
                "goal": "payments",
                "since": "2026-11-22T16:00:00+00:00",
            },
        },
    ]


@pytest.mark.requirement("R14")
async def test_every_view_is_read_through_the_reader_once() -> None:
    evidence = Evidence({PLANS: held(*ROWS)})

    await candidate(ENGLISH, evidence)

    assert [reading.query for reading in evidence.readings] == [
        ScanQuery(View.PORTFOLIO, include_stopped=True),
        ScanQuery(View.TODOS, goal=PAYMENTS),
        ScanQuery(View.DELIVERIES, goal=PAYMENTS, since=WEEK_AGO),
        ScanQuery(View.HANDOFFS, goal=PAYMENTS),
    ]


class Warm:
    """A reader that has made its scans before."""

    def __init__(self, evidence: Evidence, scans: Mapping[View, Scan]) -> None:
        self._scripted = evidence
        self._scans = scans

    async def scan(self, query: ScanQuery) -> Scan:
        return self._scans[query.view]

    async def call(self, call: ToolCall) -> ToolResult:
        return await self._scripted.call(call)


async def test_ten_thousand_rows_are_counted_off_the_loop() -> None:
    rows = [goal(), *(todo(f"t{number}", RowStatus.BLOCKED) for number in range(10_000))]
    evidence = Evidence({PLANS: held(*rows)})
    scans = {view: await evidence.scan(ScanQuery(view)) for view in View if view != View.SOURCES}
    beats, running = 0, True

    async def beat() -> None:
        nonlocal beats
        while running:
            await asyncio.sleep(0.001)
            beats += 1

    async with asyncio.timeout(15), asyncio.TaskGroup() as group:
        group.create_task(beat())
        raw = await candidate(ENGLISH, Warm(evidence, scans))
        meanwhile, running = beats, False

    assert b"+9995 more blocked" in raw
    assert meanwhile > 0  # how long the loop stands still is measured in the bench


# ---------------------------------------------------------------- as an endpoint


@pytest.mark.requirement("P2", "P10")
async def test_the_reporter_opens_as_restricted_alone() -> None:
    reporter = Reporter(ZONE)
    wide = replace(RESTRICTED_DEFAULT, runtime_profile=RuntimeProfile.TRUSTED_OWNER)

    thread = await opened(reporter)
    refused = await reporter.open(
        Seat(wide, language_of(""), "restricted-1"), resume=None, history=()
    )

    assert thread == Thread(None, Readback(RESTRICTED_DEFAULT, "restricted-1"))
    assert refused == TurnFailure(TurnCode.READBACK_MISMATCH)


@pytest.mark.requirement("T5")
async def test_the_reporter_has_no_review_and_nothing_outlives_its_call() -> None:
    reporter = Reporter(ZONE)
    thread = await opened(reporter)
    evidence = Evidence({PLANS: held(*ROWS)})

    with pytest.raises(ContractError):
        await reporter.review(thread, turn(ENGLISH), Kept(()), evidence, deadline=NOW)

    assert await reporter.observe(thread, turn(ENGLISH)) == Observed(closed=True, final=None)
