"""Cards as the platform judges them."""

import re
from typing import Any

import pytest

from bot.simulator import cards
from bot.simulator.model import Person
from bot.simulator.refusals import Refusal

LIN = Person("ou_lin", "Lin", "tenant_sim")
MARKDOWN = {"tag": "markdown", "content": "hello"}
TABLE = "| a | b |\n| --- | --- |\n| 1 | 2 |\n\n"
TEXT = {"tag": "plain_text", "content": "OK"}
PANEL = {
    "tag": "collapsible_panel",
    "expanded": False,
    "header": {"title": {"tag": "markdown", "content": "Details"}},
    "elements": [MARKDOWN],
}


def judged(*elements: dict[str, Any], **more: Any) -> tuple[str, ...] | int:
    """Whom it pings, or the code behind 230099."""
    document = {"schema": "2.0", "body": {"elements": list(elements)}} | more
    outcome = cards.judge(document, {"ou_lin": LIN}.get)
    if not isinstance(outcome, Refusal):
        return outcome
    assert outcome.code == 230099
    found = re.search(r"ErrCode: (\d+);", outcome.msg)
    assert found is not None
    return int(found.group(1))


def test_a_card_of_the_usual_elements_is_accepted() -> None:
    panel = PANEL | {"header": {"title": TEXT, "icon": {"tag": "standard_icon", "token": "down"}}}
    button = {
        "tag": "button",
        "text": TEXT,
        "type": "primary",
        "behaviors": [{"type": "callback", "value": {"nonce": "n"}}],
    }
    outcome = judged(
        MARKDOWN | {"element_id": "head", "text_size": "notation", "margin": "0px"},
        {"tag": "div", "text": TEXT | {"text_color": "grey"}},
        {"tag": "hr"},
        panel,
        {
            "tag": "column_set",
            "flex_mode": "flow",
            "columns": [{"tag": "column", "width": "auto", "elements": [button]}],
        },
        {
            "tag": "table",
            "columns": [{"name": "a", "display_name": "A", "data_type": "text"}],
            "rows": [{"a": "1"}],
        },
        config={
            "update_multi": True,
            "enable_forward": False,
            "summary": {"content": "Three open"},
        },
        header={"title": TEXT, "template": "blue"},
    )
    assert outcome == ()


@pytest.mark.parametrize(
    "element",
    [
        {"tag": "markdwn", "content": "x"},
        {"tag": "plain_text", "content": "x"},
        {"tag": "config"},
        {"content": "x"},
        {"tag": "markdown"},
        {"tag": "markdown", "content": 3},
        MARKDOWN | {"colour": "red"},
        {"tag": "div", "text": {"tag": "markdown", "content": "x"}},
        {"tag": "div", "text": "x"},
        {"tag": "button", "text": TEXT, "value": {"old": "style"}},
        {"tag": "button", "text": TEXT, "behaviors": {"type": "callback"}},
        {"tag": "collapsible_panel", "elements": [MARKDOWN]},
        {"tag": "column_set", "columns": [{"tag": "column", "elements": [{"tag": "x"}]}]},
        {"tag": "table", "rows": []},
    ],
)
def test_an_unknown_tag_or_property_or_a_missing_one_is_refused(element: dict[str, Any]) -> None:
    assert judged(element) == 200621


@pytest.mark.parametrize(
    "more",
    [
        {"fallback": {}},
        {"elements": [MARKDOWN]},
        {"config": {"update_multi": False}},
        {"config": {"wide_screen_mode": True}},
        {"header": {"template": "blue"}},
        {"body": {"elements": MARKDOWN}},
        {"body": [MARKDOWN]},
    ],
)
def test_the_frame_of_a_card_is_judged_as_its_elements(more: dict[str, Any]) -> None:
    assert judged(MARKDOWN, **more) == 200621


@pytest.mark.parametrize("tag", ["note", "action"])
def test_an_element_of_the_old_schema_is_refused_with_its_own_code(tag: str) -> None:
    assert judged({"tag": tag, "elements": []}) == 200861


def test_two_hundred_parts_are_the_most_and_texts_count() -> None:
    assert judged(*[MARKDOWN] * 200) == ()
    assert judged(*[MARKDOWN] * 201) == 11310
    assert judged(*[{"tag": "div", "text": TEXT}] * 100) == ()
    assert judged(*[{"tag": "div", "text": TEXT}] * 101) == 11310


def test_five_tables_are_the_most_four_in_one_markdown_and_none_in_code() -> None:
    table = {"tag": "table", "columns": [{"name": "a"}]}
    two = MARKDOWN | {"content": TABLE * 2}
    assert judged(two, *[table] * 3) == ()
    assert judged(two, *[table] * 4) == 11310
    assert judged(MARKDOWN | {"content": TABLE * 4}) == ()
    assert judged(MARKDOWN | {"content": TABLE * 5}) == 11310
    assert judged(MARKDOWN | {"content": f"```\n{TABLE * 9}```"}) == ()


def test_rows_name_columns_that_exist() -> None:
    columns = [{"name": "a"}]
    assert judged({"tag": "table", "columns": columns, "rows": [{"b": 1}]}) == 200915
    assert judged({"tag": "table", "columns": columns, "rows": ["a"]}) == 200914
    assert judged({"tag": "table", "columns": columns, "rows": "[]"}) == 200914


@pytest.mark.parametrize(
    "ids", [["same", "same"], ["1st"], ["a-b"], ["a" * 21], [""], [3]], ids=str
)
def test_element_ids_are_unique_short_words(ids: list[Any]) -> None:
    assert judged(*(MARKDOWN | {"element_id": one} for one in ids)) == 300301


@pytest.mark.parametrize(
    ("content", "outcome"),
    [
        ("<at id=ou_lin></at>", ("ou_lin",)),
        ('<at id="all"></at>', ("all",)),
        ("<at ids=ou_lin,all></at>", ("ou_lin", "all")),
        ("<person id='ou_lin'></person>", ("ou_lin",)),
        ("<at id=ou_stranger></at>", 100290),
        ("<at email=a@example.com></at>", 100290),
        ("<AT ID=ou_stranger>", 100290),
        ("`<at id=ou_stranger></at>`", 100290),
        ("&#60;at id=ou_stranger&#62;", ()),
        ("![x](https://example.com/a.png)", 200570),
        ("![x](img_v3_02ad)", ()),
        ("[x](https://example.com)", ()),
    ],
)
def test_markup_in_markdown_pings_or_breaks_the_card(
    content: str, outcome: tuple[str, ...] | int
) -> None:
    assert judged(MARKDOWN | {"content": content}) == outcome
    nested = PANEL | {"header": {"title": TEXT}, "elements": [MARKDOWN | {"content": content}]}
    assert judged(nested) == outcome


def test_plain_text_never_pings() -> None:
    assert judged({"tag": "div", "text": TEXT | {"content": "<at id=all></at>"}}) == ()


def test_an_old_card_is_let_through_and_still_pings() -> None:
    old = {"elements": [{"tag": "div", "text": {"tag": "lark_md", "content": "<at id=all></at>"}}]}
    assert cards.judge(old, {}.get) == ("all",)


def test_a_card_entity_is_unknown_here() -> None:
    outcome = cards.judge({"type": "card", "data": {"card_id": "1"}}, {}.get)
    assert isinstance(outcome, Refusal)
    assert "cardid is invalid" in outcome.msg
