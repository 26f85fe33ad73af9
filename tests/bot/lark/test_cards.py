import re
from collections.abc import Iterator
from dataclasses import replace

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.lark.calls import MsgType
from bot.lark.cards import LINES_BEFORE_FOLD, card
from bot.lark.render import link
from bot.lark.rungs import CARD_BYTES, CARD_ROWS, TEXT_CHARS, rungs, text_of
from bot.lark.sheet import BUTTON_CHARS, MOST_SOURCES, sheet
from bot.simulator.content import Accepted, judge
from steward.model.answer import (
    Outgoing,
    OutgoingButton,
    OutgoingClaim,
    OutgoingKind,
    OutgoingSource,
)
from steward.model.delivery import PlannedPart
from steward.model.json import Json
from steward.model.turn import Language
from steward.texts.labels import UNPRESSABLE
from tests.bot.lark.peer import load_sdk
from tests.bot.lark.test_render import ANYTHING, LIVE

ANSWER = Outgoing(
    kind=OutgoingKind.ANSWER,
    language=Language.ZH,
    headline="支付网关：3 项未完成，1 项受阻 [1][2]",
    claims=(OutgoingClaim("回调签名受阻：等银行的测试账号", (1,)),),
    coverage="已读 4/5 · 未读到证据：GitLab（令牌过期）",
    details=("GitLab：令牌过期。未从这个来源读到证据，不能当作没有进展。请更新令牌。",),
    sources=(
        OutgoingSource(1, "回调签名 - Wei - 受阻 · Plans", "https://example.com/todo/1"),
        OutgoingSource(2, "退款流程 - Lin - 进行中 · Plans"),
    ),
)


def plan(message: Outgoing) -> list[list[PlannedPart]]:
    return rungs(message, measured)


def measured(msg_type: MsgType, content: str) -> int:
    call = load_sdk().reply_message(
        "om_" + "x" * 32, msg_type, content, in_thread=True, uuid="x" * 50
    )
    return len(call.body or b"")


def named(planned: list[list[PlannedPart]]) -> dict[str, Json]:
    """Each rung's first content by its name."""
    return {rung[0].rung: orjson.loads(rung[0].body) for rung in planned}


def nodes(document: Json) -> Iterator[dict[str, Json]]:
    if isinstance(document, dict):
        if "tag" in document:
            yield document
        for value in document.values():
            yield from nodes(value)
    elif isinstance(document, list):
        for value in document:
            yield from nodes(value)


def block(text: str, size: str = "normal", colour: str | None = None) -> Json:
    content: dict[str, Json] = {"tag": "plain_text", "content": text, "text_size": size}
    return {"tag": "div", "text": content | ({"text_color": colour} if colour else {})}


def test_an_answer_as_a_card_reads_from_the_conclusion_to_the_folded_evidence() -> None:
    assert card(sheet(ANSWER)) == {
        "schema": "2.0",
        "config": {
            "update_multi": True,
            "summary": {"content": "支付网关：3 项未完成，1 项受阻 [1][2]"},
        },
        "header": {
            "title": {"tag": "plain_text", "content": "支付网关：3 项未完成，1 项受阻 [1][2]"}
        },
        "body": {
            "elements": [
                block("• 回调签名受阻：等银行的测试账号 [1]"),
                block("已读 4/5 · 未读到证据：GitLab（令牌过期）", "notation", "grey"),
                {
                    "tag": "collapsible_panel",
                    "expanded": False,
                    "header": {"title": {"tag": "plain_text", "content": "依据与读取情况"}},
                    "elements": [
                        block("读取情况", "notation", "grey"),
                        block(
                            "GitLab：令牌过期。未从这个来源读到证据，不能当作没有进展。请更新令牌。"
                        ),
                        block("依据", "notation", "grey"),
                        block("[1] 回调签名 - Wei - 受阻 · Plans"),
                        {
                            "tag": "markdown",
                            "content": "[example.com](https://example.com/todo/1)",
                        },
                        block("[2] 退款流程 - Lin - 进行中 · Plans"),
                    ],
                },
            ]
        },
    }


def test_the_same_answer_as_a_post_and_as_a_text() -> None:
    planned = named(plan(ANSWER))
    assert planned["post"] == {
        "zh_cn": {
            "title": "支付网关：3 项未完成，1 项受阻 [1][2]",
            "content": [
                [{"tag": "text", "text": "• 回调签名受阻：等银行的测试账号 [1]"}],
                [{"tag": "text", "text": "已读 4/5 · 未读到证据：GitLab（令牌过期）"}],
                [{"tag": "text", "text": "读取情况"}],
                [{"tag": "text", "text": ANSWER.details[0]}],
                [{"tag": "text", "text": "依据"}],
                [
                    {"tag": "text", "text": "[1] 回调签名 - Wei - 受阻 · Plans"},
                    {"tag": "text", "text": " "},
                    {"tag": "a", "text": "example.com", "href": "https://example.com/todo/1"},
                ],
                [{"tag": "text", "text": "[2] 退款流程 - Lin - 进行中 · Plans"}],
            ],
        }
    }
    assert planned["text"] == {
        "text": "\n".join(
            [
                "支付网关：3 项未完成，1 项受阻 [1][2]",
                "• 回调签名受阻：等银行的测试账号 [1]",
                "已读 4/5 · 未读到证据：GitLab（令牌过期）",
                "读取情况",
                ANSWER.details[0],
                "依据",
                "[1] 回调签名 - Wei - 受阻 · Plans https://example.com/todo/1",
                "[2] 退款流程 - Lin - 进行中 · Plans",
            ]
        )
    }


def test_the_rungs_stand_best_first_each_of_one_part() -> None:
    assert [[(part.rung, part.number, part.of) for part in rung] for rung in plan(ANSWER)] == [
        [("card", 1, 1)],
        [("post", 1, 1)],
        [("text", 1, 1)],
    ]


def test_a_bare_sentence_or_two_are_a_text() -> None:
    notice = Outgoing(
        OutgoingKind.NOTICE,
        Language.EN,
        "Nothing is granted here.",
        (OutgoingClaim("Ask Lin."),),
    )
    assert [[part.body for part in rung] for rung in plan(notice)] == [
        [b'{"text":"Nothing is granted here.\\nAsk Lin."}']
    ]


def test_a_notice_with_something_behind_it_is_a_card_without_bullets() -> None:
    notice = replace(ANSWER, kind=OutgoingKind.NOTICE)
    assert block("回调签名受阻：等银行的测试账号 [1]") in list(nodes(card(sheet(notice))))


def test_the_text_of_a_message_is_its_text_rung_unsplit() -> None:
    assert named(plan(ANSWER))["text"] == {"text": text_of(ANSWER)}


def test_the_same_message_gives_the_same_bytes() -> None:
    assert plan(ANSWER) == plan(replace(ANSWER))


def test_a_late_answer_says_so_before_its_conclusions() -> None:
    late = card(sheet(replace(ANSWER, note="提问于 09:12")))
    assert next(nodes(late["body"])) == block("提问于 09:12", "notation", "grey")


@pytest.mark.parametrize(
    ("coverage", "summary"),
    [("Read 4/5", "Read 4/5"), (None, "Answer")],
)
def test_a_long_headline_stays_whole_and_codes_line_is_the_preview(
    coverage: str | None, summary: str
) -> None:
    long = "The payment gateway is blocked by the bank " * 3
    document = card(sheet(Outgoing(OutgoingKind.ANSWER, Language.EN, long, coverage=coverage)))
    assert document["config"] == {"update_multi": True, "summary": {"content": summary}}
    assert "header" not in document
    assert next(nodes(document["body"])) == block(long.strip(), "heading")


@pytest.mark.parametrize(
    "headline", ["Short", "A headline that is longer than forty characters, by far"]
)
@pytest.mark.parametrize("note", [None, "asked at 9:12"])
@pytest.mark.parametrize("coverage", [None, "Read 1/1"])
def test_at_most_six_lines_stand_before_the_fold_and_none_is_lost(
    headline: str, note: str | None, coverage: str | None
) -> None:
    claims = [OutgoingClaim(f"claim {number}", (number,)) for number in range(9)]
    document = card(
        sheet(
            Outgoing(
                OutgoingKind.ANSWER,
                Language.EN,
                headline,
                claims,
                coverage,
                note=note,
            )
        )
    )
    body = document["body"]
    assert isinstance(body, dict)
    elements = body["elements"]
    assert isinstance(elements, list)
    assert len(elements) - 1 + ("header" in document) == LINES_BEFORE_FOLD
    words = "\n".join(str(node.get("content", "")) for node in nodes(document))
    assert re.findall(r"claim (\d)", words) == list("012345678")


def test_what_is_folded_is_announced_by_its_title() -> None:
    claims = [OutgoingClaim(f"claim {number}") for number in range(8)]
    document = card(sheet(Outgoing(OutgoingKind.ANSWER, Language.EN, "Short", claims)))
    panel = next(node for node in nodes(document) if node["tag"] == "collapsible_panel")
    assert panel["header"] == {
        "title": {
            "tag": "plain_text",
            "content": "More conclusions (3), evidence and reading",
        }
    }


def many_sources(count: int, text: str = "row") -> tuple[OutgoingSource, ...]:
    return tuple(
        OutgoingSource(number, text, f"https://example.com/{number}")
        for number in range(1, count + 1)
    )


def test_a_long_list_of_evidence_is_shortened_and_counted() -> None:
    planned = named(plan(replace(ANSWER, language=Language.EN, sources=many_sources(40))))
    for content in planned.values():
        words = orjson.dumps(content).decode()
        assert f"https://example.com/{MOST_SOURCES}" in words
        assert f"https://example.com/{MOST_SOURCES + 1}" not in words
        assert "+10 more rows of evidence" in words


def test_evidence_gives_way_until_a_card_fits_and_conclusions_stay() -> None:
    heavy = replace(
        ANSWER,
        claims=tuple(OutgoingClaim("结论" * 500 + str(number)) for number in range(6)),
        sources=many_sources(MOST_SOURCES, "证据" * 190),
    )
    top = plan(heavy)[0][0]
    content = top.body.decode()
    assert top.rung == "card"
    assert CARD_BYTES - 2_000 < measured("interactive", content) <= CARD_BYTES
    assert all("结论" * 500 + str(number) in content for number in range(6))
    assert re.search(r"另有 \d+ 条依据未列出", content)


def test_what_cannot_fit_a_card_or_a_post_goes_as_text_in_parts() -> None:
    huge = replace(ANSWER, claims=tuple(OutgoingClaim("结论" * 1000) for _ in range(6)))
    planned = plan(huge)
    assert [rung[0].rung for rung in planned] == ["text"]
    texts = [orjson.loads(part.body)["text"] for part in planned[0]]
    assert [text.split("\n")[0] for text in texts] == [
        f"（{number}/{len(texts)}）" for number in range(1, len(texts) + 1)
    ]
    assert "".join(texts).count("结论") == 6000


def test_a_row_of_evidence_is_cut_visibly_and_what_is_said_of_it_never() -> None:
    wordy = replace(
        ANSWER,
        claims=(OutgoingClaim("c" * 900),),
        sources=(OutgoingSource(1, "s" * 900),),
        details=("d" * 900,),
    )
    words = str(named(plan(wordy))["text"])
    assert "c" * 900 in words
    assert "s" * 399 + "…" in words
    assert "d" * 900 in words


WHICH = Outgoing(
    kind=OutgoingKind.ANSWER,
    language=Language.EN,
    headline="2 goals match. Which one do you mean? [1][2]",
    claims=(OutgoingClaim("Release - id r1", (1,)), OutgoingClaim("Release - id r2", (2,))),
    coverage="Read 1/1",
    sources=(OutgoingSource(1, "Release"), OutgoingSource(2, "Release")),
    buttons=(
        OutgoingButton("Release (r1)", "nonce-1"),
        OutgoingButton("Release (r2)", "nonce-2"),
        OutgoingButton("Show evidence in full", "nonce-3", folded=True),
    ),
)


def button(label: str, nonce: str) -> Json:
    return {
        "tag": "button",
        "text": {"tag": "plain_text", "content": label},
        "width": "fill",
        "behaviors": [{"type": "callback", "value": {"nonce": nonce}}],
    }


@pytest.mark.requirement("A5")
def test_choices_stand_before_the_fold_one_below_the_other_and_the_evidence_button_in_it() -> None:
    document = card(sheet(WHICH))
    assert document == {
        "schema": "2.0",
        "config": {
            "update_multi": True,
            "summary": {"content": "Read 1/1"},
            "enable_forward": False,
        },
        "body": {
            "elements": [
                block("2 goals match. Which one do you mean? [1][2]", "heading"),
                block("• Release - id r1 [1]"),
                block("• Release - id r2 [2]"),
                button("Release (r1)", "nonce-1"),
                button("Release (r2)", "nonce-2"),
                block("Read 1/1", "notation", "grey"),
                {
                    "tag": "collapsible_panel",
                    "expanded": False,
                    "header": {"title": {"tag": "plain_text", "content": "Evidence and reading"}},
                    "elements": [
                        block("Evidence", "notation", "grey"),
                        block("[1] Release"),
                        block("[2] Release"),
                        button("Show evidence in full", "nonce-3"),
                    ],
                },
            ]
        },
    }
    assert judge("interactive", orjson.dumps(document).decode(), lambda _: None) == Accepted()


def test_where_there_are_no_buttons_the_choices_are_names_to_reply_with() -> None:
    planned = named(plan(WHICH))
    said = [
        "Reply to this message with one of these names:",
        "• Release (r1)",
        "• Release (r2)",
    ]
    text = str(named(plan(WHICH))["text"]["text"])  # type: ignore[call-overload, index] # a text's document
    assert text.split("\n")[3:6] == said
    assert [node["text"] for node in nodes(planned["post"])][2:5] == said
    for rung in ("post", "text"):
        words = orjson.dumps(planned[rung]).decode()
        assert "nonce" not in words
        assert "Show evidence" not in words


@pytest.mark.requirement("A5")
def test_buttons_give_way_to_nothing_and_none_is_lost_behind_the_fold() -> None:
    many = tuple(OutgoingButton(f"Goal {number}", f"n{number}") for number in range(9))
    document = card(sheet(replace(WHICH, note="asked at 9:12", buttons=many)))
    elements = document["body"]["elements"]  # type: ignore[call-overload, index] # a card's document
    assert len(elements) - 1 == LINES_BEFORE_FOLD
    pressed = [node for node in nodes(document) if node["tag"] == "button"]
    assert pressed == [button(one.label, one.nonce) for one in many]
    words = "\n".join(str(node.get("content", "")) for node in nodes(document))
    assert "Release - id r1" in words


@pytest.mark.requirement("R4", "W2")
def test_a_button_carries_its_nonce_alone_and_a_title_in_it_comes_not_to_life() -> None:
    wild = OutgoingButton("<at id=all></at> " + "x" * 200, "nonce-1")
    (made,) = [
        node
        for node in nodes(card(sheet(replace(WHICH, buttons=(wild,)))))
        if node["tag"] == "button"
    ]
    assert made["behaviors"] == [{"type": "callback", "value": {"nonce": "nonce-1"}}]
    label = str(made["text"]["content"])  # type: ignore[call-overload, index] # a text node
    assert "<at" not in label
    assert len(label) <= BUTTON_CHARS + 2


@pytest.mark.requirement("A5")
def test_a_card_without_buttons_may_be_forwarded() -> None:
    assert "enable_forward" not in card(sheet(ANSWER))["config"]  # type: ignore[operator] # an object


FULL = Outgoing(
    kind=OutgoingKind.EVIDENCE,
    language=Language.EN,
    headline="Evidence in full: 2",
    note="Behind the answer: Payments",
    details=("Not shown any more: 1.",),
    sources=(
        OutgoingSource(
            1, "Callback signature (todos)", "https://example.com/1", ("Status: open", "Id: t1")
        ),
        OutgoingSource(3, "Rates (todos)", None, ("Status: done",)),
    ),
)


def test_evidence_in_full_is_not_folded_and_each_row_is_one_block() -> None:
    assert card(sheet(FULL))["body"] == {
        "elements": [
            block("Behind the answer: Payments", "notation", "grey"),
            block("Not shown any more: 1."),
            block("[1] Callback signature (todos)\nStatus: open\nId: t1"),
            {"tag": "markdown", "content": "[example.com](https://example.com/1)"},
            block("[3] Rates (todos)\nStatus: done"),
        ]
    }
    assert str(named(plan(FULL))["text"]["text"]).split("\n") == [  # type: ignore[call-overload, index] # a text's document
        "Evidence in full: 2",
        "Behind the answer: Payments",
        "Not shown any more: 1.",
        "[1] Callback signature (todos) https://example.com/1",
        "Status: open",
        "Id: t1",
        "[3] Rates (todos)",
        "Status: done",
    ]


@pytest.mark.parametrize(
    ("count", "field", "rung"),
    [
        (CARD_ROWS, "Status: open", "card"),
        (CARD_ROWS + 1, "Status: open", "post"),
        (CARD_ROWS, "Status: " + "x" * 900, "text"),
    ],
)
def test_evidence_in_full_is_whole_in_whatever_form(count: int, field: str, rung: str) -> None:
    rows = tuple(
        OutgoingSource(number, "row", f"https://example.com/{number}", (field,))
        for number in range(1, count + 1)
    )
    top = plan(replace(FULL, sources=rows))[0]
    kind: MsgType = {"card": "interactive", "post": "post"}.get(rung, "text")  # type: ignore[assignment]  # literals of the table above
    assert {part.rung for part in top} == {rung}
    assert all(judge(kind, part.body.decode(), lambda _: None) == Accepted() for part in top)
    words = b"".join(part.body for part in top).decode()
    assert all(f"[{number}] row" in words for number in range(1, count + 1))
    assert words.count("x" * 900) == (count if rung == "text" else 0)


TEXTS = st.one_of(ANYTHING, st.integers(1, 9000).map("宽<at id=all>".__mul__))
MESSAGES = st.builds(
    Outgoing,
    kind=st.sampled_from(OutgoingKind),
    language=st.sampled_from(Language),
    headline=TEXTS,
    claims=st.lists(
        st.builds(OutgoingClaim, TEXTS, st.lists(st.integers(1, 99), max_size=3)), max_size=9
    ),
    coverage=st.none() | ANYTHING,
    details=st.lists(ANYTHING, max_size=5),
    sources=st.lists(
        st.builds(
            OutgoingSource,
            st.integers(1, 99),
            ANYTHING,
            st.none() | ANYTHING | st.just("https://example.com/x"),
            st.lists(ANYTHING, max_size=3),
        ),
        max_size=40,
    ),
    note=st.none() | ANYTHING,
    buttons=st.lists(
        st.builds(OutgoingButton, TEXTS, st.just("token-1"), st.booleans()), max_size=9
    ),
)


@pytest.mark.requirement("R4", "W2")
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(MESSAGES)
def test_whatever_people_write_the_platform_takes_it_and_nothing_comes_to_life(
    message: Outgoing,
) -> None:
    planned = plan(message)
    assert planned[-1][0].rung == "text"
    for rung in planned:
        assert [part.number for part in rung] == list(range(1, rung[0].of + 1))
        for part in rung:
            kind: MsgType = {"card": "interactive", "post": "post"}.get(part.rung, "text")  # type: ignore[assignment]  # literals of the table above
            assert judge(kind, part.body.decode(), lambda _: None) == Accepted()
            assert_harmless(
                part, {made.href for one in message.sources if (made := link(one.link))}
            )


def assert_harmless(part: PlannedPart, hrefs: set[str]) -> None:
    document = orjson.loads(part.body)
    if part.rung == "text":
        text = document["text"]
        assert 0 < len(text) <= TEXT_CHARS
        for href in sorted(hrefs, key=len, reverse=True):
            text = text.replace(href, "")
        assert LIVE.search(text) is None
        return
    assert measured("post", part.body.decode()) <= CARD_BYTES
    for node in nodes(document):
        match node["tag"]:
            case "markdown":
                shown = re.fullmatch(r"\[[^\[\]()<>!]+\]\(([^()<>\s]+)\)", str(node["content"]))
                assert shown
                assert shown[1] in hrefs
            case "a":
                assert node["href"] in hrefs
            case "plain_text":
                assert LIVE.search(str(node["content"])) is None
            case "text":
                assert LIVE.search(str(node["text"])) is None
            case "button":
                assert node["behaviors"] == [{"type": "callback", "value": {"nonce": "token-1"}}]
            case tag:
                assert tag in {"div", "collapsible_panel"}


def test_a_notice_folds_neither_what_it_says_nor_its_buttons() -> None:
    lines = tuple(OutgoingClaim(f"Line {number}") for number in range(5))
    buttons = tuple(
        OutgoingButton(f"Allow {number}", f"n{number}", pressed_only=True) for number in range(7)
    )
    notice = Outgoing(OutgoingKind.NOTICE, Language.EN, "Somebody added me", lines, buttons=buttons)
    document = card(sheet(notice))
    tags = [node["tag"] for node in nodes(document["body"]) if isinstance(node, dict)]
    assert "collapsible_panel" not in tags
    assert tags.count("button") == 7
    assert all(block(line.text) in list(nodes(document)) for line in lines)


def test_a_button_whose_label_is_no_answer_is_no_choice_where_there_are_no_buttons() -> None:
    notice = Outgoing(
        OutgoingKind.NOTICE,
        Language.EN,
        "Preview of a grant",
        buttons=(OutgoingButton("Apply", "n1", pressed_only=True),),
    )
    assert text_of(notice) == "Preview of a grant\n" + UNPRESSABLE.en


@pytest.mark.requirement("T4", "W3")
def test_where_no_button_can_be_shown_a_spare_one_is_not_missed() -> None:
    notice = Outgoing(
        kind=OutgoingKind.NOTICE,
        language=Language.EN,
        headline="Not answered yet.",
        buttons=(OutgoingButton("Ask again", "n1", pressed_only=True, spare=True),),
    )

    assert text_of(notice) == "Not answered yet."
