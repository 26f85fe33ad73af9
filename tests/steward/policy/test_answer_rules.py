"""E0-E3, E9: code decides what of a candidate may be shown, whatever the endpoint says."""

from dataclasses import replace
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steward.model.answer import AnswerClaim, Citation, Claim, ClaimKind, ClaimScope
from steward.model.ids import CitationId, GoalId
from steward.model.reading import (
    Coverage,
    CoverageStatus,
    GateCode,
    PairCoverage,
    ReadFailure,
    Reading,
    RowStatus,
    ScanQuery,
    SourceCode,
    View,
)
from steward.model.turn import Language
from tests.steward.policy.readings import (
    GITLAB,
    NOW,
    PAYMENTS,
    PLANS,
    TIMED_OUT,
    WEEK_AGO,
    Evidence,
    absence,
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
    stale,
    texts,
    todo,
)

TODOS = ScanQuery(View.TODOS, goal=PAYMENTS)
DELIVERIES = ScanQuery(View.DELIVERIES, goal=PAYMENTS, since=WEEK_AGO)
ROWS = [
    goal(),
    todo("sign", RowStatus.BLOCKED, due=date(2026, 12, 5)),
    todo("alerts", due=date(2026, 11, 25)),
    todo("rates"),
    todo("keys", RowStatus.DONE),
    delivery("refunds", local(27)),
    delivery("ledger", local(29)),
]
NO_BLOCKED = ClaimScope(View.TODOS, goal=PAYMENTS, statuses=(RowStatus.BLOCKED,))
ALL_TODOS = ClaimScope(View.TODOS, goal=PAYMENTS)
LAST_WEEK = ClaimScope(View.DELIVERIES, goal=PAYMENTS, since=WEEK_AGO)
NOTHING_DELIVERED = (
    "Payment gateway, deliveries: in Plans, 2026-11-23 to 2026-11-30, nothing is recorded"
)


# ---------------------------------------------------------------- E2: citations


@pytest.mark.requirement("E2", "R14", "W4")
async def test_cited_claims_are_kept_and_numbered_in_the_order_of_first_use() -> None:
    evidence = await read({PLANS: held(*ROWS)}, TODOS)
    keys, sign = cite(evidence, "keys", "sign")

    answer = settled(evidence, fact("Keys are rotated", keys), fact("Both", sign, keys, sign))

    assert answer.claims == (
        AnswerClaim("Keys are rotated", ClaimKind.FACT, (1,)),
        AnswerClaim("Both", ClaimKind.FACT, (2, 1)),
    )
    assert answer.citations == (
        Citation(1, keys, ROWS[4], "Plans", NOW),
        Citation(2, sign, ROWS[1], "Plans", NOW),
    )
    assert (answer.headline, answer.dropped) == ("Keys are rotated", 0)


@pytest.mark.parametrize("kind", [ClaimKind.FACT, ClaimKind.ADVICE])
async def test_facts_and_advice_without_a_citation_are_dropped_and_counted(
    kind: ClaimKind,
) -> None:
    evidence = await read({PLANS: held(*ROWS)}, TODOS)
    (sign,) = cite(evidence, "sign")

    answer = settled(evidence, Claim("Ship it", (), kind), Claim("Ask Wei", (sign,), kind))

    assert (texts(answer), answer.dropped) == (["Ask Wei"], 1)


@pytest.mark.parametrize(
    "kind", [ClaimKind.FACT, ClaimKind.ADVICE, ClaimKind.COUNT, ClaimKind.ABSENCE]
)
async def test_a_citation_that_this_turn_did_not_read_drops_its_claim(kind: ClaimKind) -> None:
    evidence = await read({PLANS: held(*ROWS)}, TODOS)
    (sign,) = cite(evidence, "sign")
    foreign = CitationId("E1-of-another-turn")

    answer = settled(
        evidence,
        Claim("3 open", (foreign,), kind, ALL_TODOS),
        Claim("3 open", (sign, foreign), kind, ALL_TODOS),
    )

    assert (answer.claims, answer.citations, answer.dropped) == ((), (), 2)


async def test_a_claim_of_nothing_visible_is_dropped() -> None:
    evidence = await read({PLANS: held(*ROWS)}, TODOS)
    (sign,) = cite(evidence, "sign")

    answer = settled(
        evidence, fact("\u200b\u2060", sign), fact("Blo\u200bcked\u202e\nby Wei", sign)
    )

    assert (texts(answer), answer.dropped) == (["Blocked by Wei"], 1)


# ---------------------------------------------------------------- E3: absence


@pytest.mark.requirement("E3", "W1", "R9")
@pytest.mark.parametrize(
    ("language", "scope", "sentence"),
    [
        (Language.EN, LAST_WEEK, NOTHING_DELIVERED),
        (
            Language.ZH,
            LAST_WEEK,
            "“Payment gateway”的交付：在 Plans 中，2026-11-23 至 2026-11-30，没有记录",
        ),
        (
            Language.EN,
            NO_BLOCKED,
            "Payment gateway, blocked todos: in Plans, as of 2026-11-30 12:00, nothing is recorded",
        ),
        (
            Language.ZH,
            NO_BLOCKED,
            "“Payment gateway”的受阻待办：在 Plans 中，截至 2026-11-30 12:00，没有记录",
        ),
        (
            Language.EN,
            replace(ALL_TODOS, until=local(30, 0)),
            (
                "Payment gateway, todos due before 2026-11-30: in Plans, as of 2026-11-30 12:00, "
                "nothing is recorded"
            ),
        ),
    ],
)
async def test_absence_is_written_by_code_where_everything_was_read(
    language: Language, scope: ClaimScope, sentence: str
) -> None:
    evidence = await read({PLANS: held(goal(), todo("rates"))}, TODOS, DELIVERIES)

    answer = settled(evidence, absence(scope, "all quiet"), language=language)

    assert answer.claims == (AnswerClaim(sentence, ClaimKind.ABSENCE, ()),)


HANDOFFS = ScanQuery(View.HANDOFFS, goal=PAYMENTS)


@pytest.mark.requirement("W1")
async def test_absence_in_a_window_says_the_window_and_no_more() -> None:
    evidence = await read({PLANS: held(goal(), handoff("plan"))}, HANDOFFS)
    scope = ClaimScope(View.HANDOFFS, goal=PAYMENTS, since=local(27, 0))

    assert texts(settled(evidence, absence(scope))) == [
        "Payment gateway, handoffs: in Plans, 2026-11-27 to 2026-11-30, nothing is recorded"
    ]
    assert settled(evidence, absence(ClaimScope(View.HANDOFFS, goal=PAYMENTS))).dropped == 1


GAPS = {
    "unreadable": ({PLANS: held(goal()), GITLAB: TIMED_OUT}, "GitLab (timed out)"),
    "partial": (
        {PLANS: held(goal(), gaps=[ReadFailure(SourceCode.PARSE_FAILED, goal=PAYMENTS)])},
        "Plans (malformed)",
    ),
    "truncated": ({PLANS: held(goal(), complete=False)}, "Plans (not read whole)"),
    "unmapped": (
        {PLANS: held(goal(), gaps=[ReadFailure(SourceCode.CONTRACT_CHANGED, goal=PAYMENTS)])},
        "Plans (values not recognised)",
    ),
    "no list": (
        {PLANS: held(goal(), gaps=[ReadFailure(SourceCode.NOT_CONFIGURED, goal=PAYMENTS)])},
        "Plans (list missing)",
    ),
    "stale": ({PLANS: stale(goal())}, "Plans (as of 2026-11-21 12:00)"),
}


@pytest.mark.requirement("W1", "R8", "R9", "R10")
@pytest.mark.parametrize("gap", GAPS)
async def test_absence_over_a_gap_is_not_established_and_names_it(gap: str) -> None:
    holdings, named = GAPS[gap]
    evidence = await read(holdings, TODOS, DELIVERIES)

    answer = settled(evidence, absence(LAST_WEEK, "Nobody shipped anything"))

    assert answer.claims == (
        AnswerClaim(
            f"Payment gateway, deliveries: not established, no evidence read: {named}",
            ClaimKind.ABSENCE,
            (),
        ),
    )
    assert "Nobody" not in repr(answer)


@pytest.mark.requirement("W1", "R9")
async def test_what_was_never_tried_leaves_an_absence_open() -> None:
    evidence = await read({PLANS: held(goal())}, TODOS)

    answer = settled(evidence, absence(LAST_WEEK), language=Language.ZH)

    assert texts(answer) == [
        "“Payment gateway”的交付：不能确认有没有，未读到证据：Plans（本次没有读取）"
    ]


@pytest.mark.requirement("R9")
async def test_one_source_alone_does_not_speak_for_all() -> None:
    holdings = {PLANS: held(goal()), GITLAB: held(goal(source=GITLAB))}
    evidence = await read(holdings, replace(DELIVERIES, source=PLANS))

    answer = settled(evidence, absence(LAST_WEEK), absence(replace(LAST_WEEK, source=PLANS)))

    assert texts(answer) == [
        (
            "Payment gateway, deliveries: not established, no evidence read: "
            "GitLab (not read this time)"
        ),
        NOTHING_DELIVERED,
    ]


@pytest.mark.requirement("R9")
async def test_sources_read_one_by_one_speak_together() -> None:
    holdings = {PLANS: held(goal()), GITLAB: held(goal(source=GITLAB))}
    evidence = await read(
        holdings, replace(DELIVERIES, source=PLANS), replace(DELIVERIES, source=GITLAB)
    )

    assert texts(settled(evidence, absence(LAST_WEEK))) == [
        NOTHING_DELIVERED.replace("Plans", "Plans, GitLab")
    ]


@pytest.mark.requirement("R9")
async def test_one_goal_alone_does_not_speak_for_all() -> None:
    evidence = await read({PLANS: held(goal())}, DELIVERIES)

    answer = settled(evidence, absence(replace(LAST_WEEK, goal=None)))

    assert texts(answer) == [
        "All goals, deliveries: not established, no evidence read: Plans (some of it is missing)"
    ]


@pytest.mark.requirement("R9")
@pytest.mark.parametrize(
    "scope",
    [
        replace(LAST_WEEK, since=WEEK_AGO - timedelta(days=1)),
        replace(LAST_WEEK, goal=GoalId("another")),
        replace(LAST_WEEK, view=View.HANDOFFS),
    ],
)
async def test_a_scope_beyond_what_was_read_is_not_established(scope: ClaimScope) -> None:
    evidence = await read({PLANS: held(goal())}, DELIVERIES)

    (text,) = texts(settled(evidence, absence(scope)))

    assert "not established, no evidence read: Plans (not read this time)" in text


@pytest.mark.requirement("R9")
async def test_a_window_that_was_read_to_a_day_does_not_reach_till_now() -> None:
    query = replace(DELIVERIES, until=local(28, 0))
    evidence = await read({PLANS: held(goal())}, query)

    open_end, closed = (
        texts(settled(evidence, absence(scope)))
        for scope in (LAST_WEEK, replace(LAST_WEEK, until=local(28, 0)))
    )

    assert "not established" in open_end[0]
    assert closed == [NOTHING_DELIVERED.replace("2026-11-30", "2026-11-27")]


@pytest.mark.requirement("R9")
async def test_a_narrower_window_is_counted_from_the_rows() -> None:
    evidence = await read({PLANS: held(*ROWS)}, DELIVERIES)

    answer = settled(
        evidence,
        absence(replace(LAST_WEEK, since=local(30, 0))),
        count("1 delivered", replace(LAST_WEEK, since=local(28, 0))),
        count("2 delivered", replace(LAST_WEEK, since=local(28, 0))),
    )

    assert texts(answer) == [
        NOTHING_DELIVERED.replace("2026-11-23", "2026-11-30"),
        "1 delivered",
    ]


@pytest.mark.parametrize(("hour", "due"), [(0, True), (12, False)])
async def test_a_day_is_due_within_a_window_that_holds_its_beginning(hour: int, due: bool) -> None:
    evidence = await read({PLANS: held(goal(), todo("t", due=date(2026, 11, 30)))}, TODOS)

    answer = settled(evidence, absence(replace(ALL_TODOS, since=local(30, hour))))

    assert (answer.dropped == 1) is due


async def test_one_handoff_read_by_its_id_says_nothing_of_the_others() -> None:
    evidence = await read(
        {PLANS: held(goal(), handoff("plan"))}, replace(HANDOFFS, request_id="f" * 64)
    )

    (text,) = texts(settled(evidence, absence(ClaimScope(View.HANDOFFS, goal=PAYMENTS))))

    assert "not established" in text


async def test_an_absence_that_rows_contradict_is_dropped() -> None:
    evidence = await read({PLANS: held(*ROWS)}, TODOS, DELIVERIES)

    answer = settled(evidence, absence(LAST_WEEK), absence(NO_BLOCKED), absence(ALL_TODOS))

    assert (answer.claims, answer.dropped) == ((), 3)


@pytest.mark.requirement("W1")
async def test_an_absence_without_a_scope_says_what_is_unread_or_nothing() -> None:
    whole = await read({PLANS: held(*ROWS)}, TODOS)
    gap = await read({PLANS: held(*ROWS), GITLAB: TIMED_OUT}, TODOS)

    assert settled(whole, absence(None)).claims == ()
    assert texts(settled(gap, absence(None))) == [
        "What was asked: not established, no evidence read: GitLab (timed out)"
    ]


@pytest.mark.requirement("W1", "R7")
async def test_single_pages_establish_no_absence_but_by_their_counts() -> None:
    evidence = await read({PLANS: held(*ROWS)}, TODOS)
    page = replace(evidence.readings[-1], tool="loopx_context_read")
    evidence.readings[-1] = replace(page, rows=page.rows[:1])
    doing = replace(NO_BLOCKED, statuses=(RowStatus.DOING,))
    due = replace(ALL_TODOS, since=local(30, 0), until=local(30, 0) + timedelta(days=1))

    answer = settled(evidence, absence(doing), absence(due))

    assert texts(answer) == [
        "Payment gateway, in progress todos: in Plans, as of 2026-11-30 12:00, nothing is recorded"
    ]


async def test_goals_that_a_read_leaves_out_are_not_absent() -> None:
    rows = [goal(status=RowStatus.STOPPED), todo("sign", RowStatus.BLOCKED)]
    evidence = await read({PLANS: held(*rows)}, ScanQuery(View.TODOS))

    (text,) = texts(settled(evidence, absence(NO_BLOCKED)))

    assert text.startswith("Payment gateway, blocked todos: not established")


async def test_absences_that_one_gap_leaves_open_are_said_together() -> None:
    evidence = await read({PLANS: held(*ROWS[:1]), GITLAB: TIMED_OUT}, TODOS, DELIVERIES)
    (row,) = cite(evidence, "payments")

    answer = settled(evidence, absence(ALL_TODOS), fact("Lin owns it", row), absence(LAST_WEEK))

    assert texts(answer) == [
        "Payment gateway, todos, deliveries: not established, no evidence read: GitLab (timed out)",
        "Lin owns it",
    ]
    assert answer.dropped == 0


statuses = st.sampled_from(CoverageStatus)


@pytest.mark.requirement("W1", "R9")
@given(pairs=st.lists(statuses, max_size=4), tried=st.booleans())
def test_nothing_is_ever_called_absent_but_over_whole_and_fresh_reads(
    pairs: list[CoverageStatus], tried: bool
) -> None:
    evidence = Evidence({PLANS: held()})
    counted = tuple(
        PairCoverage(PLANS, GoalId(f"g{number}"), status) for number, status in enumerate(pairs)
    )
    if tried:
        evidence.readings.append(_empty(ScanQuery(View.TODOS), counted))

    answer = settled(evidence, absence(ClaimScope(View.TODOS)), goal=None)

    whole = tried and bool(pairs) and set(pairs) == {CoverageStatus.READ}
    assert any("nothing is recorded" in text for text in texts(answer)) is whole
    if not whole:
        assert "no evidence read" in answer.headline.lower()


def _empty(query: ScanQuery, pairs: tuple[PairCoverage, ...]) -> Reading:
    whole = bool(pairs) and all(pair.status is CoverageStatus.READ for pair in pairs)
    coverage = Coverage(len(pairs), 0, 0, 0, 0, 0, 0, complete=whole, pairs=pairs)
    return Reading("scan", query, (), {}, coverage, (), None, None, None)


# ---------------------------------------------------------------- E3: counts


@pytest.mark.requirement("R7")
@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("Payment gateway: 2 open, 1 blocked, 1 done", ALL_TODOS),
        ("待处理 2 项，受阻 1 项，已完成 1 项", ALL_TODOS),
        ("4 todos in all", ALL_TODOS),
        ("有２项待处理", ALL_TODOS),
        ("1 blocked", NO_BLOCKED),
        ("Delivered from 2026-11-23 to 2026-11-30: 2", LAST_WEEK),
        ("2 in the last 7 days", LAST_WEEK),
        ("1 overdue", replace(ALL_TODOS, until=local(30, 0))),
        ("0 in progress, 1 blocked", ALL_TODOS),
    ],
)
async def test_a_count_that_the_readings_give_is_kept(text: str, scope: ClaimScope) -> None:
    evidence = await read({PLANS: held(*ROWS)}, TODOS, DELIVERIES)

    assert texts(settled(evidence, count(text, scope))) == [text]


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("3 open", ALL_TODOS),
        ("1 open", ALL_TODOS),
        ("2 blocked", ALL_TODOS),
        ("2 项受阻", ALL_TODOS),
        ("受阻 2 项", ALL_TODOS),
        ("2 open and 5 others", ALL_TODOS),
        ("2 open, none blocked", ALL_TODOS),
        ("2 open, three blocked", ALL_TODOS),
        ("待处理 2 项，三项受阻", ALL_TODOS),
        ("待处理 2 项，没有受阻", ALL_TODOS),
        ("two open", ALL_TODOS),
        ("many open", ALL_TODOS),
        ("2 open (50% done)", ALL_TODOS),
        ("2 open, 0.5 done", ALL_TODOS),
        ("2/4 done", ALL_TODOS),
        ("2 open since 2026-11-01", ALL_TODOS),
        ("0 blocked, 2 open", ALL_TODOS),
        ("9" * 5000, ALL_TODOS),
        ("٣ open", ALL_TODOS),
        ("2 blocked", NO_BLOCKED),
        ("3 in the last 30 days", LAST_WEEK),
        ("1 delivered", replace(LAST_WEEK, since=WEEK_AGO - timedelta(days=9))),
        ("4 todos", None),
    ],
)
async def test_a_count_that_they_do_not_give_is_dropped(
    text: str, scope: ClaimScope | None
) -> None:
    evidence = await read({PLANS: held(*ROWS)}, TODOS, DELIVERIES)

    answer = settled(evidence, count(text, scope))

    assert text not in repr(answer)
    assert answer.dropped == 1 or "not established" in answer.headline


async def test_a_count_of_the_rows_it_cites_needs_no_scope() -> None:
    evidence = await read({PLANS: held(*ROWS)}, TODOS)
    rows = cite(evidence, "sign", "alerts")

    answer = settled(
        evidence, count("2 need a look", None, *rows), count("3 need a look", None, *rows)
    )

    assert (texts(answer), answer.dropped) == (["2 need a look"], 1)


async def test_what_is_left_of_a_group_is_counted_against_what_was_shown() -> None:
    rows = [goal(), *(todo(f"t{number}") for number in range(5))]
    evidence = await read({PLANS: held(*rows)}, TODOS)
    first, second = cite(evidence, "t0", "t1")
    scope = replace(ALL_TODOS, statuses=(RowStatus.OPEN,))
    shown = [fact("T0 is open", first), fact("T1 is open", second)]

    answer = settled(evidence, *shown, count("+3 more", scope), count("+2 more", scope))

    assert (texts(answer)[2:], answer.dropped) == (["+3 more"], 1)


@pytest.mark.requirement("W1")
async def test_a_count_of_zero_is_an_absence() -> None:
    whole = await read({PLANS: held(goal())}, DELIVERIES)
    gap = await read({PLANS: held(goal()), GITLAB: TIMED_OUT}, DELIVERIES)

    assert texts(settled(whole, count("0 delivered", LAST_WEEK))) == [NOTHING_DELIVERED]
    assert texts(settled(gap, count("0 delivered", LAST_WEEK))) == [
        "Payment gateway, deliveries: not established, no evidence read: GitLab (timed out)"
    ]


async def test_a_zero_beside_other_counts_needs_whole_coverage() -> None:
    gap = await read({PLANS: held(*ROWS), GITLAB: TIMED_OUT}, TODOS)

    rows = cite(gap, "sign", "alerts", "rates", "keys")

    answer = settled(
        gap,
        count("2 open, 0 in progress", ALL_TODOS),
        count("2 open, 0 late", ALL_TODOS),
        fact("All of them", *rows),
        count("2 open, 0 left", ALL_TODOS),
        count("2 open", ALL_TODOS),
    )

    assert (texts(answer), answer.dropped) == (["All of them", "2 open"], 3)


async def test_a_number_in_a_goals_name_is_no_count() -> None:
    rows = [goal("Release 2"), todo("sign", RowStatus.BLOCKED)]
    evidence = await read({PLANS: held(*rows)}, TODOS)

    answer = settled(
        evidence, count("Release 2: 1 blocked", ALL_TODOS), count("Release 2", ALL_TODOS)
    )

    assert (texts(answer), answer.dropped) == (["Release 2: 1 blocked"], 1)


# ---------------------------------------------------------------- E9, headline, failures


@pytest.mark.requirement("E9", "R9", "R10")
async def test_what_rests_on_a_stale_reading_says_of_when_it_is() -> None:
    evidence = await read({PLANS: stale(*ROWS)}, TODOS)
    (sign,) = cite(evidence, "sign")

    answer = settled(
        evidence,
        count("2 open", ALL_TODOS),
        fact("Sign is blocked", sign),
        language=Language.ZH,
    )

    assert texts(answer) == [
        "2 open（数据截至 2026-11-21 12:00）",
        "Sign is blocked（数据截至 2026-11-21 12:00）",
    ]
    assert [citation.stale for citation in answer.citations] == [True]


@pytest.mark.requirement("W1")
@pytest.mark.parametrize(
    ("language", "headline"),
    [
        (Language.EN, "No evidence read: Plans (not found, or no access), GitLab (timed out)"),
        (Language.ZH, "未读到证据：Plans（找不到或无权访问）、GitLab（读取超时）"),
    ],
)
async def test_where_nothing_could_be_read_the_headline_says_so(
    language: Language, headline: str
) -> None:
    gone = ReadFailure(SourceCode.NOT_FOUND_OR_NO_ACCESS)
    evidence = await read({PLANS: gone, GITLAB: TIMED_OUT}, ScanQuery(View.TODOS))

    answer = settled(evidence, absence(ALL_TODOS), language=language, goal=None)

    assert (answer.headline, answer.claims) == (headline, ())
    assert answer.failures == (
        replace(gone, source=PLANS),
        replace(TIMED_OUT, source=GITLAB),
    )


@pytest.mark.requirement("W1")
async def test_where_no_claim_is_accepted_the_headline_does_not_conclude_anything() -> None:
    evidence = await read({PLANS: held(*ROWS)}, TODOS)

    answer = settled(evidence, fact("All is well"))

    assert answer.headline == ("No evidence read: no record was read that an answer could rest on")


@pytest.mark.requirement("E0", "R9")
async def test_the_coverage_is_of_the_scope_and_not_of_what_was_tried() -> None:
    holdings = {PLANS: held(*ROWS), GITLAB: held(goal(source=GITLAB))}
    evidence = await read(holdings, replace(TODOS, source=PLANS))
    evidence.readings.pop(0)  # the portfolio, which had tried both

    answer = settled(evidence, fact("Sign is blocked", *cite(evidence, "sign")))

    assert [(source.title, source.status) for source in answer.coverage.sources] == [
        ("Plans", CoverageStatus.READ),
        ("GitLab", CoverageStatus.NOT_READ),
    ]


async def test_an_endpoints_own_mistakes_are_no_failures_of_sources() -> None:
    evidence = await read({PLANS: held(*ROWS)}, TODOS)
    mistake = ReadFailure(GateCode.INVALID_ARGUMENTS)
    broken = ReadFailure(GateCode.READ_TOOL_UNAVAILABLE)
    for refused in (mistake, broken):
        evidence.readings.append(replace(_empty(TODOS, ()), refused=refused))

    assert settled(evidence, fact("All is well")).failures == (broken,)


async def test_the_window_of_the_deliveries_is_kept_with_the_answer() -> None:
    evidence = await read({PLANS: held(*ROWS)}, TODOS, DELIVERIES)

    answer = settled(evidence, count("2", LAST_WEEK))

    assert (answer.window_start, answer.window_end) == (WEEK_AGO, None)
