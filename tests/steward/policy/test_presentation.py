"""W1-W5: what a person reads, whole."""

from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest

from steward.model.answer import ClaimScope, Outgoing, OutgoingClaim, OutgoingKind, OutgoingSource
from steward.model.audience import DeclineReason
from steward.model.ids import GoalId, SourceId
from steward.model.reading import (
    ContextCode,
    Coverage,
    CoverageStatus,
    PairCoverage,
    ReadFailure,
    RowStatus,
    ScanQuery,
    SourceCode,
    SourceCoverage,
    View,
)
from steward.model.turn import Language, TurnCode, TurnFailure
from steward.policy.gaps import coverage_line, gap_details
from steward.policy.presentation import decline, notice, present, unparsable_line, withheld
from steward.reading.coverage import footer
from steward.reading.failures import sentence
from tests.steward.policy.readings import (
    GITLAB,
    NOW,
    PAYMENTS,
    PLANS,
    TIMED_OUT,
    TITLES,
    WEEK_AGO,
    ZONE,
    cite,
    count,
    delivery,
    fact,
    goal,
    held,
    local,
    read,
    settled,
    stale,
    todo,
)

TODOS = ScanQuery(View.TODOS, goal=PAYMENTS)
DELIVERIES = ScanQuery(View.DELIVERIES, goal=PAYMENTS, since=WEEK_AGO)
ROWS = [
    goal(),
    todo("sign", RowStatus.BLOCKED, blocked_by="no test account"),
    delivery("refunds", local(27), link="https://example.com/pr/12"),
]


def shown(message: Outgoing) -> str:
    """Every word of a message."""
    claims = [claim.text for claim in message.claims]
    sources = [source.text for source in message.sources]
    rest = [message.coverage or "", message.note or ""]
    return "\n".join([message.headline, *claims, *rest, *message.details, *sources])


@pytest.mark.requirement("R9", "W1", "W4")
async def test_an_answer_as_it_is_sent_in_english() -> None:
    evidence = await read({PLANS: held(*ROWS), GITLAB: TIMED_OUT}, TODOS, DELIVERIES)
    sign, refunds = cite(evidence, "sign", "refunds")
    answer = settled(
        evidence,
        fact("Sign waits for a test account", sign),
        fact("Refunds are in", refunds),
        fact("No citation"),
    )

    assert present(answer, asked_at=NOW, now=NOW, zone=ZONE) == Outgoing(
        kind=OutgoingKind.ANSWER,
        language=Language.EN,
        headline="Sign waits for a test account [1]",
        claims=(OutgoingClaim("Refunds are in", (2,)),),
        coverage="Read 1/2 · no evidence read: GitLab (timed out)",
        details=(
            (
                "GitLab: It could not be read in the time allowed. Ask again later; if this happens often, the "
                "operator should look at the source."
            ),
            "Where no evidence was read, it is not known whether anything moved.",
            "Deliveries from 2026-11-23 00:00 to 2026-11-30 12:00 (Asia/Shanghai)",
            "Plans: as of 2026-11-30 12:00 (Asia/Shanghai)",
            "Left out, because it did not stand up to the records that were read: 1.",
        ),
        sources=(
            OutgoingSource(
                1, "Sign - Wei - blocked, updated 2026-11-28 - reason: no test account (Plans)"
            ),
            OutgoingSource(
                2, "Refunds - Wei - delivered 2026-11-27 (Plans)", "https://example.com/pr/12"
            ),
        ),
    )


@pytest.mark.requirement("R9", "W1", "W5")
async def test_an_answer_as_it_is_sent_in_chinese() -> None:
    evidence = await read({PLANS: held(*ROWS), GITLAB: TIMED_OUT}, TODOS, DELIVERIES)
    answer = settled(
        evidence,
        count("受阻 1 项", ClaimScope(View.TODOS, goal=PAYMENTS)),
        fact("回调验签受阻", *cite(evidence, "sign")),
        language=Language.ZH,
    )

    assert present(answer, asked_at=NOW, now=NOW, zone=ZONE) == Outgoing(
        kind=OutgoingKind.ANSWER,
        language=Language.ZH,
        headline="受阻 1 项",
        claims=(OutgoingClaim("回调验签受阻", (1,)),),
        coverage="已读 1/2 · 未读到证据：GitLab（读取超时）",
        details=(
            "GitLab：未能在时限内读完。请稍后再问；若经常超时，请维护人员检查该来源。",
            "未读到证据的部分，不清楚有没有变化。",
            "交付的时间范围：2026-11-23 00:00 至 2026-11-30 12:00（Asia/Shanghai）",
            "Plans：数据截至 2026-11-30 12:00（Asia/Shanghai）",
        ),
        sources=(
            OutgoingSource(
                1, "Sign - Wei - 受阻，更新于 2026-11-28 - 原因：no test account（Plans）"
            ),
        ),
    )


@pytest.mark.requirement("W4")
async def test_the_times_of_many_sources_are_bounded_and_the_rest_counted() -> None:
    evidence = await read({PLANS: held(*ROWS)}, TODOS)
    answer = settled(evidence, fact("Sign is blocked", *cite(evidence, "sign")))
    many = replace(
        answer,
        coverage=covered(*(line(f"S{number}", CoverageStatus.READ) for number in range(12))),
    )

    details = present(many, asked_at=NOW, now=NOW, zone=ZONE).details

    assert len(details) == 11
    assert details[9:] == (
        "S9: as of 2026-11-20 09:00 (Asia/Shanghai)",
        "Sources whose time is not listed: 2.",
    )


@pytest.mark.requirement("W4")
async def test_an_answer_more_than_ten_minutes_late_says_when_it_was_asked() -> None:
    evidence = await read({PLANS: held(*ROWS)}, TODOS)
    answer = settled(evidence, fact("Sign is blocked", *cite(evidence, "sign")))

    def note(late: timedelta) -> str | None:
        return present(answer, asked_at=NOW, now=NOW + late, zone=ZONE).note

    assert note(timedelta(minutes=10)) is None
    assert note(timedelta(minutes=10, seconds=1)) == (
        "This was asked at 2026-11-30 12:00 (Asia/Shanghai); the answer comes late."
    )


@pytest.mark.requirement("W1", "W4")
async def test_without_a_conclusion_the_reason_and_what_to_do_come_before_the_fold() -> None:
    evidence = await read({PLANS: TIMED_OUT}, TODOS)
    answer = settled(evidence, fact("All is well"))

    message = present(answer, asked_at=NOW, now=NOW, zone=ZONE)

    assert (message.headline, message.claims, message.details) == (
        "No evidence read: Plans (timed out)",
        (
            OutgoingClaim(
                "Plans: It could not be read in the time allowed. Ask again later; if this happens often, the "
                "operator should look at the source."
            ),
            OutgoingClaim("Where no evidence was read, it is not known whether anything moved."),
        ),
        ("Left out, because it did not stand up to the records that were read: 1.",),
    )


@pytest.mark.requirement("R9")
async def test_the_evidence_list_says_what_is_out_of_date() -> None:
    evidence = await read({PLANS: stale(*ROWS)}, TODOS)
    answer = settled(evidence, fact("Sign is blocked", *cite(evidence, "sign")))

    (source,) = present(answer, asked_at=NOW, now=NOW, zone=ZONE).sources

    assert source.text.endswith("(Plans, out of date: as of 2026-11-21 12:00)")


@pytest.mark.requirement("W2")
@pytest.mark.parametrize("link", ["javascript:alert(1)", "ftp://example.com", "lark://x", "//x"])
async def test_a_link_that_is_not_of_the_web_is_not_shown(link: str) -> None:
    evidence = await read({PLANS: held(goal(), delivery("d", local(27), link=link))}, DELIVERIES)
    answer = settled(evidence, fact("D is in", *cite(evidence, "d")))

    message = present(answer, asked_at=NOW, now=NOW, zone=ZONE)

    assert [source.link for source in message.sources] == [None]
    assert link not in shown(message)


async def test_a_row_of_no_known_status_shows_it_as_it_is_written() -> None:
    row = replace(todo("sign", RowStatus.UNKNOWN), raw_status="in limbo", updated=local(30, 13))
    evidence = await read({PLANS: held(goal(), row)}, TODOS)

    answers = [
        present(
            settled(evidence, fact("S", *cite(evidence, "sign")), language=language),
            asked_at=NOW,
            now=NOW,
            zone=ZONE,
        )
        for language in Language
    ]

    assert [message.sources[0].text for message in answers] == [
        "Sign - Wei - 状态不明（原文“in limbo”），更新于 2026-11-30 - 时间晚于当前（Plans）",
        "Sign - Wei - unclear (written as “in limbo”), updated 2026-11-30 - its time lies ahead of now (Plans)",
    ]


# ---------------------------------------------------------------- coverage


def covered(*sources: SourceCoverage, pairs: tuple[PairCoverage, ...] = ()) -> Coverage:
    return Coverage(0, 0, 0, 0, 0, 0, 0, complete=False, pairs=pairs, sources=sources)


def line(name: str, status: CoverageStatus, failure: ReadFailure | None = None) -> SourceCoverage:
    return SourceCoverage(SourceId(name), name, status, failure, as_of=local(20))


@pytest.mark.requirement("R9", "W1")
def test_the_coverage_line_counts_sources_and_names_each_kind_of_gap() -> None:
    coverage = covered(
        line("A", CoverageStatus.READ),
        line("B", CoverageStatus.PARTIAL, ReadFailure(SourceCode.PARSE_FAILED)),
        line("C", CoverageStatus.PARTIAL),
        line("D", CoverageStatus.STALE),
        line("E", CoverageStatus.UNREADABLE, TIMED_OUT),
        line("F", CoverageStatus.NOT_READ),
    )

    assert [coverage_line(coverage, language, ZONE) for language in Language] == [
        (
            "已读 4/6 · 其中只读到一部分：B（格式有误）、C（有缺失） · "
            "其中数据过旧：D（数据截至 2026-11-20 09:00） · 未读到证据：E（读取超时）、F（本次没有读取）"
        ),
        (
            "Read 4/6 · read in part: B (malformed), C (some of it is missing) · "
            "out of date: D (as of 2026-11-20 09:00) · no evidence read: E (timed out), F (not read this time)"
        ),
    ]


def test_the_coverage_line_stays_one_line_with_many_gaps() -> None:
    coverage = covered(*(line(f"S{number}", CoverageStatus.NOT_READ) for number in range(9)))

    assert coverage_line(coverage, Language.ZH, ZONE) == (
        "已读 0/9 · 未读到证据：S0（本次没有读取）、S1（本次没有读取）、S2（本次没有读取）、另外 6 个"
    )


def test_the_details_of_many_gaps_are_bounded_and_count_the_rest() -> None:
    coverage = covered(*(line(f"S{number}", CoverageStatus.NOT_READ) for number in range(19)))

    details = gap_details(coverage, Language.ZH)

    assert len(details) == 12
    assert details[9:] == [
        "S9：这次回答没有读取它。可以指明它再问一次。",
        "还有 9 处没有读到，指明来源再问可以看到原因。",
        "未读到证据的部分，不清楚有没有变化。",
    ]


@pytest.mark.requirement("W1")
def test_no_source_at_all_is_no_evidence() -> None:
    assert coverage_line(covered(), Language.EN, ZONE) == (
        "No evidence read: there is no source to read"
    )


@pytest.mark.requirement("W1", "R10")
def test_details_name_the_goals_where_a_part_of_a_source_failed() -> None:
    parse_failed = ReadFailure(SourceCode.PARSE_FAILED)
    pairs = (
        PairCoverage(PLANS, GoalId("a"), CoverageStatus.READ),
        *(
            PairCoverage(
                PLANS,
                GoalId(name),
                CoverageStatus.UNREADABLE,
                replace(parse_failed, goal=GoalId(name)),
            )
            for name in "bcdefgh"
        ),
        PairCoverage(PLANS, GoalId("i"), CoverageStatus.STALE),
    )
    coverage = covered(line("plans", CoverageStatus.PARTIAL, parse_failed), pairs=pairs)

    assert gap_details(coverage, Language.EN, titles={GoalId("b"): "Billing"}) == [
        (
            "plans (Billing, c, d, e, f, 2 more): The content does not have the agreed form, for example because "
            "it is empty, breaks the syntax, repeats or misspells a key, or repeats an id. The owner should "
            "correct this to the documented form; then ask again."
        ),
        "Where no evidence was read, it is not known whether anything moved.",
        (
            "plans (i): Its content has not been updated for longer than is allowed. The owner should bring it up "
            "to date."
        ),
        "Where it is out of date, no evidence was read of what came later.",
    ]


@pytest.mark.requirement("R9", "R4", "W1")
def test_details_name_every_reason_and_the_lists_that_it_concerns() -> None:
    goals = [GoalId("a"), GoalId("b")]
    missing = [
        ReadFailure(SourceCode.NOT_CONFIGURED, PLANS, name, part=True, view=view)
        for view in (View.DELIVERIES, View.HANDOFFS)
        for name in goals
    ]
    malformed = [
        ReadFailure(SourceCode.PARSE_FAILED, PLANS, goals[0], 2, part=True, view=View.TODOS),
        ReadFailure(SourceCode.PARSE_FAILED, PLANS, goals[0], 1, part=True, view=View.HANDOFFS),
    ]
    damaged = ReadFailure(SourceCode.CORRUPT, PLANS, count=2, part=True)
    elsewhere = ReadFailure(SourceCode.FORBIDDEN, PLANS, GoalId("another"), part=True)
    pairs = tuple(PairCoverage(PLANS, name, CoverageStatus.PARTIAL, missing[0]) for name in goals)
    coverage = covered(line("plans", CoverageStatus.PARTIAL, missing[0]), pairs=pairs)

    assert gap_details(
        coverage, Language.ZH, failures=[*missing, *malformed, damaged, damaged, elsewhere]
    ) == [
        "plans（a、b）：没有交付、交接列表；没有列表，不等于没有内容。请负责人补上列表；确实没有内容的，请写成空列表。",
        "plans（a）：待办、交接里有 3 条记录不符合约定的格式，没有读入。请负责人按格式更正后再问。",
        "plans（其中 2 处）：内容已损坏，或不是可读的 UTF-8 文本。请负责人恢复完好的版本；文本须存为 UTF-8。",
        "未读到证据的部分，不清楚有没有变化。",
    ]


@pytest.mark.requirement("R4", "W1")
@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("code", SourceCode)
def test_every_failure_of_a_source_is_told_with_effect_and_next_step(
    code: SourceCode, language: Language
) -> None:
    failure = ReadFailure(code, PLANS)
    coverage = covered(line("plans", CoverageStatus.UNREADABLE, failure))

    said = coverage_line(coverage, language, ZONE), *gap_details(coverage, language)

    assert len(said) == 3
    assert all(
        ("未读到证据" if language is Language.ZH else "o evidence") in said[place]
        for place in (0, 2)
    )
    assert (
        said[1] == f"plans{'：' if language is Language.ZH else ': '}{sentence(failure, language)}"
    )
    assert not any(code.value in text for text in said if "_" in code.value)


# ---------------------------------------------------------------- notices


OWED = {
    Language.ZH: "它会一直列为待回答，不会自动重新执行。",
    Language.EN: "It stays on record as owed; nothing is run again by itself.",
}


@pytest.mark.requirement("W2", "W3", "T6")
@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("code", TurnCode)
def test_a_failed_question_says_what_failed_and_what_comes_of_it(
    code: TurnCode, language: Language
) -> None:
    message = notice(TurnFailure(code, detail="next_action must be a string"), language=language)

    lines = [claim.text for claim in message.claims]
    assert message.kind is OutgoingKind.NOTICE
    assert "\n" not in message.headline
    over = code in {TurnCode.WITHDRAWN, TurnCode.STOPPED}
    assert (lines[0] == OWED[language]) is not over
    assert len(lines) == (1 if over else 2)
    assert "_" not in shown(message)


@pytest.mark.requirement("W3", "R12")
@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("context", ContextCode)
def test_a_failed_context_gives_its_reason_in_words(
    context: ContextCode, language: Language
) -> None:
    failure = TurnFailure(TurnCode.CONTEXT_FAILURE, context=context)

    message = notice(failure, language=language)

    assert message.claims[0].text.startswith("原因：" if language is Language.ZH else "Reason: ")
    assert context.value not in shown(message)


@pytest.mark.requirement("W3")
async def test_a_notice_shows_what_was_read_and_that_it_is_no_answer() -> None:
    evidence = await read({PLANS: held(*ROWS), GITLAB: TIMED_OUT}, TODOS, DELIVERIES)
    coverage = footer(evidence.scope, TITLES, evidence.readings, PAYMENTS)

    message = notice(
        TurnFailure(TurnCode.EXECUTOR_TIMEOUT),
        language=Language.EN,
        coverage=coverage,
        readings=evidence.readings,
        zone=ZONE,
    )

    assert message.coverage == "Read 1/2 · no evidence read: GitLab (timed out)"
    assert message.details[:4] == (
        "What was read before that (this is not an answer):",
        "goals: 1 active",
        "Payment gateway, todos: 1 blocked",
        "Payment gateway, deliveries: 1 delivered",
    )
    assert message.details[4].startswith("GitLab: It could not be read")


@pytest.mark.requirement("T3")
@pytest.mark.parametrize(
    ("language", "said"),
    [
        (Language.EN, "Before that the host had already run: shell, git. None of it is undone."),
        (Language.ZH, "停下之前，主机上已经运行过：shell、git。这些不会撤销。"),
    ],
)
def test_a_notice_lists_what_the_host_had_already_run(language: Language, said: str) -> None:
    failure = TurnFailure(TurnCode.RESULT_INVALID)

    lines = notice(failure, language=language, host=["shell", "git", "shell", " ", "\u202e"]).claims

    assert lines[0].text == said


@pytest.mark.requirement("T3", "W2")
def test_what_the_host_calls_its_tools_is_bounded_and_clean() -> None:
    names = [f"tool{number}\n**{'x' * 200}" for number in range(30)]

    (line, *_) = notice(
        TurnFailure(TurnCode.RESULT_INVALID), language=Language.EN, host=names
    ).claims

    assert "\n" not in line.text
    assert len(line.text) < 500
    assert "and more, 30 in all" in line.text


@pytest.mark.requirement("A3", "W3")
@pytest.mark.parametrize(
    "code", [TurnCode.AUTHORIZATION_CHANGED, TurnCode.WITHDRAWN, TurnCode.STOPPED]
)
async def test_nothing_that_was_read_is_shown_after_the_right_to_it_is_gone(
    code: TurnCode,
) -> None:
    evidence = await read({PLANS: held(*ROWS)}, TODOS)
    coverage = footer(evidence.scope, TITLES, evidence.readings, PAYMENTS)

    message = notice(
        TurnFailure(code), language=Language.ZH, coverage=coverage, readings=evidence.readings
    )

    assert (message.coverage, message.details, message.sources) == (None, (), ())
    assert "Plans" not in shown(message)


@pytest.mark.requirement("A3")
@pytest.mark.parametrize(
    ("evidence", "what", "zh", "again", "zh_again"),
    [
        (
            True,
            "The evidence",
            "依据",
            "Send the question again to see what may be shown now.",
            "把问题再发一次，就能看到现在可以看的内容。",
        ),
        (False, "This reply", "这条回复", "Send the command again.", "把命令再发一次就好。"),
    ],
)
def test_what_answers_no_question_and_may_not_be_shown_is_said_to_be_withheld(
    evidence: bool, what: str, zh: str, again: str, zh_again: str
) -> None:
    codes = (TurnCode.AUTHORIZATION_CHANGED, TurnCode.DIRECTORY_UNAVAILABLE)
    chinese, english = (
        [
            shown(withheld(TurnFailure(code), language=language, evidence=evidence)).strip()
            for code in codes
        ]
        for language in Language
    )

    assert english == [
        f"{what} is not shown: what may be read here changed meanwhile. {again}",
        f"{what} is not shown: what may be seen here could not be established. {again}",
    ]
    assert chinese == [
        f"{zh}没有显示：期间这里的可读范围变了。{zh_again}",
        f"{zh}没有显示：暂时无法确认这里可以看到什么。{zh_again}",
    ]


@pytest.mark.requirement("W2")
@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("reason", DeclineReason)
def test_a_refusal_says_why_and_what_to_do(reason: DeclineReason, language: Language) -> None:
    message = decline(reason, language=language)

    assert message.kind is OutgoingKind.NOTICE
    assert message.headline.count("。" if language is Language.ZH else ". ") >= 1
    assert (message.claims, message.details) == ((), ())
    assert reason.value not in shown(message)


def test_a_chat_without_a_grant_is_told_who_can_grant() -> None:
    said = [shown(decline(DeclineReason.NOT_GRANTED, language=language)) for language in Language]

    assert said[0].strip() == (
        "我还没有获准在这里读取任何来源，暂时回答不了。请联系这个机器人的所有者授权。"
    )
    assert said[1].strip() == (
        "I cannot answer here yet: I may not read any source for this chat. The owner of this bot can grant it."
    )


@pytest.mark.requirement("W5")
def test_a_reader_whose_language_nobody_knows_is_told_in_both_in_one_line() -> None:
    reason = DeclineReason.CONTENT_UNREADABLE
    for say in (unparsable_line, partial(decline, reason)):
        zh, en = (say(language=language).headline for language in Language)
        assert say(language=None) == replace(say(language=Language.ZH), headline=f"{zh} {en}")


@pytest.mark.requirement("D3", "W2")
@pytest.mark.parametrize("language", Language)
def test_a_message_that_could_not_be_read_is_told_in_one_line(language: Language) -> None:
    message = unparsable_line(language)

    assert message.kind is OutgoingKind.NOTICE
    assert (message.claims, message.coverage, message.details) == ((), None, ())
