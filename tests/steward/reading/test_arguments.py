"""Refused arguments are named so that doing what each entry says repairs the call (R1, R2, R3).

The repairer here knows the grammar of the entries and nothing of the schema: it stands for a model.
"""

import re
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steward.model.json import Json
from steward.model.reading import View
from steward.reading.arguments import (
    ReadArguments,
    accepted,
    allowed_arguments,
    allowed_views,
    rejected_arguments,
)
from steward.reading.schema import READ_SCHEMA, published

HEX = "a1" * 32
VIEWS = ["sources", "portfolio", "todos", "deliveries", "handoffs"]


def repaired(arguments: "Json | bytes", entries: tuple[str, ...], view: str) -> "Json":
    """Do literally what the entries say; `view` is chosen where one has to be."""
    if any(entry.startswith("arguments:must_be") for entry in entries):
        arguments = {}
        entries = rejected_arguments(arguments)
    assert isinstance(arguments, Mapping)
    mended = dict(arguments)
    for entry in entries:
        name, _, must_be = entry.partition(":")
        if name == "unknown_argument":
            mended = {key: value for key, value in mended.items() if key[:64] != must_be}
        elif match := re.match(r"(?:required|must_be)_one_of_(.*)", must_be):
            assert view in match[1].split("|")
            mended[name] = view
    for entry in entries:
        name, _, must_be = entry.partition(":")
        if name in mended:
            mend(mended, name, must_be)
    return mended


def mend(arguments: "dict[str, Json]", name: str, must_be: str) -> None:
    """Do literally what one entry about a known argument says."""
    if match := re.match(r"only_for_view_(.*)", must_be):
        if arguments["view"] not in match[1].split("_or_"):
            del arguments[name]
    elif match := re.match(r"must_be_an_integer_(?:between|at_least)_(\d+)", must_be):
        arguments[name] = int(match[1])
    elif must_be.startswith("must_be_a_string_matching_"):
        assert re.fullmatch(must_be.removeprefix("must_be_a_string_matching_"), HEX)
        arguments[name] = HEX
    elif must_be in {"must_be_a_string", "must_be_a_boolean"}:
        arguments[name] = "x" if must_be == "must_be_a_string" else True


scalars = (
    st.none()
    | st.booleans()
    | st.integers(-3, 100)
    | st.floats(allow_nan=False)
    | st.text(max_size=4)
    | st.sampled_from([*VIEWS, HEX, HEX + "\n", "5"])
)
values = scalars | st.lists(scalars, max_size=2) | st.dictionaries(st.text(max_size=2), scalars)
names = st.sampled_from([*allowed_arguments(), "path", "url", "query"]) | st.text(max_size=80)


@pytest.mark.requirement("R3")
@given(
    arguments=st.dictionaries(names, values, max_size=8) | values | st.binary(max_size=8),
    view=st.sampled_from(VIEWS),
)
def test_doing_what_each_entry_says_makes_any_arguments_pass(
    arguments: "Json | bytes", view: str
) -> None:
    entries = rejected_arguments(arguments)

    assert not entries or not rejected_arguments(repaired(arguments, entries, view))


@pytest.mark.requirement("R1")
def test_arguments_left_out_have_their_defaults() -> None:
    assert accepted({"view": "deliveries"}) == ReadArguments(
        view=View.DELIVERIES,
        source_id=None,
        days=1,
        goal_id=None,
        request_id=None,
        include_stopped=False,
        offset=0,
        limit=8,
    )


@pytest.mark.requirement("R1")
def test_every_argument_is_taken_where_it_belongs() -> None:
    todos: Json = {
        "view": "todos",
        "source_id": "plans",
        "goal_id": "payments",
        "include_stopped": True,
        "offset": 8,
        "limit": 12,
    }
    assert rejected_arguments(todos) == ()
    assert accepted(todos) == ReadArguments(
        View.TODOS, "plans", 1, "payments", None, include_stopped=True, offset=8, limit=12
    )
    assert rejected_arguments({"view": "deliveries", "days": 90}) == ()
    assert rejected_arguments({"view": "handoffs", "request_id": HEX}) == ()


@pytest.mark.requirement("R1", "R3")
@pytest.mark.parametrize(
    ("argument", "value", "views"),
    [
        ("days", 7, ["deliveries"]),
        ("request_id", HEX, ["handoffs"]),
        ("include_stopped", True, ["portfolio", "todos"]),
        ("goal_id", "payments", VIEWS[1:]),
        ("offset", 4, VIEWS[1:]),
        ("limit", 4, VIEWS[1:]),
        ("source_id", "plans", VIEWS),
    ],
)
def test_an_argument_goes_with_its_views_alone(
    argument: str, value: Json, views: list[str]
) -> None:
    for view in VIEWS:
        entries = rejected_arguments({"view": view, argument: value})
        expected = () if view in views else (f"{argument}:only_for_view_{'_or_'.join(views)}",)
        assert entries == expected


@pytest.mark.requirement("R2")
@pytest.mark.parametrize("view", VIEWS)
def test_legal_defaults_are_never_reported(view: str) -> None:
    defaults: Json = {"view": view, "offset": 0, "limit": 8, "days": 1, "include_stopped": False}

    assert rejected_arguments(defaults) == ()


@pytest.mark.requirement("R2")
@pytest.mark.parametrize(
    ("arguments", "entry"),
    [
        ({"view": "deliveries", "days": True}, "days:must_be_an_integer_between_1_and_90"),
        ({"view": "deliveries", "days": "5"}, "days:must_be_an_integer_between_1_and_90"),
        ({"view": "deliveries", "days": 5.0}, "days:must_be_an_integer_between_1_and_90"),
        ({"view": "deliveries", "days": 0}, "days:must_be_an_integer_between_1_and_90"),
        ({"view": "deliveries", "days": 91}, "days:must_be_an_integer_between_1_and_90"),
        ({"view": "todos", "offset": False}, "offset:must_be_an_integer_at_least_0"),
        ({"view": "todos", "offset": -1}, "offset:must_be_an_integer_at_least_0"),
        ({"view": "todos", "limit": 13}, "limit:must_be_an_integer_between_1_and_12"),
        ({"view": "todos", "limit": None}, "limit:must_be_an_integer_between_1_and_12"),
        ({"view": "todos", "include_stopped": 0}, "include_stopped:must_be_a_boolean"),
        ({"view": "todos", "include_stopped": "no"}, "include_stopped:must_be_a_boolean"),
        ({"view": "todos", "goal_id": 7}, "goal_id:must_be_a_string"),
        ({"view": "todos", "source_id": ["plans"]}, "source_id:must_be_a_string"),
        (
            {"view": "handoffs", "request_id": HEX.upper()},
            "request_id:must_be_a_string_matching_^[a-f0-9]{64}$",
        ),
        (
            {"view": "handoffs", "request_id": HEX + "\n"},
            "request_id:must_be_a_string_matching_^[a-f0-9]{64}$",
        ),
        (
            {"view": "Todos"},
            "view:must_be_one_of_sources|portfolio|todos|deliveries|handoffs",
        ),
        ({}, "view:required_one_of_sources|portfolio|todos|deliveries|handoffs"),
        ([], "arguments:must_be_an_object"),
        (None, "arguments:must_be_an_object"),
        ("{}", "arguments:must_be_an_object"),
        (b'{"view": ', "arguments:must_be_json_and_an_object"),
    ],
)
def test_nothing_is_coerced_and_each_fault_has_its_name(
    arguments: "Json | bytes", entry: str
) -> None:
    assert rejected_arguments(arguments) == (entry,)


@pytest.mark.requirement("R3")
def test_entries_stand_in_one_order_whatever_the_order_of_the_arguments() -> None:
    wrong: dict[str, Json] = {
        "source_id": 1,
        "goal_id": 1,
        "limit": 0,
        "offset": -1,
        "days": 0,
        "include_stopped": 1,
        "request_id": "x",
        "view": "progress",
        "zebra": 1,
        "apple": 1,
    }
    expected = rejected_arguments(wrong)

    assert [entry.partition(":")[0] for entry in dict.fromkeys(expected)] == [
        "unknown_argument",
        "unknown_argument",
        "view",
        "request_id",
        "request_id",
        "include_stopped",
        "include_stopped",
        "days",
        "days",
        "offset",
        "offset",
        "limit",
        "limit",
        "goal_id",
        "goal_id",
        "source_id",
    ]
    assert expected[:2] == ("unknown_argument:apple", "unknown_argument:zebra")
    assert rejected_arguments(dict(reversed(wrong.items()))) == expected


@pytest.mark.requirement("R3")
def test_a_long_unknown_name_is_cut_and_no_value_is_echoed() -> None:
    entries = rejected_arguments({"view": "secret-view", "n" * 100: "secret-value", "days": "99x"})

    assert entries[0] == f"unknown_argument:{'n' * 64}"
    assert not [entry for entry in entries if "secret" in entry or "99x" in entry]


def test_accepting_refused_arguments_is_a_programming_error() -> None:
    with pytest.raises(ValueError, match="refused"):
        accepted({"view": "todos", "days": 7})


@pytest.mark.requirement("R1")
@pytest.mark.parametrize("tool", ["loopx_manager_read", "loopx_context_read"])
def test_the_published_schema_is_the_one_that_judges_without_our_own_keywords(tool: str) -> None:
    shown = published(tool)
    schema = shown["inputSchema"]
    assert isinstance(schema, Mapping)
    properties = schema["properties"]
    assert isinstance(properties, Mapping)

    assert shown["name"] == tool
    assert schema["additionalProperties"] is False
    assert schema["required"] == ["view"]
    assert tuple(properties) == allowed_arguments()
    assert allowed_views() == tuple(VIEWS)
    for name, argument in READ_SCHEMA["properties"].items():
        assert properties[name] == {k: v for k, v in argument.items() if k != "x-views"}
