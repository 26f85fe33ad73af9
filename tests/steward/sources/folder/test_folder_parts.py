"""The folder's small parts: YAML without surprises, instants, misspelt keys, options."""

import string
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steward.errors import SettingsError
from steward.model.ids import SourceId
from steward.model.json import Json
from steward.sources.folder import FolderKind
from steward.sources.folder.instants import parse_date, parse_instant
from steward.sources.folder.markdown import markdown_tree
from steward.sources.folder.source import VIEWS
from steward.sources.folder.words import distance, misspelt
from steward.sources.folder.yaml_text import MalformedError, Node, tree
from steward.testing.world import FakeClock

SHANGHAI = ZoneInfo("Asia/Shanghai")


def running() -> bool:
    return False


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: no\nb: 12:30\nc: 0x1F\nd: 1e3", {"a": "no", "b": "12:30", "c": "0x1F", "d": "1e3"}),
        (
            "a:\nb: ~\nc: null\nd: ''\ne: 'null'",
            {"a": None, "b": None, "c": None, "d": "", "e": "null"},
        ),
        ("[]", []),
        ("a: [1, {b: c}]", {"a": ["1", {"b": "c"}]}),
        ("a: |\n  two\n  lines\n", {"a": "two\nlines\n"}),
        ("%YAML 1.1\n---\na: no\n...\n", {"a": "no"}),
        ("# nothing\n", None),
    ],
)
def test_scalars_stay_text_and_only_null_is_nothing(text: str, expected: Node) -> None:
    assert tree(text, running) == expected


YAMLISH = st.text(st.sampled_from(string.printable + "支：\u2028\x85\ufeff\U0001f680"), max_size=60)
PIECES = [
    *"{}[]'\"#a",
    "- ",
    "\n",
    ": ",
    "? ",
    "&a ",
    "*a ",
    "!!str ",
    "!<x> ",
    ">-\n",
    "  ",
    "<<: ",
]
LINES = [
    "goal: ",
    "x: 1\n",
    "\\u12",
    "\\xff",
    "|\n",
    "---\n",
    "...\n",
    "%YAML 9.9\n",
    "%TAG ! x\n",
    "- [x] a\n",
    "# a\n",
]
FRAGMENTS = st.lists(st.sampled_from([*PIECES, *LINES]), max_size=20).map("".join)


@given(YAMLISH | FRAGMENTS)
def test_any_text_is_a_tree_or_malformed_and_nothing_else(text: str) -> None:
    for read in (tree, markdown_tree):
        try:
            read(text, running)
        except MalformedError:
            continue


def test_a_parse_that_nobody_waits_for_ends() -> None:
    with pytest.raises(MalformedError):
        tree("a: b", lambda: True)


@pytest.mark.requirement("R11")
@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2026-11-27T16:20:00+08:00", "2026-11-27T08:20:00+00:00"),
        ("2026-11-27 16:20", "2026-11-27T08:20:00+00:00"),
        ("2026-11-27T16:20:30.5Z", "2026-11-27T16:20:30.5+00:00"),
        ("2026-11-27 16:20:00 -0330", "2026-11-27T19:50:00+00:00"),
        ("2026-11-27", "2026-11-26T16:00:00+00:00"),
    ],
)
def test_instants_are_read_as_people_write_them(text: str, instant: str) -> None:
    found = parse_instant(text, SHANGHAI)

    assert found == datetime.fromisoformat(instant)
    assert found.tzinfo is UTC


@pytest.mark.parametrize(
    "text",
    [
        "yesterday",
        "2026-11-27T16",
        "20261127",
        "2026-W48-5",
        "2026-11-31",
        "2026-11-27T24:01",
        "16:20",
        "1969-12-31",
        "9999-12-31T23:59:59-14:00",
        "\uff12\uff10\uff12\uff16-11-27",
        "2026-11-27T16:20:00+99:00",
    ],
)
def test_what_is_no_instant_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        parse_instant(text, SHANGHAI)


def test_dates_have_no_time() -> None:
    assert parse_date("2026-12-05") == date(2026, 12, 5)
    with pytest.raises(ValueError, match="05T"):
        parse_date("2026-12-05T10:00")


@pytest.mark.parametrize(
    ("one", "other", "edits"),
    [
        ("title", "title", 0),
        ("titel", "title", 2),
        ("owners", "owner", 1),
        ("status", "owner", 3),
        ("deliverys", "deliveries", 2),
        ("x", "blocked_by", 3),
        ("", "at", 2),
    ],
)
def test_edits_between_two_keys(one: str, other: str, edits: int) -> None:
    assert min(distance(one, other), 3) == edits
    assert min(distance(other, one), 3) == edits


def test_a_slip_is_told_from_a_key_of_ones_own() -> None:
    assert misspelt(["title", "titel", "estimate"], ["title", "owner"]) == ("titel",)


def test_the_kind_builds_a_source_of_four_views(clock: FakeClock) -> None:
    kind = FolderKind(clock)
    source = kind.build(SourceId("plans"), {"path": "evidence"}, {})

    assert (kind.kind, kind.views, source.views, source.id) == ("folder", VIEWS, VIEWS, "plans")


@pytest.mark.parametrize(
    ("options", "key"),
    [
        ({}, "source.plans.path"),
        ({"path": ""}, "source.plans.path"),
        ({"path": 7}, "source.plans.path"),
        ({"path": "a\0b"}, "source.plans.path"),
        ({"path": "evidence", "timezone": "Mars/Base"}, "source.plans.timezone"),
        ({"path": "evidence", "timezone": "../etc/passwd"}, "source.plans.timezone"),
        ({"path": "evidence", "timezone": 8}, "source.plans.timezone"),
        ({"path": "evidence", "recursive": True}, "source.plans.recursive"),
    ],
)
def test_options_that_cannot_be_used_are_named(
    clock: FakeClock, options: dict[str, Json], key: str
) -> None:
    with pytest.raises(SettingsError) as refused:
        FolderKind(clock).build(SourceId("plans"), options, {})

    assert refused.value.key == key
