"""E4 and E8: what no claim may show, whoever words it: links, mentions, markup, codes, paths."""

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steward.model.answer import Claim, ClaimKind, ClaimScope, Judged
from steward.model.reading import ContextCode, GateCode, RowStatus, ScanQuery, SourceCode, View
from steward.model.turn import Language, TurnCode
from steward.policy.answer_rules import MOST_CHARS, settle
from steward.policy.presentation import present
from steward.reading.coverage import footer
from tests.steward.policy.readings import (
    NOW,
    PAYMENTS,
    PLANS,
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
    texts,
    todo,
)

TODOS = ScanQuery(View.TODOS, goal=PAYMENTS)
DELIVERIES = ScanQuery(View.DELIVERIES, goal=PAYMENTS, since=local(23, 0))
LINK = "https://git.example.com/pay/12"
ROWS = [goal(), todo("sign", RowStatus.BLOCKED), delivery("refunds", local(27), link=LINK)]

MARKUP = [
    "Refunds: https://evil.test/x",
    "Refunds: HTTP://evil.test",
    "Refunds: \uff48ttps\uff1a//evil.test",
    "see ftp://evil.test",
    "javascript:alert(1)",
    "mailto:a@evil.test",
    "a@evil.example.com has it",
    "see www.evil",
    "see evil.test/login",
    "see evil.com now",
    "see 10.0.0.1:8080/x",
    "[Refunds](evil)",
    "![Refunds](x)",
    "<b>Refunds</b>",
    "<at id=all></at> Refunds",
    "</font> Refunds",
    "<!-- Refunds -->",
    "&lt;at&gt; Refunds",
    "&#60;at",
    "@all Refunds",
    "请@所有人看退款",
    "\uff20所有人 退款",
    "@everyone look",
    "@_user_1 look",
    "@Wei look",
    "{{secret}} Refunds",
    "${secret} Refunds",
    "退款见http://evil.test",
    "退款见 evil.cn",
]


@pytest.mark.requirement("E4")
@pytest.mark.parametrize("kind", [ClaimKind.FACT, ClaimKind.ADVICE])
@pytest.mark.parametrize("text", MARKUP)
async def test_a_claim_with_a_link_a_mention_or_markup_is_left_out(
    text: str, kind: ClaimKind
) -> None:
    evidence = await read({PLANS: held(*ROWS)}, TODOS, DELIVERIES)

    answer = settled(evidence, Claim(text, cite(evidence, "refunds"), kind))

    assert (answer.claims, answer.dropped) == ((), 1)


@pytest.mark.requirement("E4")
@pytest.mark.parametrize(
    "text",
    [
        "Refunds & ledger are out",
        "a < b, b > a",
        "Refunds (by Wei) - delivered",
        "and/or, e.g. refunds.",
        "Refunds [done]",
        "C++ / Node.js",
        "退款（Wei）已交付",
        "risk: high; next: refunds",
        f"Refunds are out: {LINK}",
    ],
)
async def test_plain_punctuation_and_the_rows_own_link_stay(text: str) -> None:
    evidence = await read({PLANS: held(*ROWS)}, TODOS, DELIVERIES)

    assert texts(settled(evidence, fact(text, *cite(evidence, "refunds")))) == [text]


@pytest.mark.requirement("E2", "E4")
async def test_emphasis_and_marks_that_an_endpoint_made_are_taken_off() -> None:
    evidence = await read({PLANS: held(*ROWS)}, TODOS)
    (sign,) = cite(evidence, "sign")

    answer = settled(evidence, fact(f"**Sign** is `blocked` [7] [{sign}]", sign), fact("[2]", sign))

    assert (texts(answer), answer.dropped) == (["Sign is blocked"], 1)


CODES = sorted(
    code.value for codes in (GateCode, SourceCode, ContextCode, TurnCode) for code in codes
)
WITHOUT_SPACE = [code for code in CODES if "_" in code]


@pytest.mark.requirement("E8", "W2")
@pytest.mark.parametrize("code", WITHOUT_SPACE)
async def test_no_code_of_ours_is_shown_in_any_spelling(code: str) -> None:
    evidence = await read({PLANS: held(*ROWS)}, TODOS)
    row = cite(evidence, "sign")
    camel = "".join(word.title() for word in code.split("_"))
    said = [f"Sign: {code}", f"因为{code}，受阻", f"Sign ({code.upper()})", f"Sign has {camel}"]

    answer = settled(evidence, *(fact(text, *row) for text in said))

    assert (answer.claims, answer.dropped) == ((), len(said))


@pytest.mark.requirement("E8", "W2")
@pytest.mark.parametrize(
    "text",
    [
        "manager_read_failure_v0 came back",
        "some_new_code was met",
        "Sign failed with error code: timeout",
        "Sign is blocked (corrupt)",
        "错误码：timeout",
        "读取返回 forbidden。",
        "Traceback of Sign",
        "ValueError in Sign",
        "see /var/lib/steward/db",
        "see ~/notes",
        "C:\\temp\\x",
        "deadbeefdeadbeefdeadbeefdeadbeef",
        "sk-abcdefgh12345678",
        "at 0xdeadbeef",
    ],
)
async def test_codes_paths_and_traces_are_left_out(text: str) -> None:
    evidence = await read({PLANS: held(*ROWS)}, TODOS)

    answer = settled(evidence, fact(text, *cite(evidence, "sign")))

    assert (answer.claims, answer.dropped) == ((), 1)


@pytest.mark.requirement("E8")
async def test_identifiers_of_the_rows_cited_and_ordinary_words_stay() -> None:
    rows = [goal(), todo("todo_386976ec9aae", RowStatus.BLOCKED, blocked_by="parse_failed in CI")]
    evidence = await read({PLANS: held(*rows)}, TODOS)
    row = cite(evidence, "todo_386976ec9aae")
    kept = [
        "todo_386976ec9aae waits for Wei",
        "blocked by parse_failed in CI",
        "the login timeout is being looked at by Wei",
        "the truncated table belongs to Wei",
        "Wei asks for client/server tests",
    ]

    answer = settled(evidence, *(fact(text, *row) for text in kept), fact("todo_9 is open", *row))

    assert (texts(answer), answer.dropped) == (kept, 1)


@pytest.mark.requirement("E4", "E8")
async def test_counts_are_judged_as_facts_are_and_the_text_of_an_absence_is_never_shown() -> None:
    evidence = await read({PLANS: held(goal(), todo("sign"))}, TODOS)
    todos = ClaimScope(View.TODOS, goal=PAYMENTS)
    blocked = ClaimScope(View.TODOS, goal=PAYMENTS, statuses=(RowStatus.BLOCKED,))

    answer = settled(
        evidence,
        count("1 open, see evil.test/x", todos),
        count("1 open (parse_failed)", todos),
        Claim("@all parse_failed", (), ClaimKind.ABSENCE, blocked),
    )

    assert answer.dropped == 2
    assert texts(answer) == [
        "Payment gateway, blocked todos: in Plans, as of 2026-11-30 12:00, nothing is recorded"
    ]


@pytest.mark.requirement("E4", "E8")
@given(
    poison=st.sampled_from([*MARKUP, *WITHOUT_SPACE]),
    around=st.sampled_from(["{}", "Sign waits, {}", "{}, says Wei", "回调{}受阻"]),
    language=st.sampled_from(Language),
)
async def test_nothing_of_it_reaches_an_answer_whatever_stands_around(
    poison: str, around: str, language: Language
) -> None:
    evidence = await read({PLANS: held(*ROWS)}, TODOS, DELIVERIES)

    answer = settled(
        evidence, fact(around.format(poison), *cite(evidence, "sign")), language=language
    )

    assert poison not in repr(answer)


@pytest.mark.requirement("E5", "W2")
@pytest.mark.parametrize("text", ["Shop closed for good", "shop closed", "Shop closed for good!"])
@pytest.mark.parametrize("kind", [ClaimKind.FACT, ClaimKind.ADVICE])
async def test_what_somebody_wrote_into_a_title_is_shown_as_their_row_and_not_as_a_conclusion(
    text: str, kind: ClaimKind
) -> None:
    evidence = await read({PLANS: held(goal(), todo("shop closed for good"))}, TODOS)

    answer = settled(evidence, Claim(text, cite(evidence, "shop closed for good"), kind))

    assert texts(answer) == ["Shop closed for good - Wei - open, updated 2026-11-28"]


async def test_a_claim_longer_than_any_sentence_is_left_out_whole() -> None:
    evidence = await read({PLANS: held(*ROWS)}, TODOS)
    row = cite(evidence, "sign")
    longest = ("Wei waits; " * 200)[:MOST_CHARS].strip()

    answer = settled(evidence, fact(longest, *row), fact(f"{longest} and on, and on", *row))

    assert (texts(answer), answer.dropped) == ([longest], 1)


HARD = [
    "[",
    "a.",
    "1.",
    "a-",
    "`",
    "**",
    "aa",
    "没",
    "no ",
    "not ",
    "一",
    "1,",
    "a_",
    "E1-",
    "@",
    "&#1",
    "“",
]


@pytest.mark.parametrize("unit", HARD)
async def test_no_text_takes_long_to_judge(unit: str) -> None:
    evidence = await read({PLANS: held(*ROWS)}, TODOS)
    row = cite(evidence, "sign")
    began = process_time()

    for end in ("", "!"):
        settled(evidence, fact(unit * (MOST_CHARS // len(unit)) + end, *row))
        settled(evidence, fact(unit * 4_000 + end, *row))

    assert process_time() - began < 0.5


@pytest.mark.requirement("E3", "E4")
async def test_bounded_fields_are_shown_nowhere() -> None:
    evidence = await read({PLANS: held(*ROWS)}, TODOS)
    claim = fact("Wei waits", *cite(evidence, "sign"))
    judged = Judged("x", (claim,), "poison", "poison", "poison", "poison")

    answer = settle(
        judged,
        language=Language.EN,
        scope=evidence.scope,
        titles=evidence.titles,
        readings=evidence.readings,
        coverage=footer(evidence.scope, evidence.titles, evidence.readings, PAYMENTS),
        zone=ZONE,
        now=NOW,
    )

    assert "poison" not in repr(answer)
    assert "poison" not in repr(present(answer, asked_at=NOW, now=NOW, zone=ZONE))
